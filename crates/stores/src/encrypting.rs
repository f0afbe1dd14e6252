//! Encrypting decorator: encrypts the bodies of documents (AES-256-GCM-SIV) before they reach a
//! store.
//!
//! It stands above the seam, so that every engine has it, and below the runtime, which sees nothing
//! of it. The name of a document is the associated data: a body that is moved to another name does
//! not decrypt.

mod cipher;
mod envelope;
mod keys;
mod names;
mod store;
mod transactions;
mod versions;

use std::{
    borrow::Cow,
    fmt,
    sync::{
        Arc, Mutex,
        atomic::{AtomicU64, Ordering},
    },
};

use lru::LruCache;
use sayso_turn::{
    Key,
    store::{ETag, Error, Store, Stored, Write},
};

use self::{
    cipher::Payload,
    versions::{REMEMBERED_MAX, Version, Versions},
};
pub use self::{
    keys::{KEYS_MAX, KeyRing, KeyRingError},
    names::NameKey,
};
use crate::{loud::Reports, sync::lock};

/// Store that encrypts what it passes to another store.
///
/// # Guarantees
/// * Bodies are encrypted and authenticated. A body that was changed, or moved to another key, is
///   [`Error::Corrupt`] and left as it is.
/// * With a [`NameKey`] the engine sees keyed hashes instead of keys.
/// * An older version of a document that comes back is reported (a warning in the log, and
///   [`EncryptingStats::rollbacks`]), if this process has read or written the newer one.
///
/// Visible to the engine: sizes, versions, the times at which documents are due or expire, the id
/// of the encryption key, and, without a [`NameKey`], the keys of the documents and their
/// [participants](Write::participants).
///
/// # Limits
/// A body takes four thirds of its size, and about a hundred bytes. With a [`NameKey`],
/// [`list`](Store::list) reads every document, [`due`](Store::due) those whose names this process
/// does not know yet, and there is no [index of participants](Store::list_with). Names of a store
/// that chooses a place by them, such as [`PartitionedStore`](crate::PartitionedStore), must stay
/// in clear.
///
/// # Example
/// ```
/// use std::sync::Arc;
///
/// use sayso_stores::encrypting::{Encrypting, KeyRing};
/// use sayso_turn::{Key, store::{Expect, MemoryStore, Store, Write}};
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() {
/// let keys = KeyRing::parse("2026:MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE=").unwrap();
/// let memory = Arc::new(MemoryStore::default());
/// let store = Encrypting::new(Arc::clone(&memory), keys);
/// let key = Key::new("k").unwrap();
/// let body = r#"{"text":"ham"}"#.to_owned();
/// store.save(Write::new(key.clone(), Expect::Absent, body)).await.unwrap();
/// assert_eq!(store.load(&key).await.unwrap().unwrap().body, r#"{"text":"ham"}"#);
/// assert!(!memory.load(&key).await.unwrap().unwrap().body.contains("ham"));
/// # }
/// ```
pub struct Encrypting<S: ?Sized> {
    keys: KeyRing,
    names: Option<NameKey>,
    /// Keys of documents by their hashed names, as far as they were met.
    resolved: Mutex<LruCache<Key, Key>>,
    versions: Versions,
    rollbacks: AtomicU64,
    unreadable: AtomicU64,
    /// Reports of due documents that cannot be decrypted.
    reports: Reports,
    store: Arc<S>,
}

/// Counters of an [`Encrypting`] store.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct EncryptingStats {
    /// Loads that gave an older version than this process had read or written before.
    pub rollbacks: u64,
    /// Bodies that could not be read: changed, moved, of an unknown key, or in clear.
    pub unreadable: u64,
}

/// A body for the engine, and its version.
struct Sealed {
    write: Write,
    version: Option<Version>,
}

