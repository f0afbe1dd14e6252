//! Simulated time for code that waits by `tokio::time`: authors' bots do, and their libraries.
//!
//! A runtime of tokio's with a paused clock goes beside the scheduler. It runs no task of ours; it
//! only keeps the timers that they set. When nothing is ready, both clocks are moved together to
//! whatever comes first.

use std::{
    fmt,
    future::poll_fn,
    pin::pin,
    sync::{Mutex, MutexGuard, PoisonError},
    task::{Context, Poll, Waker},
    time::Duration,
};

use futures_util::future::{Either, select};
use tokio::{
    runtime::{Builder, EnterGuard, Runtime},
    time::{Instant, sleep_until},
};

/// Timers of tokio's, on simulated time. The thread that made it must drop it.
pub(crate) struct TokioTime {
    runtime: Runtime,
    began: Instant,
    signal: Mutex<Signal>,
}

/// Signal that a task was woken while time passes.
#[derive(Default)]
struct Signal {
    is_woken: bool,
    waker: Option<Waker>,
}

impl TokioTime {
    pub(crate) fn new() -> Self {
        let runtime = Builder::new_current_thread().enable_time().start_paused(true).build();
        let runtime = runtime.expect("a runtime that only keeps time needs nothing of the system");
        let began = runtime.block_on(async { Instant::now() });
        Self { runtime, began, signal: Mutex::default() }
    }

    /// Makes the timers those of this thread, while a task is polled.
    pub(super) fn enter(&self) -> EnterGuard<'_> {
        self.runtime.enter()
    }

    fn signal(&self) -> MutexGuard<'_, Signal> {
        self.signal.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Says that a task was woken.
    pub(super) fn woken(&self) {
        let mut signal = self.signal();
        signal.is_woken = true;
        let waker = signal.waker.take();
        drop(signal);
        if let Some(waker) = waker {
            waker.wake();
        }
    }

    fn poll_woken(&self, context: &Context<'_>) -> Poll<()> {
        let mut signal = self.signal();
        if signal.is_woken {
            return Poll::Ready(());
        }
        signal.waker = Some(context.waker().clone());
        Poll::Pending
    }

    /// Lets time pass until a moment of the simulation, or until one of tokio's timers wakes a
    /// task. Returns the time then.
    pub(super) fn pass(&self, until: Duration) -> Duration {
        *self.signal() = Signal::default();
        // Tokio's clock stays on whole milliseconds, as its timers do: from a fraction of one it
        // would be moved too far.
        let whole = Duration::from_millis(u64::try_from(until.as_millis()).unwrap_or(u64::MAX));
        self.runtime.block_on(async {
            let woken = pin!(poll_fn(|context| self.poll_woken(context)));
            let passed = pin!(sleep_until(self.began + whole));
            match select(woken, passed).await {
                Either::Left(_) => self.began.elapsed(),
                Either::Right(_) => until,
            }
        })
    }
}

impl fmt::Debug for TokioTime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TokioTime").field("began", &self.began).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::{
        super::{Executor, Owner},
        *,
    };

    #[test]
    fn timers_of_ours_and_of_tokios_fire_in_the_order_of_their_times() {
        let executor = Executor::new(1);
        executor.use_tokio(Some(Arc::new(TokioTime::new())));
        let seen = Arc::new(Mutex::new(Vec::new()));
        for (name, micros, is_tokio) in [
            ("ours, 10.5 ms", 10_500, false),
            ("tokio's, 12 ms", 12_000, true),
            ("ours, 12.4 ms", 12_400, false),
            ("tokio's, 3 s", 3_000_000, true),
            ("tokio's, 1 ms", 1000, true),
            ("ours, 4 s", 4_000_000, false),
        ] {
            let (seen, own) = (Arc::clone(&seen), executor.clone());
            let wait = Duration::from_micros(micros);
            let nap = executor.sleep(wait);
            executor.spawn(
                Owner::World,
                Box::pin(async move {
                    match is_tokio {
                        true => tokio::time::sleep(wait).await,
                        false => nap.await,
                    }
                    seen.lock().unwrap().push((name, own.now()));
                }),
            );
        }
        assert!(executor.run_until(Duration::MAX, || seen.lock().unwrap().len() == 6));
        let names: Vec<&str> = seen.lock().unwrap().iter().map(|(name, _)| *name).collect();
        let expected = [
            "tokio's, 1 ms",
            "ours, 10.5 ms",
            "tokio's, 12 ms",
            "ours, 12.4 ms",
            "tokio's, 3 s",
            "ours, 4 s",
        ];
        assert_eq!(names, expected);
        assert_eq!(executor.now(), Duration::from_secs(4));
        executor.end();
        executor.use_tokio(None);
    }

    #[test]
    fn a_timeout_of_tokios_ends_what_takes_longer_on_simulated_time() {
        let executor = Executor::new(1);
        executor.use_tokio(Some(Arc::new(TokioTime::new())));
        let ended = Arc::new(Mutex::new(None));
        let (slow, seen) = (executor.sleep(Duration::from_secs(60)), Arc::clone(&ended));
        executor.spawn(
            Owner::World,
            Box::pin(async move {
                let began = Instant::now();
                let late = tokio::time::timeout(Duration::from_secs(5), slow).await;
                *seen.lock().unwrap() = Some((late.is_err(), began.elapsed()));
            }),
        );
        assert!(executor.run_until(Duration::MAX, || ended.lock().unwrap().is_some()));
        assert_eq!(*ended.lock().unwrap(), Some((true, Duration::from_secs(5))));
        executor.end();
        executor.use_tokio(None);
    }
}
