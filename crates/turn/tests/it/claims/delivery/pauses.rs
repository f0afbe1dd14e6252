//! Paused channels.

use sayso_turn::{Bot, DeliveryPolicy, activity::Activity};
use tokio::time::sleep;

use super::{millis, secs, words};
use crate::world::{Step, World, message_in};

fn bot() -> Bot {
    words(DeliveryPolicy::repeat())
}

#[tokio::test(start_paused = true)]
async fn replies_of_a_paused_channel_wait_and_its_turns_and_other_channels_go_on() {
    let world = World::new();
    let instances = [world.start(bot()), world.start(bot())];
    instances.iter().for_each(|instance| instance.engine.pause("test"));
    for n in 0..3 {
        let instance = &instances[n % 2];
        instance.say(&n.to_string(), &format!("a{n}")).await.unwrap();
        let other = Activity { channel_id: Some("test2".into()), ..message_in("o", "1", "other") };
        instance.engine.receive(Activity { id: Some(n.to_string()), ..other }).await.unwrap();
        sleep(secs(300)).await;
    }
    assert_eq!(world.channel.texts(), ["other"; 3], "{:?}", world.channel.texts());
    assert_eq!(world.ledger().await.outbox.len(), 3, "durable");
    assert_eq!(world.ledger().await.turn, 3);
    instances.iter().for_each(|instance| instance.engine.unpause("test"));
    sleep(secs(75)).await;
    assert_eq!(world.channel.texts()[3..], ["a0", "a1", "a2"]);
    let repeats: u64 = instances.iter().map(|instance| instance.engine.stats().repeats).sum();
    assert_eq!(repeats, 0, "nothing of it was ever sent before");
}

#[tokio::test(start_paused = true)]
async fn a_paused_channel_goes_on_within_a_minute_whenever_it_is_let_go() {
    for wait in (0..150).step_by(7) {
        let world = World::new();
        let instance = world.start(bot());
        instance.engine.pause("test");
        instance.say("1", "a").await.unwrap();
        sleep(secs(wait)).await;
        assert!(world.channel.texts().is_empty());
        instance.engine.unpause("test");
        sleep(secs(60) + millis(100)).await;
        assert_eq!(world.channel.texts(), ["a"], "let go after {wait} s");
    }
}

/// The channel is paused on each of two instances; one of them dies.
#[tokio::test(start_paused = true)]
async fn a_pause_outlives_the_instance_that_decided_the_reply() {
    let world = World::new();
    let (first, second) = (world.start(bot()), world.start(bot()));
    first.engine.pause("test");
    second.engine.pause("test");
    first.say("1", "a").await.unwrap();
    sleep(secs(3)).await;
    first.kill();
    sleep(secs(600)).await;
    assert!(world.channel.texts().is_empty(), "{:?}", world.channel.texts());
    second.engine.unpause("test");
    sleep(secs(75)).await;
    assert_eq!(world.channel.texts(), ["a"]);
}

/// One that shuts down while its channel is paused leaves the replies to others.
#[tokio::test(start_paused = true)]
async fn a_paused_instance_that_shuts_down_leaves_its_replies_to_others() {
    let world = World::new();
    let (first, second) = (world.start(bot()), world.start(bot()));
    first.engine.pause("test");
    first.say("1", "a").await.unwrap();
    sleep(secs(30)).await;
    first.engine.close(secs(1)).await;
    first.kill();
    sleep(secs(80)).await;
    assert_eq!(world.channel.texts(), ["a"]);
    assert_eq!(second.engine.stats().repeats, 0);
}

#[tokio::test(start_paused = true)]
async fn a_pause_does_not_count_as_a_failed_try_and_expires_goes_on_meanwhile() {
    let world = World::new();
    let instance = world.start(bot());
    instance.engine.pause("test");
    instance.say("1", "a b-minute").await.unwrap();
    sleep(12 * secs(3600)).await;
    assert_eq!(world.ledger().await.outbox.len(), 2);
    instance.engine.unpause("test");
    sleep(secs(75)).await;
    assert_eq!(world.channel.texts(), ["a"]);
    assert_eq!(instance.engine.stats().outdated, 1);
}

/// A hand-over that is under way when its channel is paused ends; the next one waits.
#[tokio::test(start_paused = true)]
async fn a_pause_in_the_middle_of_an_outbox_stops_behind_the_reply_in_hand() {
    let world = World::new();
    let instance = world.start(bot());
    world.channel.script([Step::Slow(secs(2))]);
    instance.say("1", "a b").await.unwrap();
    sleep(secs(1)).await;
    instance.engine.pause("test");
    sleep(secs(300)).await;
    assert_eq!(world.channel.texts(), ["a"]);
    let outbox = world.ledger().await.outbox;
    assert_eq!(outbox.len(), 1, "what was handed over is recorded");
    instance.engine.unpause("test");
    sleep(secs(75)).await;
    assert_eq!(world.channel.texts(), ["a", "b"]);
    assert_eq!(instance.engine.stats().repeats, 0);
}
