//! A store that refuses for good, met by timers, long turns, looks and further documents.

use std::{
    sync::{Arc, Mutex, atomic::Ordering},
    time::Duration,
};

use sayso_turn::{Bot, BotError, Turn, clock::Clock};
use tokio::time::sleep;

use super::{USER, names, slow_timers, sorted, tick};
use crate::{
    claims::{Outside, arrived, millis, permanent_errors::Warnings, secs},
    world::{CONVERSATION, Fault, PausedClock, Step, World, append, log_bot, message_in},
};

/// So many calls at most in any ten seconds, about this document.
fn is_paced(world: &World, (key, from): (&str, Duration), what: &str) {
    let calls = world.store.calls_within(key, from, secs(10));
    assert!(calls <= 5, "{what}: {calls} calls about {key} in ten seconds");
}

#[tokio::test(start_paused = true)]
async fn timers_that_are_due_together_are_paced_together_while_the_store_refuses() {
    for fault in [Fault::Invalid, Fault::Corrupt, Fault::TooLarge] {
        for is_load in [true, false] {
            let (world, runs, warnings) = (World::new(), Outside::default(), Warnings::default());
            let _guard = tracing::subscriber::set_default(warnings.clone());
            let instance = world.start(slow_timers(&runs, (5, secs(5), Duration::ZERO)));
            instance.say("1", "go").await.unwrap();
            sleep(secs(1)).await;
            let from = PausedClock.uptime();
            let always = if is_load { &world.store.always_loads } else { &world.store.always };
            *always.lock().unwrap() = Some(fault.clone());
            sleep(secs(600)).await;
            let what = format!("{fault:?}, {}", if is_load { "loads" } else { "saves" });
            is_paced(&world, (CONVERSATION, from), &what);
            assert_eq!(warnings.count(), 1, "an operator hears of it, once: {what}");
            *always.lock().unwrap() = None;
            arrived(&world, 5, secs(150)).await;
            assert_eq!(sorted(world.log().await), names(5), "{what}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_long_turn_that_cannot_be_saved_is_logged_once_and_paced() {
    let (world, warnings) = (World::new(), Warnings::default());
    let _guard = tracing::subscriber::set_default(warnings.clone());
    let bot = Bot::new().on_message(async |turn: Turn| {
        sleep(secs(10)).await;
        append(turn).await
    });
    let instance = world.start(bot);
    assert!(instance.say("1", "long").await.unwrap().is_pending);
    sleep(millis(100)).await;
    let from = PausedClock.uptime();
    *world.store.always.lock().unwrap() = Some(Fault::Invalid);
    sleep(secs(20)).await;
    assert_eq!(instance.engine.stats().attempts, 1, "a finished run is not thrown away");
    sleep(secs(580)).await;
    is_paced(&world, (CONVERSATION, from), "saves");
    assert_eq!(warnings.count(), 1, "an operator hears of it, once");
    *world.store.always.lock().unwrap() = None;
    assert_eq!(arrived(&world, 1, secs(150)).await, ["long"]);
}

#[tokio::test(start_paused = true)]
async fn a_damaged_document_that_waits_is_logged_once_however_often_it_is_looked_at() {
    let (world, warnings) = (World::new(), Warnings::default());
    let _guard = tracing::subscriber::set_default(warnings.clone());
    world.channel.script([Step::Hang]);
    let first = world.start(log_bot());
    first.say("1", "m1").await.unwrap();
    first.kill();
    *world.store.always_loads.lock().unwrap() = Some(Fault::Corrupt);
    let from = PausedClock.uptime();
    let _second = world.start(log_bot());
    sleep(secs(1800)).await;
    is_paced(&world, (CONVERSATION, from), "looks");
    assert_eq!(warnings.count(), 1, "an operator hears of it, once");
}

#[tokio::test(start_paused = true)]
async fn a_user_state_that_is_refused_is_asked_for_seldom() {
    // A timer's turn, several of them, a long turn.
    for (what, count, takes) in [("a timer", 1, 0), ("timers", 5, 0), ("slow timers", 2, 3)] {
        let (world, warnings) = (World::new(), Warnings::default());
        let _guard = tracing::subscriber::set_default(warnings.clone());
        let bot = Bot::new()
            .on_message(move |mut turn: Turn| async move {
                for n in 0..count {
                    turn.after(secs(5), tick(&format!("tick{n}")));
                }
                Ok::<_, BotError>(())
            })
            .on_event("tick", move |mut turn: Turn| async move {
                sleep(secs(takes)).await;
                turn.user_state().await?;
                append(turn).await
            });
        let instance = world.start(bot);
        instance.say("1", "go").await.unwrap();
        sleep(secs(1)).await;
        let from = PausedClock.uptime();
        for _ in 0..1000 {
            world.store.fail_load_of(USER, Fault::Invalid);
        }
        sleep(secs(300)).await;
        is_paced(&world, (USER, from), what);
        sleep(secs(3 * 3600)).await;
        assert_eq!(warnings.count(), 1, "an operator hears of it, once: {what}");
        let ledger = world.ledger().await;
        assert_eq!((ledger.parked.len(), ledger.timers.len()), (count, 0), "{what}");
        let is_told = ledger.parked.iter().all(|parked| parked.reason.contains("password"));
        assert!(is_told, "with the cause");
    }
}

#[tokio::test(start_paused = true)]
async fn what_a_commit_decided_about_a_refused_document_is_finished_seldom() {
    let world = World::new();
    world.store.has_steps.store(true, Ordering::Relaxed);
    let bot = Bot::new().on_message(async |mut turn: Turn| {
        *turn.user_state().await?.named::<u32>("count")? += 1;
        append(turn).await
    });
    let instance = world.start(bot);
    let from = PausedClock.uptime();
    let store = Arc::clone(&world.store);
    let said = tokio::spawn(async move {
        // After both writes of the turn, nothing about the user is written any more.
        while store.calls_of(CONVERSATION).len() < 2 {
            tokio::task::yield_now().await;
        }
        *store.always.lock().unwrap() = Some(Fault::Invalid);
    });
    instance.say("1", "m1").await.ok();
    said.await.unwrap();
    sleep(secs(120)).await;
    is_paced(&world, (USER, from + millis(1)), "finishing");
    is_paced(&world, (CONVERSATION, from + millis(1)), "finishing");
}

#[tokio::test(start_paused = true)]
async fn a_conversation_that_is_refused_does_not_hold_up_others() {
    let (world, fired) = (World::new(), Arc::new(Mutex::new(Vec::new())));
    let at = Arc::clone(&fired);
    let bot = Bot::new()
        .on_message(async |mut turn: Turn| {
            turn.after(secs(5), tick("x"));
            Ok::<_, BotError>(())
        })
        .on_event("tick", move |turn: Turn| {
            let at = Arc::clone(&at);
            async move {
                at.lock().unwrap().push(PausedClock.uptime());
                append(turn).await
            }
        });
    let instance = world.start(bot);
    instance.say("1", "go").await.unwrap();
    instance.engine.receive(message_in("other", "1", "go")).await.unwrap();
    let due = PausedClock.uptime() + secs(5);
    for _ in 0..1000 {
        world.store.fail_load_of(CONVERSATION, Fault::Invalid);
    }
    sleep(secs(30)).await;
    let fired = fired.lock().unwrap().clone();
    assert_eq!(fired.len(), 1);
    assert!(fired[0] < due + secs(1), "in time");
}
