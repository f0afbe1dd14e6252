//! Store calls of a turn, and the documents that it can change.

use std::{
    sync::{Arc, atomic::Ordering},
    time::Duration,
};

use futures_util::future::join_all;
use sayso_turn::{Bot, Documents, Key, Turn, activity::Activity, run};
use serde::{Deserialize, Serialize};

use crate::world::{World, log_bot, message};

#[tokio::test(start_paused = true)]
async fn sixty_four_messages_at_once_cost_few_commits() {
    let world = World::new();
    let instance = world.start(log_bot());
    let all = (0..64).map(|n| instance.engine.receive(message(&n.to_string(), &format!("m{n}"))));
    let answers = join_all(all).await;
    assert!(answers.iter().all(Result::is_ok));
    let commits = instance.engine.stats().commits;
    println!("64 messages at once in one process: {commits} commits");
    assert!(commits <= 8, "{commits}");
    world.until_delivered().await;
    assert_eq!(world.log().await.len(), 64);
}

#[tokio::test(start_paused = true)]
async fn sixty_four_messages_over_two_instances_take_few_attempts() {
    let world = World::new();
    let instances = [world.start(log_bot()), world.start(log_bot())];
    let all = (0..64_usize)
        .map(|n| instances[n % 2].engine.receive(message(&n.to_string(), &format!("m{n}"))));
    assert!(join_all(all).await.iter().all(Result::is_ok));
    let attempts: u64 = instances.iter().map(|i| i.engine.stats().attempts).sum();
    println!("64 messages over two instances: {:.2} attempts a turn", attempts as f64 / 64.0);
    assert!(attempts <= 128, "{attempts}");
}

#[tokio::test(start_paused = true)]
async fn a_turn_in_a_conversation_written_last_by_this_instance_makes_one_store_call() {
    let world = World::new();
    let instance = world.start(log_bot());
    instance.say("1", "m1").await.unwrap();
    let calls = || {
        let (loads, writes) = (&world.store.loads, &world.store.writes);
        (loads.load(Ordering::Relaxed), writes.load(Ordering::Relaxed))
    };
    let before = calls();
    instance.say("2", "m2").await.unwrap();
    let after = calls();
    assert_eq!((after.0 - before.0, after.1 - before.1), (0, 1));
}

#[tokio::test(start_paused = true)]
async fn a_redelivery_leaves_the_document_in_memory_and_the_conversation_comes_to_rest() {
    let world = World::new();
    let instance = world.start(log_bot());
    let loads = || world.store.loads.load(Ordering::Relaxed);
    instance.say("1", "m1").await.unwrap();
    assert_eq!(instance.engine.busy(), 1);
    tokio::time::sleep(Duration::from_secs(1)).await;
    assert_eq!(instance.engine.busy(), 0, "the runner that rested has ended");
    let before = loads();
    assert!(instance.say("1", "m1").await.unwrap().is_repeat);
    instance.say("2", "m2").await.unwrap();
    assert_eq!(loads(), before);
}

#[tokio::test(start_paused = true)]
async fn what_has_no_handler_is_accepted_and_costs_nothing() {
    let world = World::new();
    let instance = world.start(log_bot());
    let mut typing = message("1", "");
    typing.kind = sayso_turn::activity::Kind::Typing;
    assert!(!instance.engine.receive(typing).await.unwrap().is_handled);
    assert_eq!(world.store.loads.load(Ordering::Relaxed), 0);
    assert!(world.document().await.is_none());
}

#[derive(Default, Serialize, Deserialize)]
struct Order {
    toppings: Vec<String>,
}

#[derive(Default, Serialize, Deserialize)]
struct Profile {
    visits: u32,
}

fn scopes() -> Bot {
    Bot::new().on_message(async |mut turn: Turn| {
        let text = turn.text().to_owned();
        turn.conversation::<Order>()?.toppings.push(text);
        turn.user::<Profile>().await?.visits += 1;
        turn.private::<Profile>().await?.visits += 10;
        let shop = turn.custom(Key::new("shops/rome")?).await?;
        *shop.named::<u32>("orders")? += 1;
        Ok(())
    })
}

