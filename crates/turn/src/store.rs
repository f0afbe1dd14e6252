//! The store seam: the contract of a storage engine.
//!
//! Correctness of everything above rests on one operation, the conditional save (compare-and-swap).
//! There is no unconditional one, so nobody can forget the condition.

mod memory;
mod participants;
mod stats;

use std::{borrow::Cow, fmt, time::Duration};

use async_trait::async_trait;
use futures_core::stream::BoxStream;
use smol_str::SmolStr;

pub use self::{
    memory::MemoryStore,
    participants::{Effort, Participant, Participants, Purged},
    stats::{CallStats, LATENCY_BOUNDS_MS, PoolStats, StoreStats},
};
use crate::{Key, clock::Timestamp};

/// Storage engine for documents: JSON text under a key, with a version (etag) that changes on every
/// write.
///
/// # Contract
/// * Per key, [`save`](Self::save) and [`delete`](Self::delete) are linearizable, and once they
///   have answered [`Saved::Committed`] the change survives a crash of this process.
/// * Body and version of [`load`](Self::load) come from one answer of the engine, never from two.
/// * A failed condition is a value, [`Saved::Conflict`], never an error. Any other failure is an
///   [`Error`], and its kind says what is known about the write.
/// * Keys and bodies are opaque: never normalised, never looked into.
/// * Dropping a future of this trait leaves the write either done or not done, never half done. It
///   may still land after a following load; only a conditional write of one's own rules that out.
#[async_trait]
pub trait Store: fmt::Debug + fmt::Display + Send + Sync + 'static {
    /// Reads a document, or `None` when there is none.
    async fn load(&self, key: &Key) -> Result<Option<Stored>, Error>;

    /// Writes one document if its condition holds.
    async fn save(&self, write: Write) -> Result<Saved, Error>;

    /// Deletes a document if it still has this version.
    async fn delete(&self, key: &Key, etag: &ETag) -> Result<Saved, Error>;

    /// Returns a page of the documents whose [`due`](Write::due) time has come: at most `limit`, in
    /// any order.
    ///
    /// A look goes from the page `from` `None` to the one without a [`next`](DuePage::next), with a
    /// `now` that does not decrease. It names each document that is due when it begins and
    /// unchanged when it ends; it may name others, and some twice. The work for a page depends on
    /// `limit`, not on the number of documents that are not due, and a page may be empty before the
    /// end.
    async fn due(
        &self,
        now: Timestamp,
        from: Option<&Cursor>,
        limit: usize,
    ) -> Result<DuePage, Error>;

    /// Lists all keys that begin with `prefix`, in any order.
    fn list(&self, prefix: &str) -> BoxStream<'_, Result<Key, Error>>;

    /// Lists the keys that begin with `prefix` of all documents in which somebody may take part, in
    /// any order; `None` if the engine keeps no index of [`participants`](Write::participants).
    ///
    /// It may name too many documents, never too few: also those whose participants nobody told.
    /// The work depends on the number of keys that it names, not on that of documents.
    fn list_with(
        &self,
        _participant: Participant,
        _prefix: &str,
    ) -> Option<BoxStream<'_, Result<Key, Error>>> {
        None
    }

    /// Removes what documents that were deleted left behind in the files of the engine, as far as
    /// it can, and tells what may be left and where.
    ///
    /// Dropping the future leaves everything as it is, or the work done in part; it can be
    /// repeated.
    async fn purge(&self, _effort: Effort) -> Result<Purged, Error> {
        Ok(Purged::nothing(&["whatever the engine keeps of deleted documents, backups too"]))
    }

    /// Returns the interface for transactions, if the engine supports them.
    fn transactions(&self) -> Option<&dyn Transactions>;

    /// Time-out of a [`save`](Self::save), if the store enforces one itself. The runtime then sets
    /// no timer of its own.
    fn save_time_max(&self) -> Option<Duration> {
        None
    }

    /// Statistics of the calls so far. A store that counts nothing gives the default; a decorator
    /// passes on those of the store behind it.
    fn stats(&self) -> StoreStats {
        StoreStats::default()
    }
}

/// Transactions: atomic writes of several documents.
#[async_trait]
pub trait Transactions: Send + Sync {
    /// Writes all documents if every condition holds, else none of them. The keys are distinct.
    ///
    /// The versions in [`Saved::Committed`] are in the order of the writes.
    async fn save_all(&self, writes: Vec<Write>) -> Result<Saved<Vec<ETag>>, Error>;
}

/// Stored document: its text and the version of exactly that text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stored {
    /// JSON text.
    pub body: String,
    /// Version of this body.
    pub etag: ETag,
}

/// Version of a document, as assigned by the engine. Never reused for other content of the key.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ETag(SmolStr);

impl ETag {
    /// Makes an etag of the engine's version.
    pub fn new(text: impl AsRef<str>) -> Self {
        Self(SmolStr::new(text))
    }

    /// Returns the engine's version.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for ETag {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ETag({})", self.0)
    }
}

/// Condition of a save.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Expect {
    /// The document does not exist yet: create it.
    Absent,
    /// The document has this version: replace it.
    At(ETag),
}

impl Expect {
    /// Reports whether this expects exactly that version.
    #[must_use]
    pub fn is_at(&self, etag: &ETag) -> bool {
        matches!(self, Self::At(own) if own == etag)
    }
}

