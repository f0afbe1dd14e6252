//! Partitions: the documents of one bot spread over several stores, by kind or by tenant.
//!
//! Each partition is a store of its own (a file, a schema, a container, a prefix), so that an
//! operator can back up, move or drop one by itself. What a document's key does not place anywhere
//! is in the base store, which also keeps the directory of the partitions that exist.

mod directory;
mod look;
mod names;
mod open;
mod totals;

use std::{borrow::Cow, fmt, sync::Arc};

use async_trait::async_trait;
use futures_core::stream::BoxStream;
use futures_util::{FutureExt, StreamExt, future::BoxFuture, stream};
use sayso_turn::{
    Key,
    clock::Timestamp,
    store::{
        Cursor, DuePage, ETag, Effort, Error, Participant, Purged, Saved, Store, StoreStats,
        Stored, Transactions, Write,
    },
};
use tokio::sync::mpsc;

use self::{
    directory::Directory,
    look::{Failing, Look},
    open::OpenStores,
    totals::Joined,
};
pub use self::{
    directory::PARTITIONS_MAX,
    names::{PartitionBy, UnknownPartition},
};

/// The number of partitions that are open at a time, by default.
pub const OPEN_MAX: usize = 64;
/// Keys of a listing that are read ahead.
const READ_AHEAD: usize = 256;

/// Documents in several stores: one for each kind of document or each tenant, and a base store for
/// what belongs to none.
///
/// # Guarantees
/// * A document is in the partition that its key says, always: there is nothing to rebalance.
/// * A partition is in the directory before its first document is, so every instance looks into it.
/// * A partition that fails does not hide what is due in others.
///
/// # Limits
/// There are [`PARTITIONS_MAX`] partitions at most, of which [`open_max`](Self::open_max) are open
/// at a time. A look for due documents asks each of them. There are no transactions: turns that
/// change several documents commit in two phases.
///
/// # Example
/// ```
/// use std::sync::Arc;
///
/// use sayso_stores::{PartitionBy, PartitionedStore};
/// use sayso_turn::{KeyScheme, store::{Expect, MemoryStore, Store, Write}};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let open = |name: String| {
///     assert_eq!(name, "t-contoso");
///     let store: Arc<dyn Store> = Arc::new(MemoryStore::default());
///     async move { Ok(store) }
/// };
/// let store = PartitionedStore::new(PartitionBy::Tenant, Arc::new(MemoryStore::default()), open);
/// let key = KeyScheme::default().by_tenant(true).scope(Some("contoso")).user("msteams", "ann")?;
/// let write = Write { key, expect: Expect::Absent, body: "{}".into(), due: None, expires: None, participants: None };
/// store.save(write).await?;
/// # Ok(()) }
/// ```
pub struct PartitionedStore {
    by: PartitionBy,
    directory: Directory,
    stores: OpenStores,
    failing: Failing,
}

impl PartitionedStore {
    /// Spreads documents over partitions, each opened by its name when it is first needed.
    ///
    /// A name has 1 to 42 small letters, digits and single hyphens, and begins with a letter. One
    /// that is opened again, after it was closed to open others, must be the same store.
    pub fn new<F, Fut>(by: PartitionBy, base: Arc<dyn Store>, open: F) -> Self
    where
        F: Fn(String) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<Arc<dyn Store>, Error>> + Send + 'static,
    {
        let open = move |name| -> BoxFuture<'static, _> { open(name).boxed() };
        Self {
            by,
            directory: Directory::new(by),
            stores: OpenStores::new(base, Box::new(open), OPEN_MAX),
            failing: Failing::default(),
        }
    }

    /// Sets the number of partitions that are open at a time, at least 1: the one that was not used
    /// for the longest time is closed.
    #[must_use]
    pub fn open_max(mut self, count: usize) -> Self {
        self.stores.open_max = count.max(1);
        self
    }

    /// Returns the names of the partitions that the last look could not ask.
    #[must_use]
    pub fn failing(&self) -> Vec<String> {
        self.failing.names()
    }

    /// Returns the names of the partitions that there are.
    ///
    /// # Errors
    /// When the base store cannot be read.
    pub async fn partitions(&self) -> Result<Vec<String>, Error> {
        self.directory.refresh(self.stores.base()).await?;
        Ok(self.directory.names())
    }

    /// Returns the store of a document, if it exists: what is not in the directory holds none.
    async fn existing(&self, key: &Key) -> Result<Option<Arc<dyn Store>>, Error> {
        let name = self.by.of(key);
        if let Some(name) = &name
            && !self.directory.has(name)
        {
            self.directory.refresh(self.stores.base()).await?;
            if !self.directory.has(name) {
                return Ok(None);
            }
        }
        self.stores.get(name.as_deref()).await.map(Some)
    }

    /// Returns the places of all keys with a prefix: the base store is `None`.
    async fn places(&self, prefix: &str) -> Result<Vec<Option<String>>, Error> {
        if let Some(place) = self.by.of_all(prefix) {
            let Some(name) = place else { return Ok(vec![None]) };
            self.directory.refresh(self.stores.base()).await?;
            let is_there = self.directory.has(&name);
            return Ok(if is_there { vec![Some(name)] } else { Vec::new() });
        }
        let names = self.partitions().await?;
        Ok(std::iter::once(None).chain(names.into_iter().map(Some)).collect())
    }

