//! One absolute deadline: whoever sends hears in time, whatever each part of the turn takes.

use std::{
    sync::{Arc, atomic::Ordering},
    time::Duration,
};

use sayso_turn::{
    Bot, Key, Turn,
    activity::Raw,
    document::{Decided, Document, Prepared},
    store::{Expect, Store, Write},
};
use tokio::time::{Instant, timeout};

use super::{millis, secs};
use crate::world::{CONVERSATION, Fault, World, append, asking, invoke, log_bot, message};

const USER: &str = "test/users/u";

/// The sender of a message, and one that waits for the replies, hear something within 13 s.
async fn hears_in_time(world: impl AsyncFn() -> (World, Bot), what: &str) {
    for sent in [message("1", "pizza"), asking("2", "pizza")] {
        let (world, bot) = world().await;
        let instance = world.start(bot);
        let began = Instant::now();
        let heard = timeout(secs(60), instance.engine.receive(sent)).await.unwrap();
        let waited = began.elapsed();
        assert!(waited <= secs(13), "{what}: heard after {waited:?}");
        assert!(heard.is_err(), "{what}: it cannot have been saved");
    }
}

#[tokio::test(start_paused = true)]
async fn a_slow_load_and_a_hung_save_end_within_the_deadline() {
    for load in [millis(11_900), secs(6), Duration::ZERO] {
        let world = async || {
            let world = World::new();
            world.store.fail_load_of(CONVERSATION, Fault::Slow(load));
            *world.store.always.lock().unwrap() = Some(Fault::Hang);
            (world, log_bot())
        };
        hears_in_time(world, &format!("a load of {load:?}")).await;
    }
}

#[tokio::test(start_paused = true)]
async fn slow_loads_of_two_documents_and_a_hung_save_end_within_the_deadline() {
    let world = async || {
        let world = World::new();
        world.store.fail_load_of(CONVERSATION, Fault::Slow(millis(6_000)));
        world.store.fail_load_of(USER, Fault::Slow(millis(5_900)));
        *world.store.always.lock().unwrap() = Some(Fault::Hang);
        let bot = Bot::new().on_message(async |mut turn: Turn| {
            turn.user_state().await?;
            append(turn).await
        });
        (world, bot)
    };
    hears_in_time(world, "two loads").await;
}

/// The store times its saves by itself, which is enough only if that ends before the deadline.
#[tokio::test(start_paused = true)]
async fn a_slow_validation_and_a_hung_save_that_the_store_times_end_within_the_deadline() {
    let world = World::new();
    world.store.fail_load_of(CONVERSATION, Fault::Slow(secs(1)));
    // The second load is the validation.
    for load in [Duration::ZERO, secs(9)] {
        world.store.fail_load_of(USER, Fault::Slow(load));
    }
    *world.store.save_time_max.lock().unwrap() = Some(secs(10));
    *world.store.always.lock().unwrap() = Some(Fault::Slow(secs(10)));
    let bot = Bot::new().on_invoke("pay", async |mut turn: Turn| {
        turn.user_state().await?;
        turn.custom(Key::new("prices")?).await?;
        *turn.state().named::<u32>("paid")? += 1;
        Ok(())
    });
    let instance = world.start(bot);
    let began = Instant::now();
    let heard = timeout(secs(60), instance.engine.receive(invoke("1", "pay"))).await.unwrap();
    let waited = began.elapsed();
    assert!(waited <= secs(13), "heard after {waited:?}: {heard:?}");
}

/// A change that another conversation prepared is settled on the way.
#[tokio::test(start_paused = true)]
async fn slow_loads_while_a_prepared_change_is_settled_end_within_the_deadline() {
    let world = async || {
        let world = World::new();
        world.store.has_steps.store(true, Ordering::Relaxed);
        prepare(&world).await;
        *world.store.latency.lock().unwrap() = millis(3_900);
        *world.store.always.lock().unwrap() = Some(Fault::Hang);
        let bot = Bot::new().on_message(async |mut turn: Turn| {
            *turn.user_state().await?.named::<u32>("count")? += 1;
            append(turn).await
        });
        (world, bot)
    };
    hears_in_time(world, "a prepared change").await;
}

#[tokio::test(start_paused = true)]
async fn a_prepared_change_that_is_damaged_is_refused_and_not_waited_for() {
    for (by, bag) in [("", r#"{"count":7}"#), ("test/conversations/other", "7")] {
        let world = World::new();
        world.store.has_steps.store(true, Ordering::Relaxed);
        let mut other = Document::default();
        other.ledger.decided =
            vec![Decided { id: "gone.1".into(), documents: vec![(USER.into(), 1)] }];
        store(&world, Key::new("test/conversations/other").unwrap(), &other).await;
        let mut user = Document::default();
        let (id, by, bag) = ("gone.1".into(), by.into(), Raw::from_text(bag.into()).unwrap());
        user.ledger.prepared = Some(Arc::new(Prepared { id, by, rev: 0, bag, ttl: None }));
        store(&world, Key::new(USER).unwrap(), &user).await;
        let before = world.store.document(USER).await.map(|document| document.to_json());
        let instance = world.start(Bot::new().on_message(async |mut turn: Turn| {
            *turn.user_state().await?.named::<u32>("count")? += 1;
            append(turn).await
        }));
        let error = instance.say("1", "m1").await.unwrap_err();
        assert!(!error.is_retryable() && error.to_string().contains("damaged"), "{error}");
        let after = world.store.document(USER).await.map(|document| document.to_json());
        assert_eq!(after, before, "it is left as it is");
    }
}

/// Leaves a change of the user's state that a conversation prepared and has forgotten since.
async fn prepare(world: &World) {
    let other = Key::new("test/conversations/other").unwrap();
    let mut document = Document::default();
    document.ledger.rev = 5;
    store(world, other, &document).await;
    document.ledger.rev = 1;
    document.ledger.prepared = Some(Arc::new(Prepared {
        id: "gone.1".into(),
        by: "test/conversations/other".into(),
        rev: 0,
        bag: Raw::from_text(r#"{"count":7}"#.into()).unwrap(),
        ttl: None,
    }));
    store(world, Key::new(USER).unwrap(), &document).await;
}

async fn store(world: &World, key: Key, document: &Document) {
    let (expect, body) = (Expect::Absent, document.to_json());
    world.store.inner.save(Write::new(key, expect, body)).await.unwrap();
}

/// Timers that are due run before or after a message, never at the cost of its deadline.
#[tokio::test(start_paused = true)]
async fn slow_timers_that_are_due_do_not_make_a_message_late() {
    let world = World::new();
    let bot = Bot::new()
        .on_message(async |mut turn: Turn| {
            if turn.text() == "set" {
                for _ in 0..6 {
                    turn.after(secs(5), sayso_turn::activity::Activity::event("tick"));
                }
                return Ok(());
            }
            append(turn).await
        })
        .on_event("tick", async |_| {
            tokio::time::sleep(millis(3_500)).await;
            Ok(())
        });
    let instance = world.start(bot);
    instance.say("0", "set").await.unwrap();
    tokio::time::sleep(millis(5_500)).await;
    let began = Instant::now();
    let said = instance.say("1", "pizza").await;
    let waited = began.elapsed();
    assert!(said.is_ok() && waited <= secs(13), "{said:?} after {waited:?}");
}
