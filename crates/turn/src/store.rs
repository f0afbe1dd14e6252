//! The store seam: what an engine that keeps documents must be able to do.
//!
//! Correctness of everything above rests on one operation, the conditional save. There is no
//! unconditional one, so nobody can forget the condition.

mod memory;

use std::{borrow::Cow, fmt, time::Duration};

use async_trait::async_trait;
use futures_core::stream::BoxStream;
use smol_str::SmolStr;

pub use self::memory::MemoryStore;
use crate::{Key, clock::Timestamp};

/// An engine that keeps documents: JSON text under a key, with a version that changes on every
/// write.
///
/// # Contract
/// * Per key, [`save`](Self::save) and [`delete`](Self::delete) are linearizable, and once they
///   have answered [`Saved::Committed`] the change survives a crash of this process.
/// * Body and version of [`load`](Self::load) come from one answer of the engine, never from two.
/// * A failed condition is a value, [`Saved::Conflict`], never an error. Everything else that goes
///   wrong is an [`Error`], and its kind says what is known about the write.
/// * Keys and bodies are opaque: never normalised, never looked into.
/// * Dropping a future of this trait leaves the write either done or not done, never half done. It
///   may still land after a following load; only a conditional write of one's own settles that.
#[async_trait]
pub trait Store: fmt::Debug + fmt::Display + Send + Sync + 'static {
    /// Reads a document, or `None` when there is none.
    async fn load(&self, key: &Key) -> Result<Option<Stored>, Error>;

    /// Writes one document if its condition holds.
    async fn save(&self, write: Write) -> Result<Saved, Error>;

    /// Removes a document if it still has this version.
    async fn delete(&self, key: &Key, etag: &ETag) -> Result<Saved, Error>;

    /// The documents whose [`due`](Write::due) time has come, in the order of their keys, those
    /// after `after` only, at most `limit`. May name too many, never too few.
    async fn due(
        &self,
        now: Timestamp,
        after: Option<&Key>,
        limit: usize,
    ) -> Result<Vec<Due>, Error>;

    /// All keys that begin with `prefix`, in any order.
    fn list(&self, prefix: &str) -> BoxStream<'_, Result<Key, Error>>;

    /// Writing several documents, all or none, where the engine can.
    fn transactions(&self) -> Option<&dyn Transactions>;

    /// How long a [`save`](Self::save) takes at most, whatever happens, where the store sees to
    /// that by itself. The runtime then sets no timer of its own.
    fn save_time_max(&self) -> Option<Duration> {
        None
    }
}

/// Writing several documents together, as engines with transactions can.
#[async_trait]
pub trait Transactions: Send + Sync {
    /// Writes all documents if every condition holds, else none of them. The keys are distinct.
    ///
    /// The versions in [`Saved::Committed`] are in the order of the writes.
    async fn save_all(&self, writes: Vec<Write>) -> Result<Saved<Vec<ETag>>, Error>;
}

/// A document as it was read: its text and the version of exactly that text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stored {
    /// JSON text.
    pub body: String,
    /// The version of this very body.
    pub etag: ETag,
}

/// The version of a document, as the engine names it. Never reused for other content of the key.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ETag(SmolStr);

impl ETag {
    /// Takes over the engine's name for a version.
    pub fn new(text: impl AsRef<str>) -> Self {
        Self(SmolStr::new(text))
    }

    /// The engine's name for the version.
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

/// The condition of a save. There is no third way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Expect {
    /// The document does not exist yet: create it.
    Absent,
    /// The document has this version: replace it.
    At(ETag),
}

impl Expect {
    /// Whether this asks for exactly that version.
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
    /// From when on [`Store::due`] names this document, if at all. Replaces the former value.
    pub due: Option<Timestamp>,
    /// From when on the document counts as absent, if at all. The runtime keeps to this by itself,
    /// on any engine; one that forgets documents by itself may use it to save the runtime the work,
    /// from that time on and never before it. Replaces the former value.
    pub expires: Option<Timestamp>,
}

impl Write {
    /// Refuses a body that is larger than a store takes.
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

/// What became of a conditional write.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Saved<T = ETag> {
    /// The condition held; the write is durable under this new version.
    Committed(T),
    /// The condition did not hold; nothing was written.
    Conflict,
}

/// A document that waits for somebody.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Due {
    /// The document.
    pub key: Key,
    /// Its version at that moment, so that a look can tell whether anything happened since the
    /// last.
    pub etag: ETag,
    /// The time that was given on save.
    pub at: Timestamp,
}

type Source = Box<dyn std::error::Error + Send + Sync>;

/// What went wrong in a store, sorted by what a caller can do about it.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The write may or may not have happened (a lost answer, a time-out). Load and look.
    #[error("it is not known whether {store} wrote the document: {reason}")]
    Unknown {
        /// Which store.
        store: Cow<'static, str>,
        /// What happened.
        reason: String,
        /// The vendor's error.
        #[source]
        source: Option<Source>,
    },
    /// The store asks for patience; nothing happened.
    #[error("{store} is throttling: try again later")]
    Throttled {
        /// Which store.
        store: Cow<'static, str>,
        /// How long the store asks to wait.
        after: Option<Duration>,
    },
    /// The store cannot be reached or is busy; nothing happened.
    #[error("{store} is unavailable: {reason}")]
    Unavailable {
        /// Which store.
        store: Cow<'static, str>,
        /// What happened.
        reason: String,
        /// The vendor's error.
        #[source]
        source: Option<Source>,
    },
    /// The request can never succeed as it is (a bad configuration, a refused key).
    #[error("{store} refuses: {reason}")]
    Invalid {
        /// Which store.
        store: Cow<'static, str>,
        /// What is wrong and what to do.
        reason: String,
        /// The vendor's error.
        #[source]
        source: Option<Source>,
    },
    /// What is stored is not what was written; it is left as it is.
    #[error("the document {key} is damaged and was left as it is: {reason}")]
    Corrupt {
        /// Which document.
        key: Key,
        /// What is wrong with it.
        reason: String,
    },
    /// The document is larger than the engine takes.
    #[error("the document {key} has {bytes} bytes and {store} takes at most {bytes_max}")]
    TooLarge {
        /// Which store.
        store: Cow<'static, str>,
        /// Which document.
        key: Key,
        /// Its size.
        bytes: usize,
        /// The engine's limit.
        bytes_max: usize,
    },
}

impl Error {
    /// Whether the same call may succeed later.
    #[must_use]
    pub fn is_transient(&self) -> bool {
        matches!(self, Self::Unknown { .. } | Self::Throttled { .. } | Self::Unavailable { .. })
    }

    /// How long the store asks to wait, where it says so.
    #[must_use]
    pub fn retry_after(&self) -> Option<Duration> {
        match self {
            Self::Throttled { after, .. } => *after,
            _ => None,
        }
    }
}