    /// The keys of all places, or those of somebody as the index of each place has them.
    fn keys(
        &self,
        prefix: &str,
        participant: Option<Participant>,
    ) -> BoxStream<'_, Result<Key, Error>> {
        let (sender, receiver) = mpsc::channel(READ_AHEAD);
        let handing_over = self.hand_over(prefix.to_owned(), participant, sender);
        let none = handing_over.map(|()| stream::empty()).flatten_stream();
        let keys = stream::unfold(receiver, |mut receiver| async {
            receiver.recv().await.map(|key| (key, receiver))
        });
        // Both are polled in turn: nothing runs in the background.
        stream::select(none, keys).boxed()
    }

    /// Hands the keys of all places over, one place after the other. The error of one stands where
    /// its keys would, and the others follow. With a participant a place without an index names all
    /// its keys.
    async fn hand_over(
        &self,
        prefix: String,
        participant: Option<Participant>,
        keys: mpsc::Sender<Result<Key, Error>>,
    ) {
        let places = match self.places(&prefix).await {
            Ok(places) => places,
            Err(error) => return drop(keys.send(Err(error)).await),
        };
        for place in places {
            let store = match self.stores.get(place.as_deref()).await {
                Ok(store) => store,
                Err(error) => {
                    if keys.send(Err(error)).await.is_err() {
                        return;
                    }
                    continue;
                }
            };
            let found = participant.and_then(|participant| store.list_with(participant, &prefix));
            let mut listed = found.unwrap_or_else(|| store.list(&prefix));
            while let Some(key) = listed.next().await {
                let is_hidden = place.is_none() && matches!(&key, Ok(key) if directory::is(key));
                if !is_hidden && keys.send(key).await.is_err() {
                    return;
                }
            }
        }
    }
}

#[async_trait]
impl Store for PartitionedStore {
    async fn load(&self, key: &Key) -> Result<Option<Stored>, Error> {
        if directory::is(key) {
            return Ok(None);
        }
        match self.existing(key).await? {
            Some(store) => store.load(key).await,
            None => Ok(None),
        }
    }

    async fn save(&self, write: Write) -> Result<Saved, Error> {
        if directory::is(&write.key) {
            return Err(Error::Invalid {
                store: Cow::Owned(self.to_string()),
                reason: "the key is that of the directory of its partitions".into(),
                source: None,
            });
        }
        let name = self.by.of(&write.key);
        if let Some(name) = &name {
            self.directory.add(self.stores.base(), name).await?;
        }
        self.stores.get(name.as_deref()).await?.save(write).await
    }

    async fn delete(&self, key: &Key, etag: &ETag) -> Result<Saved, Error> {
        if directory::is(key) {
            return Ok(Saved::Conflict);
        }
        match self.existing(key).await? {
            Some(store) => store.delete(key, etag).await,
            None => Ok(Saved::Conflict),
        }
    }

    async fn due(
        &self,
        now: Timestamp,
        from: Option<&Cursor>,
        limit: usize,
    ) -> Result<DuePage, Error> {
        let mut look = Look::from(from);
        if look.is_new() || self.directory.is_unread() {
            self.directory.refresh(self.stores.base()).await?;
        }
        let names = self.directory.names();
        let visits = look.next_visits(&names, limit);
        let pages = look::ask(&self.stores, visits, now, limit).await;
        look.page(&names, &self.failing, pages)
    }

    fn list(&self, prefix: &str) -> BoxStream<'_, Result<Key, Error>> {
        self.keys(prefix, None)
    }

    /// If the base has an index, so have the partitions, which are of its engine.
    fn list_with(
        &self,
        participant: Participant,
        prefix: &str,
    ) -> Option<BoxStream<'_, Result<Key, Error>>> {
        drop(self.stores.base().list_with(participant, prefix)?);
        Some(self.keys(prefix, Some(participant)))
    }

    /// One place after the other. One that fails is told of, and the others are still done.
    async fn purge(&self, effort: Effort) -> Result<Purged, Error> {
        let mut joined = Joined::default();
        for place in self.places("").await? {
            let purged = match self.stores.get(place.as_deref()).await {
                Ok(store) => store.purge(effort).await,
                Err(error) => Err(error),
            };
            joined.add(place.as_deref(), purged);
        }
        Ok(joined.into())
    }

    fn transactions(&self) -> Option<&dyn Transactions> {
        None
    }

    /// Of the base and of all partitions that this process has had open.
    fn stats(&self) -> StoreStats {
        self.stores.stats()
    }
}

impl fmt::Display for PartitionedStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, partitioned by {}", self.stores.base(), self.by)
    }
}

impl fmt::Debug for PartitionedStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PartitionedStore")
            .field("by", &self.by)
            .field("stores", &self.stores)
            .finish_non_exhaustive()
    }
}
