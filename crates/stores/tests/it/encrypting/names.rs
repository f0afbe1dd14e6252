//! Hashed names: the engine sees no key of a document, and lists and looks work all the same.

use std::sync::Arc;

use futures_util::TryStreamExt;
use sayso_stores::{
    SqliteStore,
    doubles::Counted,
    encrypting::{KeyRingError, NameKey},
};
use sayso_turn::{
    Key,
    clock::Timestamp,
    store::{MemoryStore, Store, Write},
};

use super::{A, B, NAMES, create, hashed, key, over, replace, save};

async fn keys(store: &dyn Store, prefix: &str) -> Vec<String> {
    let mut keys: Vec<Key> = store.list(prefix).try_collect().await.unwrap();
    keys.sort();
    keys.iter().map(|key| key.as_str().to_owned()).collect()
}

#[tokio::test]
async fn the_engine_sees_names_that_tell_nothing() {
    let memory = Arc::new(MemoryStore::default());
    let store = hashed(&memory, &[A]);
    let _etag = save(&store, create("webchat/users/ann", "{}")).await;
    let _etag = save(&store, create("webchat/users/bob", "{}")).await;
    let seen = keys(&*memory, "").await;
    assert_eq!(seen.len(), 2);
    for name in seen {
        assert!(name.starts_with("sayso-hashed/") && name.len() == 56, "{name}");
    }
    assert_eq!(keys(&store, "webchat/users/").await, ["webchat/users/ann", "webchat/users/bob"]);
    assert_eq!(keys(&store, "webchat/users/b").await, ["webchat/users/bob"]);
    // Another key ring finds the same documents: names do not depend on it.
    let rotated = hashed(&memory, &[B, A]);
    assert_eq!(keys(&rotated, "").await.len(), 2);
    assert!(rotated.load(&key("webchat/users/ann")).await.unwrap().is_some());
}

#[tokio::test]
async fn a_name_that_is_known_is_not_read_again() {
    let counted = Arc::new(Counted::new(Arc::new(MemoryStore::default())));
    let writer = hashed(&counted, &[A]);
    for number in 0..10 {
        let due = Some(Timestamp::from_millis(1));
        let _etag = save(&writer, Write { due, ..create(&format!("k{number}"), "{}") }).await;
    }
    assert_eq!(counted.counts().loads, 0);
    let reader = hashed(&counted, &[A]);
    for _ in 0..3 {
        let page = reader.due(Timestamp::from_millis(1), None, 100).await.unwrap();
        assert_eq!(page.found.len(), 10);
        assert_eq!(keys(&reader, "").await.len(), 10);
        assert_eq!(counted.counts().loads, 10, "each name once");
    }
}

#[tokio::test]
async fn a_document_that_cannot_be_read_stops_neither_a_look_nor_a_list() {
    let memory = Arc::new(MemoryStore::default());
    let writer = hashed(&memory, &[A]);
    let due = Some(Timestamp::from_millis(1));
    for name in ["ann", "bob"] {
        let _etag = save(&writer, Write { due, ..create(name, "{}") }).await;
    }
    let names = keys(&*memory, "").await;
    let damaged = memory.load(&key(&names[0])).await.unwrap().unwrap();
    let write = Write { due, ..replace(&names[0], &damaged.etag, "damaged") };
    let etag = save(&*memory, write).await;

    let store = hashed(&memory, &[A]);
    let page = store.due(Timestamp::from_millis(1), None, 9).await.unwrap();
    assert_eq!(page.found.len(), 1);
    let listed = keys(&store, "").await;
    assert_eq!(listed.len(), 2, "{listed:?}");
    assert!(listed.contains(&names[0]), "it is named as it is stored: {listed:?}");
    // By that name it can be looked at, and removed.
    assert!(store.load(&key(&names[0])).await.unwrap_err().to_string().contains("not encrypted"));
    assert!(store.delete(&key(&names[0]), &etag).await.is_ok());
    assert_eq!(keys(&store, "").await.len(), 1);
}

/// Not even the engine: the file of a database was damaged, a blob was replaced by something else.
#[tokio::test]
async fn a_document_that_the_engine_cannot_read_stops_neither_a_look_nor_a_list() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("bot.sqlite");
    let sqlite = Arc::new(SqliteStore::open(&path).unwrap());
    let due = Some(Timestamp::from_millis(1));
    for name in ["ann", "bob"] {
        let _etag = save(&hashed(&sqlite, &[A]), Write { due, ..create(name, "{}") }).await;
    }
    let names = keys(&*sqlite, "").await;
    let other = rusqlite::Connection::open(&path).unwrap();
    let damage = "UPDATE document SET body = CAST(x'ff00ff' AS TEXT) WHERE key = ?";
    assert_eq!(other.execute(damage, [&names[0]]).unwrap(), 1);

    let store = hashed(&sqlite, &[A]);
    let page = store.due(Timestamp::from_millis(1), None, 9).await.unwrap();
    assert_eq!(page.found.len(), 1);
    assert_eq!(store.counters().unreadable, 1);
    let listed = keys(&store, "").await;
    assert!(listed.len() == 2 && listed.contains(&names[0]), "{listed:?}");
}

#[test]
fn hashed_names_and_documents_in_clear_do_not_go_together() {
    let memory = Arc::new(MemoryStore::default());
    let names = NameKey::parse(NAMES).unwrap();
    assert_eq!(format!("{names:?}"), "[redacted]");
    let refused = over(&memory, &[A, "clear"]).with_names(names).unwrap_err();
    assert_eq!(refused, KeyRingError::ClearNames);
    assert!(refused.to_string().contains("sayso state migrate"));
}
