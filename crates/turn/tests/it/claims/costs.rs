//! Calls of the store as numbers: at rest, at human pace, and in an outage of a whole channel.

use std::{sync::atomic::Ordering, time::Duration};

use sayso_turn::{Limits, Ttl, channel::Delivery};
use tokio::time::sleep;

use super::secs;
use crate::world::{Call, Instance, Step, World, log_bot, message_in};

const CONVERSATIONS: usize = 10_000;
const INSTANCES: usize = 2;
const OUTAGE: Duration = Duration::from_secs(600);
/// While a look is under way its pages follow each other at so many in the interval between looks.
const PAGES_IN_AN_INTERVAL: u64 = 16;

/// The calls so far: documents read, documents written, pages of looks.
fn calls(world: &World) -> (u64, u64, u64) {
    let of = |count: &std::sync::atomic::AtomicU64| count.load(Ordering::Relaxed);
    (of(&world.store.loads), of(&world.store.writes), of(&world.store.dues))
}

/// The most writes of one conversation, and the mean.
fn writes(world: &World) -> (usize, f64) {
    let of = |n: usize| {
        let calls = world.store.calls_of(&format!("test/conversations/c{n}"));
        calls.iter().filter(|(_, call)| *call == Call::Save).count()
    };
    let all: Vec<usize> = (0..CONVERSATIONS).map(of).collect();
    let sum: usize = all.iter().sum();
    (all.into_iter().max().unwrap(), sum as f64 / CONVERSATIONS as f64)
}

#[tokio::test(start_paused = true)]
async fn ten_minutes_of_outage_cost_ten_thousand_conversations_three_writes_each() {
    let world = World::new();
    let instances: Vec<Instance> = (0..INSTANCES).map(|_| world.start(log_bot())).collect();
    let down = Delivery::Later { after: Some(OUTAGE), reason: "down for maintenance".into() };
    *world.channel.always.lock().unwrap() = Some(Step::Answer(down));
    for n in 0..CONVERSATIONS {
        let said = message_in(&format!("c{n}"), "1", &format!("m{n}"));
        instances[n % INSTANCES].engine.receive(said).await.unwrap();
    }
    sleep(OUTAGE - secs(1)).await;
    let (loads, written, pages) = calls(&world);
    let (most, mean) = writes(&world);
    println!(
        "an outage of {OUTAGE:?}, {CONVERSATIONS} conversations, {INSTANCES} instances: {most} \
         writes of a conversation at most, {mean:.2} on average ({written} in all); {loads} \
         loads; {pages} pages of looks"
    );
    assert!(most <= 3, "{most} writes of one conversation");
    assert!(loads <= 2 * (CONVERSATIONS * INSTANCES) as u64, "{loads} loads");
    let intervals = OUTAGE.as_secs() / Limits::default().sweep_every.as_secs();
    let pages_max = INSTANCES as u64 * intervals * PAGES_IN_AN_INTERVAL;
    assert!(pages <= pages_max, "{pages} pages of looks, {pages_max} at most");

    *world.channel.always.lock().unwrap() = None;
    sleep(secs(120)).await;
    let (most, mean) = writes(&world);
    println!("with what follows it: {most} writes at most, {mean:.2} on average");
    assert_eq!(world.channel.texts().len(), CONVERSATIONS, "each once");
    assert!(most <= 4, "{most} writes of one conversation, with the record of its hand-over");
}

#[tokio::test(start_paused = true)]
async fn an_instance_at_rest_asks_once_in_the_interval_between_looks() {
    let world = World::new();
    let _instance = world.start(log_bot());
    let hour = secs(3600);
    sleep(hour).await;
    let (loads, written, pages) = calls(&world);
    println!("an instance at rest for an hour: {pages} looks, {loads} loads, {written} writes");
    assert_eq!((loads, written), (0, 0));
    let expected = hour.as_secs() / Limits::default().sweep_every.as_secs();
    assert!(pages.abs_diff(expected) <= expected / 20, "{pages} looks, {expected} expected");
}

#[tokio::test(start_paused = true)]
async fn a_turn_at_human_pace_is_two_writes_and_no_read() {
    for conversation in [None, Some(secs(30 * 24 * 3600))] {
        let mut world = World::new();
        world.limits = Limits { ttl: Ttl { conversation, ..Ttl::default() }, ..Limits::default() };
        let instance = world.start(log_bot());
        instance.say("0", "hello").await.unwrap();
        sleep(secs(60)).await;
        let (loads, written, _) = calls(&world);
        for id in 1..=20 {
            instance.say(&id.to_string(), "and").await.unwrap();
            sleep(secs(60)).await;
        }
        let after = calls(&world);
        assert_eq!(after.0 - loads, 0, "it knows its last version");
        assert_eq!(after.1 - written, 40, "the turn, and the record of its hand-over");
    }
}
