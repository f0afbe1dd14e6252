//! Waiting for one's turn: not for oneself, not in vain, not for ever.

use std::{
    sync::{
        Arc, OnceLock,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    time::Duration,
};

use futures_util::future::join_all;
use sayso_turn::{Bot, BotError, Engine, Turn, activity::ConversationAccount};
use tokio::time::{Instant, sleep};

use super::{Outside, arrived, millis, secs};
use crate::world::{Fault, World, append, asking, invoke, message};

type Handle = Arc<OnceLock<Engine>>;

/// Does with its own engine what the text asks for, and notes how that ended and how long it took.
fn inward(engine: &Handle, outside: &Outside) -> Bot {
    let (engine, outside) = (Arc::clone(engine), outside.clone());
    Bot::new().on_message(move |turn: Turn| {
        let (engine, outside) = (Arc::clone(&engine), outside.clone());
        async move {
            let engine = engine.get().expect("the instance has started").clone();
            let mut reference = turn.reference();
            if turn.text() == "resume another" {
                reference.conversation = Some(ConversationAccount::new("other"));
            }
            let began = Instant::now();
            let ended = match turn.text() {
                "receive" => engine.receive(message("9", "inner")).await,
                "inner" => return append(turn).await,
                "spawn" => {
                    let resumed = async move { engine.resume(&reference, "r", append).await };
                    drop(tokio::spawn(resumed));
                    return append(turn).await;
                }
                _ => engine.resume(&reference, "r", append).await,
            };
            outside.note(format!("{} {}", ended.is_ok(), began.elapsed() < secs(1)));
            append(turn).await
        }
    })
}

async fn inside(text: &str) -> (World, Outside) {
    let (world, outside, engine) = (World::new(), Outside::default(), Handle::default());
    let instance = world.start(inward(&engine, &outside));
    engine.set(instance.engine.clone()).expect("set once");
    let began = Instant::now();
    let answer = instance.say("1", text).await.unwrap();
    let waited = began.elapsed();
    assert!(!answer.is_pending && waited < secs(1), "{text}: {waited:?}");
    sleep(secs(60)).await;
    (world, outside)
}

#[tokio::test(start_paused = true)]
async fn to_resume_one_s_own_conversation_from_its_handler_is_an_error_at_once() {
    for text in ["resume", "receive"] {
        let (world, outside) = inside(text).await;
        assert_eq!(outside.calls(), ["false true"], "{text}");
        assert_eq!(world.log().await, [text], "the turn itself commits");
        assert_eq!(world.channel.texts(), [text]);
    }
}

#[tokio::test(start_paused = true)]
async fn to_resume_another_conversation_from_a_handler_works() {
    let (world, outside) = inside("resume another").await;
    assert_eq!(outside.calls(), ["true true"]);
    let other = world.store.bag("test/conversations/other").await;
    assert_eq!(other.get::<Vec<String>>("log").unwrap().unwrap_or_default().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_handler_may_resume_its_own_conversation_later_in_a_task_of_its_own() {
    let (world, _) = inside("spawn").await;
    assert_eq!(world.log().await.len(), 2, "once the turn has ended");
}

/// `slow` takes 9.5 s; an invoke `fetch` is quick.
fn slow() -> Bot {
    Bot::new()
        .on_message(async |turn: Turn| {
            if turn.text() == "slow" {
                sleep(millis(9_500)).await;
            }
            append(turn).await
        })
        .on_invoke("fetch", async |mut turn: Turn| {
            turn.respond(200, "fetched")?;
            Ok(())
        })
}

#[tokio::test(start_paused = true)]
async fn an_invoke_behind_a_slow_message_waits_its_time() {
    let world = World::new();
    let instance = world.start(slow());
    let began = Instant::now();
    let invoked = async {
        sleep(millis(100)).await;
        (instance.engine.receive(invoke("2", "fetch")).await, began.elapsed())
    };
    let asked = async {
        sleep(millis(200)).await;
        (instance.engine.receive(asking("3", "quick")).await, began.elapsed())
    };
    let (said, (fetched, at), (asked, asked_at)) =
        tokio::join!(instance.say("1", "slow"), invoked, asked);
    said.unwrap();
    assert!(fetched.is_ok(), "after {at:?}: {fetched:?}");
    assert!((millis(9_500)..millis(12_100)).contains(&at), "{at:?}");
    assert_eq!(fetched.unwrap().response.unwrap().status, 200);
    assert!(asked.is_ok() && asked_at < millis(12_200), "after {asked_at:?}: {asked:?}");
    assert_eq!(arrived(&world, 1, secs(60)).await, ["slow"]);
}

/// The slow message and the invoke wait together behind a quick one, and are taken up together.
#[tokio::test(start_paused = true)]
async fn an_invoke_taken_up_together_with_a_slow_message_waits_its_time() {
    let world = World::new();
    let instance = world.start(slow());
    let began = Instant::now();
    let slow = async {
        sleep(millis(50)).await;
        instance.say("1", "slow").await
    };
    let invoked = async {
        sleep(millis(100)).await;
        (instance.engine.receive(invoke("2", "fetch")).await, began.elapsed())
    };
    world.store.fail_saves([Fault::Slow(millis(200))]);
    let (first, said, (fetched, at)) = tokio::join!(instance.say("0", "quick"), slow, invoked);
    first.unwrap();
    said.unwrap();
    assert!(fetched.is_ok(), "after {at:?}: {fetched:?}");
    assert!((millis(9_500)..millis(12_200)).contains(&at), "{at:?}");
}

#[tokio::test(start_paused = true)]
async fn an_invoke_behind_a_message_that_takes_too_long_fails_at_its_deadline() {
    let world = World::new();
    let instance = world.start(
        Bot::new()
            .on_message(async |turn: Turn| {
                sleep(secs(30)).await;
                append(turn).await
            })
            .on_invoke("fetch", async |_| Ok::<_, BotError>(())),
    );
    let invoked = async {
        sleep(millis(100)).await;
        let began = Instant::now();
        (instance.engine.receive(invoke("2", "fetch")).await, began.elapsed())
    };
    let (said, (fetched, waited)) = tokio::join!(instance.say("1", "slow"), invoked);
    said.unwrap();
    let error = fetched.unwrap_err();
    assert!(error.is_retryable(), "{error}");
    assert!((secs(11)..=secs(13)).contains(&waited), "{waited:?}");
}

/// Counts what it hears, by text, and says nothing.
fn quiet() -> Bot {
    Bot::new().on_message(async |mut turn: Turn| {
        let text = turn.text().to_owned();
        *turn.state().named::<u64>(&text)? += 1;
        Ok::<_, BotError>(())
    })
}

#[tokio::test(start_paused = true)]
async fn a_hot_conversation_on_one_instance_does_not_starve_another() {
    let world = World::new();
    *world.store.latency.lock().unwrap() = millis(5);
    let (hot, other) = (world.start(quiet()), world.start(quiet()));
    let (is_over, sent) = (AtomicBool::new(false), AtomicU64::new(0));
    let (is_over, sent, engine) = (&is_over, &sent, &hot.engine);
    // Twenty people who always have something to say.
    let people = (0..20).map(|person| async move {
        for n in 0..2_000 {
            if is_over.load(Ordering::SeqCst) {
                return;
            }
            drop(engine.receive(message(&format!("{person}.{n}"), "x")).await);
            sent.fetch_add(1, Ordering::SeqCst);
        }
    });
    let one = async {
        let mut waits = Vec::new();
        for n in 0..5 {
            sleep(secs(1)).await;
            let began = Instant::now();
            let said = other.say(&format!("other.{n}"), "y").await;
            waits.push((said.map(drop), began.elapsed()));
        }
        is_over.store(true, Ordering::SeqCst);
        waits
    };
    let (waits, _) = tokio::join!(one, join_all(people));
    for (said, waited) in &waits {
        assert!(said.is_ok() && *waited <= secs(12), "{waits:?}");
    }
    let bag = world.document().await.unwrap().bag;
    assert_eq!(bag.get::<usize>("y").unwrap(), Some(waits.len()));
    assert!(sent.load(Ordering::SeqCst) > 100, "it was hot");
    let quickest = waits.iter().map(|(_, waited)| *waited).min().unwrap_or(Duration::MAX);
    println!("the quickest of the other instance took {quickest:?}");
}
