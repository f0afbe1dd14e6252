//! Stray markers: markers that no document names.

use std::{
    collections::BTreeMap,
    sync::Mutex,
    time::{Duration, Instant},
};

use crate::sync::lock;

/// Age after which a stray marker, one without a document that names it, is removed.
pub(super) const STRAY_AFTER: Duration = Duration::from_secs(120);

/// The number of stray markers that are remembered; more are found again later.
const STRAYS_MAX: usize = 10_000;

/// Stray markers by name, each with the time at which it was first seen.
#[derive(Debug, Default)]
pub(super) struct Strays {
    seen: Mutex<BTreeMap<String, Instant>>,
}

impl Strays {
    /// True if a marker has been stray for long enough to be removed.
    pub(super) fn is_old(&self, name: &str, after: Duration) -> bool {
        let mut seen = lock(&self.seen);
        if let Some(since) = seen.get(name) {
            return since.elapsed() >= after;
        }
        if seen.len() < STRAYS_MAX {
            let _none = seen.insert(name.to_owned(), Instant::now());
        }
        after.is_zero()
    }

    pub(super) fn forget(&self, name: &str) {
        let mut seen = lock(&self.seen);
        let _since = seen.remove(name);
    }
}
