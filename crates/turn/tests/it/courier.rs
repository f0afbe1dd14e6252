//! The courier: retries, parks, records, renews, hands over to others.

use std::{sync::atomic::Ordering, time::Duration};

use sayso_turn::{Limits, channel::Delivery};

use crate::world::{Fault, PausedClock, Step, World, log_bot, message};
use sayso_turn::clock::Clock;

fn later(after: Option<u64>) -> Step {
    Step::Answer(Delivery::Later { after: after.map(Duration::from_secs), reason: "busy".into() })
}

#[tokio::test(start_paused = true)]
async fn retry_after_is_honoured() {
    let world = World::new();
    world.channel.script([later(Some(20))]);
    let instance = world.start(log_bot());
    instance.say("1", "m1").await.unwrap();
    world.until_delivered().await;
    let took = world.channel.took.lock().unwrap().clone();
    assert!(took[1] - took[0] >= Duration::from_secs(20), "{took:?}");
    assert_eq!(world.channel.texts(), ["m1"]);
    assert_eq!(instance.engine.stats().repeats, 0, "a channel that refused did not get it");
}

/// A holder that waits longer than a claim lives renews it, and nobody takes over.
#[tokio::test(start_paused = true)]
async fn a_waiting_holder_keeps_its_claim_alive() {
    let world = World::new();
    world.channel.script([later(Some(120))]);
    let first = world.start(log_bot());
    let second = world.start(log_bot());
    first.say("1", "m1").await.unwrap();
    world.until_delivered().await;
    assert_eq!(world.channel.texts(), ["m1"]);
    assert_eq!(second.engine.stats().recovered, 0);
    assert_eq!(first.engine.stats().delivered, 1);
}

#[tokio::test(start_paused = true)]
async fn a_refused_reply_is_parked_with_its_reason_and_does_not_block() {
    let world = World::new();
    let refused = Delivery::Refused { reason: "no such conversation".into() };
    world.channel.script([Step::Answer(refused)]);
    let instance = world.start(log_bot());
    instance.say("1", "m1").await.unwrap();
    instance.say("2", "m2").await.unwrap();
    world.until_delivered().await;
    assert_eq!(world.channel.texts(), ["m1 m2"]);
    let parked = world.ledger().await.parked;
    assert_eq!(parked.len(), 1);
    assert_eq!(parked[0].reason, "no such conversation");
    assert_eq!(instance.engine.stats().parked, 1);
}

