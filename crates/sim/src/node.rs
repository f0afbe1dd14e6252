//! Simulated instances: production engines, each with a clock of its own, that can die, freeze and
//! come back.

use std::{
    collections::BTreeMap,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
};

use futures_util::future::BoxFuture;
use sayso_turn::{Engine, Stats, clock::Tasks};

use crate::{
    Fault,
    channel::SimChannel,
    clock::SimClock,
    executor::{Executor, Owner},
    expiry::DRIFT_MAX,
    outside::Outside,
    store::SimStore,
    tenancy,
    world::World,
};

/// One year, the error of a clock that is a year ahead.
const YEAR_MS: i64 = 365 * 86_400_000;

/// Maximum number of activities that count as having waited for a frozen instance.
const ARREARS_MAX: usize = 8;

/// Factory that prepares the engine of an instance over its seams.
pub(crate) type Start =
    Arc<dyn Fn(&Outside, SimStore, SimChannel) -> sayso_turn::Builder + Send + Sync>;

/// All instances of a run.
pub(crate) struct Nodes {
    world: Arc<World>,
    start: Start,
    places: Mutex<Vec<Node>>,
    old: Arc<Mutex<BTreeMap<sayso_turn::Key, sayso_turn::store::Stored>>>,
    lives: AtomicUsize,
}

impl Drop for Nodes {
    /// The engines know the bot, and the bot's world knows them.
    fn drop(&mut self) {
        self.world.engines().clear();
    }
}

/// One instance in its present life.
#[derive(Clone, Debug)]
pub(crate) struct Node {
    pub(crate) life: usize,
    pub(crate) engine: Engine,
    pub(crate) clock: SimClock,
    pub(crate) outside: Outside,
}

impl Node {
    pub(crate) fn owner(&self) -> Owner {
        Owner::Instance(self.life)
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
        });
        for place in 0..world.plan.instances {
            let node = nodes.born(place);
            nodes.places().push(node);
        }
        nodes
    }

    fn places(&self) -> MutexGuard<'_, Vec<Node>> {
        self.places.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Starts a new life at a place.
    fn born(&self, place: usize) -> Node {
        let world = &self.world;
        let life = self.lives.fetch_add(1, Ordering::SeqCst);
        let executor = world.executor.clone();
        let clock = draw_clock(world);
        let is_new = world.chance.is_calm() || world.chance.fires(Fault::Builds);
        let bot = tenancy::bot_at(&world.plan, place);
        let outside = Outside { world: Arc::clone(world), life, bot, is_new };
        let store = SimStore {
            world: Arc::clone(world),
            shared: Arc::clone(&world.store),
            old: Arc::clone(&self.old),
            chance: Arc::clone(&world.chance),
            executor: executor.clone(),
            life,
            bot,
            is_newer: world.chance.fires(Fault::Versions),
        };
        let channel = SimChannel {
            world: Arc::clone(world),
            executor: executor.clone(),
            instance: life,
            clock: clock.clone(),
        };
        let engine = (self.start)(&outside, store, channel)
            .clock(Arc::new(clock.clone()))
            .tasks(Arc::new(SimTasks { executor, owner: Owner::Instance(life) }))
            .seed(world.plan.seed.wrapping_mul(1000).wrapping_add(life as u64))
            .limits(world.plan.limits())
            .start();
        world.tell(|| format!("instance {life}: starts"));
        world.engines().push(engine.clone());
        Node { life, engine, clock, outside }
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
        let node = self.born(place);
        if let Some(old) = self.places().get_mut(place) {
            *old = node;
        }
    }

    /// Makes every instance live, awake and right about the time.
    pub(crate) fn heal(&self) {
        for place in 0..self.count() {
            let Some(node) = self.get(place) else { continue };
            let is_dead = self.world.executor.is_dead(node.owner());
            if node.engine.is_closing() && !is_dead {
                // It shuts down in good order, and is replaced then.
                continue;
            }
            node.clock.set_skew(0);
            node.clock.set_drift(0);
            self.resume(&node);
            self.world.executor.pardon(node.owner());
            // The deployment is finished: nobody runs the old build any more.
            let is_old = self.world.plan.has(Fault::Builds) && !node.outside.is_new;
            if is_old {
                self.world.chance.tally.add(Fault::Builds);
            }
            if is_dead || is_old {
                self.restart(place, node.life);
            }
        }
    }

    /// Lets an instance run on that was frozen or suspended.
    pub(crate) fn resume(&self, node: &Node) {
        if self.world.executor.is_frozen(node.owner()) {
            node.clock.resume();
            self.world.executor.thaw(node.owner());
            self.world.disturbed(node.life, false);
            // What arrived meanwhile is taken up now.
            for _ in 0..self.world.plan.activities.min(ARREARS_MAX) {
                self.world.costs().cause(self.world.executor.now(), node.life);
            }
            self.world.tell(|| format!("instance {}: resumed", node.life));
        }
    }

    /// Reports whether any instance was ever replaced.
    pub(crate) fn is_restarted(&self) -> bool {
        self.lives.load(Ordering::SeqCst) > self.world.plan.instances
    }

    /// Reports whether no living instance is busy with anything.
    pub(crate) fn are_idle(&self) -> bool {
        let is_dead = |node: &Node| self.world.executor.is_dead(node.owner());
        self.places().iter().all(|node| is_dead(node) || node.engine.busy() == 0)
    }

    /// Sum of one counter over all instances that ever lived.
    pub(crate) fn total(&self, counter: impl Fn(Stats) -> u64) -> u64 {
        let engines = self.world.engines();
        engines.iter().map(|engine| counter(engine.stats())).sum()
    }
}

/// A clock that is right, or wrong in one of several ways.
fn draw_clock(world: &World) -> SimClock {
    let chance = &world.chance;
    let clock = SimClock::new(&world.executor, world.plan.has(Fault::Suspend));
    if chance.fires(Fault::Skew) {
        clock.set_skew(chance.around(600_000));
    }
    if chance.fires(Fault::YearAhead) {
        clock.set_skew(YEAR_MS);
    }
    if chance.fires(Fault::Drift) {
        clock.set_drift(chance.around((1000.0 * DRIFT_MAX) as i64));
    }
    clock
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
