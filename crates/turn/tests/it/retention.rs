//! Documents that expire: absent at once, removed soon after, never while something waits.

mod documents;

use std::time::Duration;

use sayso_turn::{Bot, Key, Limits, Ttl, Turn, activity::Activity, store::Store};
use tokio::time::sleep;

use crate::world::{CONVERSATION, Step, World, log_bot};

const HOUR: Duration = Duration::from_secs(3600);

fn world() -> World {
    let ttl = Ttl { conversation: Some(HOUR), ..Ttl::default() };
    let mut world = World::new();
    world.limits = Limits { ttl, ..Limits::default() };
    world
}

#[tokio::test(start_paused = true)]
async fn an_expired_conversation_is_removed_and_begins_anew() {
    let world = world();
    let instance = world.start(log_bot());
    instance.say("1", "mushrooms").await.unwrap();
    sleep(HOUR - Duration::from_secs(5)).await;
    assert_eq!(world.log().await, ["mushrooms"]);
    sleep(Duration::from_secs(30)).await;
    assert!(world.document().await.is_none());
    assert_eq!(instance.engine.stats().expired, 1);
    instance.say("2", "cheese").await.unwrap();
    assert_eq!(world.log().await, ["cheese"]);
}

#[tokio::test(start_paused = true)]
async fn a_turn_that_comes_before_the_removal_finds_nothing_of_the_expired_state() {
    let mut world = world();
    // Nobody looks around, so nothing is removed.
    world.limits.sweep_every = 1000 * HOUR;
    let instances = [world.start(log_bot()), world.start(log_bot())];
    instances[0].say("1", "mushrooms").await.unwrap();
    sleep(HOUR + Duration::from_secs(5)).await;
    // The same instance has the document in memory; another one reads it.
    for (id, instance, topping) in [("2", &instances[0], "cheese"), ("3", &instances[1], "ham")] {
        instance.say(id, topping).await.unwrap();
        world.until_delivered().await;
        assert_eq!(world.log().await, [topping]);
        sleep(HOUR + Duration::from_secs(5)).await;
    }
}

#[tokio::test(start_paused = true)]
async fn every_turn_puts_the_end_off() {
    let world = world();
    let instance = world.start(log_bot());
    for n in 0..5 {
        instance.say(&n.to_string(), "x").await.unwrap();
        sleep(HOUR / 2).await;
    }
    assert_eq!(world.log().await.len(), 5);
}

#[tokio::test(start_paused = true)]
async fn a_conversation_with_a_timer_does_not_expire_before_it() {
    let world = world();
    let bot = Bot::new()
        .on_message(async |mut turn: Turn| {
            turn.after(5 * HOUR, Activity::event("remind"));
            *turn.state().named::<u32>("kept")? = 7;
            Ok(())
        })
        .on_event("remind", async |mut turn: Turn| {
            let kept = *turn.state().named::<u32>("kept")?;
            turn.say(format!("kept {kept}"));
            Ok(())
        });
    let instance = world.start(bot);
    instance.say("1", "remind me").await.unwrap();
    sleep(5 * HOUR + Duration::from_secs(10)).await;
    assert_eq!(world.channel.texts(), ["kept 7"]);
    sleep(HOUR + Duration::from_secs(60)).await;
    assert!(world.document().await.is_none());
}

#[tokio::test(start_paused = true)]
async fn each_kind_of_state_has_its_own_time() {
    let mut world = World::new();
    world.limits.ttl = Ttl { user: Some(HOUR), ..Ttl::default() };
    let bot = Bot::new().on_message(async |mut turn: Turn| {
        *turn.user_state().await?.named::<u32>("visits")? += 1;
        *turn.state().named::<u32>("visits")? += 1;
        Ok(())
    });
    let instance = world.start(bot);
    instance.say("1", "hi").await.unwrap();
    assert!(world.store.document("test/users/u").await.is_some());
    sleep(HOUR + Duration::from_secs(30)).await;
    assert!(world.store.document("test/users/u").await.is_none());
    assert!(world.store.document(CONVERSATION).await.is_some());
}

/// An instance that is busy with a conversation knows its revision. A conversation that was erased
/// and begun anew elsewhere has a smaller one, as a stale read has, for ever.
#[tokio::test(start_paused = true)]
async fn a_conversation_begun_anew_elsewhere_is_soon_believed_by_an_instance_that_knew_it() {
    let world = World::new();
    let [knows, begins] = [world.start(log_bot()), world.start(log_bot())];
    for n in 0..5 {
        knows.say(&format!("old {n}"), "mushrooms").await.unwrap();
        world.until_delivered().await;
    }
    world.channel.script([Step::Hang]);
    knows.say("old 5", "mushrooms").await.unwrap();
    let key = Key::new(CONVERSATION).unwrap();
    let stored = world.store.load(&key).await.unwrap().unwrap();
    world.store.delete(&key, &stored.etag).await.unwrap();
    begins.say("new", "cheese").await.unwrap();

    let mut tries = 0;
    while knows.say("next", "ham").await.is_err() {
        tries += 1;
        assert!(tries < 10, "the conversation is lost to this instance");
        sleep(Duration::from_secs(5)).await;
    }
    world.until_delivered().await;
    assert_eq!(world.log().await, ["cheese", "ham"]);
    assert!(world.channel.texts().ends_with(&["cheese".to_owned(), "cheese ham".to_owned()]));
    sleep(Duration::from_secs(60)).await;
    assert_eq!(knows.engine.busy() + begins.engine.busy(), 0);
}
