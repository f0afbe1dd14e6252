//! `once` means once in a process, whatever happens to the attempt.

mod in_progress;

use std::{sync::Arc, time::Duration};

use sayso_turn::{Bot, BotError, Turn, activity::Activity};
use tokio::time::sleep;

use super::{Outside, arrived, millis, secs};
use crate::world::{Fault, World, append};

const USER: &str = "test/users/u";

/// Pays, then takes its time, then reads the user's state; `timer` has a timer's turn do so, later.
fn payer(outside: &Outside, takes: Duration) -> Bot {
    let work = {
        let outside = outside.clone();
        move |mut turn: Turn| {
            let outside = outside.clone();
            async move {
                outside.pay(&turn).await?;
                sleep(takes).await;
                turn.user_state().await?;
                append(turn).await
            }
        }
    };
    let timed = work.clone();
    Bot::new()
        .on_message(move |mut turn: Turn| {
            let work = work.clone();
            async move {
                if turn.text() == "timer" {
                    turn.after(secs(10), Activity::event("tick").with_text("tick"));
                    return Ok(());
                }
                work(turn).await
            }
        })
        .on_event("tick", timed)
}

async fn paid_once(world: &World, outside: &Outside, text: &str) {
    assert_eq!(arrived(world, 1, secs(300)).await, [text]);
    sleep(secs(60)).await;
    assert_eq!((world.channel.texts(), world.log().await), (vec![text.into()], vec![text.into()]));
    assert_eq!(outside.calls().len(), 1, "calls: {:?}", outside.calls());
}

#[tokio::test(start_paused = true)]
async fn a_call_is_made_once_though_a_timer_s_turn_meets_conflicts() {
    let (world, outside) = (World::new(), Outside::default());
    let instance = world.start(payer(&outside, Duration::ZERO));
    instance.say("1", "timer").await.unwrap();
    sleep(millis(9900)).await;
    world.store.fail_saves([Fault::Conflict, Fault::Conflict]);
    paid_once(&world, &outside, "tick").await;
    assert!(instance.engine.stats().conflicts >= 1, "it has met one");
}

#[tokio::test(start_paused = true)]
async fn a_call_is_made_once_though_a_timer_s_turn_takes_five_seconds() {
    let (world, outside) = (World::new(), Outside::default());
    let bot = payer(&outside, secs(5));
    let instances = [world.start(bot.clone()), world.start(bot)];
    instances[0].say("1", "timer").await.unwrap();
    paid_once(&world, &outside, "tick").await;
}

#[tokio::test(start_paused = true)]
async fn a_call_is_made_once_though_the_last_commits_of_a_long_turn_fail_for_seconds() {
    for outage in [secs(1), secs(3), secs(5)] {
        let (world, outside) = (World::new(), Outside::default());
        let instance = world.start(payer(&outside, secs(10)));
        assert!(instance.say("1", "long").await.unwrap().is_pending);
        sleep(millis(1900)).await;
        *world.store.always.lock().unwrap() = Some(Fault::Unavailable);
        sleep(outage).await;
        *world.store.always.lock().unwrap() = None;
        paid_once(&world, &outside, "long").await;
        let attempts = instance.engine.stats().attempts;
        assert_eq!(attempts, 1, "a finished run is not thrown away ({outage:?})");
    }
}

#[tokio::test(start_paused = true)]
async fn a_call_is_made_once_though_a_load_of_a_further_document_fails() {
    // A message, a long turn, a timer's turn.
    for (text, takes, said) in [("quick", 0, "quick"), ("long", 10, "long"), ("timer", 0, "tick")] {
        let (world, outside) = (World::new(), Outside::default());
        let instance = world.start(payer(&outside, secs(takes)));
        world.store.fail_load_of(USER, Fault::Unavailable);
        instance.say("1", text).await.unwrap();
        assert_eq!(arrived(&world, 1, secs(300)).await, [said]);
        sleep(secs(60)).await;
        assert_eq!((world.channel.texts().len(), outside.calls().len()), (1, 1), "{text}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_call_is_made_once_though_its_turn_was_given_up_and_sent_again() {
    let (world, outside) = (World::new(), Outside::default());
    let instance = world.start(payer(&outside, Duration::ZERO));
    *world.store.always.lock().unwrap() = Some(Fault::Unavailable);
    let error = instance.say("1", "pizza").await.unwrap_err();
    assert!(error.is_retryable(), "{error}");
    assert_eq!(outside.calls().len(), 1, "it was made before the turn was given up");
    *world.store.always.lock().unwrap() = None;
    instance.say("1", "pizza").await.unwrap();
    paid_once(&world, &outside, "pizza").await;
}

/// Makes three calls of one name in one turn.
fn loops(outside: &Outside) -> Bot {
    let outside = outside.clone();
    Bot::new().on_message(move |turn: Turn| {
        let outside = outside.clone();
        async move {
            for _ in 0..3 {
                outside.pay(&turn).await?;
            }
            append(turn).await
        }
    })
}

#[tokio::test(start_paused = true)]
async fn calls_of_one_name_in_a_loop_are_each_made_once_under_keys_of_their_own() {
    for faults in [vec![], vec![Fault::Conflict], vec![Fault::Conflict, Fault::Unavailable]] {
        let (world, outside) = (World::new(), Outside::default());
        let instance = world.start(loops(&outside));
        world.store.fail_saves(faults.clone());
        instance.say("1", "pizza").await.unwrap();
        let mut keys = outside.calls();
        assert_eq!(keys.len(), 3, "{faults:?}: {keys:?}");
        keys.sort();
        keys.dedup();
        assert_eq!(keys.len(), 3, "a key for each: {keys:?}");
        let attempts = usize::try_from(instance.engine.stats().attempts).unwrap();
        assert_eq!(attempts, 1 + faults.len(), "it was run again");
    }
}

#[tokio::test(start_paused = true)]
async fn a_call_that_fails_is_made_again_under_the_same_key() {
    let (world, outside) = (World::new(), Outside::default());
    let keys = outside.clone();
    let bot = Bot::new().on_message(move |turn: Turn| {
        let keys = keys.clone();
        async move {
            for is_down in [true, false] {
                let keys = keys.clone();
                let call = |key: sayso_turn::IdempotencyKey| async move {
                    keys.note(key.as_str());
                    if is_down { Err::<(), BotError>("down".into()) } else { Ok(()) }
                };
                let called = turn.once("pay", call).await;
                assert_eq!(called.is_err(), is_down);
            }
            append(turn).await
        }
    });
    world.start(bot).say("1", "pizza").await.unwrap();
    let calls = outside.calls();
    assert_eq!(calls.len(), 2);
    assert_eq!(calls[0], calls[1], "whoever is called can tell that it is the same call");
}

#[tokio::test(start_paused = true)]
async fn the_calls_of_two_turns_have_nothing_to_do_with_each_other() {
    let (world, outside) = (World::new(), Outside::default());
    let instance = Arc::new(world.start(payer(&outside, Duration::ZERO)));
    for id in ["1", "2"] {
        instance.say(id, "pizza").await.unwrap();
    }
    let calls = outside.calls();
    assert_eq!(calls.len(), 2);
    assert_ne!(calls[0], calls[1]);
}
