//! A store that refuses for good is asked seldom, and the conversation recovers by itself.

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use sayso_turn::{
    Bot, Key, Turn,
    activity::Activity,
    channel::Delivery,
    clock::Clock,
    document::Ledger,
    store::{Expect, Store, Write},
};
use tokio::time::sleep;
use tracing::{
    Event, Level, Metadata, Subscriber,
    span::{Attributes, Id, Record},
};

use super::{arrived, secs};
use crate::world::{CONVERSATION, Fault, PausedClock, Step, World, append, log_bot};

const CALLS_MAX: usize = 5;

fn later(seconds: u64) -> Step {
    let after = Some(secs(seconds));
    Step::Answer(Delivery::Later { after, reason: "busy".into() })
}

/// So many calls at most in any ten seconds since then.
fn is_paced(world: &World, from: Duration, what: &str) {
    let calls = world.store.calls_within(CONVERSATION, from, secs(10));
    assert!(calls <= CALLS_MAX, "{what}: {calls} calls in ten seconds");
}

#[tokio::test(start_paused = true)]
async fn saves_that_are_refused_for_good_are_paced_and_the_conversation_recovers() {
    for fault in [Fault::Invalid, Fault::Corrupt, Fault::TooLarge] {
        let world = World::new();
        world.channel.script([later(2)]);
        let instance = world.start(log_bot());
        instance.say("1", "m1").await.unwrap();
        let from = PausedClock.uptime() + Duration::from_millis(1);
        sleep(Duration::from_millis(1)).await;
        *world.store.always.lock().unwrap() = Some(fault.clone());
        sleep(secs(120)).await;
        is_paced(&world, from, &format!("{fault:?}"));
        *world.store.always.lock().unwrap() = None;
        sleep(secs(150)).await;
        assert!(world.ledger().await.outbox.is_empty(), "recorded at last");
        assert_eq!(world.channel.texts(), ["m1"], "{fault:?}");
        assert_eq!(instance.engine.busy(), 0);
    }
}

/// The second instance shares a conversation with a holder that dies, and then cannot read it.
#[tokio::test(start_paused = true)]
async fn loads_that_are_refused_for_good_are_paced_and_the_conversation_recovers() {
    for fault in [Fault::Invalid, Fault::Corrupt] {
        let world = World::new();
        world.channel.script([Step::Hang]);
        let (first, second) = (world.start(log_bot()), world.start(log_bot()));
        first.say("1", "m1").await.unwrap();
        second.say("2", "m2").await.unwrap();
        first.kill();
        sleep(Duration::from_millis(1)).await;
        let from = PausedClock.uptime();
        *world.store.always_loads.lock().unwrap() = Some(fault.clone());
        sleep(secs(120)).await;
        is_paced(&world, from, &format!("{fault:?}"));
        *world.store.always_loads.lock().unwrap() = None;
        assert_eq!(arrived(&world, 2, secs(150)).await, ["m1", "m1 m2"], "{fault:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_timer_whose_document_cannot_be_read_or_saved_is_paced_and_fires_in_the_end() {
    for is_load in [true, false] {
        let world = World::new();
        let bot = Bot::new()
            .on_message(async |mut turn: Turn| {
                turn.after(secs(5), Activity::event("tick").with_text("tick"));
                Ok(())
            })
            .on_event("tick", append);
        let instance = world.start(bot);
        instance.say("1", "go").await.unwrap();
        sleep(secs(1)).await;
        let from = PausedClock.uptime();
        let always = if is_load { &world.store.always_loads } else { &world.store.always };
        *always.lock().unwrap() = Some(Fault::Invalid);
        sleep(secs(120)).await;
        is_paced(&world, from, if is_load { "loads" } else { "saves" });
        assert!(world.channel.texts().is_empty());
        *always.lock().unwrap() = None;
        assert_eq!(arrived(&world, 1, secs(150)).await, ["tick"]);
    }
}

#[tokio::test(start_paused = true)]
async fn a_long_turn_whose_document_cannot_be_read_or_saved_is_paced_and_ends() {
    for is_load in [true, false] {
        let world = World::new();
        let bot = Bot::new().on_message(async |turn: Turn| {
            sleep(secs(20)).await;
            append(turn).await
        });
        let instance = world.start(bot);
        assert!(instance.say("1", "long").await.unwrap().is_pending);
        let from = PausedClock.uptime() + Duration::from_millis(1);
        sleep(Duration::from_millis(1)).await;
        let always = if is_load { &world.store.always_loads } else { &world.store.always };
        *always.lock().unwrap() = Some(Fault::Invalid);
        sleep(secs(120)).await;
        is_paced(&world, from, if is_load { "loads" } else { "saves" });
        *always.lock().unwrap() = None;
        sleep(secs(150)).await;
        let ledger = world.ledger().await;
        assert!(ledger.inbox.is_empty() && ledger.outbox.is_empty(), "{:?}", ledger.inbox);
        let has_ended = world.log().await == ["long"] || ledger.parked.len() == 1;
        assert!(has_ended, "committed, or parked with its reason");
    }
}

#[tokio::test(start_paused = true)]
async fn a_damaged_or_newer_document_is_looked_at_seldom() {
    for body in ["{", r#"{"$sayso":{"v":99}}"#] {
        let world = World::new();
        let key = Key::new(CONVERSATION).unwrap();
        let due = Some(Ledger::UNCLAIMED);
        let (expect, body) = (Expect::Absent, body.to_owned());
        let write = Write {
            key: key.clone(),
            expect,
            body: body.clone(),
            due,
            expires: None,
            participants: None,
        };
        world.store.inner.save(write).await.unwrap();
        let _instance = world.start(log_bot());
        sleep(secs(600)).await;
        let calls = world.store.calls_of(CONVERSATION).len();
        assert!(calls > 0, "somebody has looked");
        is_paced(&world, Duration::ZERO, &body);
        assert_eq!(world.store.inner.load(&key).await.unwrap().unwrap().body, body);
    }
}

/// Counts what is logged as a warning or worse.
#[derive(Clone, Debug, Default)]
pub(in crate::claims) struct Warnings(Arc<AtomicUsize>);

impl Warnings {
    pub(in crate::claims) fn count(&self) -> usize {
        self.0.load(Ordering::SeqCst)
    }
}

impl Subscriber for Warnings {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        *metadata.level() <= Level::WARN
    }

    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, _: &Event<'_>) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}
}

#[tokio::test(start_paused = true)]
async fn a_store_that_refuses_for_good_is_logged_once_for_a_conversation() {
    let (world, warnings) = (World::new(), Warnings::default());
    let _guard = tracing::subscriber::set_default(warnings.clone());
    world.channel.script([later(2)]);
    let instance = world.start(log_bot());
    instance.say("1", "m1").await.unwrap();
    sleep(Duration::from_millis(1)).await;
    *world.store.always.lock().unwrap() = Some(Fault::Invalid);
    sleep(secs(600)).await;
    assert_eq!(warnings.count(), 1, "an operator hears of it, once");
}
