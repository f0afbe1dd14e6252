//! Clocks that tests control, and tasks that they can stop.

use std::{
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering},
    },
    task::{Poll, Waker},
    time::Duration,
};

use futures_core::future::BoxFuture;
use sayso_turn::clock::{Clock, Tasks, Timestamp};
use tokio::task::AbortHandle;

/// Tokio's clock, which tests pause.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct PausedClock;

impl Clock for PausedClock {
    fn now(&self) -> Timestamp {
        Timestamp::from_millis(1_000_000).after(self.uptime())
    }

    fn uptime(&self) -> Duration {
        use std::sync::OnceLock;
        thread_local! { static START: OnceLock<tokio::time::Instant> = const { OnceLock::new() }; }
        let start = START.with(|start| *start.get_or_init(tokio::time::Instant::now));
        tokio::time::Instant::now().duration_since(start)
    }

    fn sleep(&self, wait: Duration) -> BoxFuture<'static, ()> {
        Box::pin(tokio::time::sleep(wait))
    }
}

/// The clocks of one machine: its wall clock may be wrong, and its monotonic clock stands still
/// while it is suspended. Time itself is that of [`PausedClock`].
#[derive(Clone, Debug, Default)]
pub(crate) struct MachineClock(Arc<Mutex<Machine>>);

#[derive(Debug, Default)]
struct Machine {
    /// Offset of the wall clock.
    ahead: Duration,
    /// Total time of earlier suspensions.
    slept: Duration,
    suspended_at: Option<Duration>,
}

impl MachineClock {
    /// Sets the wall clock ahead.
    pub(crate) fn set_ahead(&self, ahead: Duration) {
        self.0.lock().unwrap().ahead = ahead;
    }

    /// Stops the monotonic clock. Tasks are to be frozen with it.
    pub(crate) fn suspend(&self) {
        self.0.lock().unwrap().suspended_at = Some(PausedClock.uptime());
    }

    pub(crate) fn wake(&self) {
        let mut machine = self.0.lock().unwrap();
        let at = machine.suspended_at.take().expect("it was suspended");
        machine.slept += PausedClock.uptime() - at;
    }
}

impl Clock for MachineClock {
    fn now(&self) -> Timestamp {
        PausedClock.now().after(self.0.lock().unwrap().ahead)
    }

    fn uptime(&self) -> Duration {
        let machine = self.0.lock().unwrap();
        machine.suspended_at.unwrap_or_else(|| PausedClock.uptime()) - machine.slept
    }

    fn sleep(&self, wait: Duration) -> BoxFuture<'static, ()> {
        let (clock, until) = (self.clone(), self.uptime() + wait);
        Box::pin(async move {
            loop {
                let left = until.saturating_sub(clock.uptime());
                if left.is_zero() {
                    return;
                }
                tokio::time::sleep(left).await;
            }
        })
    }
}

#[derive(Debug, Default)]
pub(super) struct KillableTasks {
    handles: Mutex<Vec<AbortHandle>>,
    is_dead: AtomicBool,
    gate: Arc<Gate>,
}

impl KillableTasks {
    pub(super) fn kill(&self) {
        for handle in self.handles.lock().unwrap().drain(..) {
            handle.abort();
        }
        self.is_dead.store(true, Ordering::SeqCst);
    }

    pub(super) fn freeze(&self) {
        self.gate.is_shut.store(true, Ordering::SeqCst);
    }

    pub(super) fn thaw(&self) {
        self.gate.is_shut.store(false, Ordering::SeqCst);
        self.gate.waiting.lock().unwrap().drain(..).for_each(Waker::wake);
    }
}

/// While it is shut no task of the instance is polled.
#[derive(Debug, Default)]
struct Gate {
    is_shut: AtomicBool,
    waiting: Mutex<Vec<Waker>>,
}

impl Tasks for KillableTasks {
    fn spawn(&self, mut task: BoxFuture<'static, ()>) {
        if self.is_dead.load(Ordering::SeqCst) {
            return;
        }
        let gate = Arc::clone(&self.gate);
        let gated = std::future::poll_fn(move |cx| {
            if gate.is_shut.load(Ordering::SeqCst) {
                gate.waiting.lock().unwrap().push(cx.waker().clone());
                return Poll::Pending;
            }
            task.as_mut().poll(cx)
        });
        self.handles.lock().unwrap().push(tokio::spawn(gated).abort_handle());
    }
}