/// One conditional write.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Write {
    /// The document to write.
    pub key: Key,
    /// The condition.
    pub expect: Expect,
    /// JSON text.
    pub body: String,
    /// Time from which [`Store::due`] returns this document, if at all. Replaces the former value.
    pub due: Option<Timestamp>,
    /// Expiry of the document, if any. The runtime enforces it on every engine; an engine with a
    /// TTL of its own may use it to delete the document at that time, never before it. Replaces the
    /// former value.
    pub expires: Option<Timestamp>,
    /// Participants of the document, for [`Store::list_with`]; `None` leaves those of the former
    /// write. A document that was created with `None` may be anybody's.
    pub participants: Option<Participants>,
}

impl Write {
    /// Makes a write of a document in which nothing waits, expires or is told of participants.
    pub fn new(key: Key, expect: Expect, body: impl Into<String>) -> Self {
        Self { key, expect, body: body.into(), due: None, expires: None, participants: None }
    }

    /// Checks the size of the body against the store's limit.
    ///
    /// # Errors
    /// [`Error::TooLarge`], which names the store and the document.
    pub fn check_size(&self, store: &dyn fmt::Display, bytes_max: usize) -> Result<(), Error> {
        let bytes = self.body.len();
        if bytes <= bytes_max {
            return Ok(());
        }
        let store = Cow::Owned(store.to_string());
        Err(Error::TooLarge { store, key: self.key.clone(), bytes, bytes_max })
    }
}

/// Outcome of a conditional write.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Saved<T = ETag> {
    /// The condition held; the write is durable under this new version.
    Committed(T),
    /// The condition did not hold; nothing was written.
    Conflict,
}

/// Document with due work.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Due {
    /// Key of the document.
    pub key: Key,
    /// Its version, so that a scan can tell whether it has changed since the last one.
    pub etag: ETag,
    /// The due time given on save.
    pub at: Timestamp,
}

/// Page of a look for due documents.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DuePage {
    /// Documents that are due.
    pub found: Vec<Due>,
    /// Beginning of the next page; `None` at the end of the look.
    pub next: Option<Cursor>,
}

impl DuePage {
    /// Makes a page of an index by time and key, of which at most `limit` were asked for: a full
    /// page may not be the last one.
    #[must_use]
    pub fn in_order(found: Vec<Due>, limit: usize) -> Self {
        let next = found.last().filter(|_| found.len() >= limit).map(Cursor::after);
        Self { found, next }
    }
}

/// Position of a look for due documents (a continuation token). Only its engine reads it; one that
/// it cannot read begins the look anew.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cursor(Box<str>);

impl Cursor {
    /// Makes a cursor of the engine's text.
    pub fn new(text: impl Into<Box<str>>) -> Self {
        Self(text.into())
    }

    /// Returns the engine's text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Makes the cursor of an index by time and key (a keyset cursor): what follows is after `due`.
    #[must_use]
    pub fn after(due: &Due) -> Self {
        Self(format!("{} {}", due.at.as_millis(), due.key.as_str()).into())
    }

    /// Returns the time and the key of [`after`](Self::after).
    #[must_use]
    pub fn place(&self) -> Option<(Timestamp, &str)> {
        let (at, key) = self.0.split_once(' ')?;
        Some((Timestamp::from_millis(at.parse().ok()?), key))
    }
}

type Source = Box<dyn std::error::Error + Send + Sync>;

/// Error of a store, sorted by what a caller can do about it.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The outcome of the write is unknown (a lost answer, a time-out): load the document to find
    /// out.
    #[error("it is not known whether {store} wrote the document: {reason}")]
    Unknown {
        /// Name of the store.
        store: Cow<'static, str>,
        /// Description of the failure.
        reason: String,
        /// The vendor's error.
        #[source]
        source: Option<Source>,
    },
    /// The store throttles; nothing was written.
    #[error("{store} is throttling: try again later")]
    Throttled {
        /// Name of the store.
        store: Cow<'static, str>,
        /// Wait that the store asks for.
        after: Option<Duration>,
    },
    /// The store cannot be reached or is busy; nothing was written.
    #[error("{store} is unavailable: {reason}")]
    Unavailable {
        /// Name of the store.
        store: Cow<'static, str>,
        /// Description of the failure.
        reason: String,
        /// The vendor's error.
        #[source]
        source: Option<Source>,
    },
    /// The request can never succeed as it is (a bad configuration, a refused key).
    #[error("{store} refuses: {reason}")]
    Invalid {
        /// Name of the store.
        store: Cow<'static, str>,
        /// Description of the problem, and the remedy.
        reason: String,
        /// The vendor's error.
        #[source]
        source: Option<Source>,
    },
    /// The stored text is damaged or of a newer format; it is left unchanged.
    #[error("the document {key} is damaged and was left as it is: {reason}")]
    Corrupt {
        /// Key of the document.
        key: Key,
        /// Description of the damage.
        reason: String,
    },
    /// The document is larger than the engine takes.
    #[error("the document {key} has {bytes} bytes and {store} takes at most {bytes_max}")]
    TooLarge {
        /// Name of the store.
        store: Cow<'static, str>,
        /// Key of the document.
        key: Key,
        /// Its size.
        bytes: usize,
        /// The engine's limit.
        bytes_max: usize,
    },
}

impl Error {
    /// Reports whether the same call may succeed later.
    #[must_use]
    pub fn is_transient(&self) -> bool {
        matches!(self, Self::Unknown { .. } | Self::Throttled { .. } | Self::Unavailable { .. })
    }

    /// Returns the wait that the store asks for, if any.
    #[must_use]
    pub fn retry_after(&self) -> Option<Duration> {
        match self {
            Self::Throttled { after, .. } => *after,
            _ => None,
        }
    }
}
