//! Looks for abandoned work at scale: pages, slow stores, and stores that fail half-way.

use std::time::{Duration, Instant};

use sayso_turn::{
    Bot, Key, Turn,
    activity::Activity,
    clock::Timestamp,
    store::{Expect, Saved, Store, Write},
};

use crate::world::{Instance, World};

const IDLE: u64 = 1_000_000;
const WAITING: u64 = 20_000;

async fn put(world: &World, name: &str, body: &str, due: Timestamp) {
    let key = Key::new(format!("test/conversations/{name}")).unwrap();
    let (expect, due) = (Expect::Absent, Some(due));
    let write =
        Write { key, expect, body: body.to_owned(), due, expires: None, participants: None };
    assert!(matches!(world.store.inner.save(write).await, Ok(Saved::Committed(_))));
}

fn bot() -> Bot {
    Bot::new()
        .on_message(async |mut turn: Turn| {
            turn.after(Duration::from_secs(1), Activity::event("late"));
            Ok(())
        })
        .on_event("late", async |_turn: Turn| Ok(()))
}

/// Makes conversations with a timer each, whose instance is gone when they are due.
async fn leave_behind(world: &World, count: u64) {
    let gone = world.start(bot());
    gone.say("1", "wake me").await.unwrap();
    gone.kill();
    let document = world.document().await.unwrap();
    let (body, due) = (document.to_json(), document.ledger.due().unwrap());
    for number in 1..count {
        put(world, &format!("waits{number}"), &body, due).await;
    }
    tokio::time::sleep(Duration::from_secs(60)).await;
}

/// Waits, in virtual time, until so many timers have fired or the limit is reached.
async fn until_fired(instance: &Instance, count: u64, most: Duration) {
    let began = tokio::time::Instant::now();
    while instance.engine.stats().fired < count && began.elapsed() < most {
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
}

#[expect(clippy::print_stdout, reason = "figures for whoever runs it")]
#[tokio::test(start_paused = true)]
async fn what_waits_among_a_million_idle_documents_is_found_within_two_looks() {
    let world = World::new();
    let never = Timestamp::from_millis(9_000_000_000_000);
    for number in 0..IDLE {
        put(&world, &format!("idle{number}"), "{}", never).await;
    }
    leave_behind(&world, WAITING).await;
    let began = Instant::now();
    let instance = world.start(bot());
    until_fired(&instance, WAITING, Duration::from_secs(120)).await;
    let stats = instance.engine.stats();
    println!(
        "{} fired after {} looks; {} documents read; {:.1?}",
        stats.fired,
        stats.looks,
        stats.loads,
        began.elapsed()
    );
    assert_eq!(stats.fired, WAITING);
    assert!(stats.looks <= 2, "{} whole looks before the last one was found", stats.looks);
}

#[tokio::test(start_paused = true)]
async fn a_look_that_is_cut_goes_on_where_it_stopped_and_is_counted() {
    let world = World::new();
    leave_behind(&world, 2_000).await;
    // Every other page hangs.
    world.store.due_hangs.lock().unwrap().extend([false, true].repeat(8));
    let instance = world.start(bot());
    until_fired(&instance, 2_000, Duration::from_secs(600)).await;
    let stats = instance.engine.stats();
    assert_eq!(stats.fired, 2_000);
    assert!(stats.looks_cut >= 4, "{} pages were cut", stats.looks_cut);
    assert!(stats.look_ms_max >= 4_000, "a page that hangs is time of the look: {stats:?}");
    assert!(stats.looks_ms >= stats.look_ms_max);
}

#[tokio::test(start_paused = true)]
async fn a_slow_store_is_not_asked_for_its_too_large_pages_again_and_again() {
    let world = World::new();
    leave_behind(&world, 2_000).await;
    *world.store.due_max.lock().unwrap() = Some(31);
    let instance = world.start(bot());
    until_fired(&instance, 2_000, Duration::from_secs(600)).await;
    let stats = instance.engine.stats();
    assert_eq!(stats.fired, 2_000);
    // Four halvings from 500, and one attempt at more for each 64 pages.
    assert!(stats.looks_cut <= 6, "{} pages were cut", stats.looks_cut);
}
