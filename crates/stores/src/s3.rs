//! Object stores that speak S3 and know conditional writes: Amazon's, MinIO, SeaweedFS, R2, Ceph.
//!
//! A document is one object, written only under a condition on its ETag. The store makes up for
//! what S3 lacks: ETags that never repeat (every object names its write), a conditional delete (a
//! tombstone is written in the document's place), and an index of due documents (markers, small
//! objects beside the documents).

mod answers;
mod bucket;
mod config;
mod credentials;
mod envelope;
mod failure;
#[cfg(feature = "fuzzing")]
pub(crate) mod fuzz;
mod markers;
mod names;
mod objects;
mod save;
mod wait;

use std::{borrow::Cow, fmt, sync::Arc};

use async_trait::async_trait;
use futures_core::stream::BoxStream;
use futures_util::{StreamExt, TryFutureExt, TryStreamExt, stream};
use sayso_turn::{
    Key,
    clock::Timestamp,
    store::{
        Cursor, DuePage, ETag, Effort, Error, Expect, Purged, Saved, Store, StoreStats, Stored,
        Transactions, Write,
    },
};
use tokio::sync::Semaphore;

use self::{
    bucket::{Bucket, Condition},
    envelope::{LINE_BYTES_MAX, Line, Version},
    failure::{Call, Failure},
    names::{Cut, Names},
    objects::{Objects, damaged},
};
use crate::{
    meter::{self, Meter},
    strays::{STRAY_AFTER, Strays},
    write_id::WriteIds,
};

pub use self::config::S3Config;

/// The largest document that [`S3Store`] takes, in bytes.
pub const DOCUMENT_BYTES_MAX: usize = 64 << 20;

/// Places where copies of deleted documents may be left.
const LEFT: [&str; 3] = [
    "the name of a deleted document, which spells its key: a tombstone without content stays there",
    "versions of an object, where the bucket keeps them (versioning, object lock)",
    "copies: replication and backups of the bucket",
];

/// Documents of a listing that are read for their keys concurrently.
const LOOKS: usize = 16;

/// The number of markers that may be under removal in the background; more are waited for.
const REMOVALS_MAX: usize = 64;

/// Documents in a bucket of an S3-compatible object store.
///
/// # Guarantees
/// * A committed write is as durable as the object store: with Amazon's, as durable as it gets.
/// * A version is never used again, although S3's own ETags are hashes of the content.
/// * The server is checked on opening: one that ignores conditions is refused.
///
/// # Limits
/// There are no transactions: the turn engine commits several documents by its protocol. A deleted
/// document leaves a tombstone of some hundred bytes, which is used again when the key is. A
/// document has at most [`DOCUMENT_BYTES_MAX`] bytes.
///
/// # Cancellation
/// A save or delete whose future is dropped is done or not done, never half done. When it was
/// already sent it may be done later, perhaps after a load that follows.
///
/// # Example
/// ```no_run
/// use sayso_stores::S3Store;
/// use sayso_turn::{Key, store::{Expect, Saved, Store, Write}};
///
/// # async fn example() -> Result<(), Box<dyn std::error::Error>> {
/// let store = S3Store::open_url("s3://bots/pizza?region=eu-west-1").await?;
/// let key = Key::conversation("webchat", "c1")?;
/// let write = Write::new(key.clone(), Expect::Absent, "{}");
/// assert!(matches!(store.save(write.clone()).await?, Saved::Committed(_)));
/// assert_eq!(store.save(write).await?, Saved::Conflict);
/// # Ok(())
/// # }
/// ```
pub struct S3Store {
    objects: Objects,
    meter: Meter,
}

impl S3Store {
    /// Opens the store that a URL names, see [`S3Config::from_url`].
    ///
    /// # Errors
    /// As [`open`](Self::open), and [`Error::Invalid`] when the URL is wrong.
    pub async fn open_url(url: &str) -> Result<Self, Error> {
        Self::open(S3Config::from_url(url)?).await
    }

