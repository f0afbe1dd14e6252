//! A store that loses answers, lies about time-outs, or shows old versions: settled by looking.

use std::time::Duration;

use crate::world::{Fault, World, log_bot};

#[tokio::test(start_paused = true)]
async fn a_save_whose_answer_was_lost_is_found_and_not_run_again() {
    let world = World::new();
    let instance = world.start(log_bot());
    world.store.fail_saves([Fault::LostAnswer]);
    instance.say("1", "m1").await.unwrap();
    world.until_delivered().await;
    assert_eq!(world.log().await, ["m1"]);
    assert_eq!(world.channel.texts(), ["m1"]);
    let stats = instance.engine.stats();
    assert_eq!((stats.unknown, stats.attempts, stats.repeats), (1, 1, 0));
}

#[tokio::test(start_paused = true)]
async fn a_save_that_was_lost_is_run_again() {
    let world = World::new();
    let instance = world.start(log_bot());
    world.store.fail_saves([Fault::LostRequest]);
    instance.say("1", "m1").await.unwrap();
    world.until_delivered().await;
    assert_eq!(world.channel.texts(), ["m1"]);
    assert_eq!(instance.engine.stats().attempts, 2);
}

/// Either the late write wins and the turn finds itself, or the second one wins and the late one
/// fails.
#[tokio::test(start_paused = true)]
async fn a_save_that_lands_late_is_applied_once() {
    for late_ms in [0, 1, 2, 5, 10, 20, 50, 1000] {
        let world = World::new();
        let instance = world.start(log_bot());
        let late = || Fault::LandsLate(Duration::from_millis(late_ms));
        world.store.fail_saves([late(), late()]);
        instance.say("1", "m1").await.unwrap();
        instance.say("2", "m2").await.unwrap();
        world.until_delivered().await;
        tokio::time::sleep(Duration::from_secs(30)).await;
        assert_eq!(world.log().await, ["m1", "m2"], "{late_ms} ms late");
        assert_eq!(world.channel.texts(), ["m1", "m1 m2"], "{late_ms} ms late");
    }
}

#[tokio::test(start_paused = true)]
async fn a_given_up_turn_whose_save_landed_after_all_is_recognised_when_sent_again() {
    let world = World::new();
    let instance = world.start(log_bot());
    let late = Fault::LandsLate(Duration::from_secs(20));
    *world.store.always.lock().unwrap() = Some(late);
    assert!(instance.say("1", "m1").await.unwrap_err().is_retryable());
    *world.store.always.lock().unwrap() = None;
    tokio::time::sleep(Duration::from_secs(60)).await;
    assert!(instance.say("1", "m1").await.unwrap().is_repeat);
    world.until_delivered().await;
    assert_eq!(world.channel.texts(), ["m1"]);
}

#[tokio::test(start_paused = true)]
async fn a_throttling_store_is_given_the_time_it_asks_for() {
    let world = World::new();
    let instance = world.start(log_bot());
    world.store.fail_saves([Fault::Throttled(Some(Duration::from_secs(3)))]);
    let began = tokio::time::Instant::now();
    instance.say("1", "m1").await.unwrap();
    assert!(began.elapsed() >= Duration::from_secs(3));
}

#[tokio::test(start_paused = true)]
async fn a_load_that_fails_is_tried_again_and_never_taken_for_absence() {
    let world = World::new();
    world.start(log_bot()).say("1", "m1").await.unwrap();
    let other = world.start(log_bot());
    world.store.load_faults.lock().unwrap().extend([Fault::Unavailable, Fault::Throttled(None)]);
    other.say("2", "m2").await.unwrap();
    assert_eq!(world.log().await, ["m1", "m2"]);
}

#[tokio::test(start_paused = true)]
async fn a_damaged_document_is_refused_and_left_as_it_is() {
    use sayso_turn::{
        Key,
        store::{Expect, Store, Write},
    };
    let world = World::new();
    for body in ["not json", r#"{"$sayso":{"v":99}}"#] {
        let store = &world.store.inner;
        let key = Key::new(crate::world::CONVERSATION).unwrap();
        let expect = match store.load(&key).await.unwrap() {
            None => Expect::Absent,
            Some(stored) => Expect::At(stored.etag),
        };
        let write = Write::new(key.clone(), expect, body);
        store.save(write).await.unwrap();
        let error = world.start(log_bot()).say("1", "m1").await.unwrap_err();
        assert!(!error.is_retryable());
        assert!(error.to_string().contains("left as it is"), "{error}");
        assert_eq!(store.load(&key).await.unwrap().unwrap().body, body);
    }
}
