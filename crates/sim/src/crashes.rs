//! Crash enumeration: a turn dies at each of its awaits in turn, and everything is checked every
//! time.
//!
//! The awaits are found by counting how often the instance is polled when nothing goes wrong; every
//! wait before and after each store call and each hand-over is one of them, so a death between the
//! engine's doing and its hearing of it (the lost answer) is among the cases. They are counted
//! until everything is at rest: timers and long turns go on when all senders have their answers.

use std::{cell::Cell, sync::Arc, time::Duration};

use sayso_activity::{Activity, Kind};
use sayso_turn::store::Store;

use crate::{
    Fault, Plan,
    bot::{Later, Pair, Wish},
    check::check,
    clients::{self, Said},
    executor::{Executor, Owner},
    node::Nodes,
    panics, run,
    tenancy::Place,
    world::World,
};

/// Maximum time until the death comes, or everything is at rest without it.
const DEATH_MAX: Duration = Duration::from_secs(180);

/// Interval at which that is checked.
const REST_LOOK_EVERY: Duration = Duration::from_millis(100);

/// Result of a crash enumeration.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Enumeration {
    /// Number of cases, each with one crash.
    pub cases: u64,
    /// Number of awaits of the longest turn.
    pub awaits: u64,
    /// Violations, each with its case.
    pub broken: Vec<String>,
}

/// Kind of turn that dies.
#[derive(Clone, Copy, Debug)]
enum Sort {
    Message,
    Invoke,
    Event,
    /// A message that wants its replies in the answer.
    ExpectReplies,
    /// Timers: two that fire together, one after the other, one that takes long, one that is
    /// cancelled.
    Timers,
    /// A turn that is acknowledged before it ends.
    Long,
    /// A turn that writes three further documents, and one that reads two of them.
    Documents,
    /// A turn that takes three durable steps, and a timer that takes two.
    Steps,
    /// An `invoke` that takes three: its sender waits for the answer.
    InvokeSteps,
}

impl Sort {
    const ALL: [Self; 9] = [
        Self::Message,
        Self::Invoke,
        Self::Event,
        Self::ExpectReplies,
        Self::Timers,
        Self::Long,
        Self::Documents,
        Self::Steps,
        Self::InvokeSteps,
    ];

    /// The n-th activity of this sort. The plain ones do a bit of everything.
    fn said(self, world: &World, n: usize) -> Said {
        let timer = |after_ms, slow_ms| Later {
            after_ms,
            wish: Wish { replies: 1, calls: 1, slow_ms, ..Wish::default() },
            ..Later::default()
        };
        let plain = Wish { replies: 2, calls: 1, ..Wish::default() };
        let wish = match self {
            Self::Timers => {
                let cancelled = Later { is_cancelled: true, ..timer(100, None) };
                // The cancelled one last: what it frees is used by nobody.
                let timers =
                    vec![timer(100, None), timer(100, Some(2500)), timer(400, None), cancelled];
                Wish { timers, ..plain }
            }
            Self::Long => Wish { slow_ms: Some(9500), ..plain },
            Self::Documents => {
                let pair = if n == 0 { Pair::Write } else { Pair::Read };
                Wish { user: true, pair: Some(pair), ..plain }
            }
            Self::Steps => {
                let mut timer = timer(100, None);
                timer.wish.steps = 2;
                Wish { timers: vec![timer], steps: 3, ..plain }
            }
            Self::InvokeSteps => Wish { steps: 3, ..plain },
            _ => Wish { timers: vec![timer(100, None)], user: true, ..plain },
        };
        let kind = match self {
            Self::Invoke | Self::InvokeSteps => Kind::Invoke,
            Self::Event => Kind::Event,
            _ => Kind::Message,
        };
        let activity = Activity { name: Some("append".into()), ..Activity::new(kind) };
        Said::new(
            world,
            n,
            &Place::named("c0"),
            activity,
            wish,
            matches!(self, Self::ExpectReplies),
        )
    }
}

/// Successor, which finishes what a dead instance began.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Heir {
    /// The channel delivers again, to the same instance in its next life.
    Redelivery,
    /// Another instance has been running all the time.
    Other,
}