impl<S: Store + ?Sized> Encrypting<S> {
    /// Wraps a store. Names stay in clear.
    pub fn new(store: Arc<S>, keys: KeyRing) -> Self {
        Self {
            keys,
            names: None,
            resolved: Mutex::new(LruCache::new(REMEMBERED_MAX)),
            versions: Versions::default(),
            rollbacks: AtomicU64::new(0),
            unreadable: AtomicU64::new(0),
            reports: Reports::default(),
            store,
        }
    }

    /// Hides the keys of the documents, too: the engine gets keyed hashes of them.
    ///
    /// # Errors
    /// [`KeyRingError::ClearNames`] when the key ring accepts documents in clear: they would be
    /// under other names.
    pub fn with_names(self, names: NameKey) -> Result<Self, KeyRingError> {
        if self.keys.accepts_clear() {
            return Err(KeyRingError::ClearNames);
        }
        Ok(Self { names: Some(names), ..self })
    }

    /// The counters so far; the [statistics](Store::stats) are those of the store behind.
    pub fn counters(&self) -> EncryptingStats {
        EncryptingStats {
            rollbacks: self.rollbacks.load(Ordering::Relaxed),
            unreadable: self.unreadable.load(Ordering::Relaxed),
        }
    }

    /// The id of the key that a document is encrypted with; `None` if there is no document, and
    /// `clear` if it is not encrypted.
    ///
    /// # Errors
    /// Those of the store behind, and [`Error::Corrupt`] for an envelope that cannot be read.
    ///
    /// # Cancellation
    /// Dropping the future changes nothing.
    pub async fn key_id(&self, key: &Key) -> Result<Option<String>, Error> {
        let Some(stored) = self.store.load(&self.name_of(key)).await? else { return Ok(None) };
        match envelope::read(&stored.body) {
            Ok(Some(envelope)) => Ok(Some(envelope.key.to_owned())),
            Ok(None) => Ok(Some(keys::CLEAR.to_owned())),
            Err(reason) => Err(self.unreadable(key, reason.to_owned())),
        }
    }

    /// The id of the key that encrypts, or `clear`.
    pub fn current_key_id(&self) -> &str {
        self.keys.current().map_or(keys::CLEAR, |key| key.id())
    }

    /// The key under which the engine keeps a document.
    fn name_of(&self, key: &Key) -> Key {
        let Some(names) = &self.names else { return key.clone() };
        if names::is_name(key) {
            // A document that cannot be decrypted is named as it is stored, else nobody could.
            return key.clone();
        }
        names.name(key)
    }

    fn seal(&self, write: Write) -> Result<Sealed, Error> {
        let Some(current) = self.keys.current() else { return Ok(Sealed { write, version: None }) };
        let version = self.versions.next(&write.key, &write.expect);
        let name = self.name_of(&write.key);
        let payload = Payload {
            version,
            key: self.names.is_some().then(|| write.key.as_str()),
            body: &write.body,
        };
        let sealed = cipher::seal(current, &name, &payload).map_err(|reason| Error::Invalid {
            store: Cow::Owned(self.to_string()),
            reason: reason.to_owned(),
            source: None,
        })?;
        let body = envelope::write(current.id(), &sealed);
        // A participant is a hash that anybody can compute of an id: beside hashed names it would
        // tell whose a document is.
        let participants = write.participants.filter(|_| self.names.is_none());
        let write = Write { key: name, body, participants, ..write };
        Ok(Sealed { write, version: Some(version) })
    }

