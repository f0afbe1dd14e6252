//! The line: heads that cannot be read.

use std::sync::Arc;

use sayso_turn::{
    Bot, BotError, Key, Turn,
    activity::{Activity, Raw},
    clock::Timestamp,
    document::{Accepted, Document, ParkedKind},
    id::TurnId,
    store::{Expect, Store, Write},
};
use tokio::time::sleep;

use crate::{
    claims::{arrived, secs},
    world::{CONVERSATION, Fault, World, append, asking, invoke, log_bot, message},
};

fn accepted(id: &str, json: &str) -> Accepted {
    Accepted {
        ids: vec![TurnId::new(&Key::new(CONVERSATION).unwrap(), id).to_string()],
        at: Timestamp::from_millis(1_000_000),
        lost: 0,
        is_timer: false,
        tries: 0,
        retries: 0,
        activity: Raw::from_text(json.into()).unwrap(),
    }
}

fn good(id: &str, text: &str) -> Accepted {
    Accepted { activity: Raw::of(&message(id, text)).unwrap(), ..accepted(id, "0") }
}

async fn line(inbox: Vec<Accepted>) -> World {
    let world = World::new();
    let mut document = Document::default();
    document.ledger.rev = 1;
    document.ledger.inbox = inbox.into_iter().map(Arc::new).collect();
    let (body, due) = (document.to_json(), document.ledger.due());
    let (key, expect) = (Key::new(CONVERSATION).unwrap(), Expect::Absent);
    world
        .store
        .inner
        .save(Write { key, expect, body, due, expires: None, participants: None })
        .await
        .unwrap();
    world
}

const BROKEN: [&str; 6] = [
    "null",
    "[]",
    "\"text\"",
    r#"{"type":7}"#,
    r#"{"type":"message","text":{"a":1}}"#,
    r#"{"type":"message","conversation":"c"}"#,
];

#[tokio::test(start_paused = true)]
async fn every_activity_in_line_that_cannot_be_read_is_parked_wherever_it_stands() {
    let mut inbox = Vec::new();
    for (n, broken) in BROKEN.into_iter().enumerate() {
        inbox.push(accepted(&format!("b{n}"), broken));
        inbox.push(good(&format!("g{n}"), &format!("m{n}")));
    }
    let world = line(inbox).await;
    let instances = [world.start(log_bot()), world.start(log_bot())];
    arrived(&world, 6, secs(300)).await;
    sleep(secs(60)).await;
    assert_eq!(world.log().await, ["m0", "m1", "m2", "m3", "m4", "m5"]);
    let ledger = world.ledger().await;
    assert!(ledger.inbox.is_empty());
    let texts: Vec<_> = ledger.parked.iter().map(|parked| parked.activity.as_str()).collect();
    assert_eq!(texts, BROKEN);
    assert!(ledger.parked.iter().all(|parked| parked.kind == ParkedKind::Turn));
    assert!(ledger.parked.iter().all(|parked| parked.reason.contains("read")), "{ledger:?}");
    let parked: u64 = instances.iter().map(|instance| instance.engine.stats().parked).sum();
    assert_eq!(parked, 6, "each is counted once");
    // Delivered again, such an activity is known.
    instances[0].say("b0", "m").await.unwrap();
    assert_eq!(world.log().await.len(), 6);
}

#[tokio::test(start_paused = true)]
async fn a_timer_in_line_that_cannot_be_read_is_parked_as_one() {
    let head = Accepted { is_timer: true, tries: 2, ..accepted("t", "7") };
    let world = line(vec![head, good("1", "m1")]).await;
    let instance = world.start(log_bot());
    assert_eq!(arrived(&world, 1, secs(120)).await, ["m1"]);
    sleep(secs(30)).await;
    let parked = world.ledger().await.parked;
    assert_eq!(parked.len(), 1);
    assert_eq!(parked[0].kind, ParkedKind::Timer);
    // To try it again parks it again, and harms nobody.
    let key = Key::new(CONVERSATION).unwrap();
    assert_eq!(instance.engine.retry_parked(&key, None).await.unwrap(), 1);
    sleep(secs(600)).await;
    instance.say("2", "m2").await.unwrap();
    assert_eq!(world.log().await, ["m1", "m2"]);
    let ledger = world.ledger().await;
    assert!(ledger.parked.len() == 1 && ledger.timers.is_empty(), "{ledger:?}");
}

/// The store stumbles over the very commit that parks it.
#[tokio::test(start_paused = true)]
async fn a_head_that_cannot_be_read_is_parked_once_though_the_store_stumbles() {
    for fault in [Fault::LostAnswer, Fault::LostRequest, Fault::Conflict, Fault::Throttled(None)] {
        let world = line(vec![accepted("1", "7"), good("2", "m2")]).await;
        // The first save takes the claim.
        world.store.fail_saves([Fault::Slow(secs(0)), fault.clone()]);
        let instance = world.start(log_bot());
        assert_eq!(arrived(&world, 1, secs(120)).await, ["m2"], "{fault:?}");
        assert_eq!(world.ledger().await.parked.len(), 1, "{fault:?}");
        // As with turns, a commit whose answer was lost is nobody's.
        let counted = u64::from(!matches!(fault, Fault::LostAnswer));
        assert_eq!(instance.engine.stats().parked, counted, "{fault:?}");
    }
}

/// Whoever waits for an answer gets it, though what stands before it cannot be read.
#[tokio::test(start_paused = true)]
async fn an_invoke_and_an_answer_behind_a_head_that_cannot_be_read_come_in_time() {
    let world = line(vec![accepted("1", "7"), accepted("2", "null")]).await;
    let bot = Bot::new().on_message(append).on_invoke("fetch", async |mut turn: Turn| {
        turn.respond(200, "fetched")?;
        Ok::<_, BotError>(())
    });
    let instance = world.start(bot);
    let fetch = instance.engine.receive(invoke("3", "fetch"));
    let ask = instance.engine.receive(asking("4", "m4"));
    let (fetched, asked) = tokio::join!(fetch, ask);
    assert_eq!(fetched.unwrap().response.unwrap().status, 200);
    assert_eq!(asked.unwrap().replies.len(), 1);
    assert_eq!(world.ledger().await.parked.len(), 2);
}

/// A whole line of them, more than are kept.
#[tokio::test(start_paused = true)]
async fn a_full_line_that_cannot_be_read_does_not_stop_a_conversation() {
    let mut inbox: Vec<_> = (0..99).map(|n| accepted(&n.to_string(), "7")).collect();
    inbox.push(good("g", "mg"));
    let world = line(inbox).await;
    let instance = world.start(log_bot());
    assert_eq!(arrived(&world, 1, secs(300)).await, ["mg"]);
    let parked = world.ledger().await.parked.len();
    assert!(parked <= world.limits.parked_max, "{parked}");
    assert_eq!(instance.engine.stats().parked, 99);
}

/// One that has no handler any more is as any activity that none is for.
#[tokio::test(start_paused = true)]
async fn a_head_that_no_handler_is_for_does_not_hold_up_the_line() {
    let stranger = Activity { id: Some("1".into()), ..Activity::event("old") };
    let stranger = Activity {
        channel_id: Some("test".into()),
        conversation: message("1", "").conversation,
        ..stranger
    };
    let head = Accepted { activity: Raw::of(&stranger).unwrap(), ..accepted("1", "0") };
    let world = line(vec![head, good("2", "m2")]).await;
    let _instance = world.start(log_bot());
    assert_eq!(arrived(&world, 1, secs(120)).await, ["m2"]);
    assert!(world.ledger().await.inbox.is_empty());
}
