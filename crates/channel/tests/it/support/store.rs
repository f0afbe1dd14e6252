//! Store that always fails in one way.

use std::fmt;

use async_trait::async_trait;
use futures_util::stream::{self, BoxStream, StreamExt};
use sayso_turn::{
    Key,
    clock::Timestamp,
    store::{Cursor, DuePage, ETag, Error, Saved, Store, Stored, Transactions, Write},
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