    /// Connects, and writes and removes an object to check that the server supports conditional
    /// writes.
    ///
    /// # Errors
    /// [`Error::Invalid`] when the bucket is missing, the key is wrong, or the server ignores
    /// conditions; [`Error::Unavailable`] when it cannot be reached.
    pub async fn open(config: S3Config) -> Result<Self, Error> {
        let name: Arc<str> = config.to_string().into();
        let failed = |failure: Failure| failure.into_error(&name, Call::Open);
        let keys = config.keys().map_err(|reason| {
            let store = Cow::Owned(name.to_string());
            Error::Invalid { store, reason, source: None }
        })?;
        let client = config.client(keys.as_ref());
        let client = client.map_err(|error| failed(Failure::failed(error)))?;
        let objects = Objects {
            store: Arc::clone(&name),
            names: Arc::new(Names::new(&config.prefix)),
            bucket: Arc::new(Bucket::new(Arc::clone(&name), client, keys, config.timeout)),
            ids: WriteIds::new(),
            strays: Strays::default(),
            // However long the calls of a save may take.
            stray_after: STRAY_AFTER.max(config.timeout * 8),
            removals: Arc::new(Semaphore::new(REMOVALS_MAX)),
        };
        let store = Self { objects, meter: Meter::default() };
        match store.keeps_conditions().await.map_err(failed)? {
            true => Ok(store),
            false => Err(Error::Invalid {
                store: Cow::Owned(name.to_string()),
                reason: "it ignores the conditions of writes, so instances would overwrite each \
                    other; use a server that knows If-Match and If-None-Match"
                    .to_owned(),
                source: None,
            }),
        }
    }

    /// Checks that the server refuses a second create and a replace of another version.
    async fn keeps_conditions(&self) -> Result<bool, Failure> {
        let name = self.objects.names.check(&self.objects.ids.next());
        // First a look, which tells best what is wrong with the bucket or the key.
        drop(self.objects.bucket.list(&name, None, None).await?);
        let etag = self.objects.bucket.put(&name, b"one".to_vec(), &Condition::Absent).await?;
        let again = self.objects.bucket.put(&name, b"two".to_vec(), &Condition::Absent).await;
        let wrong = Condition::At("0123456789abcdef0123456789abcdef".to_owned());
        let other = self.objects.bucket.put(&name, b"two".to_vec(), &wrong).await;
        let right = self.objects.bucket.put(&name, b"two".to_vec(), &Condition::At(etag)).await;
        let deleted = self.objects.bucket.delete(&name).await;
        for refused in [again, other] {
            match refused {
                Err(failure) if failure.is_conflict() => {}
                Err(failure) => return Err(failure),
                Ok(_) => return Ok(false),
            }
        }
        deleted?;
        right.map(|_| true)
    }

    async fn list_step(&self, state: Listing) -> Result<Option<(Vec<Key>, Listing)>, Error> {
        let Listing::At { beginning, next } = state else { return Ok(None) };
        let failed = |failure: Failure| failure.into_error(&self.objects.store, Call::Read);
        let names = self.objects.names.documents(&beginning);
        let piece = self.objects.bucket.list(&names, None, next).await.map_err(failed)?;
        let here = piece.objects.into_iter().filter(|(_, size)| !envelope::is_gone(*size));
        let keys = stream::iter(here).map(|(name, _)| async move { self.key_of(&name).await });
        let keys: Vec<Option<Key>> = keys.buffered(LOOKS).try_collect().await.map_err(failed)?;
        let keys = keys.into_iter().flatten();
        let keys = keys.filter(|key| key.as_str().starts_with(&*beginning)).collect();
        let next = match piece.next {
            Some(next) => Listing::At { beginning, next: Some(next) },
            None => Listing::Over,
        };
        Ok(Some((keys, next)))
    }

