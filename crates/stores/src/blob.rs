//! Azure Blob Storage: one blob a document, one Put Blob a commit.
//!
//! The service compares and swaps by ETag, so the conditional save is its own. What waits is found
//! by an index tag that the same Put Blob writes. The module also reads and writes the containers
//! of the Bot Framework SDKs ([`Layout`]).

mod access;
mod config;
mod connection;
mod container;
mod failure;
#[cfg(feature = "fuzzing")]
pub(crate) mod fuzz;
mod index;
mod limits;
mod markers;
mod names;
mod set_up;
mod signing;

use std::{fmt, sync::Arc};

use async_trait::async_trait;
use futures_core::stream::BoxStream;
use futures_util::{StreamExt, TryStreamExt, stream};
use sayso_turn::{
    Key,
    clock::Timestamp,
    store::{
        Cursor, DuePage, ETag, Effort, Error, Purged, Saved, Store, StoreStats, Stored,
        Transactions, Write,
    },
};

pub use self::{
    config::{BlobConfig, DueBy},
    limits::DOCUMENT_BYTES_MAX,
};
use self::{
    container::{Blob, Container, Put},
    index::Index,
    markers::{Marker, Markers},
    names::{Named, Names},
};
use crate::{
    Layout,
    layout::bodies,
    meter::{Call, Meter},
};

/// Places where copies of deleted documents may be left.
const LEFT: [&str; 3] = [
    "deleted blobs, while the account keeps them (soft delete)",
    "versions and snapshots of a blob, where the account keeps them",
    "copies: object replication, backups, point-in-time restore",
];

/// Documents in a container of Azure Blob Storage.
///
/// # Guarantees
/// * A committed write is stored as the account's redundancy says (three copies at least).
/// * Any number of stores, processes and machines may use one container at the same time.
/// * A load sees every write that was acknowledged before it was called.
/// * The client library repeats nothing by itself: a write whose answer is lost is
///   [`Error::Unknown`], never a conflict with itself.
/// * A key or token that is refused while the store is open is [`Error::Unavailable`]: the other
///   one is tried, the file is read again, and the log tells.
///
/// # Limits
/// A document has at most [`DOCUMENT_BYTES_MAX`] bytes. There are no transactions. The index of
/// tags follows the blobs after a moment, so [`due`](Store::due) may name a document a little late.
///
/// # Cancellation
/// A save or delete whose future is dropped is done or not done, never half done; it may be done a
/// little later, when the request was on its way.
///
/// # Example
/// ```no_run
/// use sayso_stores::{BlobStore, blob::BlobConfig};
/// use sayso_turn::{Key, store::Store};
///
/// # async fn example() -> Result<(), Box<dyn std::error::Error>> {
/// let config = BlobConfig::from_connection_string("UseDevelopmentStorage=true", "state")?;
/// let store = BlobStore::open(config).await?;
/// assert_eq!(store.to_string(), "Azure Blob Storage at devstoreaccount1/state");
/// assert_eq!(store.load(&Key::conversation("webchat", "c1")?).await?, None);
/// # Ok(())
/// # }
/// ```
pub struct BlobStore {
    name: Arc<str>,
    container: Arc<Container>,
    names: Names,
    due_by: DueBy,
    markers: Markers,
    meter: Meter,
}

impl BlobStore {
    /// Opens a container, or creates it (private) where it is missing and the configuration lets
    /// it.
    ///
    /// # Errors
    /// [`Error::Invalid`] when the address or the right is wrong, when the container is missing and
    /// must not be created, when anybody can read it, or when index tags are to be used and cannot.
    /// [`Error::Unavailable`] when the service cannot be reached.
    ///
    /// # Cancellation
    /// The container may have been created.
    pub async fn open(config: BlobConfig) -> Result<Self, Error> {
        let name = format!("Azure Blob Storage at {}/{}", shown_account(&config), config.container);
        let name: Arc<str> = name.into();
        let container = Container::connect(&config, Arc::clone(&name))?;
        container.set_up(&config).await?;
        container.failures.opened();
        let (names, markers) = (Names(config.layout), Markers::new(config.timeout));
        let (container, meter) = (Arc::new(container), Meter::default());
        Ok(Self { name, container, names, due_by: config.due_by, markers, meter })
    }

    /// Opens a container by URL; see [`BlobConfig::from_url`].
    ///
    /// # Errors
    /// As [`open`](Self::open), and [`Error::Invalid`] when the URL is not understood.
    ///
    /// # Cancellation
    /// The container may have been created.
    pub async fn open_url(url: &str) -> Result<Self, Error> {
        Self::open(BlobConfig::from_url(url)?).await
    }

    /// The client underneath, for tests that look at the blobs themselves.
    #[cfg(feature = "conformance")]
    #[doc(hidden)]
    pub fn client(&self) -> &azure_storage_blob::BlobContainerClient {
        &self.container.client
    }

    fn name_of(&self, key: &Key) -> Result<String, Error> {
        self.names.name(key).map_err(|reason| self.container.failures.invalid(reason.to_owned()))
    }

