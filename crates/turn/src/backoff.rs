//! Exponential back-off with full jitter, for every retry of the engine.

use std::time::Duration;

use crate::id::Ids;

/// Bounds of a back-off: the first wait is a random time up to `first`, doubled each time, up to
/// `max`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Backoff {
    pub(crate) first: Duration,
    pub(crate) max: Duration,
}

impl Backoff {
    /// Returns the upper bound of the wait after `tries` failures.
    pub(crate) fn longest(self, tries: u32) -> Duration {
        self.first.saturating_mul(1 << tries.min(16)).min(self.max)
    }

    /// Returns a random wait between zero and the upper bound (full jitter).
    pub(crate) fn wait(self, tries: u32, ids: &Ids) -> Duration {
        ids.jitter(self.longest(tries))
    }

    /// Returns a random wait of at least half the upper bound (equal jitter), where retries must
    /// not follow each other quickly.
    pub(crate) fn wait_at_least_half(self, tries: u32, ids: &Ids) -> Duration {
        let half = self.longest(tries) / 2;
        half + ids.jitter(half)
    }
}
