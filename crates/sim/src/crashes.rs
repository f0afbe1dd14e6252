//! Crash enumeration: a turn dies at each of its awaits in turn, and everything is checked every time.
//!
//! The awaits are found by counting how often the instance is polled when nothing goes wrong; every wait
//! before and after each store call and each hand-over is one of them, so a death between the engine's
//! doing and its hearing of it (the lost answer) is among the cases.

use std::{sync::Arc, time::Duration};

use sayso_activity::Kind;
use sayso_turn::store::Store;

use crate::{
    Fault, Plan,
    check::check,
    clients::{self, Said},
    executor::{Executor, Owner},
    run,
    world::World,
};

/// What was enumerated and what broke.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Enumeration {
    /// How many deaths were died.
    pub cases: u64,
    /// How many awaits the longest turn has.
    pub awaits: u64,
    /// What broke, with the case.
    pub broken: Vec<String>,
}

/// Who finishes what a dead instance began.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Heir {
    /// The channel delivers again, to the same instance in its next life.
    Redelivery,
    /// Another instance has been running all the time.
    Other,
}

/// Dies at every await of a turn: message, invoke, event and `expectReplies`, recovered by redelivery
/// to a new life and by another instance. Each case gets a store of its own, one that lets several
/// documents be written at once or pretends that it cannot.
pub fn enumerate_crashes(
    has_transactions: bool,
    store: impl Fn() -> Arc<dyn Store>,
) -> Enumeration {
    let mut all = Enumeration::default();
    // `Trace` stands for a message that wants its replies in the answer.
    for kind in [Kind::Message, Kind::Invoke, Kind::Event, Kind::Trace] {
        for heir in [Heir::Redelivery, Heir::Other] {
            let (polls, _) = die(store(), has_transactions, &kind, heir, u64::MAX);
            all.awaits = all.awaits.max(polls);
            for at in 0..polls {
                all.cases += 1;
                let (_, broken) = die(store(), has_transactions, &kind, heir, at);
                all.broken.extend(
                    broken.into_iter().map(|what| format!("{kind} {heir:?} at {at}: {what}")),
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
    kind: &Kind,
    heir: Heir,
    at: u64,
) -> (u64, Vec<String>) {
    let plan = Plan {
        instances: if heir == Heir::Other { 2 } else { 1 },
        conversations: 1,
        activities: 2,
        is_keyed: false,
        has_transactions,
        expires: false,
        in_bursts: false,
        is_steady: true,
        ..Plan::calm(1)
    };
    let executor = Executor::new(plan.seed);
    let world = World::new(&plan, &executor, store, false);
    let nodes = run::start(&world);
    let doomed = Owner::Instance(0);
    if at < u64::MAX {
        executor.doom(doomed, at);
    }
    let all = [Said::fixed(kind.clone(), 0), Said::fixed(kind.clone(), 1)];
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
    if !executor.run_until(Duration::from_secs(120), || done.count() == all.len()) {
        world.violation("I9: not answered".to_owned());
    }
    // The death may come after the answers: somebody must be there to finish.
    executor.run_until(executor.now() + Duration::from_secs(2), || false);
    executor.pardon(doomed);
    if executor.is_dead(doomed) {
        world.chance.tally.add(Fault::Crash);
    }
    if executor.is_dead(doomed) && heir == Heir::Redelivery {
        nodes.restart(0, 0);
    }
    if run::come_to_rest(&world, &nodes, &all) {
        check(&world, &nodes, &all);
    }
    let polls = executor.polls(doomed);
    executor.end();
    let broken = std::mem::take(&mut world.seen().violations);
    (polls, broken)
}
