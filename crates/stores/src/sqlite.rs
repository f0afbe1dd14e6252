//! SQLite: the embedded engine, one file that the processes of one machine can share.
//!
//! Group commit: a durable commit costs one flush to disk however much it carries, so one thread
//! does all writing. It takes whatever is queued, writes it in one transaction and answers each
//! caller on its own. Reads have their own connections, and a write-ahead log lets them go on while
//! the writer flushes.

mod backup;
mod failure;
mod file;
mod lane;
mod mount;
mod purge;
mod reader;
mod values;
mod writer;

use std::{
    borrow::Cow,
    fmt,
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use async_trait::async_trait;
use futures_core::stream::BoxStream;
use futures_util::{StreamExt, TryStreamExt, stream};
use sayso_turn::{
    Key,
    clock::Timestamp,
    store::{
        Cursor, DuePage, ETag, Effort, Error, Participant, Purged, Saved, Store, StoreStats,
        Stored, Transactions, Write,
    },
};
use tokio::sync::oneshot;

use self::{
    file::DatabaseFile,
    lane::Lane,
    reader::{Page, Read},
    writer::{Change, Job, Order, Verdict},
};

pub use self::backup::{BackupProgress, BackupSummary};
use crate::{
    foreign::{ForeignRows, KeyPage},
    meter::{Call, Meter},
};

/// The largest document that [`SqliteStore`] takes, in bytes.
pub const DOCUMENT_BYTES_MAX: usize = 64 << 20;

/// The number of threads that serve loads. One more serves the longer reads, so that loads never
/// wait for them.
const LOADERS: usize = 2;

/// Page size of a listing, in keys.
const PAGE_MAX: usize = 256;

/// Busy time-out: how long a write waits for the lock while other processes write.
const BUSY_MAX: Duration = Duration::from_secs(5);

/// Documents in a SQLite file.
///
/// # Guarantees
/// * A committed write is on disk (`synchronous=FULL`): it survives a crash of the process, of the
///   system and a loss of power.
/// * Several stores, in one or several processes of one machine, may use one file at the same time.
/// * A load sees every write that was acknowledged before it was called, by whatever process.
/// * A version is never used again, not even by a document that was deleted and made anew.
///
/// # Limits
/// The file must be on a local disk: the log's index is shared memory, which network file systems
/// do not have. A document has at most [`DOCUMENT_BYTES_MAX`] bytes.
///
/// # Cancellation
/// A save, delete or transaction whose future is dropped is done or not done, never half done. When
/// it was already queued it is done later, perhaps after a load that follows.
///
/// # Dropping
/// Dropping the store finishes what is queued and closes the file; the thread that drops it waits.
///
/// # Example
/// ```
/// use sayso_stores::SqliteStore;
/// use sayso_turn::{Key, store::{Expect, Saved, Store, Write}};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("data/bot.sqlite");
/// let store = SqliteStore::open(path)?;
/// assert_eq!(store.to_string(), "SQLite at bot.sqlite");
///
/// let key = Key::conversation("webchat", "c1")?;
/// let write = Write::new(key.clone(), Expect::Absent, "{}");
/// assert!(matches!(store.save(write.clone()).await?, Saved::Committed(_)));
/// assert_eq!(store.save(write).await?, Saved::Conflict);
/// assert_eq!(store.load(&key).await?.map(|stored| stored.body), Some("{}".to_owned()));
/// # Ok(())
/// # }
/// ```
pub struct SqliteStore {
    name: Arc<str>,
    meter: Arc<Meter>,
    loaders: Vec<Lane<Read>>,
    next_loader: AtomicUsize,
    scanner: Lane<Read>,
    // Last, so that it is dropped last: the last connection to close cleans the log up.
    writer: Lane<Order>,
}

impl SqliteStore {
    /// Opens a file, or creates it together with its folder (which then only its owner may enter).
    ///
    /// Blocks for a moment; call it when the program starts.
    ///
    /// # Errors
    /// [`Error::Invalid`] when the file is not one of ours, was written by a newer version, is
    /// damaged, or cannot be created; it is left as it is. [`Error::Unavailable`] when other
    /// processes keep it locked.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, Error> {
        Self::open_with(path.as_ref(), BUSY_MAX)
    }

    fn open_with(path: &Path, busy: Duration) -> Result<Self, Error> {
        let file = DatabaseFile::new(path, busy)?;
        let name = Arc::clone(file.store_name());
        let meter = Arc::new(Meter::default());
        let writing = file.open_for_writing()?;
        let reading = (0..=LOADERS).map(|_| file.open_for_reading());
        let reading = reading.collect::<Result<Vec<_>, _>>()?;

        let counted = Arc::clone(&meter);
        let writer = Lane::start(&name, "write", move |queue| {
            writer::Writer::new(writing, counted).run(queue);
        })?;
        let foreign = Arc::new(ForeignRows::default());
        let mut loaders = Vec::with_capacity(reading.len());
        for connection in reading {
            let (store, foreign) = (Arc::clone(&name), Arc::clone(&foreign));
            loaders.push(Lane::start(&name, "read", move |queue| {
                reader::Reader::new(connection, store, foreign).run(queue);
            })?);
        }
        let scanner = loaders.pop().expect("there is one connection more than loaders");
        let next_loader = AtomicUsize::new(0);
        Ok(Self { name, meter, loaders, next_loader, scanner, writer })
    }

    async fn change(&self, change: Change) -> Result<Verdict, Error> {
        let (reply, answer) = oneshot::channel();
        self.writer
            .send(Order::Change(Job { change, reply }))
            .await
            .map_err(|lane::Ended| self.ended())?;
        match answer.await {
            Ok(Ok(verdict)) => Ok(verdict),
            Ok(Err(failure)) => Err(failure.into_error(&self.name)),
            Err(_) => Err(Error::Unknown {
                store: Cow::Owned(self.to_string()),
                reason: "its writing thread ended before it answered".into(),
                source: None,
            }),
        }
    }

    async fn read<T>(
        &self,
        lane: &Lane<Read>,
        answer: oneshot::Receiver<Result<T, Error>>,
        read: Read,
    ) -> Result<T, Error> {
        lane.send(read).await.map_err(|lane::Ended| self.ended())?;
        answer.await.unwrap_or_else(|_| Err(self.ended()))
    }

    /// The keys with a prefix, page by page: all, or those of a participant.
    fn pages(&self, prefix: &str, of: Option<Participant>) -> BoxStream<'_, Result<Key, Error>> {
        let prefix: Arc<str> = prefix.into();
        // The state is where the last page ended, and `None` after the last page.
        let pages = stream::try_unfold(Some(None), move |state: Option<Option<Vec<u8>>>| {
            let prefix = Arc::clone(&prefix);
            async move {
                let Some(after) = state else { return Ok(None) };
                let page = Page { prefix, after, limit: PAGE_MAX };
                let KeyPage { keys, next } = self.page(page, of).await?;
                Ok(Some((stream::iter(keys.into_iter().map(Ok)), next.map(Some))))
            }
        });
        pages.try_flatten().boxed()
    }

    async fn page(&self, page: Page, of: Option<Participant>) -> Result<KeyPage, Error> {
        let (reply, answer) = oneshot::channel();
        let read = match of {
            None => Read::List { page, reply },
            Some(participant) => Read::ListWith { participant, page, reply },
        };
        self.meter.time(Call::List, self.read(&self.scanner, answer, read)).await
    }

    fn ended(&self) -> Error {
        Error::Unavailable {
            store: Cow::Owned(self.to_string()),
            reason: "its thread has ended; open the store anew".into(),
            source: None,
        }
    }
}

