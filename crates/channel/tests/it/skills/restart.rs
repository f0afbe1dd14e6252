//! Replies, timers and references of a caller's conversation, at other instances and later.

use std::time::Duration;

use sayso_turn::{Key, Turn, activity::Reference};
use serde_json::json;

use super::world::{CHANNELS, PARENT, World, bot};
use crate::support::{PATIENCE, with};

fn key() -> Key {
    Key::conversation(&format!("skill:{PARENT}:msteams"), "c1").unwrap()
}

#[tokio::test]
async fn another_instance_hands_over_what_the_first_one_could_not_with_the_callers_token() {
    let world = World::start().await;
    let first = world.instance(bot(), world.callers()).await;
    for peer in [&world.parent, &world.channel] {
        peer.takes("c1", 503);
    }
    assert_eq!(first.from_bot(PARENT, &world.parent, world.message("hi")).await.status, 200);
    assert_eq!(first.from_channel(&world, world.message("hi")).await.status, 200);
    let texts = [format!("hi on msteams for {PARENT}"), "hi on msteams for nobody".to_owned()];
    // It was tried, and it is stored; then its instance is gone.
    assert_eq!(world.parent.token_with(&texts[0]).await, PARENT);
    assert_eq!(world.channel.token_with(&texts[1]).await, CHANNELS);
    first.engine.close(Duration::from_secs(1)).await;
    let tried = [&world.parent, &world.channel].map(|peer| peer.came().len());
    let _second = world.instance(bot(), world.callers()).await;
    for peer in [&world.parent, &world.channel] {
        peer.takes("c1", 200);
    }
    let began = tokio::time::Instant::now();
    while world.parent.came().len() == tried[0] || world.channel.came().len() == tried[1] {
        assert!(began.elapsed() < PATIENCE, "nobody hands it over");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    assert!(world.parent.came().iter().all(|(token, ..)| token == PARENT));
    assert!(world.channel.came().iter().all(|(token, ..)| token == CHANNELS));
}

#[tokio::test]
async fn a_timer_of_a_callers_conversation_rings_at_another_instance_with_the_callers_token() {
    let world = World::start().await;
    let first = world.instance(bot(), world.callers()).await;
    world.parent.takes("c1", 200);
    let ring = world.message("ring 1500");
    assert_eq!(first.from_bot(PARENT, &world.parent, ring).await.status, 200);
    assert_eq!(world.parent.token_with("later").await, PARENT);
    first.engine.close(Duration::from_secs(1)).await;
    let _second = world.instance(bot(), world.callers()).await;
    assert_eq!(world.parent.token_with("ring").await, PARENT);
    assert_eq!(world.channel.came(), []);
}

#[tokio::test]
async fn a_reference_leads_back_to_the_caller_after_a_restart() {
    let world = World::start().await;
    let first = world.instance(bot(), world.callers()).await;
    world.parent.takes("c1", 200);
    assert_eq!(first.from_bot(PARENT, &world.parent, world.message("hi")).await.status, 200);
    world.parent.token_with(&format!("hi on msteams for {PARENT}")).await;
    first.engine.close(Duration::from_secs(1)).await;
    // As a program would keep it.
    let stored = json!({
        "channelId": format!("skill:{PARENT}:msteams"), "serviceUrl": world.parent.url(),
        "conversation": {"id": "c1"}, "user": {"id": "29:ann"}, "bot": {"id": "28:bot"},
    });
    let reference: Reference = serde_json::from_value(stored).unwrap();
    assert_eq!(reference.skill_caller(), Some(PARENT));
    let second = world.instance(bot(), world.callers()).await;
    let resumed = second.engine.resume(&reference, "news", async |mut turn: Turn| {
        turn.say("news");
        Ok(())
    });
    resumed.await.unwrap();
    assert_eq!(world.parent.token_with("news").await, PARENT);
}

#[tokio::test]
async fn a_caller_that_is_struck_off_the_list_gets_nothing_any_more() {
    let world = World::start().await;
    let first = world.instance(bot(), world.callers()).await;
    world.parent.takes("c1", 503);
    assert_eq!(first.from_bot(PARENT, &world.parent, world.message("hi")).await.status, 200);
    world.parent.token_with(&format!("hi on msteams for {PARENT}")).await;
    first.engine.close(Duration::from_secs(1)).await;
    let (tried, others) = (world.parent.came().len(), world.callers().split_off(1));
    let second = world.instance(bot(), others).await;
    let began = tokio::time::Instant::now();
    let parked = loop {
        let parked = second.engine.parked(&key()).await.unwrap();
        if !parked.is_empty() {
            break parked;
        }
        assert!(began.elapsed() < PATIENCE, "nobody parks it");
        tokio::time::sleep(Duration::from_millis(50)).await;
    };
    assert!(parked[0].reason.contains("is not listed"), "{parked:?}");
    assert_eq!(world.parent.came().len(), tried, "nothing was sent");
    second.engine.close(Duration::from_secs(1)).await;
    // Back on the list, the parked reply goes out as every other.
    world.parent.takes("c1", 200);
    let third = world.instance(bot(), world.callers()).await;
    assert_eq!(third.engine.retry_parked(&key(), None).await.unwrap(), 1);
    let began = tokio::time::Instant::now();
    while world.parent.came().len() == tried {
        assert!(began.elapsed() < PATIENCE, "nobody hands it over");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    assert!(world.parent.came().iter().all(|(token, ..)| token == PARENT));
    let hi = with(world.message("hi"), json!({"id": "2"}));
    assert_eq!(third.from_bot(PARENT, &world.parent, hi).await.status, 200);
}
