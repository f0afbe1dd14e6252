//! Putting an engine together.

use std::sync::{Arc, Mutex, atomic::AtomicBool};

use futures_util::FutureExt;
use tokio::sync::Notify;

use super::{Engine, Shared, alarms::Alarms, cache::Cache, records::Records, recovery};
use crate::{
    Limits, Logic,
    channel::Channel,
    clock::{Clock, SystemClock, Tasks, TokioTasks},
    id::Ids,
    stats::Counters,
    store::Store,
};

/// Puts an engine together. Everything but bot, store and channel has a default for production.
#[derive(Debug)]
pub struct Builder {
    logic: Arc<dyn Logic>,
    store: Arc<dyn Store>,
    channel: Arc<dyn Channel>,
    clock: Arc<dyn Clock>,
    tasks: Arc<dyn Tasks>,
    limits: Limits,
    seed: Option<u64>,
}

impl Builder {
    pub(super) fn new(
        logic: Arc<dyn Logic>,
        store: Arc<dyn Store>,
        channel: Arc<dyn Channel>,
    ) -> Self {
        Self {
            logic,
            store,
            channel,
            clock: Arc::new(SystemClock::new()),
            tasks: Arc::new(TokioTasks),
            limits: Limits::default(),
            seed: None,
        }
    }

    /// Sets the limits.
    #[must_use]
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Sets where time comes from.
    #[must_use]
    pub fn clock(mut self, clock: Arc<dyn Clock>) -> Self {
        self.clock = clock;
        self
    }

    /// Sets where tasks run.
    #[must_use]
    pub fn tasks(mut self, tasks: Arc<dyn Tasks>) -> Self {
        self.tasks = tasks;
        self
    }

    /// Sets the seed of all chance in this instance. Two instances must not have the same one.
    #[must_use]
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = Some(seed);
        self
    }

    /// Starts the instance: from now on it also looks for what others left behind.
    #[must_use]
    pub fn start(self) -> Engine {
        #[expect(
            clippy::disallowed_methods,
            reason = "production has no seed: the machine gives one"
        )]
        let seed = self.seed.unwrap_or_else(|| fastrand::u64(..));
        let shared = Arc::new(Shared {
            logic: self.logic,
            store: self.store,
            channel: self.channel,
            clock: self.clock,
            tasks: self.tasks,
            ids: Ids::new(seed),
            cache: Mutex::new(Cache::new(self.limits.cache_bytes_max)),
            limits: Arc::new(self.limits),
            counters: Counters::default(),
            mailboxes: Mutex::default(),
            alarms: Alarms::default(),
            records: Records::default(),
            is_closing: AtomicBool::new(false),
            changed: Notify::new(),
        });
        shared.tasks.spawn(recovery::watch(Arc::downgrade(&shared)).boxed());
        Engine { shared }
    }
}
