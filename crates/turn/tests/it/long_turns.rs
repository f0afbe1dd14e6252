//! Turns that take longer than a channel waits: acknowledged when they are durable, continued,
//! resumed by another instance if theirs dies.

mod ends;
mod further;
mod line;

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use futures_util::future::join_all;
use sayso_turn::{Answer, Bot, BotError, Error, Turn, clock::Clock, document::Ledger};
use tokio::time::{Instant, sleep};

use crate::world::{Fault, Instance, PausedClock, World, append, asking};

const MINUTE: Duration = Duration::from_secs(60);

fn secs(count: u64) -> Duration {
    Duration::from_secs(count)
}

/// The outside world: remembers which calls were made under which key.
#[derive(Clone, Debug, Default)]
struct Outside(Arc<Mutex<Vec<String>>>);

impl Outside {
    fn calls(&self) -> Vec<String> {
        self.0.lock().unwrap().clone()
    }
}

/// `slow…` takes a minute, with a call to the outside at its beginning; the rest is quick.
fn bot(outside: &Outside) -> Bot {
    let outside = outside.clone();
    Bot::new()
        .on_message(move |mut turn: Turn| {
            let outside = outside.clone();
            async move {
                if turn.text().starts_with("slow") {
                    turn.once("call", |key| async move {
                        outside.0.lock().unwrap().push(key.to_string());
                        Ok::<_, BotError>(())
                    })
                    .await?;
                    sleep(MINUTE).await;
                }
                if turn.text() == "profile" {
                    *turn.user_state().await?.named::<u32>("count")? += 1;
                }
                match turn.text() {
                    "slow failure" => Err("it does not work".into()),
                    "slow for ever" => std::future::pending().await,
                    _ => append(turn).await,
                }
            }
        })
        .on_event("tick", append)
}

async fn said(instance: &Instance, id: &str, text: &str) -> (Result<Answer, Error>, Duration) {
    let began = Instant::now();
    let answer = instance.say(id, text).await;
    (answer, began.elapsed())
}

async fn until(world: &World, what: impl Fn(&Ledger) -> bool + Send + Sync) {
    for _ in 0..10_000 {
        if what(&world.ledger().await) {
            return;
        }
        sleep(Duration::from_millis(100)).await;
    }
    panic!("it did not come to that: {:?}", world.ledger().await);
}

async fn ended(world: &World) {
    until(world, |ledger| ledger.inbox.is_empty() && ledger.outbox.is_empty()).await;
}

#[tokio::test(start_paused = true)]
async fn a_minute_long_turn_is_acknowledged_in_time_continued_and_answered_once() {
    let (world, outside) = (World::new(), Outside::default());
    let instance = world.start(bot(&outside));
    let (answer, waited) = said(&instance, "1", "slow a").await;
    let answer = answer.unwrap();
    assert!(answer.is_pending && !answer.is_repeat, "{answer:?}");
    assert!(waited < secs(9), "{waited:?}");
    assert_eq!(world.log().await, Vec::<String>::new(), "nothing is so yet");
    // The client gives up after 15 s and sends it again.
    sleep(secs(7)).await;
    let (again, waited) = said(&instance, "1", "slow a").await;
    assert!(again.unwrap().is_repeat && waited < secs(6), "{waited:?}");
    ended(&world).await;
    assert!((secs(59)..secs(64)).contains(&PausedClock.uptime()), "{:?}", PausedClock.uptime());
    assert_eq!(
        (world.log().await, world.channel.texts()),
        (vec!["slow a".into()], vec!["slow a".into()])
    );
    assert_eq!(outside.calls().len(), 1, "the run goes on, it is not begun again");
    assert_eq!(instance.engine.stats().attempts, 1);
    assert_eq!((instance.engine.stats().turns, instance.engine.stats().accepted), (1, 1));
    // Later still it is known too.
    assert!(instance.say("1", "slow a").await.unwrap().is_repeat);
    let ledger = world.ledger().await;
    assert!(ledger.claim.is_none() && ledger.parked.is_empty());
}