#[tokio::test(start_paused = true)]
async fn every_scope_has_its_key() {
    let world = World::new();
    let instance = world.start(scopes());
    instance.say("1", "m1").await.unwrap();
    instance.say("2", "m2").await.unwrap();
    let json = async |key: &str| {
        let mut bag = world.store.bag(key).await;
        drop(bag.remove("$sayso"));
        bag.to_json()
    };
    assert_eq!(json("test/conversations/c").await, r#"{"Order":{"toppings":["m1","m2"]}}"#);
    assert_eq!(json("test/users/u").await, r#"{"Profile":{"visits":2}}"#);
    assert_eq!(json("test/conversations/c/users/u").await, r#"{"Profile":{"visits":20}}"#);
    assert_eq!(json("shops/rome").await, r#"{"orders":2}"#);
}

/// Reading is not changing: a property of another SDK keeps its members, its layout, its order.
#[tokio::test(start_paused = true)]
async fn a_property_that_was_only_read_stays_as_it_came() {
    let bot = Bot::new().on_message(async |mut turn: Turn| {
        let count = turn.conversation::<Order>()?.toppings.len();
        let visits = turn.conversation::<Profile>()?.visits;
        turn.say(format!("{count} {visits}"));
        Ok(())
    });
    let key = Key::new("test/conversations/c").unwrap();
    let foreign = r#"{"Order":{"$type":"Pizza.Order", "toppings": ["a"]},"x":1.0}"#;
    let documents = Documents::from([(key.clone(), sayso_turn::Bag::from_json(foreign).unwrap())]);
    let outcome = run(&bot, message("1", "hi"), documents.clone()).await.unwrap();
    assert_eq!(outcome.documents, documents);
    assert_eq!(outcome.replies[0].text(), "1 0");
}

#[tokio::test(start_paused = true)]
async fn a_property_of_the_wrong_shape_is_an_error_that_names_it() {
    let bot = Bot::new().on_message(async |mut turn: Turn| {
        turn.conversation::<Order>()?;
        Ok(())
    });
    let key = Key::new("test/conversations/c").unwrap();
    let bag = sayso_turn::Bag::from_json(r#"{"Order":7}"#).unwrap();
    let error = run(&bot, message("1", "hi"), Documents::from([(key, bag)])).await.unwrap_err();
    let sayso_turn::Error::Failed(failure) = error else { panic!("{error}") };
    let source = std::error::Error::source(&*failure).unwrap().to_string();
    assert!(source.contains("`Order`"), "{source}");
}

/// The engine's attempt and anybody's unit test run the same function: same input, same output.
#[tokio::test(start_paused = true)]
async fn a_run_is_a_pure_function() {
    let bot = log_bot();
    let first = run(&bot, message("1", "m1"), Documents::new()).await.unwrap();
    let again = run(&bot, message("1", "m1"), Documents::new()).await.unwrap();
    assert_eq!(first.documents, again.documents);
    assert_eq!(first.replies, again.replies);
    assert_eq!(first.replies[0].reply_to_id.as_deref(), Some("1"));
}

#[tokio::test(start_paused = true)]
async fn the_window_of_remembered_ids_is_bounded() {
    let mut world = World::new();
    world.limits.seen_max = 10;
    let instance = world.start(log_bot());
    for n in 0..30 {
        instance.say(&n.to_string(), "m").await.unwrap();
    }
    assert_eq!(world.ledger().await.seen.len(), 10);
    assert!(instance.say("25", "m").await.unwrap().is_repeat);
}

#[tokio::test(start_paused = true)]
async fn an_invoke_gets_its_recorded_answer_again() {
    let world = World::new();
    let bot = || {
        Bot::new().on_invoke("order/submit", async |mut turn: Turn| {
            let count = turn.state().named::<u32>("count")?;
            *count += 1;
            let count = *count;
            // Both ways of answering do the same; the last one counts.
            turn.send(Activity::invoke_response(418, None));
            Ok(turn.respond(200, &count)?)
        })
    };
    let invoke = || {
        let mut activity = message("1", "");
        activity.kind = sayso_turn::activity::Kind::Invoke;
        activity.name = Some("order/submit".to_owned());
        activity
    };
    let first = world.start(bot()).engine.receive(invoke()).await.unwrap();
    let again = world.start(bot()).engine.receive(invoke()).await.unwrap();
    assert_eq!(first.response, again.response);
    assert_eq!(first.response.unwrap().body.unwrap().as_str(), "1");
}

/// Dropping the future of `receive` does not stop the turn.
#[tokio::test(start_paused = true)]
async fn a_sender_that_hangs_up_does_not_undo_its_turn() {
    let world = World::new();
    let instance = world.start(log_bot());
    let hung_up = tokio::time::timeout(Duration::ZERO, instance.say("1", "m1")).await;
    assert!(hung_up.is_err());
    tokio::time::sleep(Duration::from_secs(1)).await;
    assert_eq!(world.log().await, ["m1"]);
    assert!(instance.say("1", "m1").await.unwrap().is_repeat);
}

/// Memory is bounded by the cache limit; forgetting costs a load, not a state.
#[tokio::test(start_paused = true)]
async fn a_forgotten_conversation_is_loaded_again() {
    let mut world = World::new();
    world.limits.cache_bytes_max = 0;
    let instance = world.start(log_bot());
    for n in 0..5 {
        instance.say(&n.to_string(), "m").await.unwrap();
    }
    assert_eq!(world.log().await.len(), 5);
    assert_eq!(instance.engine.stats().cache_hits, 0);
}

#[tokio::test(start_paused = true)]
async fn an_activity_without_an_id_is_a_new_one_each_time() {
    let world = World::new();
    let instance = world.start(log_bot());
    for _ in 0..2 {
        let mut activity = message("", "m");
        activity.id = None;
        instance.engine.receive(activity).await.unwrap();
    }
    assert_eq!(world.log().await.len(), 2);
    let engine = Arc::new(instance.engine);
    let error = engine.receive(Activity::message("no conversation")).await.unwrap_err();
    assert!(error.to_string().contains("channelId"), "{error}");
}