/// Dies at every await of a turn: message, invoke, event, `expectReplies`, timers, long turns,
/// turns with further documents and turns with durable steps, recovered by redelivery to a new life
/// and by another instance. Each case gets a store of its own, one that lets several documents be
/// written at once or pretends that it cannot.
pub fn enumerate_crashes(
    has_transactions: bool,
    store: impl Fn() -> Arc<dyn Store>,
) -> Enumeration {
    let mut all = Enumeration::default();
    for sort in Sort::ALL {
        for heir in [Heir::Redelivery, Heir::Other] {
            let (polls, _) = die(store(), has_transactions, sort, heir, u64::MAX);
            all.awaits = all.awaits.max(polls);
            for at in 0..polls {
                all.cases += 1;
                let (_, broken) = die(store(), has_transactions, sort, heir, at);
                all.broken.extend(
                    broken.into_iter().map(|what| format!("{sort:?} {heir:?} at {at}: {what}")),
                );
            }
        }
    }
    all
}

/// Plays two turns; the first instance dies before its n-th poll. Gives its polls and what broke.
fn die(
    store: Arc<dyn Store>,
    has_transactions: bool,
    sort: Sort,
    heir: Heir,
    at: u64,
) -> (u64, Vec<String>) {
    let plan = Plan {
        instances: if heir == Heir::Other { 2 } else { 1 },
        conversations: 1,
        activities: 2,
        is_keyed: false,
        has_transactions,
        ttl: None,
        in_bursts: false,
        is_steady: true,
        ..Plan::calm(1)
    };
    panics::listen();
    let executor = Executor::new(plan.seed);
    let world = World::new(&plan, &executor, store, false);
    let nodes = run::start(&world);
    let doomed = Owner::Instance(0);
    if at < u64::MAX {
        executor.doom(doomed, at);
    }
    let all = [0, 1].map(|n| sort.said(&world, n));
    let done = Arc::new(clients::Done::default());
    let client = {
        let (world, nodes, all, done) =
            (Arc::clone(&world), Arc::clone(&nodes), all.clone(), Arc::clone(&done));
        async move {
            for said in &all {
                let mut place = 0;
                while !clients::deliver_to(&world, &nodes, said, place).await {
                    world.executor.sleep(Duration::from_millis(100)).await;
                    if world.executor.is_dead(doomed) && heir == Heir::Redelivery {
                        nodes.restart(0, 0);
                    }
                    place = usize::from(heir == Heir::Other);
                }
                done.add();
            }
        }
    };
    executor.spawn(Owner::World, Box::pin(client));
    // Counted when it comes: whoever takes over may mark replies from then on.
    let crashed = Cell::new(false);
    let has_died = || {
        if executor.is_dead(doomed) && !crashed.replace(true) {
            world.chance.tally.add(Fault::Crash);
        }
        crashed.get()
    };
    let is_answered = || {
        has_died();
        done.count() == all.len()
    };
    if !executor.run_until(Duration::from_secs(120), is_answered) {
        world.violation("I9: not answered".to_owned());
    }
    await_death_or_rest((&world, &nodes, &all), has_died);
    let polls = executor.polls(doomed);
    executor.pardon(doomed);
    if has_died() {
        if heir == Heir::Redelivery {
            nodes.restart(0, 0);
        }
    } else if at < u64::MAX {
        world.violation("the death did not come".to_owned());
    }
    if run::come_to_rest(&world, &nodes, &all) {
        check(&world, &nodes, &all);
    }
    run::find_panics(&world);
    executor.end();
    let broken = std::mem::take(&mut world.seen().violations);
    (polls, broken)
}

/// Waits until the death has come, which may be after the answers, or nothing is left to do.
fn await_death_or_rest(
    (world, nodes, all): (&World, &Nodes, &[Said]),
    has_died: impl Fn() -> bool,
) {
    let executor = &world.executor;
    let until = executor.now() + DEATH_MAX;
    while !has_died() && !run::is_at_rest(world, nodes, all) {
        if executor.now() > until {
            return world.violation("I9: neither dead nor at rest".to_owned());
        }
        executor.run_until(executor.now() + REST_LOOK_EVERY, &has_died);
    }
}
