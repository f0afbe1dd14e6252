//! Kept history and timers, with `once` and permanent errors beside them: sizes, speeds, distances,
//! failures.

mod once;
mod refusals;

use std::{
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
    },
    time::Duration,
};

use sayso_turn::{Bot, BotError, Key, Turn, activity::Activity, channel::Delivery, store::Store};
use tokio::time::sleep;

use super::{Outside, arrived, millis, secs};
use crate::world::{CONVERSATION, Step, World, append, asking, invoke, log_bot};

const USER: &str = "test/users/u";

fn tick(text: &str) -> Activity {
    Activity::event("tick").with_text(text)
}

fn sorted(mut texts: Vec<String>) -> Vec<String> {
    texts.sort();
    texts
}

/// Sets so many timers for the same moment; each takes its time, notes that it ran, and pays.
fn slow_timers(runs: &Outside, (count, wait, takes): (usize, Duration, Duration)) -> Bot {
    let runs = runs.clone();
    Bot::new()
        .on_message(move |mut turn: Turn| async move {
            if turn.text() == "go" {
                for n in 0..count {
                    turn.after(wait, tick(&format!("tick{n}")));
                }
                return Ok(());
            }
            sleep(secs(7)).await;
            append(turn).await
        })
        .on_event("tick", move |turn: Turn| {
            let runs = runs.clone();
            async move {
                runs.note(turn.text());
                sleep(takes).await;
                append(turn).await
            }
        })
}

fn names(count: usize) -> Vec<String> {
    (0..count).map(|n| format!("tick{n}")).collect()
}

// Kept history.

#[tokio::test(start_paused = true)]
async fn large_answers_that_are_given_together_leave_a_small_document() {
    let world = World::new();
    let instance = Arc::new(world.start(Bot::new().on_invoke("fetch", async |mut turn: Turn| {
        turn.respond(200, &"x".repeat(200 * 1024))?;
        Ok(())
    })));
    let all = (0..32).map(|n| {
        let instance = Arc::clone(&instance);
        tokio::spawn(async move { instance.engine.receive(invoke(&n.to_string(), "fetch")).await })
    });
    for one in all.collect::<Vec<_>>() {
        let answer = one.await.unwrap().unwrap();
        assert!(answer.response.is_some(), "each gets its answer");
    }
    let bytes = world.document().await.unwrap().to_json().len();
    assert!(bytes < 1_000_000, "the document has {bytes} bytes");
}

#[tokio::test(start_paused = true)]
async fn large_replies_in_answers_leave_a_small_document_and_small_turns_working() {
    let world = World::new();
    let instance = world.start(Bot::new().on_message(async |mut turn: Turn| {
        let bytes: usize = turn.text().parse()?;
        turn.say("x".repeat(bytes));
        Ok::<_, BotError>(())
    }));
    for n in 0..32 {
        let said = instance.engine.receive(asking(&n.to_string(), "200000")).await.unwrap();
        assert_eq!(said.replies.len(), 1);
    }
    let bytes = world.document().await.unwrap().to_json().len();
    assert!(bytes < 1_000_000, "the document has {bytes} bytes");
    instance.say("small", "10").await.unwrap();
    world.until_delivered().await;
    assert_eq!(world.channel.texts(), ["xxxxxxxxxx"]);
}

#[tokio::test(start_paused = true)]
async fn a_large_refused_reply_is_kept_with_its_reason_where_there_is_room() {
    let world = World::new();
    let refused = Delivery::Refused { reason: "too long for us".into() };
    world.channel.script([Step::Answer(refused.clone()), Step::Answer(refused)]);
    let instance = world.start(Bot::new().on_message(async |mut turn: Turn| {
        let bytes: usize = turn.text().parse()?;
        turn.say("x".repeat(bytes));
        Ok::<_, BotError>(())
    }));
    for (id, bytes) in [("1", "1000"), ("2", "300000")] {
        instance.say(id, bytes).await.unwrap();
        world.until_delivered().await;
    }
    let parked = world.ledger().await.parked;
    assert_eq!(parked.len(), 1, "the oldest went first");
    assert!(parked[0].activity.as_str().len() > 300_000, "an operator can try it again");
    assert_eq!(parked[0].reason, "too long for us");
}

