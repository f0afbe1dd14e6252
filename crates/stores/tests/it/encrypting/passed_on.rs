//! Calls that are the inner store's business: statistics, remains, and who takes part in what.

use std::sync::Arc;

use futures_util::TryStreamExt;
use sayso_stores::SqliteStore;
use sayso_turn::{
    Key,
    store::{Effort, MemoryStore, Participant, Participants, Store, Write},
};

use super::{A, create, hashed, over, save};

fn of(name: &str, ids: &[&str]) -> Write {
    let all = ids.iter().map(|id| Participant::of(id)).collect();
    Write { participants: Some(Participants::All(all)), ..create(name, "{}") }
}

async fn indexed(store: &dyn Store, id: &str, prefix: &str) -> Option<Vec<String>> {
    let keys: Vec<Key> = store.list_with(Participant::of(id), prefix)?.try_collect().await.unwrap();
    Some(keys.iter().map(|key| key.as_str().to_owned()).collect())
}

#[tokio::test]
async fn the_index_of_participants_goes_on_with_clear_names() {
    let memory = Arc::new(MemoryStore::default());
    let store = over(&memory, &[A]);
    let _etag = save(&store, of("a/1", &["ann"])).await;
    let _etag = save(&store, of("a/2", &["bob"])).await;
    let _etag = save(&store, of("b/3", &["ann"])).await;
    assert_eq!(indexed(&store, "ann", "a/").await.unwrap(), ["a/1"]);
    assert_eq!(indexed(&store, "carl", "").await.unwrap(), Vec::<String>::new());
}

/// A participant is a hash without a key: whoever has the database could look for a known id.
#[tokio::test]
async fn with_hashed_names_the_engine_is_not_told_who_takes_part() {
    let memory = Arc::new(MemoryStore::default());
    let store = hashed(&memory, &[A]);
    let _etag = save(&store, of("k", &["ann"])).await;
    let all = store.transactions().unwrap();
    all.save_all(vec![of("l", &["ann"])]).await.unwrap();
    for stranger in ["ann", "bob"] {
        // Without a hint a document may be anybody's.
        assert_eq!(indexed(&*memory, stranger, "").await.unwrap().len(), 2);
        assert_eq!(indexed(&store, stranger, "").await, None, "so that forget reads everything");
    }
}

#[tokio::test]
async fn statistics_and_purges_are_those_of_the_engine() {
    let folder = tempfile::tempdir().unwrap();
    let engine = Arc::new(SqliteStore::open(folder.path().join("bot.sqlite")).unwrap());
    let encrypted: [Box<dyn Store>; 2] =
        [Box::new(over(&engine, &[A])), Box::new(hashed(&engine, &[A]))];
    for (number, store) in encrypted.iter().enumerate() {
        let _etag = save(&**store, create("k", "{}")).await;
        assert_eq!(store.stats(), engine.stats());
        assert_eq!(store.stats().saves.calls, number as u64 + 1);
        let purged = store.purge(Effort::Rewrite).await.unwrap();
        assert!(purged.is_whole && !purged.done.is_empty(), "{purged:?}");
    }
}
