//! Detection of suspension: a sleeping machine stops its monotonic clock, and only the wall clock
//! shows that afterwards.
//!
//! A wall clock that gains seconds on the monotonic one means that the machine slept, or that the
//! clock was set. Either way earlier proof of a claim is void: the claim is renewed before anything
//! is sent. Once noticed this stays recorded, whatever the clock does later.

use std::{
    sync::atomic::{AtomicI64, AtomicU64, Ordering},
    time::Duration,
};

use crate::clock::Timestamp;

/// Gains up to this are ordinary clock drift.
const GAIN_MS: i64 = 2000;

/// Last offset of the two clocks, and the last time at which a suspension was noticed.
#[derive(Debug, Default)]
pub(crate) struct Suspension {
    /// Wall clock minus monotonic clock, in milliseconds; zero before the first check.
    offset_ms: AtomicI64,
    /// Monotonic time at which a suspension was last noticed.
    noticed_ms: AtomicU64,
}

impl Suspension {
    /// Compares both clocks.
    pub(crate) fn check(&self, uptime: Duration, wall: Timestamp) {
        let uptime_ms = u64::try_from(uptime.as_millis()).unwrap_or(u64::MAX);
        let offset_ms = wall.as_millis().cast_signed().saturating_sub_unsigned(uptime_ms);
        let before_ms = self.offset_ms.swap(offset_ms, Ordering::Relaxed);
        if before_ms != 0 && offset_ms.saturating_sub(before_ms) > GAIN_MS {
            self.noticed_ms.store(uptime_ms, Ordering::Relaxed);
        }
    }

    /// Reports whether a suspension was noticed after a time. What was proven in the very moment of
    /// that is proven: the renewal that follows must not ask for another one.
    pub(crate) fn is_since(&self, uptime: Duration) -> bool {
        let noticed = Duration::from_millis(self.noticed_ms.load(Ordering::Relaxed));
        uptime < noticed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clock_that_is_set_back_later_does_not_hide_it() {
        let suspension = Suspension::default();
        let second = Duration::from_secs;
        let look = |uptime, wall| suspension.check(second(uptime), Timestamp::from_millis(wall));
        look(10, 1_000_000);
        look(11, 1_001_500);
        assert!(!suspension.is_since(second(10)));
        look(12, 1_040_000);
        assert!(suspension.is_since(second(11)) && !suspension.is_since(second(13)));
        look(13, 500_000);
        assert!(suspension.is_since(second(11)));
    }
}
