//! Races in single parts of an instance: the map of mailboxes, the acknowledgement queue, alarms,
//! receipts.

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use shuttle::future::{JoinHandle, spawn};

use super::{
    explore,
    world::{World, message, send},
};
use crate::{
    Key,
    attempt::Receipts,
    clock::{Clock, Timestamp},
    engine::{Item, Mailbox, NextAck, RestEnd},
    id::TurnId,
    ledger::{Chore, Wake},
};

fn key(name: &str) -> Key {
    Key::new(format!("test/conversations/{name}")).unwrap()
}

async fn all(handles: impl IntoIterator<Item = JoinHandle<()>>) {
    for handle in handles {
        handle.await.unwrap();
    }
}

/// A mailbox was seen idle, work is posted, the mailbox is removed: in no order is the work lost,
/// and in no order are there two runners, or none.
#[test]
fn what_is_posted_while_a_mailbox_retires_is_not_lost() {
    explore("retire", |time, number| async move {
        let engine = World::new(time, number).start(1);
        let core = Arc::clone(engine.core());
        let mailbox = Arc::clone(core.mailboxes().get_or_insert_with(key("a"), Mailbox::new));
        let runners = Arc::new(AtomicUsize::new(0));
        let post = |id: &'static str| {
            let (core, runners) = (Arc::clone(&core), Arc::clone(&runners));
            spawn(async move {
                let activity = Arc::new(message("a", id, ""));
                let turn = TurnId::new(&key("a"), id);
                let (item, _answer) = Item::new(turn, activity, (core.now(), core.uptime()));
                if core.post(&key("a"), item).unwrap().is_some() {
                    runners.fetch_add(1, Ordering::Relaxed);
                }
            })
        };
        let retire = || {
            let (core, mailbox) = (Arc::clone(&core), Arc::clone(&mailbox));
            spawn(async move { core.retire(&mailbox) })
        };
        all([post("1"), retire(), post("2"), retire()]).await;
        let found =
            core.mailboxes().get(&key("a")).cloned().expect("a mailbox with work is not removed");
        assert_eq!(found.state().queue.waiting.len(), 2);
        assert_eq!(runners.load(Ordering::Relaxed), 1);
    });
}

/// Recovery and messages create the same mailboxes; each that recovery created counts until it is
/// removed.
#[test]
fn a_recovery_counts_while_its_mailbox_lives() {
    explore("recoveries", |time, number| async move {
        let world = World::new(time, number);
        let engine = world.start(1);
        let ask = |name: &'static str| {
            let core = Arc::clone(engine.core());
            spawn(async move {
                core.ask_for(&key(name), Chore::Wake(Wake::Timer));
                shuttle::future::yield_now().await;
                core.ask_for(&key(name), Chore::Wake(Wake::Rested(Timestamp::START)));
            })
        };
        let sent = {
            let (world, engine) = (world.clone(), engine.clone());
            spawn(async move { send(&world, &[&engine], ("a", "1", "")).await })
        };
        all([ask("a"), ask("a"), sent, ask("b")]).await;
        world.until_delivered("a", 1).await;
        world.until_at_rest(&engine).await;
        assert_eq!(engine.core().free_recoveries(), engine.core().limits.recoveries_max);
        world.check("a", 1).await;
    });
}

/// The task that adds the first entry watches the queue until it is empty: each entry is handled
/// once.
#[test]
fn records_that_wait_have_one_watch() {
    explore("records", |time, number| async move {
        let engine = World::new(time.clone(), number).start(1);
        let seen = Arc::new(AtomicUsize::new(0));
        let adds = [30, 10, 20, 10].map(|millis| {
            let (core, time) = (Arc::clone(engine.core()), time.clone());
            let seen = Arc::clone(&seen);
            spawn(async move {
                let at = core.uptime() + Duration::from_millis(millis);
                if !core.acks.add(at, &Mailbox::new(&key("a"))) {
                    return;
                }
                loop {
                    match core.acks.next(time.uptime()) {
                        NextAck::Due(_) => {
                            seen.fetch_add(1, Ordering::Relaxed);
                        }
                        NextAck::Wait(wait) => {
                            core.within(wait, core.acks.earlier.notified()).await;
                        }
                        // From here on the next task to add an entry watches.
                        NextAck::Nothing => break,
                    }
                }
            })
        });
        all(adds).await;
        assert_eq!(seen.load(Ordering::Relaxed), 4);
    });
}

/// Alarms that are set, moved, cleared and taken concurrently: each conversation has one or none.
#[test]
fn a_conversation_has_one_alarm_in_every_order() {
    explore("alarms", |time, number| async move {
        let engine = World::new(time, number).start(1);
        let set = |name: &'static str, at: [Option<u64>; 3]| {
            let core = Arc::clone(engine.core());
            spawn(async move {
                let end = |at| RestEnd { at: Duration::from_secs(at), until: Timestamp::START };
                for at in at {
                    core.rests.set_to(&key(name), at.map(end));
                }
            })
        };
        let taken = Arc::new(AtomicUsize::new(0));
        let take = {
            let (core, taken) = (Arc::clone(engine.core()), Arc::clone(&taken));
            spawn(async move {
                for _ in 0..3 {
                    let due = core.rests.take(RestEnd::over_at(Duration::from_secs(3000)), 1);
                    taken.fetch_add(due.len(), Ordering::Relaxed);
                }
            })
        };
        let (soon, late) = (Some(2000), Some(4000));
        all([set("a", [soon, late, soon]), set("a", [late, None, soon]), take]).await;
        all([set("b", [late, soon, late])]).await;
        let core = engine.core();
        let left = core.rests.len();
        let due = core.rests.take(RestEnd::over_at(Duration::from_secs(9000)), 9);
        assert_eq!((due.len(), core.rests.len(), core.rests.next()), (left, 0, None));
        assert!(due.iter().any(|(_, due)| *due == key("b")), "it was set and nobody took it");
        assert!(taken.load(Ordering::Relaxed) <= 3);
    });
}

/// Receipts of one attempt are found by the next, until the turn is durable.
#[test]
fn receipts_are_found_until_they_are_forgotten() {
    explore("receipts", |time, number| async move {
        let engine = World::new(time, number).start(1);
        let turn = |name: &str| TurnId::new(&key("a"), name);
        let keep = |name: &'static str| {
            let core = Arc::clone(engine.core());
            spawn(async move {
                let receipts = Arc::new(Receipts::default());
                core.receipts.keep(turn(name), &receipts);
                let found = core.receipts.get(turn(name)).expect("the receipts were kept above");
                assert!(name == "both" || Arc::ptr_eq(&found, &receipts));
                if name == "gone" {
                    core.receipts.settle(turn(name));
                    assert!(core.receipts.get(turn(name)).is_none());
                }
            })
        };
        all([keep("both"), keep("gone"), keep("both"), keep("mine")]).await;
        let found = ["both", "mine", "gone"].map(|name| engine.core().receipts.get(turn(name)));
        assert_eq!(found.map(|receipts| receipts.is_some()), [true, true, false]);
    });
}