/// A document as an earlier edition left it: parked replies and answers without a budget.
#[tokio::test(start_paused = true)]
async fn a_document_that_is_full_of_history_takes_small_turns_and_becomes_small() {
    let world = World::new();
    let text = "x".repeat(200 * 1024);
    let parked = format!(
        r#"{{"id":"abcdefghijklmnop.0","reason":"gone","at":1000,"activity":{{"text":"{text}"}}}}"#
    );
    let answer =
        format!(r#"{{"id":"abcdefghijklmnop","response":{{"status":200,"body":"{text}"}}}}"#);
    let many = |one: &str| vec![one; 20].join(",");
    let body = format!(
        r#"{{"$sayso":{{"v":1,"turn":9,"rev":9,"write":"w","seen":"","parked":[{}],"answers":[{}]}}}}"#,
        many(&parked),
        many(&answer)
    );
    let write = sayso_turn::store::Write::new(
        Key::new(CONVERSATION).unwrap(),
        sayso_turn::store::Expect::Absent,
        body,
    );
    world.store.inner.save(write).await.unwrap();
    let instance = world.start(log_bot());
    instance.say("1", "m1").await.unwrap();
    world.until_delivered().await;
    assert_eq!(world.channel.texts(), ["m1"]);
    let bytes = world.document().await.unwrap().to_json().len();
    assert!(bytes < 1_000_000, "the document has {bytes} bytes");
}

// Timers.

#[tokio::test(start_paused = true)]
async fn a_timer_that_fires_leaves_room_for_the_one_that_it_sets() {
    // Quick, and long enough to be a long turn.
    for takes in [Duration::ZERO, secs(3)] {
        let (world, fired) = (World::new(), Arc::new(AtomicU32::new(0)));
        let count = Arc::clone(&fired);
        let max = world.limits.timers_max;
        let bot = Bot::new()
            .on_message(move |mut turn: Turn| async move {
                turn.after(secs(5), tick("next"));
                for _ in 1..max {
                    turn.after(secs(100_000), tick("far"));
                }
                Ok::<_, BotError>(())
            })
            .on_event("tick", move |mut turn: Turn| {
                count.fetch_add(1, Ordering::SeqCst);
                async move {
                    sleep(takes).await;
                    turn.after(secs(5), tick("next"));
                    Ok::<_, BotError>(())
                }
            });
        let instance = world.start(bot);
        instance.say("1", "go").await.unwrap();
        sleep(secs(60)).await;
        let fired = fired.load(Ordering::SeqCst);
        assert!((6..=12).contains(&fired), "fired {fired} times in a minute ({takes:?})");
        assert_eq!(instance.engine.stats().failures, 0);
        let ledger = world.ledger().await;
        assert!(ledger.parked.is_empty());
        assert!(ledger.timers.len() + ledger.inbox.len() == max);
    }
}

#[tokio::test(start_paused = true)]
async fn a_parked_timer_names_the_error_of_its_handler() {
    for (takes, cause) in [(Duration::ZERO, "oven"), (secs(3), "oven")] {
        let world = World::new();
        let bot = Bot::new()
            .on_message(async |mut turn: Turn| {
                turn.after(secs(1), tick("x"));
                Ok::<_, BotError>(())
            })
            .on_event("tick", move |_: Turn| async move {
                sleep(takes).await;
                Err::<(), BotError>("the oven is cold".into())
            });
        let instance = world.start(bot);
        instance.say("1", "go").await.unwrap();
        sleep(secs(4 * 3600)).await;
        let parked = world.ledger().await.parked;
        assert_eq!(parked.len(), 1, "{takes:?}");
        assert!(parked[0].reason.contains(cause), "{}", parked[0].reason);
    }
}

#[tokio::test(start_paused = true)]
async fn a_timer_whose_handler_panics_is_tried_again_and_parked_in_the_end() {
    for takes in [Duration::ZERO, secs(3)] {
        let (world, runs) = (World::new(), Outside::default());
        let seen = runs.clone();
        let bot = Bot::new()
            .on_message(async |mut turn: Turn| {
                turn.after(secs(1), tick("x"));
                Ok::<_, BotError>(())
            })
            .on_event("tick", move |turn: Turn| {
                let runs = seen.clone();
                async move {
                    runs.pay(&turn).await?;
                    runs.note("run");
                    sleep(takes).await;
                    panic!("no oven");
                    #[allow(unreachable_code)]
                    Ok::<_, BotError>(())
                }
            });
        let instances = [world.start(bot.clone()), world.start(bot)];
        instances[0].say("1", "go").await.unwrap();
        sleep(secs(6 * 3600)).await;
        let tries = runs.calls().iter().filter(|call| *call == "run").count();
        assert_eq!(tries, 8, "{takes:?}");
        assert_eq!(world.ledger().await.parked.len(), 1);
    }
}

#[tokio::test(start_paused = true)]
async fn timers_of_many_speeds_that_are_due_together_run_once_each_on_two_healthy_instances() {
    let cases = [(5, 900), (12, 700), (30, 250), (3, 12_000), (2, 40_000)];
    for (round, (count, takes)) in (0..20).zip(cases.into_iter().cycle()) {
        let (world, runs) = (World::new(), Outside::default());
        // Other seeds: the looks of the two fall together in other ways.
        (0..round).for_each(|_| world.start(log_bot()).kill());
        let bot = slow_timers(&runs, (count, secs(5), millis(takes)));
        let instances = [world.start(bot.clone()), world.start(bot)];
        instances[0].say("1", "go").await.unwrap();
        arrived(&world, count, secs(600)).await;
        sleep(secs(60)).await;
        assert_eq!(sorted(runs.calls()), sorted(names(count)), "{count} of {takes} ms");
        assert_eq!(sorted(world.log().await), sorted(names(count)));
        assert_eq!(world.channel.texts().len(), count);
        assert_eq!(instances[0].engine.stats().repeats + instances[1].engine.stats().repeats, 0);
    }
}

#[tokio::test(start_paused = true)]
async fn far_timers_run_once_each_though_nobody_has_an_alarm_for_them() {
    for round in 0..10 {
        let (world, runs) = (World::new(), Outside::default());
        (0..round).for_each(|_| world.start(log_bot()).kill());
        let bot = slow_timers(&runs, (2, secs(2 * 3600), millis(900)));
        let instances = [world.start(bot.clone()), world.start(bot)];
        instances[0].say("1", "go").await.unwrap();
        sleep(secs(2 * 3600)).await;
        arrived(&world, 2, secs(600)).await;
        sleep(secs(60)).await;
        assert_eq!(sorted(runs.calls()), names(2), "round {round}");
        assert_eq!(world.channel.texts().len(), 2);
    }
}

#[tokio::test(start_paused = true)]
async fn a_slow_message_behind_a_timer_does_not_have_it_run_twice() {
    let (world, runs) = (World::new(), Outside::default());
    let bot = slow_timers(&runs, (2, secs(5), millis(100)));
    let instances = [world.start(bot.clone()), world.start(bot)];
    instances[0].say("1", "go").await.unwrap();
    sleep(secs(5)).await;
    // The timers are being fired: the message takes its place behind them.
    let said = instances[0].say("2", "hello").await;
    assert!(said.is_ok(), "{said:?}");
    sleep(secs(60)).await;
    assert_eq!(sorted(runs.calls()), names(2));
    assert_eq!(world.channel.texts().len(), 3);
}

#[tokio::test(start_paused = true)]
async fn a_slow_timer_that_cancels_one_that_stands_behind_it_keeps_it_from_firing() {
    for waits in [[5, 5], [5, 7]] {
        let world = World::new();
        let bot = Bot::new()
            .on_message(move |mut turn: Turn| async move {
                turn.after(secs(waits[0]), tick("first"));
                let second = turn.after(secs(waits[1]), tick("second"));
                turn.after(secs(waits[1]), tick("third"));
                *turn.state().named::<Option<sayso_turn::TimerId>>("second")? = Some(second);
                Ok::<_, BotError>(())
            })
            .on_event("tick", async |mut turn: Turn| {
                sleep(secs(4)).await;
                if turn.text() == "first" {
                    let second = turn.state().named::<Option<sayso_turn::TimerId>>("second")?;
                    let second = second.take().expect("it was kept");
                    turn.cancel(&second);
                }
                let text = turn.text().to_owned();
                turn.say(text);
                Ok::<_, BotError>(())
            });
        let instances = [world.start(bot.clone()), world.start(bot)];
        instances[0].say("1", "go").await.unwrap();
        sleep(secs(120)).await;
        assert_eq!(world.channel.texts(), ["first", "third"], "{waits:?}");
    }
}
