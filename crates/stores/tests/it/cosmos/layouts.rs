//! State of other SDKs, taken over and handed back.

use futures_util::TryStreamExt;
use sayso_stores::{CosmosStore, Layout};
use sayso_turn::{
    Key,
    store::{Error, Saved, Store},
};
use serde_json::{Value, json};

use super::scene::{self, CONTAINER, Raw, committed, create, key, replace};

const RECORDED: &str = include_str!("../../fixtures/cosmos/js.jsonl");

/// The item as another SDK sends it: without the members that a container adds.
fn sent(recorded: &Value) -> Value {
    let members = recorded.as_object().unwrap().iter().filter(|(name, _)| !name.starts_with('_'));
    Value::Object(members.map(|(name, value)| (name.clone(), value.clone())).collect())
}

fn parsed(body: &str) -> Value {
    scene::parsed(body.as_bytes())
}

async fn a_container_of_js() -> Raw {
    let policy = json!({
        "indexingMode": "consistent", "automatic": true,
        "includedPaths": [{"path": "/*"}], "excludedPaths": [{"path": "/\"_etag\"/?"}],
    });
    Raw::with_container(json!({"indexingPolicy": policy})).await
}

#[tokio::test]
async fn every_recorded_document_is_taken_over_changed_and_readable_again() {
    let raw = a_container_of_js().await;
    let store = CosmosStore::open(raw.config().layout(Layout::Js)).await.unwrap();
    // One is nested as deep as the service takes, which is a level more than the emulator does. It
    // is read in the unit tests.
    let items = RECORDED.lines().map(|line| sent(&parsed(line)));
    let items: Vec<Value> = items.filter(|item| levels(item) < 128).collect();
    assert_eq!(items.len(), RECORDED.lines().count() - 1);
    for item in items {
        raw.put(&item).await;
        let (id, real_id) = (item["id"].as_str().unwrap(), item["realId"].as_str().unwrap());
        // The SDK ends the keys of conversations with an empty namespace; ours have none.
        let key = key(real_id.strip_suffix('/').unwrap_or(real_id));
        let stored = store.load(&key).await.unwrap().unwrap();
        assert_eq!(parsed(&stored.body), item["document"], "{key}");

        let body = format!("{}{}", stored.body.trim_end_matches('}'), closing(&stored.body));
        let _etag = committed(store.save(replace(&key, &stored.etag, &body)).await.unwrap());
        let after = raw.item(CONTAINER, id).await.unwrap();
        assert_eq!(after["realId"], real_id);
        assert_eq!(after["document"], parsed(&body), "the SDK reads what we wrote");
        assert_eq!(store.load(&key).await.unwrap().unwrap().body, body);
    }
    let mut listed: Vec<Key> = store.list("test/conversations/").try_collect().await.unwrap();
    listed.sort();
    assert_eq!(listed, [key("test/conversations/Convo1"), key("test/conversations/nestingTest")]);
}

fn levels(value: &Value) -> usize {
    match value {
        Value::Array(items) => 1 + items.iter().map(levels).max().unwrap_or(0),
        Value::Object(members) => 1 + members.values().map(levels).max().unwrap_or(0),
        _ => 0,
    }
}

/// The end of a text that was cut, with a further member where there is room for one.
fn closing(body: &str) -> String {
    let braces = body.len() - body.trim_end_matches('}').len();
    let comma = if body == "{}" { "" } else { "," };
    match braces {
        0 => String::new(),
        _ => format!("{}{comma}\"$sayso\":{{\"v\":1}}}}", "}".repeat(braces - 1)),
    }
}

