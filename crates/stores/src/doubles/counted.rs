//! Counting decorator: counts the calls to the store behind it.

use std::{
    borrow::Cow,
    fmt,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use async_trait::async_trait;
use futures_core::stream::BoxStream;
use sayso_turn::{
    Key,
    clock::Timestamp,
    store::{
        Cursor, DuePage, ETag, Effort, Error, Participant, Purged, Saved, Store, StoreStats,
        Stored, Transactions, Write,
    },
};

/// Counts the calls to a store.
///
/// # Example
/// ```
/// use std::sync::Arc;
///
/// use sayso_stores::doubles::Counted;
/// use sayso_turn::{Key, store::{MemoryStore, Store}};
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() {
/// let store = Counted::new(Arc::new(MemoryStore::default()));
/// assert_eq!(store.load(&Key::new("k").unwrap()).await.unwrap(), None);
/// assert_eq!(store.counts().loads, 1);
/// assert_eq!(store.counts().saves, 0);
/// # }
/// ```
#[derive(Debug)]
pub struct Counted<S: ?Sized> {
    counters: Counters,
    store: Arc<S>,
}

/// The number of calls of each method, and bytes; calls that failed or conflicted count, too.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Counts {
    /// Calls of [`Store::load`].
    pub loads: u64,
    /// Calls of [`Store::save`].
    pub saves: u64,
    /// Calls of [`Store::delete`].
    pub deletes: u64,
    /// Calls of [`Store::due`].
    pub dues: u64,
    /// Calls of [`Store::list`].
    pub lists: u64,
    /// Calls of [`Transactions::save_all`].
    pub transactions: u64,
    /// Bytes of the bodies that were to be saved, by either.
    pub bytes_saved: u64,
    /// Bytes of the bodies that were loaded.
    pub bytes_loaded: u64,
}

#[derive(Debug, Default)]
struct Counters {
    loads: AtomicU64,
    saves: AtomicU64,
    deletes: AtomicU64,
    dues: AtomicU64,
    lists: AtomicU64,
    transactions: AtomicU64,
    bytes_saved: AtomicU64,
    bytes_loaded: AtomicU64,
}

impl<S: Store + ?Sized> Counted<S> {
    /// Wraps a store, counting from zero.
    pub fn new(store: Arc<S>) -> Self {
        Self { counters: Counters::default(), store }
    }

    /// The counts so far.
    pub fn counts(&self) -> Counts {
        let of = |counter: &AtomicU64| counter.load(Ordering::SeqCst);
        Counts {
            loads: of(&self.counters.loads),
            saves: of(&self.counters.saves),
            deletes: of(&self.counters.deletes),
            dues: of(&self.counters.dues),
            lists: of(&self.counters.lists),
            transactions: of(&self.counters.transactions),
            bytes_saved: of(&self.counters.bytes_saved),
            bytes_loaded: of(&self.counters.bytes_loaded),
        }
    }
}

#[async_trait]
impl<S: Store + ?Sized> Store for Counted<S> {
    async fn load(&self, key: &Key) -> Result<Option<Stored>, Error> {
        count(&self.counters.loads);
        let stored = self.store.load(key).await?;
        let bytes = stored.as_ref().map_or(0, |stored| stored.body.len());
        add(&self.counters.bytes_loaded, bytes);
        Ok(stored)
    }

    async fn save(&self, write: Write) -> Result<Saved, Error> {
        count(&self.counters.saves);
        add(&self.counters.bytes_saved, write.body.len());
        self.store.save(write).await
    }

    async fn delete(&self, key: &Key, etag: &ETag) -> Result<Saved, Error> {
        count(&self.counters.deletes);
        self.store.delete(key, etag).await
    }

    async fn due(
        &self,
        now: Timestamp,
        from: Option<&Cursor>,
        limit: usize,
    ) -> Result<DuePage, Error> {
        count(&self.counters.dues);
        self.store.due(now, from, limit).await
    }

    fn list(&self, prefix: &str) -> BoxStream<'_, Result<Key, Error>> {
        count(&self.counters.lists);
        self.store.list(prefix)
    }

    fn list_with(
        &self,
        participant: Participant,
        prefix: &str,
    ) -> Option<BoxStream<'_, Result<Key, Error>>> {
        count(&self.counters.lists);
        self.store.list_with(participant, prefix)
    }

    async fn purge(&self, effort: Effort) -> Result<Purged, Error> {
        self.store.purge(effort).await
    }

    fn transactions(&self) -> Option<&dyn Transactions> {
        self.store.transactions().map(|_| self as &dyn Transactions)
    }

    fn stats(&self) -> StoreStats {
        self.store.stats()
    }

    fn save_time_max(&self) -> Option<Duration> {
        self.store.save_time_max()
    }
}

#[async_trait]
impl<S: Store + ?Sized> Transactions for Counted<S> {
    async fn save_all(&self, writes: Vec<Write>) -> Result<Saved<Vec<ETag>>, Error> {
        count(&self.counters.transactions);
        add(&self.counters.bytes_saved, writes.iter().map(|write| write.body.len()).sum());
        match self.store.transactions() {
            Some(transactions) => transactions.save_all(writes).await,
            None => Err(no_transactions(self)),
        }
    }
}

impl<S: fmt::Display + ?Sized> fmt::Display for Counted<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.store.fmt(f)
    }
}

fn count(counter: &AtomicU64) {
    add(counter, 1);
}

fn add(counter: &AtomicU64, count: usize) {
    let _before = counter.fetch_add(count as u64, Ordering::SeqCst);
}

pub(super) fn no_transactions(store: &impl fmt::Display) -> Error {
    Error::Invalid {
        store: Cow::Owned(store.to_string()),
        reason: "it has no transactions".into(),
        source: None,
    }
}
