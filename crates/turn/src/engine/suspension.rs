//! Suspension: a machine that sleeps stops its monotonic clock, and only the wall clock tells
//! afterwards.
//!
//! A wall clock that gains on the monotonic one by seconds means that the machine slept, or that
//! somebody set the clock. Either way a claim that was made before proves nothing any more: it is
//! renewed before anything is sent. Noted once, whatever the clock does later.

use std::{
    sync::atomic::{AtomicI64, AtomicU64, Ordering},
    time::Duration,
};

use crate::clock::Timestamp;

/// A gain below this is how clocks are.
const GAIN_MS: i64 = 2000;

/// What both clocks said last, and when they last disagreed.
#[derive(Debug, Default)]
pub(crate) struct Suspension {
    /// Wall clock less monotonic clock, in milliseconds; zero before the first look.
    offset_ms: AtomicI64,
    /// The monotonic time at which a suspension was noticed last.
    noticed_ms: AtomicU64,
}

impl Suspension {
    /// Looks at both clocks.
    pub(crate) fn look(&self, uptime: Duration, wall: Timestamp) {
        let uptime_ms = u64::try_from(uptime.as_millis()).unwrap_or(u64::MAX);
        let offset_ms = wall.as_millis().cast_signed().saturating_sub_unsigned(uptime_ms);
        let before_ms = self.offset_ms.swap(offset_ms, Ordering::Relaxed);
        if before_ms != 0 && offset_ms.saturating_sub(before_ms) > GAIN_MS {
            self.noticed_ms.store(uptime_ms, Ordering::Relaxed);
        }
    }

    /// Whether the machine may have slept since a time.
    pub(crate) fn is_since(&self, uptime: Duration) -> bool {
        let noticed = Duration::from_millis(self.noticed_ms.load(Ordering::Relaxed));
        !noticed.is_zero() && uptime <= noticed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clock_that_is_set_back_later_does_not_hide_it() {
        let suspension = Suspension::default();
        let second = Duration::from_secs;
        let look = |uptime, wall| suspension.look(second(uptime), Timestamp::from_millis(wall));
        look(10, 1_000_000);
        look(11, 1_001_500);
        assert!(!suspension.is_since(second(10)));
        look(12, 1_040_000);
        assert!(suspension.is_since(second(11)) && !suspension.is_since(second(13)));
        look(13, 500_000);
        assert!(suspension.is_since(second(11)));
    }
}