#[tokio::test]
async fn a_write_of_the_other_sdk_is_a_newer_version() {
    let raw = a_container_of_js().await;
    let store = CosmosStore::open(raw.config().layout(Layout::Js)).await.unwrap();
    let key = key("emulator/conversations/C");
    let etag = committed(store.save(create(&key, r#"{"a":1.0}"#)).await.unwrap());
    let id = "emulator*2fconversations*2fC*2f";
    let theirs = json!({"id": id, "realId": "emulator/conversations/C/", "document": {"a": 2}});
    raw.put(&theirs).await;
    assert_eq!(store.save(replace(&key, &etag, "{}")).await.unwrap(), Saved::Conflict);
    assert_eq!(store.load(&key).await.unwrap().unwrap().body, r#"{"a":2}"#);
}

#[tokio::test]
async fn state_of_the_csharp_and_python_sdks_is_found_under_their_names() {
    for (layout, id, real_id, key_text) in [
        (Layout::Dotnet, "emulator*2fusers*2f29:1", "emulator/users/29:1", "emulator/users/29:1"),
        (Layout::Python, "emulator*47users*4729:1", "emulator/users/29:1", "emulator/users/29:1"),
        (
            Layout::Python,
            "e*47conversations*47C*47users*47U*47",
            "e/conversations/C/users/U/",
            "e/conversations/C/users/U",
        ),
    ] {
        let raw = a_container_of_js().await;
        let store = CosmosStore::open(raw.config().layout(layout)).await.unwrap();
        let document =
            json!({"$type": "System.Collections.Generic.Dictionary`2", "name": "žluťoučký"});
        raw.put(&json!({"id": id, "realId": real_id, "document": document, "PartitionKey": id}))
            .await;
        let stored = store.load(&key(key_text)).await.unwrap().unwrap();
        assert_eq!(parsed(&stored.body), document, "{layout}");
        let body = r#"{"$type":"x","name":"Ada"}"#;
        let _etag =
            committed(store.save(replace(&key(key_text), &stored.etag, body)).await.unwrap());
        assert_eq!(raw.item(CONTAINER, id).await.unwrap()["document"], parsed(body), "{layout}");
    }
}

#[tokio::test]
async fn a_long_key_is_found_by_what_it_really_is() {
    let conversation = format!("emulator/conversations/{}", "c".repeat(600));
    for (layout, real_id) in [
        (Layout::Js, format!("{conversation}/")),
        (Layout::Dotnet, conversation.clone()),
        (Layout::Python, conversation.clone()),
    ] {
        let raw = a_container_of_js().await;
        let store = CosmosStore::open(raw.config().layout(layout)).await.unwrap();
        let key = key(&conversation);
        assert!(store.load(&key).await.unwrap().is_none());
        // Versions of the SDKs made ids that cannot be made again.
        let item = |id: &str, n: u32| json!({"id": id, "realId": real_id, "document": {"n": n}});
        raw.put(&item("$2a$10$random", 1)).await;
        let stored = store.load(&key).await.unwrap().unwrap();
        assert_eq!(stored.body, r#"{"n":1}"#, "{layout}");
        assert_eq!(store.save(create(&key, "{}")).await.unwrap(), Saved::Conflict, "{layout}");

        let etag = committed(store.save(replace(&key, &stored.etag, r#"{"n":2}"#)).await.unwrap());
        assert_eq!(store.save(replace(&key, &stored.etag, "{}")).await.unwrap(), Saved::Conflict);
        assert_eq!(store.load(&key).await.unwrap().unwrap().etag, etag);
        let listed: Vec<Key> = store.list("emulator/").try_collect().await.unwrap();
        assert_eq!(listed, std::slice::from_ref(&key), "{layout}: in its place, not beside it");
        let _etag = committed(store.delete(&key, &etag).await.unwrap());
        assert!(store.load(&key).await.unwrap().is_none());

        let etag = committed(store.save(create(&key, r#"{"n":3}"#)).await.unwrap());
        assert_eq!(
            store.load(&key).await.unwrap().unwrap().etag,
            etag,
            "{layout}: under its own id"
        );
    }
}

#[tokio::test]
async fn a_body_that_the_other_sdk_could_not_read_is_refused() {
    let raw = a_container_of_js().await;
    let store = CosmosStore::open(raw.config().layout(Layout::Python)).await.unwrap();
    let deep = format!("{}{}", "[".repeat(128), "]".repeat(128));
    for body in ["no JSON", &deep] {
        let error = store.save(create(&key("a"), body)).await.unwrap_err();
        assert!(matches!(error, Error::Invalid { .. }), "{error:?}");
    }
    assert!(store.load(&key("a")).await.unwrap().is_none());
}

#[tokio::test]
async fn a_key_that_cannot_be_sent_under_the_name_of_the_sdk_is_refused() {
    let raw = a_container_of_js().await;
    let store = CosmosStore::open(raw.config().layout(Layout::Dotnet)).await.unwrap();
    for text in ["a\tb", "..", "a\n"] {
        for error in [
            store.load(&key(text)).await.unwrap_err(),
            store.save(create(&key(text), "{}")).await.unwrap_err(),
        ] {
            assert!(matches!(error, Error::Invalid { .. }), "{error:?}");
            assert!(error.to_string().contains("name of the other SDK"), "{error}");
        }
    }
}
