//! Looks for due documents that are under way: the open query of each (a server-side cursor, kept
//! on this side).
//!
//! A continuation token and a page size would be simpler. But with them the library's queries over
//! several partitions left out what was left of a partition, on its own emulator; with the
//! service's pages they do not.

use std::sync::Mutex;

use azure_data_cosmos::feed::QueryPageIterator;
use sayso_turn::store::{Cursor, Due, DuePage};

use super::item::Row;
use crate::sync::lock;

/// The most looks that are kept; the oldest goes first. An instance has one, but each probe of its
/// readiness begins another, which nobody goes on with.
const LOOKS_MAX: usize = 16;

/// Looks that wait for their next page.
#[derive(Default)]
pub(super) struct Looks {
    kept: Mutex<Kept>,
}

#[derive(Default)]
struct Kept {
    /// Number of looks so far.
    count: u64,
    looks: Vec<(u64, Look)>,
}

/// A look: its container, the pages of its query, and what is left of the last one.
pub(super) struct Look {
    pub(super) container: String,
    pub(super) pages: QueryPageIterator<Row>,
    pub(super) rest: Vec<Due>,
    /// A container that could not be looked at, which is said at the end.
    pub(super) missed: Option<String>,
    /// True if it is not at its first page any more.
    pub(super) is_gone_on_with: bool,
}

impl Looks {
    /// Takes the look of a cursor, if it is still there.
    pub(super) fn take(&self, cursor: &Cursor) -> Option<Look> {
        let (number, _) = cursor.as_str().split_once(' ')?;
        let number: u64 = number.parse().ok()?;
        let looks = &mut lock(&self.kept).looks;
        let at = looks.iter().position(|(known, _)| *known == number)?;
        Some(looks.remove(at).1)
    }

    /// The container in which a look goes on, also when it is not kept any more.
    pub(super) fn container(cursor: &Cursor) -> Option<&str> {
        cursor.as_str().split_once(' ').map(|(_, container)| container)
    }

    /// Makes a page of what is there, and keeps the look for the next one.
    pub(super) fn page(&self, mut look: Look, limit: usize) -> DuePage {
        let left = look.rest.split_off(limit.min(look.rest.len()));
        let found = std::mem::replace(&mut look.rest, left);
        let kept = &mut *lock(&self.kept);
        kept.count += 1;
        let next = Cursor::new(format!("{} {}", kept.count, look.container));
        let is_probe = |look: &Look| !look.is_gone_on_with;
        if kept.looks.len() >= LOOKS_MAX {
            let oldest = kept.looks.iter().position(|(_, look)| is_probe(look)).unwrap_or(0);
            drop(kept.looks.remove(oldest));
        }
        kept.looks.push((kept.count, look));
        DuePage { found, next: Some(next) }
    }
}
