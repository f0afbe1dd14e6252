//! Looks for due documents that are under way: the open query of each.
//!
//! A continuation token and a page size would be simpler. But with them the library's queries over
//! several partitions leave out what is left of a partition; with the service's pages they do not.

use std::sync::Mutex;

use azure_data_cosmos::feed::QueryPageIterator;
use sayso_turn::store::{Cursor, Due, DuePage};

use super::item::Row;
use crate::sync::lock;

/// The most looks that are kept; the oldest goes first. An instance has one.
const LOOKS_MAX: usize = 4;

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
}

impl Looks {
    /// Takes the look of a cursor, if it is still there.
    pub(super) fn take(&self, cursor: &Cursor) -> Option<Look> {
        let number: u64 = cursor.as_str().parse().ok()?;
        let looks = &mut lock(&self.kept).looks;
        let at = looks.iter().position(|(known, _)| *known == number)?;
        Some(looks.remove(at).1)
    }

    /// Makes a page of what is there, and keeps the look for the next one.
    pub(super) fn page(&self, mut look: Look, limit: usize) -> DuePage {
        let left = look.rest.split_off(limit.min(look.rest.len()));
        let found = std::mem::replace(&mut look.rest, left);
        DuePage { found, next: Some(self.keep(look)) }
    }

    fn keep(&self, look: Look) -> Cursor {
        let kept = &mut *lock(&self.kept);
        kept.count += 1;
        if kept.looks.len() >= LOOKS_MAX {
            drop(kept.looks.remove(0));
        }
        kept.looks.push((kept.count, look));
        Cursor::new(kept.count.to_string())
    }
}
