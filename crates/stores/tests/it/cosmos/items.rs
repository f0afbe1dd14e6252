//! Stored items, member by member, and the cost of calls.

use std::{
    sync::Arc,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use async_trait::async_trait;
use sayso_stores::{CosmosStore, cosmos::ITEM_BYTES_MAX};
use sayso_turn::{
    Bot, BotState, Engine, Limits, Ttl, Turn,
    activity::Activity,
    channel::{Channel, Delivery, Parcel},
    clock::Timestamp,
    store::{CallStats, Error, Store, Write},
};
use serde_json::{Value, json};

use super::scene::{CONTAINER, Raw, committed, config, create, key, replace};

const KEY: &str = "webchat/conversations/c";
const ID: &str = "webchat*2fconversations*2fc";
const USER_ID: &str = "webchat*2fusers*2fu";

async fn open() -> (CosmosStore, Raw) {
    let config = config();
    let store = CosmosStore::open(config.clone()).await.unwrap();
    let database =
        store.to_string().rsplit_once(", ").unwrap().1.split_once('/').unwrap().0.to_owned();
    (store, Raw::open(&database).await)
}

fn now() -> Timestamp {
    Timestamp::START.after(SystemTime::now().duration_since(UNIX_EPOCH).unwrap())
}

#[tokio::test]
async fn an_item_has_the_members_of_the_sdks_and_what_recovery_needs() {
    let (store, raw) = open().await;
    let body = r#"{"toppings":["cheese"],"$sayso":{"v":1}}"#;
    let due = Some(Timestamp::from_millis(1_900_000_000_000));
    let write = Write { due, ..create(&key(KEY), body) };
    let etag = committed(store.save(write).await.unwrap());

    let mut item = raw.item(CONTAINER, ID).await.unwrap();
    assert_eq!(item["_etag"], etag.as_str());
    assert!(item["sayso"]["write"].as_str().is_some_and(|id| id.len() > 16), "{item}");
    item.as_object_mut().unwrap().retain(|name, _| !name.starts_with('_') && name != "sayso");
    let expected = json!({
        "id": ID,
        "realId": KEY,
        "document": serde_json::from_str::<Value>(body).unwrap(),
        "due": 1_900_000_000_000_u64,
    });
    assert_eq!(item, expected);
}

#[tokio::test]
async fn an_item_lives_as_long_as_its_document() {
    let (store, raw) = open().await;
    let ttl = async |expires| {
        let stored = store.load(&key(KEY)).await.unwrap();
        let write = match stored {
            Some(stored) => replace(&key(KEY), &stored.etag, "{}"),
            None => create(&key(KEY), "{}"),
        };
        let _etag = committed(store.save(Write { expires, ..write }).await.unwrap());
        raw.item(CONTAINER, ID).await.unwrap()["ttl"].clone()
    };
    assert_eq!(ttl(None).await, Value::Null);
    let seconds = ttl(Some(now().after(Duration::from_secs(100)))).await.as_u64().unwrap();
    assert!((100..=102).contains(&seconds), "{seconds}");
    assert_eq!(ttl(Some(Timestamp::START)).await, 1, "Cosmos takes no less than a second");
    assert_eq!(ttl(None).await, Value::Null, "a save replaces the time");
}

/// A channel that takes everything.
#[derive(Debug)]
struct Silent;

#[async_trait]
impl Channel for Silent {
    async fn deliver(&self, _: &Parcel) -> Delivery {
        Delivery::Delivered { id: None }
    }
}

#[derive(Default, BotState)]
#[state(version = 1, ttl = "3h")]
struct Visits {
    count: u32,
}

#[tokio::test]
async fn the_ttl_of_a_document_is_that_of_its_item() {
    let (store, raw) = open().await;
    let bot = Bot::new().on_message(async |mut turn: Turn| {
        match turn.text() {
            "short" => turn.state().expire_after(Duration::from_secs(90 * 60)),
            "never" => turn.state().never_expire(),
            "default" => turn.state().expire_by_default(),
            _ => {}
        }
        turn.user::<Visits>().await?.count += 1;
        Ok(())
    });
    let day = Some(Duration::from_secs(24 * 60 * 60));
    let ttl = Ttl { conversation: day, user: day, ..Ttl::default() };
    let store: Arc<dyn Store> = Arc::new(store);
    let engine = Engine::builder(bot, store, Arc::new(Silent))
        .limits(Limits { ttl, ..Limits::default() })
        .start();
    for (text, wanted) in [
        ("hello", Some(24 * 60 * 60)),
        ("short", Some(90 * 60)),
        ("hello", Some(90 * 60)),
        ("never", None),
        ("default", Some(24 * 60 * 60)),
    ] {
        let id = format!("{text} {wanted:?}");
        let activity = json!({
            "type": "message", "id": id, "channelId": "webchat", "text": text,
            "serviceUrl": "https://example.org", "conversation": {"id": "c"},
            "from": {"id": "u"}, "recipient": {"id": "bot"},
        });
        let activity = Activity::from_json(activity.to_string().as_bytes()).unwrap();
        drop(engine.receive(activity).await.unwrap());
        // The documents are dated when nothing waits in them any more.
        let mut seen = [Value::Null, Value::Null];
        for _ in 0..400 {
            let items = [raw.item(CONTAINER, ID).await, raw.item(CONTAINER, USER_ID).await];
            let items = items.map(|item| item.unwrap());
            let waits = |item: &Value| {
                let ledger = &item["document"]["$sayso"];
                ledger.get("prepared").is_some() || ledger.get("decided").is_some()
            };
            if !items.iter().any(waits) {
                seen = items.map(|item| item["ttl"].clone());
                break;
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        let about = |ttl: &Value, wanted: u64| {
            let ttl = ttl.as_u64().unwrap_or_default();
            assert!((wanted..=wanted + 2).contains(&ttl), "{id}: {ttl} instead of {wanted}");
        };
        match wanted {
            Some(wanted) => about(&seen[0], wanted),
            None => assert_eq!(seen[0], Value::Null, "{id}"),
        }
        about(&seen[1], 3 * 60 * 60);
    }
    assert_eq!(engine.close(Duration::from_secs(20)).await, 0);
}

#[tokio::test]
async fn a_container_that_forgets_by_default_keeps_ours() {
    let raw = Raw::with_container(json!({"defaultTtl": 60})).await;
    let store = CosmosStore::open(raw.config()).await.unwrap();
    let _etag = committed(store.save(create(&key(KEY), "{}")).await.unwrap());
    assert_eq!(raw.item(CONTAINER, ID).await.unwrap()["ttl"], -1);
}

#[tokio::test]
async fn calls_and_request_units_are_counted_by_kind() {
    let (store, _raw) = open().await;
    assert_eq!(store.stats().calls(), 0);
    let etag = committed(store.save(create(&key(KEY), "{}")).await.unwrap());
    let etag = committed(store.save(replace(&key(KEY), &etag, "{}")).await.unwrap());
    assert!(store.load(&key(KEY)).await.unwrap().is_some());
    assert!(store.load(&key("missing")).await.unwrap().is_none());
    let named = store.due(Timestamp::START, None, 9).await.unwrap().found;
    assert_eq!(named, []);
    let _etag = committed(store.delete(&key(KEY), &etag).await.unwrap());

    let stats = store.stats();
    assert_eq!((stats.saves.calls, stats.loads.calls, stats.deletes.calls), (2, 2, 1));
    assert_eq!(stats.dues.calls, 1);
    let each = |calls: CallStats| calls.request_units / calls.calls as f64;
    for (kind, calls) in [
        ("saves", stats.saves),
        ("loads", stats.loads),
        ("deletes", stats.deletes),
        ("dues", stats.dues),
    ] {
        let units = each(calls);
        assert!(units >= 0.5, "{kind} cost {units} request units each");
    }
    assert!(each(stats.saves) > each(stats.loads), "a write costs more than a read");
}

#[tokio::test]
async fn a_document_that_is_too_large_is_refused_with_its_size() {
    let (store, _raw) = open().await;
    let body = format!("\"{}\"", "x".repeat(ITEM_BYTES_MAX));
    let error = store.save(create(&key(KEY), &body)).await.unwrap_err();
    let Error::TooLarge { bytes, bytes_max, .. } = error else { panic!("{error}") };
    assert!(bytes > ITEM_BYTES_MAX && bytes_max == ITEM_BYTES_MAX);
    assert!(store.load(&key(KEY)).await.unwrap().is_none());
}

#[tokio::test]
async fn two_stores_share_a_database() {
    let (one, raw) = open().await;
    let other = CosmosStore::open(raw.config()).await.unwrap();
    let etag = committed(one.save(create(&key(KEY), "[1]")).await.unwrap());
    let stored = other.load(&key(KEY)).await.unwrap().unwrap();
    assert_eq!((stored.body.as_str(), &stored.etag), ("[1]", &etag));
    let etag = committed(other.save(replace(&key(KEY), &etag, "[2]")).await.unwrap());
    assert_eq!(one.load(&key(KEY)).await.unwrap().unwrap().etag, etag);
}
