//! After `close` another instance goes on at once, and `close` takes as long as there is to do.

use std::time::{Duration, Instant};

use sayso_turn::{Bot, Turn, channel::Delivery};
use tokio::time::sleep;

use super::{arrived, millis, secs};
use crate::world::{Instance, Step, World, append, log_bot, message, message_in};

/// Closes an instance and ends its process, then counts how long an heir needs for the rest.
async fn inherit(world: &World, first: &Instance, all: usize) {
    first.engine.close(millis(300)).await;
    first.kill();
    let began = tokio::time::Instant::now();
    let texts = arrived(world, all, secs(60)).await;
    assert_eq!(texts.len(), all, "{texts:?}");
    let took = began.elapsed();
    assert!(took <= secs(5), "the heir took {took:?}");
}

async fn three_messages(instance: &Instance) {
    for id in ["1", "2", "3"] {
        instance.say(id, &format!("m{id}")).await.unwrap();
    }
}

#[tokio::test(start_paused = true)]
async fn an_heir_delivers_at_once_what_a_hung_channel_did_not_take() {
    let world = World::new();
    world.channel.script([Step::Hang]);
    let (first, heir) = (world.start(log_bot()), world.start(log_bot()));
    three_messages(&first).await;
    inherit(&world, &first, 3).await;
    assert_eq!(world.channel.texts(), ["m1", "m1 m2", "m1 m2 m3"]);
    assert_eq!(heir.engine.stats().repeats, 1, "only the first may have been sent");
}

#[tokio::test(start_paused = true)]
async fn an_heir_delivers_at_once_what_a_slow_channel_did_not_take() {
    let world = World::new();
    *world.channel.always.lock().unwrap() = Some(Step::Slow(secs(1)));
    let (first, heir) = (world.start(log_bot()), world.start(log_bot()));
    three_messages(&first).await;
    first.engine.close(millis(300)).await;
    first.kill();
    *world.channel.always.lock().unwrap() = None;
    let texts = arrived(&world, 3, secs(5)).await;
    assert!(texts.iter().any(|text| text == "m1 m2 m3"), "within five seconds: {texts:?}");
    sleep(secs(30)).await;
    let sent = world.channel.took.lock().unwrap().len();
    let repeats = heir.engine.stats().repeats;
    assert!(repeats <= 1, "{repeats} repeats, {sent} sent");
}

#[tokio::test(start_paused = true)]
async fn an_heir_delivers_at_once_what_waited_for_a_retry() {
    let world = World::new();
    let reason = "busy".to_owned();
    world.channel.script([Step::Answer(Delivery::Later { after: Some(secs(3000)), reason })]);
    let (first, heir) = (world.start(log_bot()), world.start(log_bot()));
    three_messages(&first).await;
    inherit(&world, &first, 3).await;
    assert_eq!(heir.engine.stats().repeats, 0, "nothing was ever sent");
}

/// A process may live on for a while after `close`: what hung in it ends in vain.
#[tokio::test(start_paused = true)]
async fn an_instance_that_lives_on_after_its_end_neither_sends_nor_claims() {
    for step in [Step::Hang, Step::Slow(secs(3))] {
        let world = World::new();
        world.channel.script([step.clone()]);
        let (first, heir) = (world.start(log_bot()), world.start(log_bot()));
        three_messages(&first).await;
        first.engine.close(millis(300)).await;
        let commits = first.engine.stats().commits;
        sleep(secs(60)).await;
        let texts = world.channel.texts();
        let last = texts.iter().filter(|text| *text == "m1 m2 m3").count();
        assert_eq!(last, 1, "{step:?}: {texts:?}");
        let second = texts.iter().filter(|text| *text == "m1 m2").count();
        assert_eq!(second, 1, "{step:?}: {texts:?}");
        assert!(heir.engine.stats().delivered >= 2, "{step:?}: the heir's are the other two");
        assert!(first.engine.stats().commits <= commits + 1, "{step:?}");
        assert!(world.ledger().await.claim.is_none() && world.ledger().await.outbox.is_empty());
    }
}

/// A turn that ends after the release of the claim must not claim again.
#[tokio::test(start_paused = true)]
async fn an_heir_delivers_at_once_what_a_turn_said_while_its_instance_closed() {
    let world = World::new();
    let bot = || {
        Bot::new().on_message(async |turn: Turn| {
            if turn.text() == "m2" {
                sleep(millis(800)).await;
            }
            append(turn).await
        })
    };
    world.channel.script([Step::Hang]);
    let (first, heir) = (world.start(bot()), world.start(bot()));
    first.say("1", "m1").await.unwrap();
    let engine = first.engine.clone();
    let second = tokio::spawn(async move { engine.receive(message("2", "m2")).await });
    sleep(millis(1)).await;
    first.engine.close(millis(300)).await;
    let said = second.await.unwrap();
    first.kill();
    if said.is_err() {
        heir.say("2", "m2").await.unwrap();
    }
    let texts = arrived(&world, 2, secs(5)).await;
    assert_eq!(texts, ["m1", "m1 m2"], "within five seconds");
    let repeats = heir.engine.stats().repeats;
    assert_eq!(repeats, 1, "only the first may have been sent");
}

/// Measures the time, in real time, that an instance with so many busy conversations takes to
/// close.
async fn closing_time(count: usize) -> Duration {
    let world = World::new();
    *world.channel.spread.lock().unwrap() = Duration::from_micros(500);
    let instance = world.start(log_bot());
    for n in 0..count {
        instance.engine.receive(message_in(&format!("c{n}"), "1", "hi")).await.unwrap();
    }
    assert!(instance.engine.busy() >= count * 9 / 10, "{} are busy", instance.engine.busy());
    let began = Instant::now();
    assert_eq!(instance.engine.close(secs(30)).await, 0);
    began.elapsed()
}

#[tokio::test(start_paused = true)]
async fn closing_takes_time_in_proportion_to_the_conversations() {
    let few = closing_time(2_000).await;
    let many = closing_time(10_000).await;
    println!("close: {few:?} for 2,000 conversations, {many:?} for 10,000");
    assert!(many < few.max(millis(50)) * 12, "{few:?} for 2,000, {many:?} for 10,000");
}
