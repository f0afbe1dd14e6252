//! Builder of an instance.

use std::sync::Arc;

use futures_util::FutureExt;

use super::Engine;
use crate::{
    KeyScheme, Limits,
    channel::Channel,
    clock::{Clock, SystemClock, Tasks, TokioTasks},
    delivery,
    engine::{Core, Seams},
    id::Ids,
    recovery,
    store::Store,
    turn::Logic,
};

/// Builder of an engine. Everything but bot, store and channel has a default for production.
#[derive(Debug)]
pub struct Builder {
    logic: Arc<dyn Logic>,
    store: Arc<dyn Store>,
    channel: Arc<dyn Channel>,
    clock: Arc<dyn Clock>,
    tasks: Arc<dyn Tasks>,
    limits: Limits,
    keys: Option<KeyScheme>,
    seed: Option<u64>,
}

impl Builder {
    fn new(logic: Arc<dyn Logic>, store: Arc<dyn Store>, channel: Arc<dyn Channel>) -> Self {
        Self {
            logic,
            store,
            channel,
            clock: Arc::new(SystemClock::new()),
            tasks: Arc::new(TokioTasks),
            limits: Limits::default(),
            keys: None,
            seed: None,
        }
    }

    /// Sets the limits.
    #[must_use]
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Sets the scheme of the keys; the default is that of the bot.
    #[must_use]
    pub fn keys(mut self, keys: KeyScheme) -> Self {
        self.keys = Some(keys);
        self
    }

    /// Sets the clock.
    #[must_use]
    pub fn clock(mut self, clock: Arc<dyn Clock>) -> Self {
        self.clock = clock;
        self
    }

    /// Sets the task spawner.
    #[must_use]
    pub fn tasks(mut self, tasks: Arc<dyn Tasks>) -> Self {
        self.tasks = tasks;
        self
    }

    /// Sets the seed of all randomness in this instance, for tests: two instances must not share
    /// one. The default is the system's entropy.
    #[must_use]
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = Some(seed);
        self
    }

    /// Starts the instance, including its recovery of abandoned work.
    #[must_use]
    pub fn start(self) -> Engine {
        let core = Core::new(Seams {
            keys: self.keys.unwrap_or_else(|| self.logic.keys()),
            logic: self.logic,
            store: self.store,
            channel: self.channel,
            clock: self.clock,
            tasks: self.tasks,
            ids: self.seed.map_or_else(Ids::from_entropy, Ids::new),
            limits: self.limits,
            make_courier: delivery::courier,
        });
        core.tasks.spawn(recovery::watch(Arc::downgrade(&core)).boxed());
        Engine { core }
    }
}

impl Engine {
    /// Returns a builder.
    pub fn builder(logic: impl Logic, store: Arc<dyn Store>, channel: Arc<dyn Channel>) -> Builder {
        Builder::new(Arc::new(logic), store, channel)
    }
}
