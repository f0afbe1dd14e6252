//! Clocks may be wrong or stand still: nothing that lives is lost, nothing is said twice.

use std::{sync::Arc, time::Duration};

use sayso_turn::{Engine, Limits, Ttl, channel::Delivery, store::MemoryStore};
use tokio::time::sleep;

use super::{millis, secs};
use crate::world::{MachineClock, Step, World, log_bot, message_in};

const HOUR: Duration = Duration::from_secs(3600);
const DAY: Duration = Duration::from_secs(86_400);

fn world(ttl: Duration) -> World {
    let (conversation, user) = (Some(ttl), Some(ttl));
    let ttl = Ttl { conversation, user, ..Ttl::default() };
    let mut world = World::new();
    world.limits = Limits { ttl, ..Limits::default() };
    world
}

#[tokio::test(start_paused = true)]
async fn an_instance_whose_clock_is_a_year_ahead_deletes_nothing_that_lives() {
    let world = world(30 * DAY);
    let right = world.start(log_bot());
    for n in 0..10 {
        right.engine.receive(message_in(&format!("c{n}"), "1", "m1")).await.unwrap();
    }
    let clock = MachineClock::default();
    clock.set_ahead(365 * DAY);
    let wrong = world.start_on(Arc::new(clock), log_bot());
    sleep(HOUR).await;
    for n in 0..10 {
        let document = world.store.document(&format!("test/conversations/c{n}")).await;
        assert!(document.is_some(), "conversation {n} was deleted");
    }
    assert_eq!(wrong.engine.stats().expired, 0);
    // Each comes back, to the wrong instance first, then to the right one.
    for n in 0..10 {
        let conversation = format!("c{n}");
        wrong.engine.receive(message_in(&conversation, "2", "m2")).await.unwrap();
        right.engine.receive(message_in(&conversation, "3", "m3")).await.unwrap();
        let bag = world.store.bag(&format!("test/conversations/{conversation}")).await;
        let log: Vec<String> = bag.get("log").unwrap().unwrap_or_default();
        assert_eq!(log, ["m1", "m2", "m3"]);
    }
}

#[tokio::test(start_paused = true)]
async fn a_clock_that_jumps_a_year_ahead_deletes_nothing_that_lives() {
    let world = world(30 * DAY);
    let clock = MachineClock::default();
    let instance = world.start_on(Arc::new(clock.clone()), log_bot());
    instance.say("1", "m1").await.unwrap();
    sleep(secs(60)).await;
    clock.set_ahead(365 * DAY);
    instance.say("2", "m2").await.unwrap();
    assert_eq!(world.log().await, ["m1", "m2"], "its user finds it as it was");
    clock.set_ahead(2 * 365 * DAY);
    sleep(HOUR).await;
    assert_eq!(world.log().await, ["m1", "m2"], "it is still there");
    clock.set_ahead(Duration::ZERO);
    instance.say("3", "m3").await.unwrap();
    assert_eq!(world.log().await, ["m1", "m2", "m3"]);
}

#[tokio::test(start_paused = true)]
async fn with_a_right_clock_a_document_is_removed_soon_after_its_time() {
    let world = world(DAY);
    let instances = [world.start(log_bot()), world.start(log_bot())];
    instances[0].say("1", "m1").await.unwrap();
    sleep(DAY - secs(60)).await;
    assert_eq!(world.log().await, ["m1"]);
    sleep(secs(660)).await;
    assert!(world.document().await.is_none(), "removed within ten minutes");
    instances[1].say("2", "m2").await.unwrap();
    assert_eq!(world.log().await, ["m2"]);
}

/// Its claim has not aged by its own clock; by the clock on the wall it has.
#[tokio::test(start_paused = true)]
async fn a_machine_that_was_suspended_renews_before_it_sends() {
    for retry in [secs(2), secs(3), secs(5)] {
        let world = World::new();
        let (after, reason) = (Some(retry), "busy".to_owned());
        world.channel.script([Step::Answer(Delivery::Later { after, reason })]);
        let clock = MachineClock::default();
        let suspended = world.start_on(Arc::new(clock.clone()), log_bot());
        let other = world.start(log_bot());
        suspended.say("1", "m1").await.unwrap();
        sleep(secs(1)).await;
        clock.suspend();
        suspended.freeze();
        sleep(secs(60)).await;
        assert_eq!(world.channel.texts(), ["m1"], "another has taken over");
        assert_eq!(other.engine.stats().recovered, 1);
        clock.wake();
        suspended.thaw();
        sleep(secs(60)).await;
        assert_eq!(world.channel.texts(), ["m1"], "nothing is sent twice");
    }
}

/// The same while several replies wait: none of them goes out twice, none is lost.
#[tokio::test(start_paused = true)]
async fn a_machine_that_was_suspended_between_two_replies_renews_before_the_second() {
    let world = World::new();
    world.channel.script([Step::Slow(secs(2)), Step::Slow(millis(1))]);
    let clock = MachineClock::default();
    let suspended = world.start_on(Arc::new(clock.clone()), log_bot());
    let _other = world.start(log_bot());
    suspended.say("1", "m1").await.unwrap();
    suspended.say("2", "m2").await.unwrap();
    sleep(secs(1)).await;
    clock.suspend();
    suspended.freeze();
    sleep(secs(60)).await;
    clock.wake();
    suspended.thaw();
    sleep(secs(60)).await;
    let second = world.channel.texts().iter().filter(|text| *text == "m1 m2").count();
    assert_eq!(second, 1, "{:?}", world.channel.texts());
}

/// The name of an instance is in its claims: two processes with one name would take each other's.
#[tokio::test(start_paused = true)]
async fn two_instances_without_a_seed_have_different_names() {
    let name = || {
        // A generator that belongs to the process may be seeded by anybody.
        fastrand::seed(7);
        let world = World::new();
        let store = Arc::new(MemoryStore::default());
        let engine = Engine::builder(log_bot(), store, Arc::clone(&world.channel) as _).start();
        engine.instance().to_owned()
    };
    let names = [name(), name(), name()];
    assert!(names[0] != names[1] && names[1] != names[2], "{names:?}");
    assert!(names[0].len() >= 12, "{names:?}");
}
