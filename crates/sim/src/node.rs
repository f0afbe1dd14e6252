//! Instances in the simulated world: production engines, each with a clock of its own, that can die,
//! freeze and come back.

use std::{
    collections::BTreeMap,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicI64, AtomicUsize, Ordering},
    },
    time::Duration,
};

use futures_util::future::BoxFuture;
use sayso_turn::{
    Engine, Limits, Stats,
    clock::{Clock, Tasks, Timestamp},
};

use crate::{
    Fault,
    channel::SimChannel,
    executor::{Executor, Owner},
    store::SimStore,
    world::World,
};

/// A day: nothing in a run happens before the beginning of time, whatever a clock says.
const START_MS: i64 = 1_700_000_000_000;

/// What starts the engine of an instance over its seams.
pub(crate) type Start = Arc<dyn Fn(SimStore, SimChannel) -> sayso_turn::Builder + Send + Sync>;

/// All instances of a run.
pub(crate) struct Nodes {
    world: Arc<World>,
    start: Start,
    places: Mutex<Vec<Node>>,
    old: Arc<Mutex<BTreeMap<sayso_turn::Key, sayso_turn::store::Stored>>>,
    lives: AtomicUsize,
    /// Every engine that ever lived, for its counters.
    engines: Mutex<Vec<Engine>>,
}

/// One instance in its present life.
#[derive(Clone, Debug)]
pub(crate) struct Node {
    pub(crate) life: usize,
    pub(crate) engine: Engine,
    skew_ms: Arc<AtomicI64>,
}

impl Node {
    pub(crate) fn owner(&self) -> Owner {
        Owner::Instance(self.life)
    }

    pub(crate) fn set_clock(&self, skew_ms: i64) {
        self.skew_ms.store(skew_ms, Ordering::SeqCst);
    }
}

impl Nodes {
    pub(crate) fn new(world: &Arc<World>, start: Start) -> Arc<Self> {
        let nodes = Arc::new(Self {
            world: Arc::clone(world),
            start,
            places: Mutex::default(),
            old: Arc::default(),
            lives: AtomicUsize::new(0),
            engines: Mutex::default(),
        });
        for _ in 0..world.plan.instances {
            let node = nodes.born();
            nodes.places().push(node);
        }
        nodes
    }

    fn places(&self) -> MutexGuard<'_, Vec<Node>> {
        self.places.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Starts a new life.
    fn born(&self) -> Node {
        let world = &self.world;
        let life = self.lives.fetch_add(1, Ordering::SeqCst);
        let executor = world.executor.clone();
        let skew_ms = Arc::new(AtomicI64::new(0));
        if world.chance.fires(Fault::Skew) {
            skew_ms.store(world.chance.around(600_000), Ordering::SeqCst);
        }
        let store = SimStore {
            world: Arc::clone(world),
            shared: Arc::clone(&world.store),
            old: Arc::clone(&self.old),
            chance: Arc::clone(&world.chance),
            executor: executor.clone(),
            is_newer: world.chance.fires(Fault::Versions),
        };
        let channel =
            SimChannel { world: Arc::clone(world), executor: executor.clone(), instance: life };
        let clock = SimClock { executor: executor.clone(), skew_ms: Arc::clone(&skew_ms) };
        let engine = (self.start)(store, channel)
            .clock(Arc::new(clock))
            .tasks(Arc::new(SimTasks { executor, owner: Owner::Instance(life) }))
            .seed(world.plan.seed.wrapping_mul(1000).wrapping_add(life as u64))
            // Instances die often here: that says nothing about the turns they die in.
            .limits(Limits { ttl: world.plan.ttl(), lost_max: 1000, ..Limits::default() })
            .start();
        world.tell(|| format!("instance {life}: starts"));
        self.engines.lock().unwrap_or_else(PoisonError::into_inner).push(engine.clone());
        Node { life, engine, skew_ms }
    }

    pub(crate) fn get(&self, place: usize) -> Option<Node> {
        self.places().get(place).cloned()
    }

    pub(crate) fn count(&self) -> usize {
        self.places().len()
    }

    /// Ends a life, if it has not ended yet, and puts a new one in its place.
    pub(crate) fn restart(&self, place: usize, life: usize) {
        self.world.executor.kill(Owner::Instance(life));
        if self.get(place).is_some_and(|node| node.life != life) {
            return;
        }
        let node = self.born();
        if let Some(old) = self.places().get_mut(place) {
            *old = node;
        }
    }

    /// Makes every instance live, awake and right about the time.
    pub(crate) fn heal(&self) {
        for place in 0..self.count() {
            let Some(node) = self.get(place) else { continue };
            node.set_clock(0);
            self.world.executor.thaw(node.owner());
            self.world.executor.pardon(node.owner());
            if self.world.executor.is_dead(node.owner()) || node.engine.is_closing() {
                self.restart(place, node.life);
            }
        }
    }

    /// Whether no living instance is busy with anything.
    pub(crate) fn are_idle(&self) -> bool {
        let is_dead = |node: &Node| self.world.executor.is_dead(node.owner());
        self.places().iter().all(|node| is_dead(node) || node.engine.busy() == 0)
    }

    /// What all instances that ever lived have counted, by one counter.
    pub(crate) fn total(&self, counter: impl Fn(Stats) -> u64) -> u64 {
        let engines = self.engines.lock().unwrap_or_else(PoisonError::into_inner);
        engines.iter().map(|engine| counter(engine.stats())).sum()
    }
}

#[derive(Debug)]
struct SimClock {
    executor: Executor,
    skew_ms: Arc<AtomicI64>,
}

impl Clock for SimClock {
    fn now(&self) -> Timestamp {
        let world_ms = i64::try_from(self.executor.now().as_millis()).unwrap_or(i64::MAX);
        let now_ms = START_MS + world_ms + self.skew_ms.load(Ordering::SeqCst);
        Timestamp::from_millis(u64::try_from(now_ms).unwrap_or_default())
    }

    fn uptime(&self) -> Duration {
        self.executor.now()
    }

    fn sleep(&self, wait: Duration) -> BoxFuture<'static, ()> {
        self.executor.sleep(wait)
    }
}

#[derive(Debug)]
struct SimTasks {
    executor: Executor,
    owner: Owner,
}

impl Tasks for SimTasks {
    fn spawn(&self, task: BoxFuture<'static, ()>) {
        self.executor.spawn(self.owner, task);
    }
}