    /// The key of a document in a listing. A truncated name does not tell it, so the object is
    /// read.
    async fn key_of(&self, name: &str) -> Result<Option<Key>, Failure> {
        match self.objects.names.key_of(name) {
            None => Ok(None),
            Some(Ok(key)) => Ok(Some(key)),
            Some(Err(Cut)) => {
                let object = self.objects.bucket.get(name, Some(LINE_BYTES_MAX)).await?;
                let line =
                    object.and_then(|object| Line::parse(&object.content).map(|(line, _)| line));
                let line = line
                    .filter(|line| !line.is_gone && self.objects.names.document(&line.key) == name);
                Ok(line.map(|line| line.key))
            }
        }
    }

    async fn read(&self, key: &Key) -> Result<Option<Stored>, Error> {
        let object = self.objects.bucket.get(&self.objects.names.document(key), None).await;
        let object =
            object.map_err(|failure| failure.into_error(&self.objects.store, Call::Read))?;
        let Some(object) = object else { return Ok(None) };
        let Some((line, body)) = Line::parse(&object.content) else { return Err(damaged(key)) };
        if line.key != *key {
            return Err(damaged(key));
        }
        if line.is_gone {
            return Ok(None);
        }
        let body = String::from_utf8(body.to_vec()).map_err(|_| damaged(key))?;
        let version = Version { write: line.write, wait: line.wait, object: object.etag };
        Ok(Some(Stored { body, etag: ETag::new(version.to_text()) }))
    }

    async fn write(&self, write: Write) -> Result<Saved, Error> {
        write.check_size(self, DOCUMENT_BYTES_MAX)?;
        let former = match &write.expect {
            Expect::Absent => None,
            Expect::At(etag) => match Version::parse(etag.as_str()) {
                Some(version) => Some(version),
                None => return Ok(Saved::Conflict),
            },
        };
        let draft = self.objects.begin(&write, former).await?;
        self.objects.finish(write, draft).await
    }

    /// Writes a tombstone in the place of a document.
    async fn bury(&self, key: &Key, etag: &ETag) -> Result<Saved, Error> {
        let Some(former) = Version::parse(etag.as_str()) else { return Ok(Saved::Conflict) };
        let line =
            Line { key: key.clone(), write: self.objects.ids.next(), wait: None, is_gone: true };
        if self.objects.put(&line, "", Some(&former)).await?.is_none() {
            return Ok(Saved::Conflict);
        }
        for marker in former.wait.iter().flat_map(|wait| wait.markers_to_remove(save::now())) {
            self.objects.remove_marker(key, &marker).await;
        }
        Ok(Saved::Committed(etag.clone()))
    }
}

#[async_trait]
impl Store for S3Store {
    async fn load(&self, key: &Key) -> Result<Option<Stored>, Error> {
        self.meter.load(self.read(key)).await
    }

    async fn save(&self, write: Write) -> Result<Saved, Error> {
        self.meter.write(meter::Call::Save, write.body.len(), self.write(write)).await
    }

    async fn delete(&self, key: &Key, etag: &ETag) -> Result<Saved, Error> {
        self.meter.write(meter::Call::Delete, 0, self.bury(key, etag)).await
    }

    async fn due(
        &self,
        now: Timestamp,
        from: Option<&Cursor>,
        limit: usize,
    ) -> Result<DuePage, Error> {
        let due = markers::due(&self.objects, now, from, limit);
        let due = due.map_err(|failure| failure.into_error(&self.objects.store, Call::Read));
        self.meter.time(meter::Call::Due, due).await
    }

    fn list(&self, prefix: &str) -> BoxStream<'_, Result<Key, Error>> {
        let start = Listing::At { beginning: prefix.into(), next: None };
        let step = |state| self.meter.time(meter::Call::List, self.list_step(state));
        let steps = stream::try_unfold(start, step);
        steps.map_ok(|keys| stream::iter(keys.into_iter().map(Ok))).try_flatten().boxed()
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

impl fmt::Display for S3Store {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.objects.store)
    }
}

impl fmt::Debug for S3Store {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("S3Store").field("name", &self.objects.store).finish_non_exhaustive()
    }
}

/// Position of a listing.
enum Listing {
    At { beginning: Arc<str>, next: Option<String> },
    Over,
}

#[cfg(test)]
mod tests;