#[tokio::test(start_paused = true)]
async fn its_calls_are_not_made_again_when_another_instance_commits_first() {
    let (world, outside) = (World::new(), Outside::default());
    let instance = world.start(bot(&outside));
    world.store.fail_saves([Fault::Conflict]);
    let (answer, _) = said(&instance, "1", "slow a").await;
    assert!(answer.unwrap().is_pending);
    ended(&world).await;
    assert_eq!(world.log().await, ["slow a"]);
    assert_eq!(instance.engine.stats().attempts, 2, "it was begun again");
    assert_eq!(outside.calls().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn its_calls_are_not_made_again_when_the_turn_before_it_changed_another_document() {
    let (world, outside) = (World::new(), Outside::default());
    let instance = world.start(bot(&outside));
    // The first waits for nobody; the others are committed together.
    let messages = [("1", "m1"), ("2", "profile"), ("3", "slow a")];
    let answers = join_all(messages.map(|(id, text)| instance.say(id, text))).await;
    assert!(answers.iter().all(Result::is_ok), "{answers:?}");
    ended(&world).await;
    assert_eq!(world.log().await, ["m1", "profile", "slow a"]);
    assert_eq!(instance.engine.stats().attempts, 4, "it was begun again");
    assert_eq!(outside.calls().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn the_user_sees_that_it_is_at_work() {
    let world = World::new();
    let instance = world.start(bot(&Outside::default()));
    said(&instance, "1", "slow a").await.0.unwrap();
    ended(&world).await;
    let shown = world.channel.shown.lock().unwrap().clone();
    assert!((12..=14).contains(&shown.len()), "every 4 s for 52 s: {shown:?}");
    assert!(shown.iter().all(|(_, kind)| kind == "typing"));
    let gaps = shown.windows(2).map(|pair| pair[1].0 - pair[0].0);
    assert!(gaps.clone().all(|gap| gap >= secs(3) && gap <= secs(6)), "{shown:?}");
    let before = shown.len();
    sleep(MINUTE).await;
    assert_eq!(world.channel.shown.lock().unwrap().len(), before, "not any more");
}

#[tokio::test(start_paused = true)]
async fn another_instance_resumes_the_turn_of_a_dead_one() {
    let (world, outside) = (World::new(), Outside::default());
    let first = world.start(bot(&outside));
    let second = world.start(bot(&outside));
    said(&first, "1", "slow a").await.0.unwrap();
    sleep(secs(22)).await;
    first.kill();
    // The client sends it again, to an instance that lives.
    assert!(second.say("1", "slow a").await.unwrap().is_repeat);
    ended(&world).await;
    assert!(PausedClock.uptime() < secs(30 + 15 + 10 + 60 + 5), "{:?}", PausedClock.uptime());
    assert_eq!(
        (world.log().await, world.channel.texts()),
        (vec!["slow a".into()], vec!["slow a".into()])
    );
    let calls = outside.calls();
    assert_eq!(calls.len(), 2, "begun twice");
    assert_eq!(calls[0], calls[1], "under one key: whoever is called can tell");
    assert_eq!(second.engine.stats().recovered, 1);
}

#[tokio::test(start_paused = true)]
async fn a_living_instance_keeps_its_turn_and_what_arrives_anywhere_waits_in_line() {
    let (world, outside) = (World::new(), Outside::default());
    let first = world.start(bot(&outside));
    let second = world.start(bot(&outside));
    said(&first, "1", "slow a").await.0.unwrap();
    for (id, instance) in [("2", &second), ("3", &first), ("4", &second), ("5", &first)] {
        sleep(secs(5)).await;
        let (answer, waited) = said(instance, id, id).await;
        assert!(answer.unwrap().is_pending && waited < secs(1), "{id} {waited:?}");
    }
    assert!(second.say("3", "3").await.unwrap().is_repeat, "known while it waits in line");
    ended(&world).await;
    assert_eq!(world.log().await, ["slow a", "2", "3", "4", "5"]);
    let expected: Vec<String> =
        (1..=5).map(|count| ["slow a", "2", "3", "4", "5"][..count].join(" ")).collect();
    assert_eq!(world.channel.texts(), expected);
    assert_eq!(outside.calls().len(), 1);
    assert_eq!(second.engine.stats().recovered + second.engine.stats().turns, 0);
}

#[tokio::test(start_paused = true)]
async fn a_frozen_instance_that_wakes_too_late_changes_nothing() {
    let (world, outside) = (World::new(), Outside::default());
    let first = world.start(bot(&outside));
    let second = world.start(bot(&outside));
    said(&first, "1", "slow a").await.0.unwrap();
    sleep(secs(10)).await;
    first.freeze();
    sleep(secs(50)).await;
    assert_eq!(second.engine.stats().recovered, 1, "taken over");
    first.thaw();
    ended(&world).await;
    sleep(2 * MINUTE).await;
    assert_eq!(
        (world.log().await, world.channel.texts()),
        (vec!["slow a".into()], vec!["slow a".into()])
    );
}

#[tokio::test(start_paused = true)]
async fn whoever_waits_for_an_answer_gets_it_or_a_clear_error() {
    let world = World::new();
    let mut quick = world.start(bot(&Outside::default()));
    said(&quick, "1", "slow a").await.0.unwrap();
    let began = Instant::now();
    let error = quick.engine.receive(asking("2", "b")).await.unwrap_err();
    assert!(error.is_retryable() && error.to_string().contains("earlier turn"), "{error}");
    assert!(began.elapsed() <= secs(14), "{:?}", began.elapsed());
    // Another instance says the same; near the end of the long turn it waits instead.
    quick = world.start(bot(&Outside::default()));
    let error = quick.engine.receive(asking("3", "c")).await.unwrap_err();
    assert!(error.is_retryable(), "{error}");
    let left = secs(57).saturating_sub(PausedClock.uptime());
    sleep(left).await;
    let answer = quick.engine.receive(asking("4", "d")).await.unwrap();
    assert_eq!(answer.replies.len(), 1);
    assert_eq!(world.log().await, ["slow a", "d"]);
}

#[tokio::test(start_paused = true)]
async fn a_long_turn_that_fails_speaks_through_the_error_handler_or_is_parked() {
    for has_handler in [false, true] {
        let world = World::new();
        let mut bot = bot(&Outside::default());
        if has_handler {
            bot = bot.on_error(async |mut turn: Turn, _| {
                turn.say("Sorry.");
                Ok(())
            });
        }
        let instance = world.start(bot);
        for (id, text) in [("1", "slow failure"), ("2", "slow for ever"), ("3", "after")] {
            assert!(said(&instance, id, text).await.0.unwrap().is_pending);
        }
        ended(&world).await;
        assert_eq!(world.log().await, ["after"]);
        let parked = world.ledger().await.parked;
        if has_handler {
            assert_eq!(world.channel.texts(), ["Sorry.", "Sorry.", "after"]);
            assert!(parked.is_empty());
        } else {
            assert_eq!(world.channel.texts(), ["after"]);
            assert_eq!(parked.len(), 2);
            assert!(parked[0].reason.contains("logic failed"), "{}", parked[0].reason);
            assert!(parked[1].reason.contains("long_deadline"), "{}", parked[1].reason);
        }
        assert!(instance.say("1", "slow failure").await.unwrap().is_repeat);
    }
}

#[tokio::test(start_paused = true)]
async fn a_turn_that_no_instance_survives_is_given_up() {
    let mut world = World::new();
    world.limits.lost_max = 3;
    let outside = Outside::default();
    let mut instance = world.start(bot(&outside));
    said(&instance, "1", "slow a").await.0.unwrap();
    for _ in 0..3 {
        instance.kill();
        instance = world.start(bot(&outside));
        let before = outside.calls().len();
        sleep(secs(30)).await;
        assert!(outside.calls().len() >= before, "resumed or given up");
    }
    ended(&world).await;
    assert_eq!(outside.calls().len(), 3, "the first and two more; the third loss ends it");
    let parked = world.ledger().await.parked;
    assert!(parked[0].reason.contains("lost_max"), "{}", parked[0].reason);
    assert!(world.channel.texts().is_empty());
}

#[tokio::test(start_paused = true)]
async fn an_instance_that_shuts_down_leaves_the_turn_to_another_at_once() {
    let (world, outside) = (World::new(), Outside::default());
    let first = world.start(bot(&outside));
    let second = world.start(bot(&outside));
    said(&first, "1", "slow a").await.0.unwrap();
    let left = first.engine.close(secs(5)).await;
    assert_eq!(left, 0, "released");
    sleep(secs(8)).await;
    assert_eq!(outside.calls().len(), 2, "the other has it");
    drop(second);
    ended(&world).await;
    assert_eq!(world.channel.texts(), ["slow a"]);
    assert_eq!(world.ledger().await.parked.len(), 0);
}
