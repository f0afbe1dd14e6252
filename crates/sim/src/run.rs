//! One run: plays a plan, waits for rest, and checks the invariants.

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use futures_util::FutureExt;
use sayso_turn::{
    Engine, Key, Stats,
    store::{MemoryStore, Store},
};

use crate::{
    Fault, Plan, bot,
    channel::QUIET_MAX,
    check::{check, costs},
    clients::{self, Done, Said},
    disruption,
    executor::{Executor, Owner},
    node::Nodes,
    outages::{self, OUTAGE_MAX},
    outside::Outside,
    panics,
    world::World,
};

/// Maximum duration of the faults, in simulated time; they end sooner when the users are done.
const TROUBLE_MAX: Duration = Duration::from_secs(120);
/// Maximum time until rest once nothing goes wrong any more (I9).
const REST_MAX: Duration = Duration::from_secs(60);
/// The same where turns take long.
const LONG_REST_MAX: Duration = Duration::from_secs(20 * 60);
/// Maximum clock error: timers of a wrong clock may take that much longer.
const SKEW_MAX: Duration = Duration::from_secs(20 * 60);

/// Time in which a crowd talks, is left behind and found again: the claims of a dead instance
/// lapse.
const CROWD_TIME: Duration = Duration::from_secs(20);
/// Sampling rate: one run in so many is watched for a while when it is at rest.
const IDLE_EVERY: u64 = 8;

/// Report of one run.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Report {
    /// The plan that was played.
    pub plan: Plan,
    /// Violated invariants, in words. Empty when all is well.
    pub violations: Vec<String>,
    /// Number of times that each fault fired.
    pub faults: BTreeMap<Fault, u64>,
    /// Turns committed, over all instances.
    pub turns: u64,
    /// Conflicts, unknown outcomes, recoveries and the like, over all instances.
    pub stats: Totals,
    /// Duration in simulated time.
    pub simulated: Duration,
    /// Time line of events, if it was asked for.
    pub timeline: Vec<String>,
}

/// Sums over all instances of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Totals {
    /// Commits that another instance won.
    pub conflicts: u64,
    /// Commits whose outcome was not known.
    pub unknown: u64,
    /// Activities recognised as delivered before.
    pub duplicates: u64,
    /// Outboxes taken over.
    pub recovered: u64,
    /// Hand-overs repeated because an earlier one may have arrived.
    pub repeats: u64,
    /// Replies given up.
    pub parked: u64,
    /// Turns given up, to be sent again.
    pub given_up: u64,
    /// Activities acknowledged before their turns ended.
    pub accepted: u64,
    /// Timers fired.
    pub fired: u64,
    /// Prepared changes fenced off.
    pub fenced: u64,
    /// Documents removed because their time was over.
    pub expired: u64,
    /// Turns refused because a newer build wrote their state.
    pub newer: u64,
    /// Replies not sent again because they may have arrived.
    pub withheld: u64,
    /// Replies not sent because they had expired.
    pub outdated: u64,
    /// Runs of the logic, those that lost a race included.
    pub attempts: u64,
    /// Writes that the store took.
    pub writes: u64,
}

impl Totals {
    /// Adds the sums of another run.
    pub fn add(&mut self, other: Self) {
        self.conflicts += other.conflicts;
        self.unknown += other.unknown;
        self.duplicates += other.duplicates;
        self.recovered += other.recovered;
        self.repeats += other.repeats;
        self.parked += other.parked;
        self.given_up += other.given_up;
        self.accepted += other.accepted;
        self.fired += other.fired;
        self.fenced += other.fenced;
        self.expired += other.expired;
        self.newer += other.newer;
        self.withheld += other.withheld;
        self.outdated += other.outdated;
        self.attempts += other.attempts;
        self.writes += other.writes;
    }
}

/// Plays a plan to its end and checks every invariant. The same plan gives the same report.
#[must_use]
pub fn play(plan: &Plan, is_told: bool) -> Report {
    panics::listen();
    let executor = Executor::new(plan.seed);
    let world = World::new(plan, &executor, Arc::new(MemoryStore::default()), is_told);
    let nodes = start(&world);
    let all: Vec<Said> = (0..plan.activities).flat_map(|n| Said::draw(&world, n)).collect();
    if stage(&world, &nodes, &all) {
        check(&world, &nodes, &all);
        costs::per_turn(&world, &all);
        if plan.forgets() {
            expire(&world, &all);
        } else if plan.seed.is_multiple_of(IDLE_EVERY) {
            costs::idle(&world, &all);
        }
    }
    find_panics(&world);
    let report = report(&world, &nodes);
    executor.end();
    report
}