    fn index(&self) -> Index<'_> {
        Index { container: &self.container, names: self.names }
    }

    /// The document in a blob, if the blob belongs to this key.
    fn check(&self, key: &Key, blob: Blob) -> Result<Stored, Error> {
        let corrupt = |reason: &str| Error::Corrupt { key: key.clone(), reason: reason.to_owned() };
        if blob.label.key.as_ref().is_some_and(|own| own != key) {
            return Err(corrupt("its blob holds the document of another key"));
        }
        let text =
            String::from_utf8(blob.bytes).map_err(|_| corrupt("its blob is not UTF-8 text"))?;
        let body = bodies::read(self.names.0, text).map_err(corrupt)?;
        let marker = Marker::of(&blob.label).filter(|_| self.due_by == DueBy::Listing);
        Ok(Stored { body, etag: Marker::in_etag(marker.as_ref(), &blob.label.etag) })
    }

    async fn read(&self, key: &Key) -> Result<Option<Stored>, Error> {
        let name = self.name_of(key)?;
        let blob = self.container.get(key, &name).await?;
        blob.map(|blob| self.check(key, blob)).transpose()
    }

    async fn write(&self, write: Write) -> Result<Saved, Error> {
        let Write { key, expect, body, due, .. } = write;
        if body.len() > DOCUMENT_BYTES_MAX {
            return Err(self.container.failures.too_large(&key, body.len()));
        }
        let name = self.name_of(&key)?;
        let body = bodies::write(self.names.0, body);
        let body = body.map_err(|reason| self.container.failures.invalid(reason))?;
        // Names of ours say the key, save those with a hash; those of the SDKs may be of two keys.
        let is_recorded = self.names.key(&name) == Named::Recorded || self.names.0 != Layout::Sayso;
        let is_tagged = self.due_by == DueBy::Tags;
        let put = Put { key: &key, name: &name, body, due, is_recorded, is_tagged, mark: None };
        match self.due_by {
            DueBy::Tags => self.container.put(put, &expect).await,
            DueBy::Listing => self.markers.save(&self.container, put, &expect).await,
        }
    }

    async fn remove(&self, key: &Key, etag: &ETag) -> Result<Saved, Error> {
        let name = self.name_of(key)?;
        if self.due_by == DueBy::Tags {
            return self.container.delete(&name, etag).await;
        }
        let (own, marker) = Marker::split(etag);
        let saved = self.container.delete(&name, &own).await?;
        if let (Saved::Committed(_), Some(marker)) = (&saved, marker) {
            self.markers.remove_later(&self.container, marker.name(key)).await;
        }
        Ok(match saved {
            Saved::Committed(_) => Saved::Committed(etag.clone()),
            Saved::Conflict => Saved::Conflict,
        })
    }

    async fn look(
        &self,
        now: Timestamp,
        from: Option<&Cursor>,
        limit: usize,
    ) -> Result<DuePage, Error> {
        let limit = limit.max(1);
        match self.due_by {
            DueBy::Tags => self.index().due_by_tags(now, from, limit).await,
            DueBy::Listing => self.markers.due(&self.index(), now, from, limit).await,
        }
    }
}

#[async_trait]
impl Store for BlobStore {
    async fn load(&self, key: &Key) -> Result<Option<Stored>, Error> {
        self.meter.load(self.read(key)).await
    }

    async fn save(&self, write: Write) -> Result<Saved, Error> {
        self.meter.write(Call::Save, write.body.len(), self.write(write)).await
    }

    async fn delete(&self, key: &Key, etag: &ETag) -> Result<Saved, Error> {
        self.meter.write(Call::Delete, 0, self.remove(key, etag)).await
    }

    async fn due(
        &self,
        now: Timestamp,
        from: Option<&Cursor>,
        limit: usize,
    ) -> Result<DuePage, Error> {
        self.meter.time(Call::Due, self.look(now, from, limit)).await
    }

    fn list(&self, prefix: &str) -> BoxStream<'_, Result<Key, Error>> {
        let prefix: Arc<str> = prefix.into();
        let pages = match self.container.list(self.names.prefix(&prefix), None, None) {
            Ok(pages) => pages,
            Err(error) => return stream::iter([Err(error)]).boxed(),
        };
        let pages = stream::try_unfold(pages, move |mut pages| {
            let prefix = Arc::clone(&prefix);
            async move {
                let page = self.meter.time(Call::List, self.container.next(&mut pages)).await?;
                let Some(page) = page else { return Ok(None) };
                let keys = self.index().keys_in(page, &prefix)?;
                Ok(Some((stream::iter(keys), pages)))
            }
        });
        pages.try_flatten().boxed()
    }

    async fn purge(&self, _: Effort) -> Result<Purged, Error> {
        Ok(Purged::nothing(&LEFT))
    }

    fn transactions(&self) -> Option<&dyn Transactions> {
        None
    }

    fn stats(&self) -> StoreStats {
        self.meter.read()
    }
}

/// The account as the store's name shows it.
fn shown_account(config: &BlobConfig) -> String {
    let host = || config.service().ok().and_then(|url| url.host_str().map(str::to_owned));
    config.account().ok().or_else(host).unwrap_or_default()
}

impl fmt::Display for BlobStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)
    }
}

impl fmt::Debug for BlobStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BlobStore").field("name", &self.name).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