#[tokio::test(start_paused = true)]
async fn a_reply_that_never_gets_through_is_parked_in_the_end() {
    let mut world = World::new();
    world.limits = Limits { send_attempts_max: 5, ..Limits::default() };
    world.channel.script((0..5).map(|_| later(None)));
    world.start(log_bot()).say("1", "m1").await.unwrap();
    world.until_delivered().await;
    assert!(world.channel.texts().is_empty());
    assert_eq!(world.ledger().await.parked.len(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_lost_answer_repeats_under_the_same_id_and_is_counted() {
    let world = World::new();
    world.channel.script([Step::TakeAnd(Delivery::Unknown { reason: "reset".into() })]);
    let instance = world.start(log_bot());
    instance.say("1", "m1").await.unwrap();
    world.until_delivered().await;
    let ids = world.channel.ids();
    assert_eq!(ids.len(), 2);
    assert_eq!(ids[0], ids[1]);
    assert_eq!(instance.engine.stats().repeats, 1);
}

#[tokio::test(start_paused = true)]
async fn a_channel_that_never_answers_does_not_hold_the_conversation() {
    let world = World::new();
    world.channel.script([Step::Hang]);
    let instance = world.start(log_bot());
    let began = PausedClock.uptime();
    instance.say("1", "m1").await.unwrap();
    instance.say("2", "m2").await.unwrap();
    assert!(PausedClock.uptime() - began < Duration::from_secs(1), "turns do not wait for replies");
    world.until_delivered().await;
    assert_eq!(world.channel.texts(), ["m1", "m1 m2"]);
}

/// Hand-overs are recorded with the next commit: two turns in quick succession cost two commits and
/// a record at the end.
#[tokio::test(start_paused = true)]
async fn hand_overs_are_recorded_with_the_next_commit_or_soon() {
    let world = World::new();
    let instance = world.start(log_bot());
    for n in 0..10 {
        instance.say(&n.to_string(), "m").await.unwrap();
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
    world.until_delivered().await;
    assert_eq!(instance.engine.stats().commits, 11);
    tokio::time::sleep(Duration::from_secs(5)).await;
    assert_eq!(instance.engine.busy(), 0, "nothing is left in memory");
}

/// Waiting for the next commit is worth as much as it may save: the longer a commit takes, the
/// longer.
#[tokio::test(start_paused = true)]
async fn hand_overs_wait_the_longer_for_a_commit_the_longer_it_takes() {
    for (save, pause, commits) in
        [(0, 8, 20), (5, 15, 11), (5, 30, 20), (100, 45, 11), (100, 60, 20)]
    {
        let world = World::new();
        *world.store.always.lock().unwrap() = Some(Fault::Slow(Duration::from_millis(save)));
        let instance = world.start(log_bot());
        for n in 0..10 {
            instance.say(&n.to_string(), "m").await.unwrap();
            tokio::time::sleep(Duration::from_millis(pause)).await;
        }
        world.until_delivered().await;
        let made = instance.engine.stats().commits;
        assert_eq!(made, commits, "a save takes {save} ms, a person {pause} ms");
    }
}

/// One timer serves all conversations: one whose commit was quick does not wait for one whose was
/// slow.
#[tokio::test(start_paused = true)]
async fn a_record_does_not_wait_for_those_that_are_due_later() {
    let world = World::new();
    let instance = world.start(log_bot());
    world.store.fail_saves([Fault::Slow(Duration::from_millis(100))]);
    instance.say("1", "m1").await.unwrap();
    tokio::time::sleep(Duration::from_millis(1)).await;
    let mut quick = message("2", "m2");
    quick.conversation = Some(serde_json::from_str(r#"{"id":"quick"}"#).unwrap());
    instance.engine.receive(quick).await.unwrap();
    tokio::time::sleep(Duration::from_millis(10)).await;
    let quick = world.store.document("test/conversations/quick").await.unwrap();
    assert!(quick.ledger.outbox.is_empty(), "it is recorded after 5 ms");
    assert_eq!(world.ledger().await.outbox.len(), 1, "this one after 50");
    world.until_delivered().await;
}

/// A record that the store refuses for longer than the rounds of one batch is tried until it is
/// made.
#[tokio::test(start_paused = true)]
async fn a_record_is_made_however_long_the_store_is_away() {
    let world = World::new();
    let instance = world.start(log_bot());
    instance.say("1", "m1").await.unwrap();
    tokio::time::sleep(Duration::from_millis(1)).await;
    *world.store.always.lock().unwrap() = Some(Fault::Unavailable);
    let writes = world.store.writes.load(Ordering::Relaxed);
    tokio::time::sleep(Duration::from_secs(60)).await;
    let tries = world.store.writes.load(Ordering::Relaxed) - writes;
    assert!(tries > u64::from(Limits::default().rounds_max), "{tries} tries");
    assert_eq!(world.ledger().await.outbox.len(), 1, "not recorded yet");
    *world.store.always.lock().unwrap() = None;
    tokio::time::sleep(Duration::from_secs(3)).await;
    assert!(world.ledger().await.outbox.is_empty());
    assert_eq!(instance.engine.busy(), 0, "nothing is left in memory");
    assert_eq!(world.channel.texts(), ["m1"]);
}

/// One that shuts down does not wait for a commit to record with, and no conversation is left
/// behind.
#[tokio::test(start_paused = true)]
async fn what_is_handed_over_is_recorded_before_an_instance_is_gone() {
    let world = World::new();
    let instance = world.start(log_bot());
    instance.say("1", "m1").await.unwrap();
    tokio::time::sleep(Duration::from_millis(1)).await;
    assert_eq!(world.channel.texts(), ["m1"]);
    assert_eq!(world.ledger().await.outbox.len(), 1, "not recorded yet");
    let began = PausedClock.uptime();
    assert_eq!(instance.engine.close(Duration::from_secs(1)).await, 0);
    assert!(PausedClock.uptime() - began < Duration::from_millis(4), "it did not wait");
    assert!(world.ledger().await.outbox.is_empty());
}

/// An instance that shares a conversation with the holder of the claim does not wait for the
/// holder's leisure: its replies are out soon, and through one courier.
#[tokio::test(start_paused = true)]
async fn the_holder_delivers_what_others_commit() {
    let world = World::new();
    let first = world.start(log_bot());
    let second = world.start(log_bot());
    first.say("1", "m1").await.unwrap();
    second.say("2", "m2").await.unwrap();
    tokio::time::sleep(Duration::from_secs(1)).await;
    assert_eq!(world.channel.texts(), ["m1", "m1 m2"]);
    assert_eq!(first.engine.stats().delivered, 2);
}

/// Shut-down: what is on its way is finished; what cannot be is released, so that others need not
/// wait for a claim to lapse.
#[tokio::test(start_paused = true)]
async fn closing_finishes_or_releases() {
    let world = World::new();
    let first = world.start(log_bot());
    first.say("1", "m1").await.unwrap();
    assert_eq!(first.engine.close(Duration::from_secs(5)).await, 0);
    assert_eq!(world.channel.texts(), ["m1"]);
    assert!(world.ledger().await.outbox.is_empty());
    assert!(matches!(first.say("2", "m2").await, Err(sayso_turn::Error::Closing)));

    let second = world.start(log_bot());
    world.channel.script([later(Some(3000))]);
    second.say("2", "m2").await.unwrap();
    assert_eq!(second.engine.close(Duration::from_secs(5)).await, 0);
    assert_eq!(world.ledger().await.claim, None);
    let began = PausedClock.uptime();
    let third = world.start(log_bot());
    world.until_delivered().await;
    assert!(PausedClock.uptime() - began < world.limits.claim);
    assert_eq!(world.channel.texts(), ["m1", "m1 m2"]);
    assert_eq!(third.engine.stats().repeats, 0, "released is not doubtful");
}

/// An instance that was frozen for longer than its claim looks before it sends.
#[tokio::test(start_paused = true)]
async fn a_holder_whose_claim_was_taken_while_it_was_frozen_does_not_send() {
    let world = World::new();
    world.channel.script([later(Some(1))]);
    let frozen = world.start(log_bot());
    frozen.say("1", "m1").await.unwrap();
    tokio::time::sleep(Duration::from_millis(500)).await;
    frozen.freeze();
    let other = world.start(log_bot());
    world.until_delivered().await;
    assert_eq!(other.engine.stats().recovered, 1);
    frozen.thaw();
    frozen.say("2", "m2").await.unwrap();
    tokio::time::sleep(Duration::from_secs(60)).await;
    assert_eq!(world.channel.texts(), ["m1", "m1 m2"]);
    assert_eq!(world.log().await, ["m1", "m2"]);
}
