//! A timer whose output the store refuses for good: its turn has failed, whatever it wrote.

use std::sync::atomic::Ordering;

use sayso_turn::{Bot, BotError, Turn, activity::Activity, clock::Clock, store::Write};
use tokio::time::sleep;

use super::super::{Outside, secs};
use crate::world::{CONVERSATION, Fault, Instance, PausedClock, World, append};

const USER: &str = "test/users/u";

/// `boom` counts in the user's state, or says more than the store takes; `fine` does neither.
fn bot(runs: &Outside) -> Bot {
    let runs = runs.clone();
    Bot::new()
        .on_message(async |mut turn: Turn| {
            if turn.text() == "go" {
                turn.after(secs(5), Activity::event("boom"));
                turn.after(secs(5), Activity::event("fine").with_text("fine"));
                return Ok(());
            }
            append(turn).await
        })
        .on_event("boom", move |mut turn: Turn| {
            let runs = runs.clone();
            async move {
                runs.note("boom");
                *turn.user_state().await?.named::<u32>("count")? += 1;
                turn.say("a great deal");
                Ok::<_, BotError>(())
            }
        })
        .on_event("fine", append)
}

fn is_users(write: &Write) -> bool {
    write.key.as_str() == USER
}

fn is_a_great_deal(write: &Write) -> bool {
    write.body.contains("a great deal")
}

fn is_sorry(write: &Write) -> bool {
    is_a_great_deal(write) || write.body.contains("sorry")
}

fn world(refuses: fn(&Write) -> bool, fault: &Fault, has_steps: bool) -> World {
    let world = World::new();
    world.store.has_steps.store(has_steps, Ordering::Relaxed);
    *world.store.refuses.lock().unwrap() = Some((refuses, fault.clone()));
    world
}

/// Somebody talks for an hour, which wakes timers that are due.
async fn talk(instance: &Instance) {
    for n in 0..720 {
        instance.say(&format!("m{n}"), "m").await.unwrap();
        sleep(secs(5)).await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_timer_whose_further_document_refuses_saves_is_parked_with_its_cause() {
    for fault in [Fault::Invalid, Fault::TooLarge] {
        for has_steps in [true, false] {
            let what = format!("{fault:?}, steps: {has_steps}");
            let (world, runs) = (world(is_users, &fault, has_steps), Outside::default());
            let instance = world.start(bot(&runs));
            instance.say("1", "go").await.unwrap();
            let from = PausedClock.uptime();
            talk(&instance).await;
            let ledger = world.ledger().await;
            assert!(ledger.timers.is_empty(), "{what}: it is given up in the end");
            assert_eq!(ledger.parked.len(), 1, "{what}");
            let reason = &ledger.parked[0].reason;
            let cause = if matches!(fault, Fault::Invalid) { "password" } else { "takes at most" };
            assert!(reason.contains(cause), "{what}: {reason}");
            let tries = u32::try_from(runs.calls().len()).unwrap();
            // Once more beside the timer that was due with it.
            let most = world.limits.timer_attempts_max + 1;
            assert!((most - 1..=most).contains(&tries), "{what}: {tries} tries");
            assert!(world.log().await.contains(&"fine".to_owned()), "{what}: others go on");
            assert!(!world.channel.texts().contains(&"a great deal".to_owned()), "{what}");
            let calls = world.store.calls_within(USER, from, secs(10));
            assert!(calls <= 6, "{what}: {calls} calls about the user in ten seconds");
            sleep(secs(3600)).await;
            assert_eq!(u32::try_from(runs.calls().len()).unwrap(), tries, "{what}: given up");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_timer_whose_refusal_ends_fires_once() {
    for has_steps in [true, false] {
        let (world, runs) = (world(is_users, &Fault::Invalid, has_steps), Outside::default());
        let instance = world.start(bot(&runs));
        instance.say("1", "go").await.unwrap();
        sleep(secs(60)).await;
        *world.store.refuses.lock().unwrap() = None;
        sleep(secs(600)).await;
        let count = world.store.bag(USER).await.get::<u32>("count").unwrap();
        assert_eq!(count, Some(1), "steps: {has_steps}");
        let ledger = world.ledger().await;
        assert!(ledger.parked.is_empty() && ledger.timers.is_empty(), "steps: {has_steps}");
    }
}

#[tokio::test(start_paused = true)]
async fn the_error_handler_speaks_for_a_refused_timer_at_the_last_try_only() {
    let apology = async |mut turn: Turn, _| {
        turn.say("sorry");
        Ok(())
    };
    for fault in [Fault::Invalid, Fault::TooLarge] {
        let (world, runs) = (world(is_users, &fault, true), Outside::default());
        let instance = world.start(bot(&runs).on_error(apology));
        instance.say("1", "go").await.unwrap();
        sleep(secs(60)).await;
        assert!(!world.channel.texts().contains(&"sorry".to_owned()), "{fault:?}: not yet");
        sleep(secs(3600)).await;
        let count = world.channel.texts().iter().filter(|text| *text == "sorry").count();
        assert_eq!((count, world.ledger().await.parked.len()), (1, 1), "{fault:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_timer_that_makes_its_conversation_too_large_is_parked_with_its_cause() {
    let apology = async |mut turn: Turn, _| {
        turn.say("sorry");
        Ok(())
    };
    // The second store does not even take the apology.
    for refuses in [is_a_great_deal as fn(&Write) -> bool, is_sorry] {
        let (world, runs) = (world(refuses, &Fault::TooLarge, true), Outside::default());
        let instance = world.start(bot(&runs).on_error(apology));
        instance.say("1", "go").await.unwrap();
        let from = PausedClock.uptime();
        sleep(secs(3600)).await;
        let ledger = world.ledger().await;
        assert_eq!((ledger.parked.len(), ledger.timers.len()), (1, 0));
        assert!(ledger.parked[0].reason.contains("takes at most"), "{:?}", ledger.parked[0]);
        assert_eq!(world.log().await, ["fine"]);
        let calls = world.store.calls_within(CONVERSATION, from, secs(1));
        assert!(calls <= 20, "{calls} calls in a second");
    }
}
