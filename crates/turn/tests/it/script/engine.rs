//! A script does what the engine does: redeliveries, failures, restarts, contention, limits.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
    },
    time::Duration,
};

use sayso_turn::{
    Bag, Bot, BotError, Failure, Turn,
    activity::{Activity, Kind},
    script::{Script, chat, chat_with},
};

use super::{minutes, mismatch, pizza};
use crate::world::{World, message};

/// P4, as a script sees it.
#[tokio::test]
async fn an_activity_that_comes_again_changes_nothing_and_says_nothing() {
    let before = chat(pizza()).user("large").expects("Which topping?").await;
    let after = chat(pizza())
        .user("large")
        .expects("Which topping?")
        .again()
        .again()
        .expects_nothing()
        .await;
    assert_eq!(before.documents(), after.documents());
    chat(pizza())
        .user("large")
        .expects("Which topping?")
        .again()
        .user("ham")
        .expects_containing("ham")
        .await;
}

#[tokio::test]
async fn a_turn_that_failed_unheard_runs_anew_when_it_comes_again() {
    let tries = Arc::new(AtomicU32::new(0));
    let bot = Bot::new().on_message(move |mut turn: Turn| {
        let is_first = tries.fetch_add(1, Ordering::Relaxed) == 0;
        async move {
            *turn.state().named::<u32>("count")? += 1;
            if is_first {
                return Err::<(), BotError>("not yet".into());
            }
            turn.say("done");
            Ok(())
        }
    });
    chat(bot)
        .user("go")
        .expects_failure()
        .state(|bag| assert!(bag.is_empty()))
        .again()
        .expects("done")
        .state(|bag| assert_eq!(bag.to_json(), r#"{"count":1}"#))
        .await;
}

#[tokio::test]
async fn an_error_handler_speaks_and_its_state_is_not_kept() {
    let bot = Bot::new()
        .on_message(async |mut turn: Turn| {
            *turn.state().named::<u32>("count")? += 1;
            turn.say("must not be heard");
            turn.after(Duration::ZERO, Activity::event("must not fire"));
            Err::<(), BotError>("no oven".into())
        })
        .on_event("must not fire", async |mut turn: Turn| {
            turn.say("fired");
            Ok(())
        })
        .on_error(async |mut turn: Turn, failure: Arc<Failure>| {
            *turn.state().named::<u32>("count")? += 10;
            turn.say(format!("Sorry: {failure}."));
            Ok(())
        });
    chat(bot)
        .user("bake")
        .expects("Sorry: the bot's logic failed.")
        .again()
        .passes(minutes(1))
        .expects_nothing()
        .state(Bag::is_empty)
        .await;
}

#[tokio::test]
async fn a_restart_makes_the_bot_anew_and_keeps_the_state() {
    let made = AtomicU32::new(0);
    let bot = || {
        made.fetch_add(1, Ordering::Relaxed);
        pizza()
    };
    chat_with(bot)
        .user("large")
        .expects("Which topping?")
        .restart()
        .user("ham")
        .expects("A large pizza with ham.")
        .await;
    assert_eq!(made.swap(0, Ordering::Relaxed), 2);
    chat_with(bot)
        .restarting()
        .user("large")
        .expects("Which topping?")
        .user("ham")
        .expects_containing("large")
        .await;
    assert_eq!(made.load(Ordering::Relaxed), 3);
}

/// A bot whose memory is the process's: right by itself, wrong beside another instance.
fn forgetful() -> Bot {
    let count = AtomicU32::new(0);
    Bot::new().on_message(move |mut turn: Turn| {
        turn.say(format!("{}", count.fetch_add(1, Ordering::Relaxed)));
        async { Ok(()) }
    })
}

#[tokio::test]
async fn a_memory_outside_the_state_is_found_by_restarts_and_by_contention() {
    let counts = |script: Script<'static>| script.user("a").expects("0").user("b").expects("1");
    counts(chat_with(forgetful)).await;
    let text = mismatch(counts(chat_with(forgetful).restarting())).await;
    assert!(text.contains(" -> bot:      0\n    expected: 1\n"), "{text}");
    let text = mismatch(counts(chat_with(forgetful).contended())).await;
    assert!(text.contains(" -> bot:      1\n    expected: 0\n"), "{text}");
}

#[tokio::test]
async fn a_call_under_once_is_made_once_though_the_turn_is_contended() {
    let calls = Arc::new(AtomicU32::new(0));
    let counter = Arc::clone(&calls);
    let bot = Bot::new().on_message(move |mut turn: Turn| {
        let calls = Arc::clone(&counter);
        async move {
            let call = |_| async move { Ok::<_, BotError>(calls.fetch_add(1, Ordering::Relaxed)) };
            let number = turn.once("call", call).await?;
            turn.say(format!("call {number}"));
            Ok(())
        }
    });
    chat(bot).contended().user("a").expects("call 0").user("b").expects("call 1").await;
    assert_eq!(calls.load(Ordering::Relaxed), 2);
}

#[tokio::test]
async fn what_could_not_be_saved_does_not_pass() {
    let hoard = Bot::new().on_message(async |mut turn: Turn| {
        *turn.state().named("all")? = "x".repeat(2 << 20);
        Ok(())
    });
    let text = mismatch(chat(hoard).user("a")).await;
    assert!(text.contains("document_bytes_max"), "{text}");
    let alarms = Bot::new().on_message(async |mut turn: Turn| {
        for _ in 0..60 {
            turn.after(minutes(1), Activity::event("ring"));
        }
        Ok(())
    });
    let text = mismatch(chat(alarms).user("a").user("b")).await;
    assert!(text.contains("timers_max"), "{text}");
}

#[tokio::test]
async fn an_invoke_that_comes_again_gets_the_same_answer() {
    let bot = Bot::new().on_invoke("next", async |mut turn: Turn| {
        let count = turn.state().named::<u32>("count")?;
        *count += 1;
        let count = *count;
        Ok(turn.respond(200, &count)?)
    });
    let is_first = |answer: &sayso_turn::document::Response| {
        assert_eq!(answer.body.as_ref().unwrap().as_str(), "1");
    };
    let invoke = Activity { name: Some("next".into()), ..Activity::new(Kind::Invoke) };
    let script = chat(bot).activity(invoke).expects_response(is_first);
    script.again().expects_response(is_first).user("no handler").again().expects_nothing().await;
}

/// Counts what it keeps, fails on demand, reminds later.
fn fickle() -> Bot {
    Bot::new()
        .on_message(async |mut turn: Turn| {
            let text = turn.text().to_owned();
            turn.user_state().await?.named::<Vec<String>>("said")?.push(text.clone());
            *turn.state().named::<u32>("count")? += 1;
            turn.say(format!("heard {text}"));
            turn.after(minutes(if text == "later" { 5 } else { 3 }), Activity::event("remind"));
            if text == "fail" { Err("as asked".into()) } else { Ok(()) }
        })
        .on_event("remind", async |mut turn: Turn| {
            let line = format!("count {}", turn.state().named::<u32>("count")?);
            turn.say(line);
            Ok(())
        })
        .on_error(async |mut turn: Turn, _| {
            *turn.state().named::<u32>("count")? += 100;
            turn.say("sorry");
            Ok(())
        })
}

/// The proof that a script is worth something: the engine on a store does the same.
#[tokio::test(start_paused = true)]
async fn a_script_says_and_keeps_what_the_engine_says_and_keeps() {
    let inbound = [("1", "later"), ("2", "fail"), ("2", "fail"), ("3", "soon"), ("3", "soon")];
    let world = World::new();
    let instance = world.start(fickle());
    for (id, text) in inbound {
        instance.say(id, text).await.unwrap();
    }
    tokio::time::sleep(minutes(4)).await;
    instance.say("4", "end").await.unwrap();
    tokio::time::sleep(minutes(10)).await;
    world.until_delivered().await;

    let mut script = chat(fickle());
    for (id, text) in inbound {
        script =
            script.activity(message(id, text)).expects_any(["heard later", "sorry", "heard soon"]);
    }
    let text = mismatch(script).await;
    assert!(text.contains("-> bot:      (nothing)"), "the redelivery is silent: {text}");
    let dialogue = chat(fickle())
        .activity(message("1", "later"))
        .expects("heard later")
        .activity(message("2", "fail"))
        .expects("sorry")
        .again()
        .activity(message("3", "soon"))
        .expects("heard soon")
        .again()
        .passes(minutes(4))
        .expects("count 2")
        .activity(message("4", "end"))
        .expects("heard end")
        .passes(minutes(10))
        .expects("count 3")
        .expects("count 3")
        .await;
    let said: Vec<&str> = dialogue.replies().map(Activity::text).collect();
    assert_eq!(world.channel.texts(), said);
    assert_eq!(dialogue.documents().len(), 2);
    for (key, bag) in dialogue.documents() {
        let mut stored = world.store.bag(key.as_str()).await;
        drop(stored.remove("$sayso"));
        assert_eq!(stored.to_json(), bag.to_json(), "{key}");
    }
}
