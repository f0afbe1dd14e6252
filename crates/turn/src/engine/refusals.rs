//! Documents with a permanent store error, each logged once, because an operator has to act.

use std::time::Duration;

use crate::{
    Key,
    by_key::ByKey,
    store,
    sync::{AtomicBool, Mutex, Ordering, lock},
};

/// Maximum number remembered. Beyond that the store as a whole is broken.
const MOST: usize = 10_000;
/// Time for which the sweep skips a document after a refusal.
const REST: Duration = Duration::from_secs(10);

/// Refused documents, until the store accepts them again; they outlive their mailboxes.
#[derive(Debug, Default)]
pub(crate) struct Refusals {
    /// Time of the last refusal of each.
    known: Mutex<ByKey<Duration>>,
    /// Fast path: false while the map is empty, so that the lock is not needed.
    is_any: AtomicBool,
}

impl Refusals {
    /// Records a refusal. Logs the first one in a row.
    pub(super) fn note(&self, key: &Key, error: &store::Error, now: Duration) {
        let mut known = lock(&self.known);
        let is_known = known.get(key).is_some();
        if !is_known && known.len() >= MOST {
            return;
        }
        known.insert(key.clone(), now);
        if is_known {
            return;
        }
        self.is_any.store(true, Ordering::Release);
        drop(known);
        tracing::warn!(%key, %error, "the store refuses a document; retries are paced");
    }

    /// Reports whether a document was refused recently, so that the sweep skips it.
    pub(crate) fn is_recent(&self, key: &Key, now: Duration) -> bool {
        self.is_any.load(Ordering::Acquire)
            && lock(&self.known).get(key).is_some_and(|at| now < *at + REST)
    }

    /// Clears a document after the store has accepted a write of it, or loaded it.
    pub(super) fn end(&self, key: &Key) {
        if !self.is_any.load(Ordering::Acquire) {
            return;
        }
        let mut known = lock(&self.known);
        let _nothing = known.remove(key);
        self.is_any.store(known.len() > 0, Ordering::Release);
    }
}