#[async_trait]
impl Store for SqliteStore {
    async fn load(&self, key: &Key) -> Result<Option<Stored>, Error> {
        let turn = self.next_loader.fetch_add(1, Ordering::Relaxed);
        let lane = self.loaders.get(turn % LOADERS).unwrap_or(&self.scanner);
        let (reply, answer) = oneshot::channel();
        self.meter.load(self.read(lane, answer, Read::Load { key: key.clone(), reply })).await
    }

    async fn save(&self, write: Write) -> Result<Saved, Error> {
        write.check_size(self, DOCUMENT_BYTES_MAX)?;
        let bytes = write.body.len();
        let save = self.change(Change::Save(vec![write]));
        Ok(match self.meter.write(Call::Save, bytes, save).await? {
            Saved::Committed(etags) => {
                Saved::Committed(etags.into_iter().next().expect("one version for one write"))
            }
            Saved::Conflict => Saved::Conflict,
        })
    }

    async fn delete(&self, key: &Key, etag: &ETag) -> Result<Saved, Error> {
        let change = Change::Delete { key: key.clone(), etag: etag.clone() };
        Ok(match self.meter.write(Call::Delete, 0, self.change(change)).await? {
            Saved::Committed(_) => Saved::Committed(etag.clone()),
            Saved::Conflict => Saved::Conflict,
        })
    }

    async fn due(
        &self,
        now: Timestamp,
        from: Option<&Cursor>,
        limit: usize,
    ) -> Result<DuePage, Error> {
        let (reply, answer) = oneshot::channel();
        let read = Read::Due { now, from: from.cloned(), limit, reply };
        self.meter.time(Call::Due, self.read(&self.scanner, answer, read)).await
    }

    fn list(&self, prefix: &str) -> BoxStream<'_, Result<Key, Error>> {
        self.pages(prefix, None)
    }

    fn list_with(
        &self,
        participant: Participant,
        prefix: &str,
    ) -> Option<BoxStream<'_, Result<Key, Error>>> {
        Some(self.pages(prefix, Some(participant)))
    }

    async fn purge(&self, effort: Effort) -> Result<Purged, Error> {
        let (reply, answer) = oneshot::channel();
        let order = Order::Purge { effort, reply };
        self.writer.send(order).await.map_err(|lane::Ended| self.ended())?;
        let purged = answer.await.map_err(|_| self.ended())?;
        purged.map_err(|failure| failure.into_error(&self.name))
    }

    fn transactions(&self) -> Option<&dyn Transactions> {
        Some(self)
    }

    fn stats(&self) -> StoreStats {
        self.meter.read()
    }
}

#[async_trait]
impl Transactions for SqliteStore {
    async fn save_all(&self, writes: Vec<Write>) -> Result<Saved<Vec<ETag>>, Error> {
        writes.iter().try_for_each(|write| write.check_size(self, DOCUMENT_BYTES_MAX))?;
        if writes.is_empty() {
            return Ok(Saved::Committed(Vec::new()));
        }
        let bytes = writes.iter().map(|write| write.body.len()).sum();
        self.meter.write(Call::Transaction, bytes, self.change(Change::Save(writes))).await
    }
}

impl fmt::Display for SqliteStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)
    }
}

impl fmt::Debug for SqliteStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SqliteStore").field("name", &self.name).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
