//! Deadlines: one absolute time for everything that is done for a batch.

use std::time::Duration;

/// The least time that a call is given: one that is cut at once says nothing about the store.
const LEAST: Duration = Duration::from_millis(1);

/// A time of this instance's monotonic clock at which somebody stops waiting.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Deadline(Duration);

impl Deadline {
    pub(crate) fn at(uptime: Duration) -> Self {
        Self(uptime)
    }

    /// Whether it has passed.
    pub(crate) fn is_over(self, now: Duration) -> bool {
        now >= self.0
    }

    /// The time that is left.
    pub(crate) fn left(self, now: Duration) -> Duration {
        self.0.saturating_sub(now).max(LEAST)
    }
}
