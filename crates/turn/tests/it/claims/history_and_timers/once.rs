//! `once` when calls are slow, when the turn fails after them, and in loops that run again.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
    },
    time::Duration,
};

use sayso_turn::{Bot, BotError, Turn};
use tokio::time::sleep;

use super::{USER, tick};
use crate::{
    claims::{Outside, arrived, millis, secs},
    world::{Fault, World, append},
};

#[tokio::test(start_paused = true)]
async fn a_call_that_takes_ten_seconds_is_made_once() {
    for text in ["timer", "long"] {
        let (world, outside) = (World::new(), Outside::default());
        let calls = outside.clone();
        let work = move |turn: Turn| {
            let calls = calls.clone();
            async move {
                let call = |key: sayso_turn::IdempotencyKey| async move {
                    calls.note(key.as_str());
                    sleep(secs(10)).await;
                    Ok::<_, BotError>(())
                };
                turn.once("pay", call).await?;
                append(turn).await
            }
        };
        let timed = work.clone();
        let bot = Bot::new()
            .on_message(move |mut turn: Turn| {
                let work = work.clone();
                async move {
                    if turn.text() == "timer" {
                        turn.after(secs(10), tick("tick"));
                        return Ok(());
                    }
                    work(turn).await
                }
            })
            .on_event("tick", timed);
        let instance = world.start(bot);
        instance.say("1", text).await.unwrap();
        arrived(&world, 1, secs(300)).await;
        sleep(secs(60)).await;
        assert_eq!(outside.calls().len(), 1, "{text}");
        assert_eq!(world.channel.texts().len(), 1, "{text}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_call_is_made_once_though_a_timer_s_turn_fails_after_it() {
    for takes in [Duration::ZERO, secs(5)] {
        let (world, outside) = (World::new(), Outside::default());
        let (calls, tries) = (outside.clone(), Arc::new(AtomicU32::new(0)));
        let bot = Bot::new()
            .on_message(async |mut turn: Turn| {
                turn.after(secs(1), tick("x"));
                Ok::<_, BotError>(())
            })
            .on_event("tick", move |turn: Turn| {
                let (calls, tries) = (calls.clone(), Arc::clone(&tries));
                async move {
                    for _ in 0..3 {
                        calls.pay(&turn).await?;
                    }
                    sleep(takes).await;
                    if tries.fetch_add(1, Ordering::SeqCst) < 3 {
                        return Err("not yet".into());
                    }
                    append(turn).await
                }
            });
        let instances = [world.start(bot.clone())];
        instances[0].say("1", "go").await.unwrap();
        arrived(&world, 1, secs(3600)).await;
        assert_eq!(world.channel.texts(), ["x"]);
        assert_eq!(outside.calls().len(), 3, "{:?}", outside.calls());
    }
}

#[tokio::test(start_paused = true)]
async fn a_call_is_made_once_and_its_run_kept_whatever_fails_the_last_commits_of_a_long_turn() {
    let faults = [
        Fault::Unavailable,
        Fault::LostRequest,
        Fault::Throttled(None),
        Fault::Throttled(Some(secs(2))),
        Fault::Conflict,
        Fault::Hang,
    ];
    for fault in faults {
        for is_timer in [false, true] {
            let (world, outside, runs) = (World::new(), Outside::default(), Outside::default());
            let (calls, noted) = (outside.clone(), runs.clone());
            let work = move |turn: Turn| {
                let (calls, noted) = (calls.clone(), noted.clone());
                async move {
                    noted.note("run");
                    calls.pay(&turn).await?;
                    sleep(secs(10)).await;
                    append(turn).await
                }
            };
            let timed = work.clone();
            let bot = Bot::new()
                .on_message(move |mut turn: Turn| {
                    let work = work.clone();
                    async move {
                        if turn.text() == "timer" {
                            turn.after(secs(1), tick("tick"));
                            return Ok(());
                        }
                        work(turn).await
                    }
                })
                .on_event("tick", timed);
            let instance = world.start(bot);
            let text = if is_timer { "timer" } else { "long" };
            instance.say("1", text).await.unwrap();
            sleep(if is_timer { millis(10_900) } else { millis(1900) }).await;
            *world.store.always.lock().unwrap() = Some(fault.clone());
            sleep(secs(3)).await;
            *world.store.always.lock().unwrap() = None;
            arrived(&world, 1, secs(300)).await;
            sleep(secs(60)).await;
            let what = format!("{fault:?}, {text}");
            assert_eq!(outside.calls().len(), 1, "{what}");
            assert_eq!(runs.calls().len(), 1, "a finished run is not thrown away: {what}");
            assert_eq!(world.channel.texts().len(), 1, "{what}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn calls_of_one_name_give_each_pass_its_own_result_on_every_attempt() {
    let (world, results, number) = (World::new(), Outside::default(), Arc::new(AtomicU32::new(0)));
    let (noted, counter) = (results.clone(), Arc::clone(&number));
    let bot = Bot::new().on_message(move |mut turn: Turn| {
        let (noted, counter) = (noted.clone(), Arc::clone(&counter));
        async move {
            let mut all = Vec::new();
            for _ in 0..3 {
                let counter = Arc::clone(&counter);
                let call =
                    |_| async move { Ok::<_, BotError>(counter.fetch_add(1, Ordering::SeqCst)) };
                all.push(turn.once("number", call).await?);
            }
            noted.note(format!("{all:?}"));
            // The further document fails once, after the calls.
            turn.user_state().await?;
            turn.say(format!("{all:?}"));
            Ok::<_, BotError>(())
        }
    });
    let instance = world.start(bot);
    world.store.fail_load_of(USER, Fault::Unavailable);
    world.store.fail_saves([Fault::Conflict, Fault::LostRequest]);
    instance.say("1", "go").await.unwrap();
    assert_eq!(arrived(&world, 1, secs(60)).await, ["[0, 1, 2]"]);
    assert!(results.calls().len() >= 2, "it was run again");
    assert!(results.calls().iter().all(|result| result == "[0, 1, 2]"), "{:?}", results.calls());
    assert_eq!(number.load(Ordering::SeqCst), 3);
}
