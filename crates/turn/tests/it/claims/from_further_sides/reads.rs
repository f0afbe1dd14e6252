//! Cancelled reads, and reads of one state.

use std::sync::atomic::Ordering;

use sayso_turn::{Bot, BotError, Key, Turn, activity::Activity};
use tokio::time::{sleep, timeout};

use crate::{
    claims::{Outside, arrived, millis, secs},
    world::{Fault, World, append, asking, invoke, message, message_in},
};

const USER: &str = "test/users/u";
const PRIVATE: &str = "test/conversations/c/users/u";

fn shop(name: &str) -> Key {
    Key::new(format!("shop/{name}")).unwrap()
}

async fn is_cancelled(turn: &mut Turn, scope: &str) -> bool {
    match scope {
        "user" => timeout(millis(5), turn.user::<u32>()).await.is_err(),
        "user state" => timeout(millis(5), turn.user_state()).await.is_err(),
        "private" => timeout(millis(5), turn.private::<u32>()).await.is_err(),
        _ => timeout(millis(5), turn.custom(shop("x"))).await.is_err(),
    }
}

#[tokio::test(start_paused = true)]
async fn a_read_of_any_scope_that_hangs_and_is_cancelled_leaves_the_turn_able_to_commit() {
    for has_steps in [false, true] {
        for scope in ["user", "user state", "private", "custom"] {
            let (world, runs) = (World::new(), Outside::default());
            world.store.has_steps.store(has_steps, Ordering::Relaxed);
            for key in [USER, PRIVATE, "shop/x"] {
                (0..10).for_each(|_| world.store.fail_load_of(key, Fault::Hang));
            }
            let seen = runs.clone();
            let bot = Bot::new().on_message(move |mut turn: Turn| {
                let runs = seen.clone();
                async move {
                    runs.note("run");
                    assert!(is_cancelled(&mut turn, scope).await);
                    assert!(is_cancelled(&mut turn, scope).await, "also the second time");
                    // Another document is read and written all the same.
                    *turn.custom(shop("y")).await?.named::<u32>("n")? += 1;
                    append(turn).await
                }
            });
            let instance = world.start(bot);
            let said = instance.say("1", "pizza").await;
            assert!(said.is_ok(), "{scope}: {said:?}");
            assert_eq!(world.log().await, ["pizza"], "{scope}");
            assert_eq!(runs.calls().len(), 1, "{scope}");
            sleep(secs(30)).await;
            assert_eq!(world.store.bag("shop/y").await.get::<u32>("n").unwrap(), Some(1));
            assert_eq!(world.channel.texts(), ["pizza"], "{scope}");
        }
    }
}

/// A sign that the read was cancelled must not stay with the turns that share its batch, nor with
/// the next.
#[tokio::test(start_paused = true)]
async fn a_cancelled_read_does_no_harm_to_the_turns_beside_it() {
    let world = World::new();
    (0..50).for_each(|_| world.store.fail_load_of(USER, Fault::Hang));
    let bot = Bot::new().on_message(async |mut turn: Turn| {
        if turn.text().starts_with("read") {
            assert!(is_cancelled(&mut turn, "user").await);
        }
        append(turn).await
    });
    let instance = world.start(bot);
    world.store.fail_saves([Fault::Slow(secs(1))]);
    let said = ["read1", "b", "read2", "d"].map(|text| instance.say(text, text));
    for said in futures_util::future::join_all(said).await {
        said.unwrap();
    }
    assert_eq!(world.log().await, ["read1", "b", "read2", "d"]);
}

/// Long turns, timers' turns, invokes and answers in the response: cancelled reads harm none of
/// them.
#[tokio::test(start_paused = true)]
async fn every_sort_of_turn_survives_a_cancelled_read() {
    let world = World::new();
    (0..50).for_each(|_| world.store.fail_load_of(USER, Fault::Hang));
    let bot = Bot::new()
        .on_message(async |mut turn: Turn| {
            assert!(is_cancelled(&mut turn, "user").await);
            if turn.text() == "long" {
                sleep(secs(15)).await;
                assert!(is_cancelled(&mut turn, "user").await);
                turn.after(secs(1), Activity::event("tick"));
            }
            append(turn).await
        })
        .on_event("tick", async |mut turn: Turn| {
            assert!(is_cancelled(&mut turn, "user").await);
            turn.say("mtick");
            turn.state().named::<Vec<String>>("log")?.push("tick".into());
            Ok::<_, BotError>(())
        })
        .on_invoke("fetch", async |mut turn: Turn| {
            assert!(is_cancelled(&mut turn, "user").await);
            turn.respond(200, "fetched")?;
            Ok(())
        });
    let instance = world.start(bot);
    instance.say("1", "long").await.unwrap();
    sleep(secs(60)).await;
    assert_eq!(world.log().await, ["long", "tick"]);
    assert_eq!(
        instance.engine.receive(invoke("2", "fetch")).await.unwrap().response.unwrap().status,
        200
    );
    let answer = instance.engine.receive(asking("3", "ask")).await.unwrap();
    assert_eq!(answer.replies.len(), 1);
    let stats = instance.engine.stats();
    assert_eq!((stats.failures, stats.parked, stats.given_up), (0, 0, 0));
}

/// A proactive turn and one behind middleware.
#[tokio::test(start_paused = true)]
async fn a_read_that_middleware_cancels_leaves_the_turn_able_to_commit() {
    let world = World::new();
    (0..10).for_each(|_| world.store.fail_load_of(USER, Fault::Hang));
    let bot = Bot::new()
        .with(async |mut turn: Turn, next: sayso_turn::Next| {
            let is_late = timeout(millis(5), next.run(&mut turn)).await.is_err();
            turn.say(format!("late: {is_late}"));
            Ok::<_, BotError>(())
        })
        .on_message(async |mut turn: Turn| {
            turn.say("before");
            turn.user::<u32>().await?;
            Ok::<_, BotError>(())
        });
    let instance = world.start(bot);
    instance.say("1", "x").await.unwrap();
    assert_eq!(arrived(&world, 2, secs(60)).await, ["before", "late: true"]);
    assert_eq!(instance.engine.stats().attempts, 1);
}