    /// Decrypts what the engine has under a name. Gives the document, and its key if it is inside.
    fn open(
        &self,
        key: &Key,
        name: &Key,
        before: Option<Version>,
        stored: Stored,
    ) -> Result<(Stored, Option<Key>), Error> {
        let Stored { body, etag } = stored;
        let envelope = match envelope::read(&body) {
            Ok(Some(envelope)) => envelope,
            Ok(None) if self.keys.accepts_clear() => return Ok((Stored { body, etag }, None)),
            Ok(None) => {
                let reason = "it is not encrypted, and the key ring has no entry `clear` that would \
                              accept it";
                return Err(self.unreadable(key, reason.to_owned()));
            }
            Err(reason) => return Err(self.unreadable(key, reason.to_owned())),
        };
        let Some(with) = self.keys.find(envelope.key) else {
            let reason = format!(
                "it is encrypted with the key `{}`, which is not among the keys of this process",
                envelope.key
            );
            return Err(self.unreadable(key, reason));
        };
        let opened = cipher::open(with, name, &envelope)
            .map_err(|reason| self.unreadable(key, reason.to_owned()))?;
        let own = match opened.key.map(Key::new) {
            None => None,
            Some(Ok(own)) => Some(own),
            Some(Err(_)) => return Err(self.unreadable(key, "it has no valid key".to_owned())),
        };
        if self.versions.read(own.as_ref().unwrap_or(key), &etag, before, opened.version) {
            self.rollbacks.fetch_add(1, Ordering::Relaxed);
            tracing::warn!(
                store = %self.store,
                "an older version of a document came back than this process has read or written: \
                 was a backup restored, or did somebody write to the store?"
            );
        }
        Ok((Stored { body: opened.body, etag }, own))
    }

    fn unreadable(&self, key: &Key, reason: String) -> Error {
        self.unreadable.fetch_add(1, Ordering::Relaxed);
        Error::Corrupt { key: key.clone(), reason }
    }

    /// Records what was written.
    fn written(&self, key: &Key, name: &Key, etag: &ETag, version: Option<Version>) {
        if let Some(version) = version {
            self.versions.wrote(key, etag, version);
        }
        if self.names.is_some() {
            lock(&self.resolved).put(name.clone(), key.clone());
        }
    }

    /// The key of a document that the engine has under a name; `None` if the document is gone or
    /// cannot be decrypted, which the counters tell.
    async fn resolve(&self, name: &Key) -> Result<Resolved, Error> {
        if let Some(key) = lock(&self.resolved).get(name) {
            return Ok(Resolved::Key(key.clone()));
        }
        let stored = match self.store.load(name).await {
            // What the engine itself cannot read must not stop a look for all others, either.
            Err(Error::Corrupt { reason, .. }) => {
                let _error = self.unreadable(name, reason);
                return Ok(Resolved::Unreadable);
            }
            stored => stored?,
        };
        let Some(stored) = stored else { return Ok(Resolved::Gone) };
        match self.open(name, name, None, stored) {
            Ok((_, Some(key))) => {
                lock(&self.resolved).put(name.clone(), key.clone());
                Ok(Resolved::Key(key))
            }
            Ok((_, None)) | Err(Error::Corrupt { .. }) => Ok(Resolved::Unreadable),
            Err(error) => Err(error),
        }
    }

    /// An error of the store behind, in terms of the caller's document.
    fn restated(&self, error: Error, key: &Key, clear_bytes: usize) -> Error {
        match error {
            Error::Corrupt { reason, .. } => Error::Corrupt { key: key.clone(), reason },
            Error::TooLarge { store, bytes_max, .. } if self.keys.current().is_some() => {
                let id = self.current_key_id();
                let inside = self.names.is_some().then(|| key.as_str());
                let bytes_max = envelope::clear_bytes_max(bytes_max, id)
                    .saturating_sub(cipher::overhead(inside));
                Error::TooLarge { store, key: key.clone(), bytes: clear_bytes, bytes_max }
            }
            Error::TooLarge { store, bytes, bytes_max, .. } => {
                Error::TooLarge { store, key: key.clone(), bytes, bytes_max }
            }
            other => other,
        }
    }
}

enum Resolved {
    Key(Key),
    Gone,
    Unreadable,
}

impl<S: fmt::Display + ?Sized> fmt::Display for Encrypting<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, encrypted", self.store)
    }
}

impl<S: fmt::Debug + ?Sized> fmt::Debug for Encrypting<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Encrypting")
            .field("store", &self.store)
            .field("keys", &self.keys)
            .field("has_hashed_names", &self.names.is_some())
            .finish_non_exhaustive()
    }
}
