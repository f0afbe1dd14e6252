//! Participants of a conversation are found by the store's lookup, so that it can be erased.

use futures_util::TryStreamExt;
use sayso_turn::{
    Key,
    activity::{Account, Activity, ConversationAccount},
    store::{Participant, Saved, Store},
};

use crate::world::{CONVERSATION, Fault, Instance, World, log_bot};

/// The conversations that the lookup names for somebody.
async fn found(world: &World, id: &str) -> Vec<String> {
    let listed = world.store.inner.list_with(Participant::of(id), "").unwrap();
    let keys: Vec<Key> = listed.try_collect().await.unwrap();
    keys.iter().map(|key| key.as_str().to_owned()).collect()
}

async fn say(instance: &Instance, who: &str, id: &str) {
    let activity = Activity {
        id: Some(id.to_owned()),
        channel_id: Some("test".to_owned()),
        conversation: Some(ConversationAccount::new("c")),
        from: Some(Account::new(who)),
        recipient: Some(Account::new("bot")),
        ..Activity::message("hello")
    };
    drop(instance.engine.receive(activity).await.unwrap());
}

async fn erase(world: &World) {
    let key = Key::new(CONVERSATION).unwrap();
    let stored = world.store.inner.load(&key).await.unwrap().unwrap();
    let erased = world.store.inner.delete(&key, &stored.etag).await.unwrap();
    assert!(matches!(erased, Saved::Committed(_)));
}

#[tokio::test(start_paused = true)]
async fn everybody_who_speaks_is_found_whatever_instance_hears_them() {
    let world = World::new();
    let instances = [world.start(log_bot()), world.start(log_bot())];
    for (n, who) in ["ann", "bob", "ann", "cid"].iter().enumerate() {
        say(&instances[n % 2], who, &n.to_string()).await;
        world.until_delivered().await;
    }
    for who in ["ann", "bob", "cid"] {
        assert_eq!(found(&world, who).await, [CONVERSATION], "{who}");
    }
    assert_eq!(found(&world, "bot").await, Vec::<String>::new());
    assert_eq!(world.ledger().await.participants.all().unwrap(), ["ann", "bob", "cid"]);
}

#[tokio::test(start_paused = true)]
async fn a_newcomer_is_found_after_a_save_that_failed() {
    let world = World::new();
    let instance = world.start(log_bot());
    say(&instance, "ann", "1").await;
    world.until_delivered().await;
    world.store.fail_saves([Fault::Unavailable]);
    say(&instance, "bob", "2").await;
    world.until_delivered().await;
    assert_eq!(found(&world, "bob").await, [CONVERSATION]);
}

#[tokio::test(start_paused = true)]
async fn a_conversation_that_begins_anew_after_its_erasure_has_participants_anew() {
    let world = World::new();
    let instance = world.start(log_bot());
    say(&instance, "ann", "1").await;
    world.until_delivered().await;
    erase(&world).await;
    assert_eq!(found(&world, "ann").await, Vec::<String>::new());
    // The instance still has the former document in memory.
    say(&instance, "bob", "2").await;
    world.until_delivered().await;
    assert_eq!(found(&world, "bob").await, [CONVERSATION]);
    assert_eq!(found(&world, "ann").await, Vec::<String>::new());
    say(&instance, "ann", "3").await;
    world.until_delivered().await;
    assert_eq!(found(&world, "ann").await, [CONVERSATION]);
}

#[tokio::test(start_paused = true)]
async fn a_state_of_somebody_in_a_conversation_is_found_by_its_key() {
    let world = World::new();
    let bot = sayso_turn::Bot::new().on_message(async |mut turn: sayso_turn::Turn| {
        let who = turn.activity().from.as_ref().and_then(|from| from.id.clone()).unwrap();
        let private = Key::private("test", "c", &who)?;
        *turn.custom(private).await?.named::<u32>("count")? += 1;
        *turn.user_state().await?.named::<u32>("count")? += 1;
        Ok(())
    });
    let instance = world.start(bot);
    for (id, has_steps) in [("1", false), ("2", true)] {
        world.store.has_steps.store(has_steps, std::sync::atomic::Ordering::Relaxed);
        say(&instance, &format!("user{id}"), id).await;
        tokio::time::sleep(std::time::Duration::from_secs(60)).await;
        let private = format!("{CONVERSATION}/users/user{id}");
        let user = format!("test/users/user{id}");
        let all = found(&world, &format!("user{id}")).await;
        assert_eq!(all, [CONVERSATION, &private, &user], "{id}");
    }
}
