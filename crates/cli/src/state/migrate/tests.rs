//! Outcomes of a pass for every sort of document, between stores in memory.

use std::{fmt, sync::Arc};

use async_trait::async_trait;
use futures_util::{TryStreamExt as _, stream::BoxStream};
use sayso::turn::{
    Key,
    clock::Timestamp,
    store::{
        Cursor, DuePage, ETag, Error, Expect, MemoryStore, Saved, Store, Stored, Transactions,
        Write,
    },
};

use super::*;

fn body(rev: u64, turns: &[u64]) -> String {
    let seen: String = turns.iter().map(|turn| format!("{turn:016}")).collect();
    let turn = turns.last().copied().unwrap_or_default();
    format!(r#"{{"$sayso":{{"v":1,"turn":{turn},"rev":{rev},"write":"w{rev}","seen":"{seen}"}}}}"#)
}

async fn put(store: &Arc<dyn Store>, key: &str, body: &str) {
    let key = Key::new(key).unwrap();
    let there = store.load(&key).await.unwrap();
    let expect = there.map_or(Expect::Absent, |stored| Expect::At(stored.etag));
    let write = Write::new(key, expect, body);
    assert!(matches!(store.save(write).await, Ok(Saved::Committed(_))));
}

async fn get(store: &Arc<dyn Store>, key: &str) -> Option<String> {
    store.load(&Key::new(key).unwrap()).await.unwrap().map(|stored| stored.body)
}

async fn remove(store: &Arc<dyn Store>, key: &str) {
    let key = Key::new(key).unwrap();
    let etag = store.load(&key).await.unwrap().unwrap().etag;
    assert!(matches!(store.delete(&key, &etag).await, Ok(Saved::Committed(_))));
}

fn copy() -> Copy {
    Copy {
        from: Arc::new(MemoryStore::default()),
        to: Arc::new(MemoryStore::default()),
        prefix: String::new(),
        replaces: false,
        deletes_extra: false,
        progress: Progress::new(),
        trail: Mutex::default(),
        refusals: Refusals::default(),
    }
}

/// A run of its own over the same stores: without memory.
fn rerun(copy: &Copy) -> Copy {
    Copy { from: Arc::clone(&copy.from), to: Arc::clone(&copy.to), ..self::copy() }
}

#[tokio::test]
async fn passes_copy_then_what_changed_then_find_nothing() {
    let copy = copy();
    for key in ["a", "b", "c"] {
        put(&copy.from, key, &body(1, &[1])).await;
    }
    assert_eq!(copy.pass(1, Depth::Both).await.unwrap().copied, 3);
    put(&copy.from, "b", &body(2, &[1, 2])).await;
    let second = copy.pass(2, Depth::Changes).await.unwrap();
    assert_eq!((second.same, second.changed_again), (2, 1));
    let third = copy.pass(3, Depth::Both).await.unwrap();
    assert_eq!((third.same, third.changes()), (3, 0));
    assert_eq!(get(&copy.to, "b").await, Some(body(2, &[1, 2])));
}

#[tokio::test]
async fn another_run_goes_on_and_never_overwrites_a_turn_of_the_target() {
    let copy = copy();
    for key in ["older", "forked", "same", "newer"] {
        put(&copy.from, key, &body(1, &[1])).await;
    }
    copy.pass(1, Depth::Both).await.unwrap();
    put(&copy.from, "older", &body(3, &[1, 2, 3])).await;
    put(&copy.from, "forked", &body(3, &[1, 2, 3])).await;
    put(&copy.to, "forked", &body(2, &[1, 9])).await;
    put(&copy.to, "newer", &body(2, &[1, 9])).await;
    let tally = rerun(&copy).pass(1, Depth::Both).await.unwrap();
    assert_eq!((tally.same, tally.copied, tally.differ), (1, 1, 2));
    assert_eq!(get(&copy.to, "older").await, Some(body(3, &[1, 2, 3])));
    assert_eq!(get(&copy.to, "forked").await, Some(body(2, &[1, 9])));
    assert_eq!(get(&copy.to, "newer").await, Some(body(2, &[1, 9])));

    let replacing = Copy { replaces: true, ..rerun(&copy) };
    assert_eq!(replacing.pass(1, Depth::Both).await.unwrap().copied, 2);
    assert_eq!(get(&copy.to, "forked").await, Some(body(3, &[1, 2, 3])));
}

#[tokio::test]
async fn what_another_sdk_changes_is_copied_again_by_the_run_that_copied_it_only() {
    let copy = copy();
    put(&copy.from, "k", r#"{"count":1}"#).await;
    copy.pass(1, Depth::Both).await.unwrap();
    put(&copy.from, "k", r#"{"count":2}"#).await;
    assert_eq!(rerun(&copy).pass(1, Depth::Both).await.unwrap().differ, 1);
    assert_eq!(copy.pass(2, Depth::Both).await.unwrap().changed_again, 1);
    assert_eq!(get(&copy.to, "k").await.as_deref(), Some(r#"{"count":2}"#));
}

#[tokio::test]
async fn a_delete_is_carried_over_for_what_this_run_wrote_and_else_only_when_told() {
    let copy = copy();
    for key in ["ours", "touched"] {
        put(&copy.from, key, &body(1, &[1])).await;
    }
    put(&copy.to, "extra", &body(1, &[1])).await;
    assert_eq!(copy.pass(1, Depth::Both).await.unwrap().only_in_target, 1);
    remove(&copy.from, "ours").await;
    remove(&copy.from, "touched").await;
    put(&copy.to, "touched", &body(2, &[1, 9])).await;
    let tally = copy.pass(2, Depth::Both).await.unwrap();
    assert_eq!((tally.removed, tally.only_in_target), (1, 2));
    assert_eq!(get(&copy.to, "ours").await, None);
    assert!(get(&copy.to, "touched").await.is_some());

    let deleting = Copy { deletes_extra: true, ..rerun(&copy) };
    assert_eq!(deleting.pass(1, Depth::Both).await.unwrap().removed, 2);
    let left: Vec<Key> = copy.to.list("").try_collect().await.unwrap();
    assert!(left.is_empty(), "{left:?}");
}

#[tokio::test]
async fn what_is_damaged_is_left_alone_on_either_side() {
    let copy = copy();
    put(&copy.from, "here", "not ours").await;
    put(&copy.from, "there", &body(1, &[1])).await;
    put(&copy.to, "there", "[]").await;
    let tally = copy.pass(1, Depth::Both).await.unwrap();
    assert_eq!((tally.damaged, tally.changes()), (2, 0));
    assert_eq!(get(&copy.to, "here").await, None);
    assert_eq!(get(&copy.to, "there").await.as_deref(), Some("[]"));
}

#[tokio::test]
async fn what_has_expired_counts_as_absent_and_what_waits_is_due_in_the_target() {
    let copy = copy();
    put(&copy.from, "expired", r#"{"$sayso":{"v":1,"rev":1,"expires":1}}"#).await;
    let timer = r#"{"$sayso":{"v":1,"rev":1,"timers":[{"id":"t","at":7,"activity":{}}]}}"#;
    put(&copy.from, "timer", timer).await;
    let tally = copy.pass(1, Depth::Both).await.unwrap();
    assert_eq!(tally.copied, 1);
    assert_eq!(get(&copy.to, "expired").await, None);
    let due = copy.to.due(Timestamp::from_millis(7), None, 9).await.unwrap().found;
    assert_eq!((due.len(), due[0].at), (1, Timestamp::from_millis(7)));
    assert_eq!(copy.pass(2, Depth::Both).await.unwrap().changes(), 0);
}

#[tokio::test]
async fn only_keys_with_the_prefix_are_copied_or_missed() {
    let copy = Copy { prefix: "a/".to_owned(), ..copy() };
    put(&copy.from, "a/1", &body(1, &[1])).await;
    put(&copy.from, "b/1", &body(1, &[1])).await;
    put(&copy.to, "c/1", &body(1, &[1])).await;
    let tally = copy.pass(1, Depth::Both).await.unwrap();
    assert_eq!((tally.copied, tally.only_in_target), (1, 0));
    assert_eq!(get(&copy.to, "b/1").await, None);
}

/// A store that has no names for some keys, as the layout of another SDK.
#[derive(Debug, Default)]
struct Picky(MemoryStore);

impl Picky {
    fn check(&self, key: &Key) -> Result<(), Error> {
        let refused = || Error::Invalid {
            store: self.to_string().into(),
            reason: "it has no name for the key".to_owned(),
            source: None,
        };
        if key.as_str().contains("bad") { Err(refused()) } else { Ok(()) }
    }
}

impl fmt::Display for Picky {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the picky store")
    }
}

#[async_trait]
impl Store for Picky {
    async fn load(&self, key: &Key) -> Result<Option<Stored>, Error> {
        self.check(key)?;
        self.0.load(key).await
    }

    async fn save(&self, write: Write) -> Result<Saved, Error> {
        self.check(&write.key)?;
        self.0.save(write).await
    }

    async fn delete(&self, key: &Key, etag: &ETag) -> Result<Saved, Error> {
        self.0.delete(key, etag).await
    }

    async fn due(
        &self,
        now: Timestamp,
        from: Option<&Cursor>,
        most: usize,
    ) -> Result<DuePage, Error> {
        self.0.due(now, from, most).await
    }

    fn list(&self, prefix: &str) -> BoxStream<'_, Result<Key, Error>> {
        self.0.list(prefix)
    }

    fn transactions(&self) -> Option<&dyn Transactions> {
        None
    }
}

#[tokio::test]
async fn a_document_that_the_target_does_not_take_stops_nothing_but_a_target_that_takes_none_does()
{
    let copy = Copy { to: Arc::new(Picky::default()), ..copy() };
    for key in ["bad", "good"] {
        put(&copy.from, key, &body(1, &[1])).await;
    }
    for pass in 1..=3 {
        let tally = copy.pass(pass, Depth::Both).await.unwrap();
        assert_eq!((tally.refused, tally.copied + tally.same), (1, 1), "pass {pass}");
    }
    for n in 0..200 {
        put(&copy.from, &format!("bad{n}"), &body(1, &[1])).await;
    }
    let error = rerun(&copy).pass(1, Depth::Both).await.unwrap_err();
    assert!(error.to_string().contains("no name for the key"), "{error}");
}