/// `write` adds one to several documents; anything else reads all and is indignant if they differ.
fn counters(indignant: &str) -> Bot {
    let is_failing = indignant == "fail";
    Bot::new().on_message(move |mut turn: Turn| async move {
        let (mut seen, more) = (Vec::new(), u32::from(turn.text() == "write"));
        for name in ["a", "b", "c"] {
            let count = turn.custom(shop(name)).await?.named::<u32>("n")?;
            *count += more;
            seen.push(*count);
        }
        if turn.text() == "write" {
            return Ok(());
        }
        let is_whole = seen.iter().all(|count| *count == seen[0]);
        if !is_whole && is_failing {
            return Err(BotError::from(format!("half of a commit: {seen:?}")));
        }
        turn.say(if is_whole { "whole".to_owned() } else { format!("{seen:?}") });
        Ok::<_, BotError>(())
    })
}

/// Of three documents the reader waits for one; another conversation commits meanwhile.
async fn while_reading(has_steps: bool, indignant: &str, slow: &str, kind: &str) {
    for offset in (0..500).step_by(25) {
        let world = World::new();
        world.store.has_steps.store(has_steps, Ordering::Relaxed);
        let (writer, reader) = (world.start(counters(indignant)), world.start(counters(indignant)));
        writer.engine.receive(message_in("w", "1", "write")).await.unwrap();
        sleep(secs(5)).await;
        world.store.fail_load_of(&format!("shop/{slow}"), Fault::Slow(millis(400)));
        let write = async {
            sleep(millis(offset)).await;
            writer.engine.receive(message_in("w", "2", "write")).await
        };
        let said = match kind {
            "ask" => asking("1", "read"),
            _ => message("1", "read"),
        };
        let read = async { reader.engine.receive(said).await };
        let (written, read) = tokio::join!(write, read);
        written.unwrap();
        let what = format!("{kind} {slow} {offset} ms, steps: {has_steps}");
        let answer = read.unwrap_or_else(|error| panic!("{what}: {error:?}"));
        sleep(secs(10)).await;
        let texts: Vec<_> = match kind {
            "ask" => answer
                .replies
                .iter()
                .map(|reply| reply.get::<Activity>().unwrap().text().to_owned())
                .collect(),
            _ => world.channel.texts(),
        };
        assert_eq!(texts, ["whole"], "{what}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_turn_that_only_reads_three_documents_sees_one_state_of_them() {
    for has_steps in [false, true] {
        for slow in ["a", "b", "c"] {
            for kind in ["say", "ask"] {
                while_reading(has_steps, "say", slow, kind).await;
            }
        }
    }
}

/// The sender must not hear of a failure that half of another turn's commit caused.
#[tokio::test(start_paused = true)]
async fn a_turn_never_fails_for_half_of_a_commit() {
    for has_steps in [false, true] {
        for slow in ["b", "c"] {
            while_reading(has_steps, "fail", slow, "say").await;
        }
    }
}

/// A document that did not exist when it was read is part of the state, too.
#[tokio::test(start_paused = true)]
async fn a_turn_that_only_reads_never_sees_half_of_a_commit_that_makes_documents() {
    for has_steps in [false, true] {
        for offset in (0..500).step_by(25) {
            let world = World::new();
            world.store.has_steps.store(has_steps, Ordering::Relaxed);
            let (writer, reader) = (world.start(counters("say")), world.start(counters("say")));
            world.store.fail_load_of("shop/b", Fault::Slow(millis(400)));
            let write = async {
                sleep(millis(offset)).await;
                writer.engine.receive(message_in("w", "2", "write")).await
            };
            let (written, read) = tokio::join!(write, reader.say("1", "read"));
            written.unwrap();
            read.unwrap();
            assert_eq!(arrived(&world, 1, secs(10)).await, ["whole"], "{offset} ms, {has_steps}");
        }
    }
}

/// A long turn, and the turn of a timer.
#[tokio::test(start_paused = true)]
async fn a_long_turn_and_a_timer_s_turn_that_only_read_see_one_state() {
    async fn read(mut turn: Turn, pause: u64) -> Result<(), BotError> {
        let a = *turn.custom(shop("a")).await?.named::<u32>("n")?;
        sleep(secs(pause)).await;
        let b = *turn.custom(shop("b")).await?.named::<u32>("n")?;
        turn.say(format!("{}", a == b));
        Ok(())
    }
    let bot = || {
        Bot::new()
            .on_message(async |mut turn: Turn| match turn.text() {
                "write" => {
                    *turn.custom(shop("a")).await?.named::<u32>("n")? += 1;
                    *turn.custom(shop("b")).await?.named::<u32>("n")? += 1;
                    Ok(())
                }
                "timer" => {
                    turn.after(secs(1), Activity::event("tick"));
                    Ok(())
                }
                _ => read(turn, 15).await,
            })
            .on_event("tick", async |turn: Turn| read(turn, 3).await)
    };
    for (text, count) in [("long", 1), ("timer", 1)] {
        let world = World::new();
        let (writer, reader) = (world.start(bot()), world.start(bot()));
        reader.say("1", text).await.unwrap();
        sleep(secs(2)).await;
        writer.engine.receive(message_in("w", "1", "write")).await.unwrap();
        assert_eq!(arrived(&world, count, secs(120)).await, ["true"], "{text}");
    }
}
