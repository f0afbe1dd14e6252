//! Whole instances: messages, couriers, acknowledgements, timers and shutdowns in every order.

use std::time::Duration;

use shuttle::future::spawn;

use super::{
    explore,
    time::Time,
    world::{World, offer, send},
};

/// Messages of two conversations, some sent twice concurrently; mailboxes are created and retired
/// between them.
#[test]
fn every_message_is_applied_once_and_answered_in_order() {
    explore("messages", |time, number| async move {
        let world = World::new(time, number);
        let engine = world.start(1);
        let sender = |ids: [&'static str; 3], conversation: &'static str| {
            let (world, engine) = (world.clone(), engine.clone());
            spawn(async move {
                for id in ids {
                    send(&world, &[&engine], (conversation, id, "")).await;
                    world.linger().await;
                }
            })
        };
        let all = [
            sender(["1", "2", "3"], "a"),
            sender(["3", "4", "1"], "a"),
            sender(["1", "2", "2"], "b"),
        ];
        for sender in all {
            sender.await.unwrap();
        }
        if world.chance(2) {
            world.until_at_rest(&engine).await;
        }
        assert_eq!(engine.close(Duration::from_secs(5)).await, 0);
        world.check("a", 4).await;
        world.check("b", 2).await;
        world.check_calls();
        assert_eq!(engine.busy(), 0);
    });
}

/// Recovery wakes conversations for timers while messages arrive.
#[test]
fn recoveries_count_back_to_zero() {
    explore("timers", |time, number| async move {
        let world = World::new(time, number);
        let engine = world.start(1);
        let sender = |conversation: &'static str, ids: [&'static str; 2]| {
            let (world, engine) = (world.clone(), engine.clone());
            spawn(async move {
                for id in ids {
                    send(&world, &[&engine], (conversation, id, "timer")).await;
                    world.linger().await;
                }
            })
        };
        let all = [sender("a", ["1", "2"]), sender("a", ["2", "3"]), sender("b", ["1", "1"])];
        for sender in all {
            sender.await.unwrap();
        }
        world.until_delivered("a", 6).await;
        world.until_delivered("b", 2).await;
        world.until_at_rest(&engine).await;
        assert_eq!(engine.core().free_recoveries(), engine.core().limits.recoveries_max);
        assert_eq!(engine.close(Duration::from_secs(5)).await, 0);
        world.check("a", 6).await;
        world.check("b", 2).await;
        world.check_calls();
    });
}

/// A shutdown in the middle: accepted activities are done when it ends, and nothing starts
/// afterwards.
#[test]
fn nothing_happens_after_a_shut_down_that_left_nothing() {
    explore("shut-down", |time, number| async move {
        let world = World::new(time, number);
        let engine = world.start(1);
        let sender = |id: &'static str, conversation: &'static str| {
            let (world, engine) = (world.clone(), engine.clone());
            spawn(async move {
                world.linger().await;
                offer(&engine, conversation, id).await
            })
        };
        let senders = [sender("1", "a"), sender("2", "a"), sender("3", "a"), sender("1", "b")];
        if world.chance(2) {
            world.linger().await;
        }
        assert_eq!(engine.close(Duration::from_secs(5)).await, 0);
        let done = engine.stats().turns;
        assert_eq!(engine.busy(), 0);
        let mut taken = Vec::new();
        for sender in senders {
            taken.push(sender.await.unwrap());
        }
        assert_eq!(engine.stats().turns, done, "a turn began after the shut-down");
        world.check("a", taken[..3].iter().filter(|taken| **taken).count()).await;
        world.check("b", usize::from(taken[3])).await;
        world.check_calls();
    });
}

/// Two instances share a conversation; one of them shuts down in the middle.
#[test]
fn two_instances_deliver_in_order_while_one_shuts_down() {
    explore("two instances", |time, number| two_instances(time, number, Duration::from_secs(5)));
}

/// One of them has no time to finish: it releases its claim, and the other continues.
#[test]
fn a_claim_that_is_given_up_is_taken_over() {
    explore("claim given up", |time, number| two_instances(time, number, Duration::ZERO));
}

async fn two_instances(time: Time, number: u64, within: Duration) {
    let world = World::new(time, number);
    let (first, second) = (world.start(1), world.start(2));
    let sender = |ids: [&'static str; 2], is_first: bool| {
        let (world, first, second) = (world.clone(), first.clone(), second.clone());
        spawn(async move {
            let engines = if is_first { [&first, &second] } else { [&second, &first] };
            for id in ids {
                send(&world, &engines, ("a", id, "")).await;
                world.linger().await;
            }
        })
    };
    let senders = [sender(["1", "2"], true), sender(["2", "3"], false)];
    world.linger().await;
    let _left = first.close(within).await;
    for sender in senders {
        sender.await.unwrap();
    }
    world.until_delivered("a", 3).await;
    world.until_at_rest(&second).await;
    world.until_at_rest(&first).await;
    assert_eq!(second.close(Duration::from_secs(5)).await, 0);
    world.check("a", 3).await;
}

/// A store that fails now and then: lost records are written later, and nothing waits for ever.
#[test]
fn a_store_that_fails_loses_and_repeats_nothing() {
    explore("failing store", |time, number| async move {
        let world = World::new(time, number);
        let engine = world.start(1);
        world.fail_saves(true);
        let sender = |ids: [&'static str; 2]| {
            let (world, engine) = (world.clone(), engine.clone());
            spawn(async move {
                for id in ids {
                    send(&world, &[&engine], ("a", id, "")).await;
                    world.linger().await;
                }
            })
        };
        for sender in [sender(["1", "2"]), sender(["2", "3"])] {
            sender.await.unwrap();
        }
        world.until_delivered("a", 3).await;
        world.until_at_rest(&engine).await;
        world.fail_saves(false);
        assert_eq!(engine.close(Duration::from_secs(5)).await, 0);
        world.check("a", 3).await;
        world.check_calls();
    });
}
