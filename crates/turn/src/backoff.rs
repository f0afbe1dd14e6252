//! Back-off: exponential, with full jitter. The one rule by which anything is asked again.

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
    /// The longest wait after so many tries.
    pub(crate) fn longest(self, tries: u32) -> Duration {
        self.first.saturating_mul(1 << tries.min(16)).min(self.max)
    }

    /// A random wait after so many tries: full jitter.
    pub(crate) fn wait(self, tries: u32, ids: &Ids) -> Duration {
        ids.jitter(self.longest(tries))
    }

    /// A random wait of at least half the longest: for what must not be asked in quick succession.
    pub(crate) fn wait_at_least_half(self, tries: u32, ids: &Ids) -> Duration {
        let half = self.longest(tries) / 2;
        half + ids.jitter(half)
    }
}
