//! P7 on a store that can only write one document at a time.

use std::{sync::atomic::Ordering, time::Duration};

use futures_util::future::join_all;
use sayso_turn::{
    Bot, BotError, Key, Turn,
    activity::ConversationAccount,
    document::{Document, Prepared},
    store::{Expect, Saved, Store, Write},
};

use crate::world::{CONVERSATION, World, message};

const USER: &str = "test/users/u";

/// Counts every message in the conversation and with its user.
fn counter() -> Bot {
    async fn count(mut turn: Turn) -> Result<(), BotError> {
        *turn.state().named::<u32>("count")? += 1;
        *turn.user_state().await?.named::<u32>("count")? += 1;
        Ok(())
    }
    Bot::new().on_message(count)
}

fn world() -> World {
    let world = World::new();
    world.store.has_steps.store(true, Ordering::Relaxed);
    world
}

async fn count(world: &World, key: &str) -> u32 {
    world.store.bag(key).await.get("count").unwrap().unwrap_or_default()
}

async fn until_finished(world: &World) {
    for _ in 0..1000 {
        let mut is_finished = true;
        for key in [CONVERSATION, USER] {
            let ledger = world.store.document(key).await.map(|document| document.ledger);
            is_finished &= ledger.is_none_or(|l| l.prepared.is_none() && l.decided.is_empty());
        }
        if is_finished {
            return;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    panic!("never finished");
}

#[tokio::test(start_paused = true)]
async fn p7_both_documents_change_without_transactions() {
    let world = world();
    let instance = world.start(counter());
    for n in 1..=3 {
        instance.say(&n.to_string(), "x").await.unwrap();
    }
    until_finished(&world).await;
    assert_eq!((count(&world, CONVERSATION).await, count(&world, USER).await), (3, 3));
}

#[tokio::test(start_paused = true)]
async fn p7_conversations_of_one_user_on_two_instances_lose_nothing() {
    let world = world();
    let instances = [world.start(counter()), world.start(counter())];
    let sent = (0..20).map(|n| {
        let mut activity = message(&n.to_string(), "x");
        activity.conversation = Some(ConversationAccount::new(format!("c{}", n % 4)));
        let engine = instances[n % 2].engine.clone();
        async move {
            for _ in 0..20 {
                match engine.receive(activity.clone()).await {
                    Err(error) if error.is_retryable() => {}
                    other => return drop(other.unwrap()),
                }
            }
            panic!("never committed");
        }
    });
    join_all(sent).await;
    until_finished(&world).await;
    assert_eq!(count(&world, USER).await, 20);
}

#[tokio::test(start_paused = true)]
async fn p7_a_preparer_that_died_is_fenced_and_rolled_back() {
    let world = world();
    prepare(&world, 0).await;
    let instance = world.start(counter());
    instance.say("1", "x").await.unwrap();
    until_finished(&world).await;
    assert_eq!(count(&world, USER).await, 1, "what was never committed does not count");
    let other = Key::conversation("test", "other").unwrap();
    let fenced = world.store.document(other.as_str()).await.unwrap();
    assert_eq!((fenced.ledger.rev, instance.engine.stats().fenced), (1, 1));
    // The preparer wakes up: its commit point is taken.
    let late = Write::new(other, Expect::Absent, "{}");
    assert_eq!(world.store.save(late).await.unwrap(), Saved::Conflict);
}

#[tokio::test(start_paused = true)]
async fn p7_what_a_dead_instance_prepared_is_tidied_up_by_others() {
    let world = world();
    prepare(&world, 0).await;
    let _instance = world.start(counter());
    until_finished(&world).await;
    assert_eq!(count(&world, USER).await, 0);
}

#[tokio::test(start_paused = true)]
async fn p7_a_commit_whose_finish_is_lost_counts_and_is_finished_by_others() {
    let world = world();
    let first = world.start(counter());
    let engine = first.engine.clone();
    let sent = tokio::spawn(async move { engine.receive(message("1", "x")).await });
    while count(&world, CONVERSATION).await == 0 {
        tokio::task::yield_now().await;
    }
    first.kill();
    drop(sent);
    assert_eq!(count(&world, USER).await, 0, "not finished yet");
    let second = world.start(counter());
    second.say("2", "x").await.unwrap();
    until_finished(&world).await;
    assert_eq!((count(&world, CONVERSATION).await, count(&world, USER).await), (2, 2));
}

/// Leaves what a turn of conversation `other` leaves when its instance dies before its commit.
async fn prepare(world: &World, rev: u64) {
    let key = Key::new(USER).unwrap();
    let mut document = Document::default();
    document.ledger.rev = 1;
    document.ledger.prepared = Some(std::sync::Arc::new(Prepared {
        id: "gone.1".into(),
        by: "test/conversations/other".into(),
        rev,
        bag: sayso_turn::activity::Raw::from_text(r#"{"count":7}"#.into()).unwrap(),
        ttl: None,
    }));
    let (body, due) = (document.to_json(), document.ledger.due());
    let write = Write { key, expect: Expect::Absent, body, due, expires: None, participants: None };
    assert!(matches!(world.store.save(write).await.unwrap(), Saved::Committed(_)));
}
