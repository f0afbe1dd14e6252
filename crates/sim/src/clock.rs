//! The simulated clock of one instance: it may be wrong, drift, jump, and stop while the machine is
//! suspended.

use std::{
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicI64, Ordering},
    },
    time::Duration,
};

use futures_util::future::BoxFuture;
use sayso_turn::clock::{Clock, Timestamp};

use crate::executor::Executor;

/// Start of simulated time, late enough that no wrong clock shows a time before 1970.
pub(crate) const START_MS: i64 = 1_700_000_000_000;

/// An instance's clock. Cloning it gives another handle.
#[derive(Clone, Debug)]
pub(crate) struct SimClock {
    executor: Executor,
    skew_ms: Arc<AtomicI64>,
    /// Milliseconds gained per second.
    drift: Arc<AtomicI64>,
    /// Only where the machine can be suspended at all.
    sleep: Option<Arc<Mutex<Asleep>>>,
}

/// Total time for which the machine was suspended, and the start of the present suspension.
#[derive(Debug, Default)]
struct Asleep {
    total: Duration,
    since: Option<Duration>,
}

impl SimClock {
    pub(crate) fn new(executor: &Executor, can_be_suspended: bool) -> Self {
        Self {
            executor: executor.clone(),
            skew_ms: Arc::default(),
            drift: Arc::default(),
            sleep: can_be_suspended.then(Arc::default),
        }
    }

    /// Sets by how much the wall clock is wrong.
    pub(crate) fn set_skew(&self, skew_ms: i64) {
        self.skew_ms.store(skew_ms, Ordering::SeqCst);
    }

    /// Sets the number of milliseconds that the wall clock gains per second.
    pub(crate) fn set_drift(&self, drift: i64) {
        self.drift.store(drift, Ordering::SeqCst);
    }

    /// Stops the monotonic clock.
    pub(crate) fn suspend(&self) {
        let now = self.executor.now();
        if let Some(mut asleep) = self.asleep() {
            asleep.since.get_or_insert(now);
        }
    }

    /// Lets it go on.
    pub(crate) fn resume(&self) {
        let now = self.executor.now();
        if let Some(mut asleep) = self.asleep()
            && let Some(since) = asleep.since.take()
        {
            asleep.total += now.saturating_sub(since);
        }
    }

    fn asleep(&self) -> Option<MutexGuard<'_, Asleep>> {
        Some(self.sleep.as_ref()?.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Clock for SimClock {
    fn now(&self) -> Timestamp {
        let world_ms = i64::try_from(self.executor.now().as_millis()).unwrap_or(i64::MAX);
        let gained_ms = world_ms * self.drift.load(Ordering::SeqCst) / 1000;
        let now_ms = START_MS + world_ms + gained_ms + self.skew_ms.load(Ordering::SeqCst);
        Timestamp::from_millis(u64::try_from(now_ms).unwrap_or_default())
    }

    fn uptime(&self) -> Duration {
        let now = self.executor.now();
        match self.asleep() {
            Some(asleep) => asleep.since.unwrap_or(now).saturating_sub(asleep.total),
            None => now,
        }
    }

    fn sleep(&self, wait: Duration) -> BoxFuture<'static, ()> {
        let first = self.executor.sleep(wait);
        if self.sleep.is_none() {
            return first;
        }
        let (clock, until) = (self.clone(), self.uptime() + wait);
        Box::pin(async move {
            first.await;
            // What was slept through in suspension does not count.
            loop {
                let left = until.saturating_sub(clock.uptime());
                if left.is_zero() {
                    return;
                }
                clock.executor.sleep(left).await;
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clock_that_gains_five_per_cent_is_five_seconds_ahead_after_a_hundred() {
        let executor = Executor::new(1);
        let (right, fast) = (SimClock::new(&executor, false), SimClock::new(&executor, false));
        fast.set_drift(50);
        let nap = executor.sleep(Duration::from_secs(100));
        executor.spawn(crate::executor::Owner::World, nap);
        executor.run_until(Duration::MAX, || false);
        assert_eq!(fast.now().since(right.now()), Duration::from_secs(5));
    }
}
