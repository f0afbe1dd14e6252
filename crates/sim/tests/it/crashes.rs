//! Crash enumeration: a turn dies at each of its awaits, on the memory store and on SQLite.

use std::{fmt, future::Future, sync::Arc};

use async_trait::async_trait;
use futures_core::stream::BoxStream;
use futures_util::{StreamExt, stream};
use sayso_sim::enumerate_crashes;
use sayso_stores::SqliteStore;
use sayso_turn::{
    Key,
    clock::Timestamp,
    store::{
        Cursor, DuePage, ETag, Error, MemoryStore, Participant, Saved, Store, Stored, Transactions,
        Write,
    },
};

#[test]
fn dying_at_any_await_of_a_turn_breaks_nothing_in_memory() {
    let all = enumerate_crashes(true, || Arc::new(MemoryStore::default()));
    println!(
        "crashes, memory: {} cases, {} awaits, {} broken",
        all.cases,
        all.awaits,
        all.broken.len()
    );
    assert!(all.broken.is_empty(), "{:#?}", all.broken);
    assert!(all.cases >= 290, "{} cases", all.cases);
}

#[test]
fn dying_at_any_await_of_a_turn_breaks_nothing_without_transactions() {
    let all = enumerate_crashes(false, || Arc::new(MemoryStore::default()));
    println!(
        "crashes, memory without transactions: {} cases, {} awaits, {} broken",
        all.cases,
        all.awaits,
        all.broken.len()
    );
    assert!(all.broken.is_empty(), "{:#?}", all.broken);
    assert!(all.cases >= 400, "{} cases", all.cases);
}

#[test]
fn dying_at_any_await_of_a_turn_breaks_nothing_on_sqlite() {
    let folder = tempfile::tempdir().unwrap();
    let count = std::cell::Cell::new(0);
    let all = enumerate_crashes(true, || {
        count.set(count.get() + 1);
        let path = folder.path().join(format!("{}.sqlite", count.get()));
        Arc::new(AtOnce(SqliteStore::open(path).unwrap()))
    });
    println!(
        "crashes, SQLite: {} cases, {} awaits, {} broken",
        all.cases,
        all.awaits,
        all.broken.len()
    );
    assert!(all.broken.is_empty(), "{:#?}", all.broken);
    assert!(all.cases >= 290, "{} cases", all.cases);
}

/// A store whose threads are outside the simulated scheduler: its answers are waited for on the
/// spot.
#[derive(Debug)]
struct AtOnce(SqliteStore);

fn wait<T>(answer: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(answer)
}

fn at_once(keys: BoxStream<'_, Result<Key, Error>>) -> BoxStream<'static, Result<Key, Error>> {
    stream::iter(wait(keys.collect::<Vec<_>>())).boxed()
}

#[async_trait]
impl Store for AtOnce {
    async fn load(&self, key: &Key) -> Result<Option<Stored>, Error> {
        wait(self.0.load(key))
    }

    async fn save(&self, write: Write) -> Result<Saved, Error> {
        wait(self.0.save(write))
    }

    async fn delete(&self, key: &Key, etag: &ETag) -> Result<Saved, Error> {
        wait(self.0.delete(key, etag))
    }

    async fn due(
        &self,
        now: Timestamp,
        from: Option<&Cursor>,
        limit: usize,
    ) -> Result<DuePage, Error> {
        wait(self.0.due(now, from, limit))
    }

    fn list(&self, prefix: &str) -> BoxStream<'_, Result<Key, Error>> {
        at_once(self.0.list(prefix))
    }

    fn list_with(
        &self,
        participant: Participant,
        prefix: &str,
    ) -> Option<BoxStream<'_, Result<Key, Error>>> {
        self.0.list_with(participant, prefix).map(at_once)
    }

    fn transactions(&self) -> Option<&dyn Transactions> {
        Some(self)
    }
}

#[async_trait]
impl Transactions for AtOnce {
    async fn save_all(&self, writes: Vec<Write>) -> Result<Saved<Vec<ETag>>, Error> {
        wait(self.0.save_all(writes))
    }
}

impl fmt::Display for AtOnce {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}
