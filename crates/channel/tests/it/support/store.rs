//! Store that always fails in one way, and one that counts how often it is asked what is due.

use std::{
    fmt,
    sync::atomic::{AtomicU64, Ordering},
};

use async_trait::async_trait;
use futures_util::stream::{self, BoxStream, StreamExt};
use sayso_turn::{
    Key,
    clock::Timestamp,
    store::{Cursor, DuePage, ETag, Error, MemoryStore, Saved, Store, Stored, Transactions, Write},
};

/// Failure of the store. Its messages must never reach a sender.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Broken {
    /// It cannot be reached.
    Unavailable,
    /// It refuses for good.
    Invalid,
    /// It never answers.
    Hanging,
}

impl Broken {
    async fn fail<T>(self) -> Result<T, Error> {
        let (store, reason) = ("the inner store".into(), "an inner reason".to_owned());
        match self {
            Self::Unavailable => Err(Error::Unavailable { store, reason, source: None }),
            Self::Invalid => Err(Error::Invalid { store, reason, source: None }),
            Self::Hanging => std::future::pending().await,
        }
    }
}

#[async_trait]
impl Store for Broken {
    async fn load(&self, _: &Key) -> Result<Option<Stored>, Error> {
        self.fail().await
    }

    async fn save(&self, _: Write) -> Result<Saved, Error> {
        self.fail().await
    }

    async fn delete(&self, _: &Key, _: &ETag) -> Result<Saved, Error> {
        self.fail().await
    }

    async fn due(&self, _: Timestamp, _: Option<&Cursor>, _: usize) -> Result<DuePage, Error> {
        self.fail().await
    }

    fn list(&self, _: &str) -> BoxStream<'_, Result<Key, Error>> {
        stream::empty().boxed()
    }

    fn transactions(&self) -> Option<&dyn Transactions> {
        None
    }
}

impl fmt::Display for Broken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the broken store")
    }
}

/// Memory store that counts how often it is asked what is due, and may hang on that.
#[derive(Debug, Default)]
pub(crate) struct Counted {
    inner: MemoryStore,
    looks: AtomicU64,
    hangs: bool,
}

impl Counted {
    /// One that never says what is due.
    pub(crate) fn hanging() -> Self {
        Self { hangs: true, ..Self::default() }
    }

    /// Number of times that it was asked.
    pub(crate) fn looks(&self) -> u64 {
        self.looks.load(Ordering::SeqCst)
    }
}

#[async_trait]
impl Store for Counted {
    async fn load(&self, key: &Key) -> Result<Option<Stored>, Error> {
        self.inner.load(key).await
    }

    async fn save(&self, write: Write) -> Result<Saved, Error> {
        self.inner.save(write).await
    }

    async fn delete(&self, key: &Key, expect: &ETag) -> Result<Saved, Error> {
        self.inner.delete(key, expect).await
    }

    async fn due(
        &self,
        now: Timestamp,
        from: Option<&Cursor>,
        limit: usize,
    ) -> Result<DuePage, Error> {
        self.looks.fetch_add(1, Ordering::SeqCst);
        if self.hangs {
            std::future::pending::<()>().await;
        }
        self.inner.due(now, from, limit).await
    }

    fn list(&self, prefix: &str) -> BoxStream<'_, Result<Key, Error>> {
        self.inner.list(prefix)
    }

    fn transactions(&self) -> Option<&dyn Transactions> {
        self.inner.transactions()
    }
}

impl fmt::Display for Counted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the counting store")
    }
}
