//! Deadline: one absolute time for all the work of a batch.

use std::time::Duration;

/// Minimum time-out of a call: one that is cut at once says nothing about the store.
const LEAST: Duration = Duration::from_millis(1);

/// Deadline on this instance's monotonic clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Deadline(Duration);

impl Deadline {
    pub(crate) fn at(uptime: Duration) -> Self {
        Self(uptime)
    }

    /// Reports whether the deadline has passed.
    pub(crate) fn is_over(self, now: Duration) -> bool {
        now >= self.0
    }

    /// Returns the remaining time, at least [`LEAST`].
    pub(crate) fn left(self, now: Duration) -> Duration {
        self.0.saturating_sub(now).max(LEAST)
    }
}
