//! Waiting for oneself, for a slow turn, for a hot conversation.

use std::{
    sync::{
        Arc, OnceLock,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    time::Duration,
};

use futures_util::future::join_all;
use sayso_turn::{
    Bot, BotError, Engine, Error, Next, Pace, Turn,
    activity::{Activity, Reference},
};
use tokio::time::{Instant, sleep};

use crate::{
    claims::{Outside, millis, secs},
    world::{World, append, invoke, message},
};

type Handle = Arc<OnceLock<Engine>>;

async fn say(mut turn: Turn) -> Result<(), BotError> {
    turn.say("resumed");
    Ok(())
}

/// Waits for a turn of a conversation, in a way; notes whether it was told at once that it cannot.
async fn wait_for(engine: Engine, to: Reference, way: &str, outside: Outside) {
    let began = Instant::now();
    let is_told = match way {
        "broadcast" => {
            let pace = Pace { per_second: 1000, ..Pace::default() };
            let report = engine.broadcast([to.clone(), to], "b", pace, say).await;
            report.failed.len() == 2
                && report.failed.iter().all(|(_, error)| matches!(error, Error::OwnConversation))
        }
        "boxed" => {
            let nested = Box::pin(async { engine.resume(&to, "r", say).await });
            matches!(nested.await, Err(Error::OwnConversation))
        }
        "joined" => {
            let (resumed, ()) = tokio::join!(engine.resume(&to, "r", say), sleep(millis(1)));
            matches!(resumed, Err(Error::OwnConversation))
        }
        "many" => {
            let resumed = join_all((0..3).map(|_| engine.resume(&to, "r", say))).await;
            resumed.iter().all(|resumed| matches!(resumed, Err(Error::OwnConversation)))
        }
        "late" => {
            sleep(millis(100)).await;
            matches!(engine.resume(&to, "r", say).await, Err(Error::OwnConversation))
        }
        _ => matches!(engine.resume(&to, "r", say).await, Err(Error::OwnConversation)),
    };
    outside.note(format!("{is_told} {}", began.elapsed() < secs(1)));
}

fn inward(engine: &Handle, outside: &Outside, way: &'static str) -> Bot {
    let (engine, outside) = (Arc::clone(engine), outside.clone());
    let wait = move |turn: &Turn| {
        let engine = engine.get().unwrap().clone();
        wait_for(engine, turn.reference(), way, outside.clone())
    };
    let (in_tick, in_error, in_layer) = (wait.clone(), wait.clone(), wait.clone());
    Bot::new()
        .with(move |mut turn: Turn, next: Next| {
            let wait = (turn.text() == "layer").then(|| in_layer(&turn));
            async move {
                if let Some(wait) = wait {
                    wait.await;
                }
                next.run(&mut turn).await
            }
        })
        .on_message(move |mut turn: Turn| {
            let wait = wait(&turn);
            async move {
                match turn.text() {
                    "timer" => {
                        turn.after(secs(1), Activity::event("tick"));
                        return Ok(());
                    }
                    "fail" => return Err("no".into()),
                    "layer" => return append(turn).await,
                    "long" => sleep(secs(15)).await,
                    "once" => {
                        let call = |_| async {
                            wait.await;
                            Ok::<_, BotError>(())
                        };
                        turn.once("wait", call).await?;
                        return append(turn).await;
                    }
                    _ => {}
                }
                wait.await;
                append(turn).await
            }
        })
        .on_event("tick", move |turn: Turn| {
            let wait = in_tick(&turn);
            async move {
                wait.await;
                append(turn).await
            }
        })
        .on_error(move |turn: Turn, _| {
            let wait = in_error(&turn);
            async move {
                wait.await;
                append(turn).await
            }
        })
}

#[tokio::test(start_paused = true)]
async fn whatever_turn_waits_for_its_own_conversation_in_whatever_way_is_told_at_once() {
    for way in ["await", "boxed", "joined", "many", "late", "broadcast"] {
        for text in ["plain", "timer", "long", "once", "fail", "layer"] {
            let (world, outside, engine) = (World::new(), Outside::default(), Handle::default());
            let instance = world.start(inward(&engine, &outside, way));
            engine.set(instance.engine.clone()).unwrap();
            instance.say("1", text).await.unwrap();
            sleep(secs(60)).await;
            assert_eq!(outside.calls(), ["true true"], "{way} in {text}");
            assert!(!world.channel.texts().contains(&"resumed".to_owned()), "{way} in {text}");
            assert_eq!(
                instance.engine.stats().failures,
                u64::from(text == "fail"),
                "{way}, {text}"
            );
            assert_eq!(instance.engine.busy(), 0);
        }
    }
}

/// A bot that asks another bot in the same process: that one has a store of its own, and may well
/// call the conversation by the same name.
#[tokio::test(start_paused = true)]
async fn a_handler_may_wait_for_a_bot_of_another_store_in_the_same_process() {
    let (worlds, outside) = ([World::new(), World::new()], Outside::default());
    let skill = worlds[1].start(crate::world::log_bot());
    let (engine, calls) = (skill.engine.clone(), outside.clone());
    let bot = Bot::new().on_message(move |turn: Turn| {
        let (engine, calls) = (engine.clone(), calls.clone());
        async move {
            let asked = engine.receive(message("9", "inner")).await;
            let resumed = engine.resume(&turn.reference(), "r", say).await;
            calls.note(format!("{} {}", asked.is_ok(), resumed.is_ok()));
            append(turn).await
        }
    });
    let instance = worlds[0].start(bot);
    instance.say("1", "m1").await.unwrap();
    assert_eq!(outside.calls(), ["true true"]);
    assert_eq!(worlds[1].log().await, ["inner"]);
}

/// After its turn has ended, and in the handlers of others, a conversation can be resumed as ever.
#[tokio::test(start_paused = true)]
async fn a_conversation_whose_handler_was_told_so_can_be_resumed_afterwards() {
    let (world, outside, engine) = (World::new(), Outside::default(), Handle::default());
    let instance = world.start(inward(&engine, &outside, "await"));
    engine.set(instance.engine.clone()).unwrap();
    instance.say("1", "plain").await.unwrap();
    let to = message("1", "plain").reference();
    instance.engine.resume(&to, "r", say).await.unwrap();
    sleep(secs(5)).await;
    assert_eq!(world.channel.texts(), ["plain", "resumed"]);
}

/// The message was acknowledged by one instance; the invoke arrives at either of them.
#[tokio::test(start_paused = true)]
async fn an_invoke_behind_an_acknowledged_message_of_any_instance_waits_its_time() {
    for at in [0, 1] {
        let bot = || {
            Bot::new()
                .on_message(async |turn: Turn| {
                    sleep(secs(14)).await;
                    append(turn).await
                })
                .on_invoke("fetch", async |mut turn: Turn| {
                    let log = turn.state().named::<Vec<String>>("log")?.join(" ");
                    turn.respond(200, &log)?;
                    Ok::<_, BotError>(())
                })
        };
        let world = World::new();
        let instances = [world.start(bot()), world.start(bot())];
        assert!(instances[0].say("1", "slow").await.unwrap().is_pending);
        let began = Instant::now();
        let fetched = instances[at].engine.receive(invoke("2", "fetch")).await;
        let fetched = fetched.unwrap_or_else(|error| panic!("at instance {at}: {error}"));
        assert!(began.elapsed() >= secs(5), "{:?}", began.elapsed());
        let heard = fetched.response.unwrap().body.unwrap();
        assert_eq!(heard.as_str(), "\"slow\"", "it runs behind the message, at instance {at}");
    }
}

/// Counts what it hears, by text.
fn quiet() -> Bot {
    Bot::new().on_message(async |mut turn: Turn| {
        let text = turn.text().to_owned();
        *turn.state().named::<u64>(&text)? += 1;
        Ok::<_, BotError>(())
    })
}

/// So many people talk to one instance, each as soon as the last word was taken in; one talks to
/// another. Gives how many words of theirs were committed while that one waited, and how long it
/// waited.
async fn one_beside(people: usize, latency: Duration) -> Vec<(u64, Duration)> {
    let world = World::new();
    *world.store.latency.lock().unwrap() = latency;
    let (hot, other) = (world.start(quiet()), world.start(quiet()));
    let (is_over, sent) = (AtomicBool::new(false), AtomicU64::new(0));
    let (is_over, sent, engine) = (&is_over, &sent, &hot.engine);
    let people = (0..people).map(|person| async move {
        for n in 0.. {
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
            let (began, before) = (Instant::now(), hot.engine.stats().commits);
            let said = other.say(&format!("other.{n}"), "y").await;
            assert!(said.is_ok(), "{n} after {:?}: {said:?}", began.elapsed());
            waits.push((hot.engine.stats().commits - before, began.elapsed()));
        }
        is_over.store(true, Ordering::SeqCst);
        waits
    };
    let (waits, _) = tokio::join!(one, join_all(people));
    assert!(sent.load(Ordering::SeqCst) > 100, "it was hot");
    waits
}

/// A runner rests after `burst_max` commits: the other one needs a few such rests at most.
#[tokio::test(start_paused = true)]
async fn another_instance_waits_for_a_bounded_number_of_commits_of_a_hot_conversation() {
    for people in [1, 2, 3, 20] {
        for latency in [millis(2), millis(5), millis(20)] {
            let waits = one_beside(people, latency).await;
            println!("{people} people, {latency:?}: {waits:?}");
            let is_bounded =
                |(commits, wait): &(u64, Duration)| *commits <= 200 && *wait <= secs(12);
            assert!(waits.iter().all(is_bounded), "{people} people, {latency:?}: {waits:?}");
        }
    }
}
