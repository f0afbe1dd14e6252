//! A failing handler fails its own turn and nothing else.

use std::sync::{
    Arc,
    atomic::{AtomicU32, Ordering},
};
use std::time::Duration;

use futures_util::future::join_all;
use sayso_turn::{Bot, BotError, Error, Failure, Limits, Overlap, Turn};

use crate::world::{Fault, World, append, asking, log_bot, message};

fn moody(bot: Bot) -> Bot {
    bot.on_message(async |mut turn: Turn| {
        match turn.text() {
            "error" => {
                turn.state().named::<Vec<String>>("log")?.push("must not be kept".into());
                turn.say("must not be said");
                return Err::<(), BotError>("no".into());
            }
            "panic" => panic!("the bot panics"),
            "hang" => std::future::pending().await,
            "keep" => drop(tokio::spawn(async move {
                std::future::pending::<()>().await;
                drop(turn);
            })),
            "chatter" => (0..1000).for_each(|_| drop(turn.say("m"))),
            "hoard" => turn.state().named::<Vec<String>>("log")?.push("x".repeat(2 << 20)),
            _ => return append(turn).await,
        }
        Ok(())
    })
}

const MOODS: [&str; 6] = ["error", "panic", "hang", "keep", "chatter", "hoard"];

#[tokio::test(start_paused = true)]
async fn a_failed_turn_leaves_no_trace_and_the_next_one_works() {
    for mood in MOODS {
        let mut world = World::new();
        world.limits.acknowledge_after = world.limits.deadline;
        let instance = world.start(moody(Bot::new()));
        instance.say("1", "m1").await.unwrap();
        let error = instance.say("2", mood).await.unwrap_err();
        assert!(matches!(error, Error::Failed(_) | Error::Busy { .. }), "{mood}: {error}");
        instance.say("3", "m3").await.unwrap();
        world.until_delivered().await;
        assert_eq!(world.log().await, ["m1", "m3"], "{mood}");
        assert_eq!(world.channel.texts(), ["m1", "m1 m3"], "{mood}");
    }
}

/// P8: what the store took of the deadline is not given to the logic once more.
#[tokio::test(start_paused = true)]
async fn the_logic_has_what_the_load_has_left_of_the_deadline() {
    let mut world = World::new();
    world.limits.acknowledge_after = world.limits.deadline;
    let instance = world.start(moody(Bot::new()));
    world.store.load_faults.lock().unwrap().push_back(Fault::Slow(world.limits.deadline / 2));
    let began = tokio::time::Instant::now();
    let error = instance.say("1", "hang").await.unwrap_err();
    assert!(matches!(error, Error::Failed(_)), "{error}");
    let took = began.elapsed();
    assert!(took <= world.limits.deadline + Duration::from_secs(1), "{took:?}");
}

#[tokio::test(start_paused = true)]
async fn the_words_of_the_error_handler_are_sent_and_its_state_is_not_kept() {
    let world = World::new();
    let bot = moody(Bot::new()).on_error(async |mut turn: Turn, failure: Arc<Failure>| {
        turn.state().named::<Vec<String>>("log")?.push("nor this".into());
        turn.say(format!("sorry: {failure}"));
        Ok(())
    });
    let instance = world.start(bot);
    instance.say("1", "m1").await.unwrap();
    instance.say("2", "error").await.unwrap();
    assert!(instance.say("2", "error").await.unwrap().is_repeat, "handled is handled");
    world.until_delivered().await;
    assert_eq!(world.channel.texts(), ["m1", "sorry: the bot's logic failed"]);
    assert_eq!(world.log().await, ["m1"]);
}

#[tokio::test(start_paused = true)]
async fn in_a_batch_each_keeps_its_own_failure() {
    let world = World::new();
    let instance = world.start(moody(Bot::new()));
    let texts = ["m1", "error", "m2", "panic", "hoard", "m3"];
    let all = texts
        .iter()
        .enumerate()
        .map(|(n, text)| instance.say(["a", "b", "c", "d", "e", "f"][n], text));
    let answers = join_all(all).await;
    let ok: Vec<bool> = answers.iter().map(Result::is_ok).collect();
    assert_eq!(ok, [true, false, true, false, false, true]);
    world.until_delivered().await;
    assert_eq!(world.channel.texts(), ["m1", "m1 m2", "m1 m2 m3"]);
}

