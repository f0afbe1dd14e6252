//! The clock and task seams: the engine never asks the machine for time or threads itself.
//!
//! The wall clock decides nothing but when a timer is due. Claims, deadlines and back-off use the
//! monotonic clock of one instance; the clocks of two machines are never compared.

use std::{
    fmt,
    time::{Duration, Instant, SystemTime, UNIX_EPOCH},
};

use futures_util::future::BoxFuture;
use serde::{Deserialize, Serialize};

/// Milliseconds since 1970-01-01 UTC.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Timestamp(u64);

impl Timestamp {
    /// The epoch: a document that is due at `START` is always due.
    pub const START: Self = Self(0);

    /// Makes a timestamp of milliseconds since 1970-01-01 UTC.
    #[must_use]
    pub const fn from_millis(millis: u64) -> Self {
        Self(millis)
    }

    /// Milliseconds since 1970-01-01 UTC.
    #[must_use]
    pub const fn as_millis(self) -> u64 {
        self.0
    }

    /// Adds a duration; saturates.
    #[must_use]
    pub fn after(self, wait: Duration) -> Self {
        Self(self.0.saturating_add(u64::try_from(wait.as_millis()).unwrap_or(u64::MAX)))
    }

    /// Returns the time elapsed since `earlier`; zero if `earlier` is later.
    #[must_use]
    pub fn since(self, earlier: Self) -> Duration {
        Duration::from_millis(self.0.saturating_sub(earlier.0))
    }
}

/// Clock of the engine: wall clock, monotonic clock, sleep.
pub trait Clock: fmt::Debug + Send + Sync + 'static {
    /// The wall clock. It may jump.
    fn now(&self) -> Timestamp;

    /// Monotonic clock: the time since some fixed moment of this instance.
    fn uptime(&self) -> Duration;

    /// Sleeps for a duration.
    fn sleep(&self, wait: Duration) -> BoxFuture<'static, ()>;
}

/// Task spawner of the engine.
pub trait Tasks: fmt::Debug + Send + Sync + 'static {
    /// Runs a future to completion in the background.
    fn spawn(&self, task: BoxFuture<'static, ()>);
}

/// System clock, with tokio's timer.
#[derive(Clone, Copy, Debug)]
pub struct SystemClock {
    started: Instant,
}

impl SystemClock {
    /// Starts counting now.
    #[must_use]
    #[expect(clippy::disallowed_methods, reason = "the only place that reads the system clock")]
    pub fn new() -> Self {
        Self { started: Instant::now() }
    }
}

impl Default for SystemClock {
    fn default() -> Self {
        Self::new()
    }
}

impl Clock for SystemClock {
    #[expect(clippy::disallowed_methods, reason = "the only place that reads the system clock")]
    fn now(&self) -> Timestamp {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Timestamp::START.after(since)
    }

    fn uptime(&self) -> Duration {
        self.started.elapsed()
    }

    fn sleep(&self, wait: Duration) -> BoxFuture<'static, ()> {
        Box::pin(tokio::time::sleep(wait))
    }
}

/// Tasks on the tokio runtime that is current where the engine runs.
#[derive(Clone, Copy, Debug, Default)]
pub struct TokioTasks;

impl Tasks for TokioTasks {
    #[expect(clippy::disallowed_methods, reason = "the only place that spawns")]
    fn spawn(&self, task: BoxFuture<'static, ()>) {
        // Detached on purpose: the engine counts its own tasks and waits for them when it shuts
        // down.
        drop(tokio::spawn(task));
    }
}
