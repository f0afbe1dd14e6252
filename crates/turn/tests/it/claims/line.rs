//! The line of a conversation: a head that cannot be read does not hold up what stands behind it.

use std::sync::Arc;

use sayso_turn::{
    Key,
    activity::Raw,
    clock::Timestamp,
    document::{Accepted, Document},
    id::TurnId,
    store::{Expect, Store, Write},
};
use tokio::time::sleep;

use super::{arrived, secs};
use crate::world::{CONVERSATION, World, log_bot, message};

fn accepted(id: &str, activity: Raw) -> Accepted {
    let ids = vec![TurnId::new(&Key::new(CONVERSATION).unwrap(), id).to_string()];
    Accepted {
        ids,
        at: Timestamp::from_millis(1_000_000),
        lost: 0,
        is_timer: false,
        tries: 0,
        retries: 0,
        activity,
    }
}

async fn store_inbox(world: &World, inbox: Vec<Accepted>) {
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
}

fn bad() -> Accepted {
    accepted("1", Raw::from_text("7".into()).unwrap())
}

fn good() -> Accepted {
    accepted("2", Raw::of(&message("2", "m2")).unwrap())
}

#[tokio::test(start_paused = true)]
async fn a_head_of_the_line_that_cannot_be_read_is_parked_and_the_rest_runs() {
    let nameless = Accepted { ids: Vec::new(), ..bad() };
    let misnamed = Accepted { ids: vec!["7".into()], ..bad() };
    for head in [bad(), nameless, misnamed] {
        let world = World::new();
        let what = format!("{:?}", head.ids);
        store_inbox(&world, vec![head, good()]).await;
        let instances = [world.start(log_bot()), world.start(log_bot())];
        assert_eq!(arrived(&world, 1, secs(120)).await, ["m2"], "{what}");
        sleep(secs(30)).await;
        let ledger = world.ledger().await;
        assert!(ledger.inbox.is_empty() && ledger.outbox.is_empty(), "{what}");
        assert_eq!(ledger.parked.len(), 1, "{what}");
        assert!(!ledger.parked[0].reason.is_empty());
        assert_eq!(ledger.parked[0].activity.as_str(), "7", "an operator sees what it was");
        instances[0].say("3", "m3").await.unwrap();
        assert_eq!(world.log().await, ["m2", "m3"]);
    }
}

#[tokio::test(start_paused = true)]
async fn messages_are_taken_in_though_the_head_of_the_line_cannot_be_read() {
    let world = World::new();
    store_inbox(&world, vec![bad()]).await;
    let instance = world.start(log_bot());
    instance.say("3", "m3").await.unwrap();
    assert_eq!(arrived(&world, 1, secs(120)).await, ["m3"]);
    assert_eq!(world.ledger().await.parked.len(), 1);
    assert_eq!(world.log().await, ["m3"]);
}