#[tokio::test(start_paused = true)]
async fn errors_name_the_limit() {
    let world = World::new();
    let instance = world.start(moody(Bot::new()));
    for (text, limit) in [("chatter", "replies_max"), ("hoard", "document_bytes_max")] {
        let error = instance.say(text, text).await.unwrap_err();
        assert!(error.to_string().contains(limit), "{error}");
    }
    let mut activity = message("1", "m");
    activity.channel_id = Some("x".repeat(10_000));
    let error = instance.engine.receive(activity).await.unwrap_err();
    assert!(error.to_string().contains("KEY_BYTES_MAX"), "{error}");
}

#[tokio::test(start_paused = true)]
async fn an_effect_is_made_once_however_many_attempts_the_turn_takes() {
    let world = World::new();
    let calls = Arc::new(AtomicU32::new(0));
    let counted = Arc::clone(&calls);
    let bot = Bot::new().on_message(move |mut turn: Turn| {
        let calls = Arc::clone(&counted);
        async move {
            let key = turn
                .once("pay", |key| async move {
                    calls.fetch_add(1, Ordering::SeqCst);
                    Ok::<_, BotError>(key.to_string())
                })
                .await?;
            turn.say(key);
            Ok(())
        }
    });
    let instance = world.start(bot);
    use crate::world::Fault::{Conflict, LostRequest, Unavailable};
    world.store.fail_saves([Conflict, LostRequest, Unavailable]);
    let answer = instance.engine.receive(asking("1", "m1")).await.unwrap();
    assert_eq!(calls.load(Ordering::SeqCst), 1);
    assert_eq!(instance.engine.stats().attempts, 4);
    let said: sayso_turn::activity::Activity = answer.replies[0].get().unwrap();
    let turn =
        sayso_turn::id::TurnId::new(&sayso_turn::Key::new("test/conversations/c").unwrap(), "1");
    assert_eq!(said.text(), format!("{turn}.pay"), "the same on every attempt and instance");
}

#[tokio::test(start_paused = true)]
async fn overlap_reject_refuses_what_arrives_during_a_turn() {
    let world = World::new();
    let instance = world.start(log_bot().overlap(Overlap::Reject));
    let answers = join_all([instance.say("1", "m1"), instance.say("2", "m2")]).await;
    assert!(answers[0].is_ok());
    assert!(matches!(answers[1], Err(Error::Overlap(_))));
    tokio::time::sleep(Duration::from_secs(1)).await;
    instance.say("2", "m2").await.unwrap();
    assert_eq!(world.log().await, ["m1", "m2"]);
}

#[tokio::test(start_paused = true)]
async fn overlap_coalesce_makes_one_turn_of_what_waits_together() {
    let world = World::new();
    let instance = world.start(log_bot().overlap(Overlap::Coalesce));
    let parts = [("1", "m1"), ("2", "m2"), ("1", "m1"), ("3", "m3"), ("2", "m2")];
    let all = parts.map(|(id, text)| instance.say(id, text));
    assert!(join_all(all).await.iter().all(Result::is_ok));
    world.until_delivered().await;
    assert_eq!(world.log().await, ["m1", "m2\nm3"], "the first waits for nobody");
    assert!(instance.say("2", "m2").await.unwrap().is_repeat, "every part is remembered");
}

#[tokio::test(start_paused = true)]
async fn a_full_queue_refuses_and_says_which_limit() {
    let mut world = World::new();
    world.limits = Limits { queue_max: 3, ..Limits::default() };
    let instance = world.start(log_bot());
    let all = ["1", "2", "3", "4", "5"].map(|id| instance.say(id, "m"));
    let answers = join_all(all).await;
    assert_eq!(answers.iter().filter(|answer| answer.is_ok()).count(), 4, "one runs, three wait");
    assert!(answers[4].as_ref().unwrap_err().to_string().contains("queue_max"));
}

#[tokio::test(start_paused = true)]
async fn a_property_name_that_is_empty_or_reserved_is_refused() {
    let world = World::new();
    for name in ["", "$sayso"] {
        let bot = Bot::new().on_message(async move |mut turn: Turn| {
            *turn.state().named::<u32>(name)? += 1;
            Ok(())
        });
        assert!(matches!(world.start(bot).say(name, "m").await, Err(Error::Failed(_))));
        assert!(world.document().await.is_none());
    }
}