/// Checks that nothing has panicked since listening began, but the bot where it was asked to.
pub(crate) fn find_panics(world: &World) {
    for panic in panics::end() {
        world.violation(format!("panic: {panic}"));
    }
    if world.executor.panicked() > 0 {
        world.violation("panic: a task of an instance ended with one".to_owned());
    }
}

/// Waits until everything has expired: then only what has no TTL may be left.
fn expire(world: &World, all: &[Said]) {
    if world.plan.has(Fault::YearAhead) {
        // What such a clock dates is kept for a year.
        return;
    }
    // One that was not found in time, for whatever reason, is watched for a whole time to live
    // before it is believed to be over, and asked for ever less often.
    let of_kind = world.plan.ttl.unwrap_or_default();
    let longest = of_kind.max(world.plan.own_ttl()).max(bot::DECLARED_MAX);
    let longest = if world.plan.has(Fault::OwnTtl) || world.plan.has(Fault::Builds) {
        longest
    } else {
        of_kind
    };
    let until = world.executor.now() + 2 * longest + 4 * REST_MAX;
    world.executor.run_until(until, || false);
    for key in clients::keys(all) {
        let loaded = world.store.load(&key).now_or_never();
        let is_there = loaded.is_some_and(|loaded| loaded.is_ok_and(|stored| stored.is_some()));
        if is_there && world.history().ttl_of(&key).is_some() {
            return world.violation(format!("I10: {key} is kept beyond its time"));
        }
    }
}

/// Lets users say things to instances in an unkind world, until everything is at rest. False when
/// it never is.
pub(crate) fn stage(world: &Arc<World>, nodes: &Arc<Nodes>, all: &[Said]) -> bool {
    stage_with(world, nodes, all, |done| {
        for said in all {
            let (world, nodes, done) = (Arc::clone(world), Arc::clone(nodes), Arc::clone(done));
            let client = clients::send(Arc::clone(&world), nodes, said.clone(), done);
            world.executor.spawn(Owner::World, Box::pin(client));
        }
    })
}

/// The same, with users who say things in a way of their own.
pub(crate) fn stage_with(
    world: &Arc<World>,
    nodes: &Arc<Nodes>,
    all: &[Said],
    start_clients: impl FnOnce(&Arc<Done>),
) -> bool {
    let executor = &world.executor;
    for fault in world.plan.faults.keys().filter(|fault| fault.is_of_the_world()) {
        world.chance.tally.add(*fault);
    }
    let done = Arc::new(Done::default());
    start_clients(&done);
    let is_crowd = world.plan.has(Fault::Crowd);
    let weathers = [Fault::Outage, Fault::StoreRefuses, Fault::Unreadable];
    if is_crowd || weathers.iter().any(|fault| world.plan.has(*fault)) {
        let weather = outages::make(Arc::clone(world), clients::keys(all));
        executor.spawn(Owner::World, Box::pin(weather));
    }
    if is_crowd {
        let death = disruption::leave_a_crowd(Arc::clone(world), Arc::clone(nodes));
        executor.spawn(Owner::World, Box::pin(death));
        executor.run_until(CROWD_TIME, || false);
    }
    for place in 0..world.plan.instances {
        let keys = clients::keys(all);
        let disruption = disruption::disturb(Arc::clone(world), Arc::clone(nodes), place, keys);
        executor.spawn(Owner::World, Box::pin(disruption));
    }
    let is_done = || done.count() == all.len();
    executor.run_until(TROUBLE_MAX, is_done);
    world.chance.calm_down();
    world.weather().clear_up();
    nodes.heal();
    world.tell(|| "nothing goes wrong any more".to_owned());
    if !executor.run_until(executor.now() + rest_max(world), is_done) {
        world.violation(format!("I9: only {} of {} are answered", done.count(), all.len()));
        return false;
    }
    let left = costs::left(world, all);
    let is_at_rest = come_to_rest(world, nodes, all);
    costs::quiet(world, &left);
    is_at_rest
}

