//! Statistics of saves.

use std::sync::atomic::{AtomicU64, Ordering};

/// Counters of a [`RedisStore`](super::RedisStore) since it was opened.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct RedisStats {
    /// Scripts that wrote saves.
    pub scripts: u64,
    /// Documents that such scripts wrote. Many share a script when many callers are at work.
    pub writes: u64,
}

#[derive(Debug, Default)]
pub(super) struct Counters {
    scripts: AtomicU64,
    writes: AtomicU64,
}

impl Counters {
    /// Counts a script by its verdicts, of which 1 is a document that was written.
    pub(super) fn count(&self, verdicts: &[i64]) {
        let written = verdicts.iter().filter(|verdict| **verdict == 1).count();
        let _before = self.scripts.fetch_add(1, Ordering::Relaxed);
        let _before = self.writes.fetch_add(written as u64, Ordering::Relaxed);
    }

    pub(super) fn read(&self) -> RedisStats {
        RedisStats {
            scripts: self.scripts.load(Ordering::Relaxed),
            writes: self.writes.load(Ordering::Relaxed),
        }
    }
}
