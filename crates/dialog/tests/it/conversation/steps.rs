//! Steps that do not wait for the user, and their limits.

use std::{
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use futures_util::{FutureExt, future::join};
use sayso_activity::Activity;
use sayso_dialog::conversation::{Conversation, Error, Limits, Result, conversation, text};
use sayso_turn::BotError;
use serde::{Deserialize, Serialize};

use super::{Chat, asks};

#[derive(Default, Serialize, Deserialize)]
struct Cart {
    items: Vec<String>,
}

#[test]
fn a_call_to_the_outside_is_made_once_and_has_a_key_of_its_own() {
    let calls = Arc::new(Mutex::new(Vec::new()));
    let seen = Arc::clone(&calls);
    let mut chat = Chat::new(move || {
        let calls = Arc::clone(&calls);
        conversation("test", move |c| {
            let calls = Arc::clone(&calls);
            async move {
                let first = c.ask(text("a?")).await?;
                for item in 0..3 {
                    let calls = Arc::clone(&calls);
                    let receipt: usize = c
                        .once("pay", |key| async move {
                            calls.lock().unwrap().push(key.as_str().to_owned());
                            Ok::<_, BotError>(item * 10)
                        })
                        .await?;
                    c.say(format!("{first}: receipt {receipt}"));
                }
                c.ask(text("b?")).await?;
                Ok(())
            }
        })
        .bot()
    });
    chat.says("hi");
    assert_eq!(chat.says("x"), ["x: receipt 0", "x: receipt 10", "x: receipt 20", "b?"]);
    assert!(chat.says("y").is_empty());
    let mut keys = seen.lock().unwrap().clone();
    assert_eq!(keys.len(), 3);
    assert!(keys[0].ends_with(".test/1/pay"), "{keys:?}");
    keys.dedup();
    assert_eq!(keys.len(), 3);
}

#[test]
fn a_durable_step_is_tried_again_kept_in_the_journal_and_has_a_key_of_its_own() {
    let calls = Arc::new(Mutex::new(Vec::new()));
    let seen = Arc::clone(&calls);
    let mut chat = Chat::new(move || {
        let calls = Arc::clone(&calls);
        conversation("test", move |c| {
            let calls = Arc::clone(&calls);
            async move {
                let calls = &calls;
                let charge = |key: sayso_turn::IdempotencyKey| async move {
                    let mut calls = calls.lock().unwrap();
                    calls.push(key.as_str().to_owned());
                    let count = calls.len();
                    if count < 3 { Err(std::io::Error::other("busy")) } else { Ok(count) }
                };
                let receipt: usize = c.step("charge", charge).await?;
                c.say(format!("receipt {receipt}"));
                c.ask(text("a?")).await?;
                let again: usize = c.step("charge", charge).attempts(1).await?;
                c.say(format!("receipts {receipt} {again}"));
                Ok(())
            }
        })
        .bot()
    });
    assert_eq!(chat.says("hi"), ["receipt 3", "a?"]);
    assert_eq!(chat.says("x"), ["receipts 3 4"]);
    let keys = seen.lock().unwrap().clone();
    assert!(keys[..3].iter().all(|key| *key == keys[0]), "one key for all tries: {keys:?}");
    assert!(keys[0].ends_with(".test/0/charge") && keys[3].ends_with(".test/2/charge"), "{keys:?}");
}

#[test]
fn a_failed_call_fails_the_turn_unless_the_code_handles_it() {
    static CALLS: AtomicUsize = AtomicUsize::new(0);
    async fn pay(c: Conversation) -> Result<()> {
        let is_brave = c.ask(text("Brave?")).await? == "yes";
        let call = c.once("pay", |_| async {
            CALLS.fetch_add(1, Ordering::Relaxed);
            Err::<(), _>(std::io::Error::other("no money"))
        });
        match call.await {
            Err(Error::Failed { source, .. }) if is_brave => c.say(format!("Sorry: {source}.")),
            done => done?,
        }
        let why = c.ask(text("Why?")).await?;
        c.say(format!("Because {why}."));
        Ok(())
    }
    let mut chat = Chat::with(pay);
    chat.says("hi");
    assert_eq!(chat.fails("no"), "`once pay` failed: no money");
    assert_eq!(chat.says("yes"), ["Sorry: no money.", "Why?"]);
    assert_eq!(chat.says("so"), ["Because so."]);
    assert_eq!(CALLS.load(Ordering::Relaxed), 2);
}

#[test]
fn state_time_and_chance_are_the_same_when_replayed() {
    async fn shop(c: Conversation) -> Result<()> {
        let opening = c.text()?;
        let count = c.state(|cart: &mut Cart| {
            cart.items.push("bag".to_owned());
            cart.items.len()
        })?;
        let visits = c.user(|visits: &mut u32| {
            *visits += 1;
            *visits
        });
        let visits = visits.await?;
        let (now, dice) = (c.now()?, c.random(1..=1_000_000)?);
        let channel = c.turn(|turn| Ok(turn.activity().channel_id.clone()))?;
        let line = format!("{opening} {count} {visits} {now:?} {dice} {channel:?}");
        c.say(&line);
        c.ask(text("a?")).await?;
        c.say(&line);
        c.ask(text("b?")).await?;
        c.say(&line);
        c.say(format!("{}", dice == c.random(1..=1_000_000)?));
        Ok(())
    }
    let mut chat = Chat::with(shop);
    let first = chat.says("hello");
    assert!(first[0].starts_with("hello 1 1 Timestamp(0) "), "{first:?}");
    assert_eq!(chat.says("1")[0], first[0]);
    assert_eq!(chat.says("2"), [first[0].as_str(), "false"]);
    assert_eq!(chat.property("Cart").as_deref(), Some(r#"{"items":["bag"]}"#));
    let user = chat.documents.iter().find(|(key, _)| key.as_str().contains("user"));
    assert_eq!(user.unwrap().1.get::<u32>("u32").unwrap(), Some(1));
}

#[test]
fn chance_stays_in_its_range() {
    async fn dice(c: Conversation) -> Result<()> {
        let mut eyes = [0; 6];
        for _ in 0..60 {
            eyes[usize::try_from(c.random(1..=6)? - 1)?] += 1;
        }
        c.say(format!("{}", eyes.iter().all(|count| *count > 0)));
        c.say(format!("{} {}", c.random(5..=5)?, c.random(0..=u64::MAX)? > 0));
        Ok(())
    }
    assert_eq!(Chat::with(dice).says("hi"), ["true", "5 true"]);
}

#[test]
fn a_journal_that_grows_too_long_is_refused_with_advice() {
    let limits = |limits: Limits| {
        Chat::new(move || {
            let limits = limits.clone();
            conversation("test", asks(&["a?", "b?", "c?", "d?"])).limits(limits).bot()
        })
    };
    let mut chat = limits(Limits { entries_max: 2, ..Limits::default() });
    chat.says("hi");
    chat.says("1");
    chat.says("2");
    let before = chat.documents.clone();
    let error = chat.fails("3");
    assert!(error.contains("too many steps (limit entries_max)"), "{error}");
    assert!(error.contains("`keep`") && error.contains("`call`"), "{error}");
    assert_eq!(chat.documents, before);
    let mut chat = limits(Limits { bytes_max: 100, ..Limits::default() });
    chat.says("hi");
    assert!(chat.fails(&"x".repeat(100)).contains("limit bytes_max"));
    assert_eq!(chat.says("x"), ["Noted: x", "b?"]);
}

#[test]
fn a_function_that_never_asks_is_stopped_by_the_limit() {
    async fn spin(c: Conversation) -> Result<()> {
        loop {
            c.now()?;
        }
    }
    assert!(Chat::with(spin).fails("hi").contains("limit entries_max"));
}

#[test]
fn an_error_that_stops_the_conversation_cannot_be_swallowed() {
    async fn stubborn(c: Conversation) -> Result<()> {
        while c.now().is_ok() {}
        c.say("Never mind.");
        Ok(())
    }
    assert!(Chat::with(stubborn).fails("hi").contains("limit entries_max"));
}

#[test]
fn steps_that_are_joined_are_done_one_after_the_other() {
    async fn both(c: Conversation) -> Result<()> {
        let (a, b) = join(c.ask(text("a?")), c.ask(text("b?"))).await;
        c.say(format!("{} {}", a?, b?));
        Ok(())
    }
    let mut chat = Chat::with(both);
    assert_eq!(chat.says("hi"), ["a?"]);
    assert_eq!(chat.says("1"), ["b?"]);
    assert_eq!(chat.says("2"), ["1 2"]);
    async fn last(c: Conversation) -> Result<()> {
        let (a, _) = join(c.ask(text("a?")), c.cancel()).await;
        c.say(a?);
        Ok(())
    }
    let mut chat = Chat::with(last);
    assert_eq!(chat.says("hi"), ["a?"]);
    assert_eq!(chat.says("1"), ["Cancelled."]);
}

#[test]
fn two_steps_at_the_same_time_are_a_clear_error() {
    async fn outer(c: Conversation) -> Result<()> {
        let outer = c.clone();
        Ok(c.call("inner", |_| async move {
            outer.ask(text("Through the wrong handle?")).await?;
            Ok(())
        })
        .await?)
    }
    assert!(Chat::with(outer).fails("hi").contains("while another was under way"));
    async fn busy(c: Conversation) -> Result<()> {
        let other = c.clone();
        Ok(c.once("a", |_| async move { other.now().map(|_| ()) }).await?)
    }
    assert!(Chat::with(busy).fails("hi").contains("while another was under way"));
}

#[test]
fn saying_inside_a_step_keeps_the_order() {
    async fn talk(c: Conversation) -> Result<()> {
        c.say("1");
        c.turn(|turn| {
            turn.say("2");
            c.say("3");
            turn.say("not 4");
            Ok(())
        })?;
        c.say("5");
        Ok(())
    }
    // Both say at once inside the closure: each keeps its own order.
    assert_eq!(Chat::with(talk).says("hi"), ["1", "2", "not 4", "3", "5"]);
}

#[test]
fn a_handle_that_outlives_its_turn_gives_errors_and_not_panics() {
    static LEAKED: Mutex<Option<Conversation>> = Mutex::new(None);
    async fn leak(c: Conversation) -> Result<()> {
        *LEAKED.lock().unwrap() = Some(c.clone());
        c.ask(text("a?")).await?;
        Ok(())
    }
    let mut chat = Chat::with(leak);
    assert_eq!(chat.says("hi"), ["a?"]);
    let leaked = LEAKED.lock().unwrap().take().unwrap();
    leaked.say("Nobody hears this.");
    assert!(matches!(leaked.now(), Err(Error::Over)));
    assert!(matches!(leaked.keep(&1), Err(Error::Over)));
    assert!(matches!(leaked.kept::<u8>(), Err(Error::Over)));
    assert!(matches!(leaked.reference(), Err(Error::Over)));
    let late = leaked.ask(text("b?")).now_or_never();
    assert!(matches!(late, Some(Err(Error::Over))));
    let late = leaked.sleep(Duration::ZERO).now_or_never();
    assert!(matches!(late, Some(Err(Error::Over))));
    let late = leaked.once("x", |_| async { Ok::<_, BotError>(()) }).now_or_never();
    assert!(matches!(late, Some(Err(Error::Over))));
    assert!(chat.says("1").is_empty());
}

#[tokio::test]
async fn a_step_in_a_spawned_task_works_and_ends_with_the_turn() {
    use sayso_turn::{Documents, run};
    static ENDS: Mutex<Vec<bool>> = Mutex::new(Vec::new());
    async fn outer(c: Conversation) -> Result<()> {
        let inner = c.clone();
        #[expect(clippy::disallowed_methods, reason = "this is what must not hang")]
        let task = tokio::spawn(async move {
            let answer = inner.ask(text("a?")).await;
            ENDS.lock().unwrap().push(answer.is_ok());
            answer
        });
        let answer = task.await??;
        c.say(answer);
        Ok(())
    }
    let json =
        br#"{"type":"message","id":"1","channelId":"t","conversation":{"id":"c"},"text":"hi"}"#;
    let bot = || conversation("test", outer).bot();
    let mut activity = Activity::from_json(json).unwrap();
    let outcome = run(&bot(), activity.clone(), Documents::new()).await.unwrap();
    assert_eq!(outcome.replies[0].text(), "a?");
    activity.id = Some("2".to_owned());
    let outcome = run(&bot(), activity, outcome.documents).await.unwrap();
    assert_eq!(outcome.replies[0].text(), "hi");
    tokio::task::yield_now().await;
    assert_eq!(
        *ENDS.lock().unwrap(),
        [false, true],
        "the first task is told that the turn is over"
    );
}

#[tokio::test]
async fn a_real_await_inside_a_call_to_the_outside_is_waited_for() {
    use sayso_turn::{Documents, run};
    async fn slow(c: Conversation) -> Result<()> {
        let answer: u8 = c
            .once("slow", |_| async {
                tokio::task::yield_now().await;
                tokio::time::sleep(Duration::from_millis(1)).await;
                Ok::<_, BotError>(7)
            })
            .await?;
        c.say(answer.to_string());
        c.ask(text("a?")).await?;
        Ok(())
    }
    let json =
        br#"{"type":"message","id":"1","channelId":"t","conversation":{"id":"c"},"text":"hi"}"#;
    let bot = conversation("test", slow).bot();
    let activity = Activity::from_json(json).unwrap();
    let outcome = run(&bot, activity, Documents::new()).await.unwrap();
    let said: Vec<_> = outcome.replies.iter().map(Activity::text).collect();
    assert_eq!(said, ["7", "a?"]);
}