/// Starts the instances of a world, each with the bot whose history is exact.
pub(crate) fn start(world: &Arc<World>) -> Arc<Nodes> {
    let start = |outside: &Outside, store, channel| {
        let store: Arc<dyn Store> = Arc::new(store);
        Engine::builder(bot::bot(&outside.world.plan, outside), store, Arc::new(channel))
    };
    Nodes::new(world, Arc::new(start))
}

/// Maximum time until rest. Turns that take long run one after the other, and a later one of the
/// same documents makes an earlier one run again. What a channel asked for before counts too.
fn rest_max(world: &World) -> Duration {
    let has = |fault| world.chance.has(fault);
    let quiet = if has(Fault::Later) { QUIET_MAX } else { Duration::ZERO };
    let outage = if has(Fault::Outage) { OUTAGE_MAX } else { Duration::ZERO };
    let is_long =
        [Fault::Long, Fault::SlowTimer, Fault::FailingTimer, Fault::StoreRefuses, Fault::Steps];
    let is_long = is_long.into_iter().any(has);
    quiet + outage + if is_long { LONG_REST_MAX } else { REST_MAX }
}

/// Finds what is left to deliver, to run or to finish, and to fire if timers count.
fn waits_for(world: &World, keys: &[Key], has_timers: bool) -> Option<String> {
    keys.iter().find_map(|key| {
        let ledger = world.document(key).ledger;
        if ledger.prepared.is_some() || !ledger.decided.is_empty() {
            return Some(format!("I10: {key} is not finished"));
        }
        if !ledger.inbox.is_empty() {
            return Some(format!("I9: {key} has an inbox of {}", ledger.inbox.len()));
        }
        if !ledger.outbox.is_empty() || ledger.claim.is_some() {
            let (count, claim, held) = (ledger.outbox.len(), ledger.claim, ledger.held);
            return Some(format!("I9: {key} has an outbox of {count}, {claim:?}, {held:?}"));
        }
        // A timer that a wrong clock set may take as long as the clock was wrong.
        if has_timers && !ledger.timers.is_empty() {
            return Some(format!("I9: {key} has timers"));
        }
        None
    })
}

/// Reports whether nothing is left and nobody is busy.
pub(crate) fn is_at_rest(world: &World, nodes: &Nodes, all: &[Said]) -> bool {
    nodes.are_idle() && waits_for(world, &clients::keys(all), true).is_none()
}

/// Waits for rest: nothing to deliver, nothing to fire, nobody busy (I9, I10).
pub(crate) fn come_to_rest(world: &World, nodes: &Nodes, all: &[Said]) -> bool {
    let executor = &world.executor;
    let keys = clients::keys(all);
    let rest = rest_max(world);
    let limits = [(rest, false), (SKEW_MAX, true), (rest, true)];
    for (most, is_late) in limits {
        let until = executor.now() + most;
        while waits_for(world, &keys, is_late).is_some() || !nodes.are_idle() {
            if executor.now() > until {
                let what = waits_for(world, &keys, is_late)
                    .unwrap_or_else(|| "I10: an instance is busy for ever".into());
                world.violation(what);
                for key in &keys {
                    world.tell(|| format!("{key}: {:?}", world.document(key)));
                }
                return false;
            }
            executor.run_until(executor.now() + Duration::from_secs(1), || false);
        }
    }
    true
}

fn report(world: &World, nodes: &Nodes) -> Report {
    let total = |counter: fn(Stats) -> u64| nodes.total(counter);
    let writes = world.costs().committed;
    let mut seen = world.seen();
    Report {
        plan: world.plan.clone(),
        violations: std::mem::take(&mut seen.violations),
        faults: world.chance.tally.counts(),
        turns: total(|stats| stats.turns),
        stats: Totals {
            conflicts: total(|stats| stats.conflicts),
            unknown: total(|stats| stats.unknown),
            duplicates: total(|stats| stats.duplicates),
            recovered: total(|stats| stats.recovered),
            repeats: total(|stats| stats.repeats),
            parked: total(|stats| stats.parked),
            given_up: total(|stats| stats.given_up),
            accepted: total(|stats| stats.accepted),
            fired: total(|stats| stats.fired),
            fenced: total(|stats| stats.fenced),
            expired: total(|stats| stats.expired),
            newer: total(|stats| stats.newer),
            withheld: total(|stats| stats.withheld),
            outdated: total(|stats| stats.outdated),
            attempts: total(|stats| stats.attempts),
            writes,
        },
        simulated: world.executor.now(),
        timeline: seen.timeline.take().unwrap_or_default(),
    }
}
