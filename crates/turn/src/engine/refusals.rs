//! Documents that the store refuses for good: somebody has to mend something, and hears of each
//! once.

use std::time::Duration;

use crate::{
    Key,
    by_key::ByKey,
    store,
    sync::{AtomicBool, Mutex, Ordering, lock},
};

/// How many are remembered. Beyond that the store as a whole is what has to be mended.
const MOST: usize = 10_000;
/// How long looks into the store leave one alone after a refusal.
const REST: Duration = Duration::from_secs(10);

/// Documents that are refused, until the store takes them again: longer than their mailboxes live.
#[derive(Debug, Default)]
pub(crate) struct Refusals {
    /// When each was refused last.
    known: Mutex<ByKey<Duration>>,
    /// Usually there are none, and nobody need look inside.
    is_any: AtomicBool,
}

impl Refusals {
    /// Takes note of a refusal. The first one in a row is logged.
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
        tracing::warn!(%key, %error, "the store refuses a document; it is asked again seldom");
    }

    /// Whether a document was refused a moment ago: looks into the store leave it alone.
    pub(crate) fn is_recent(&self, key: &Key, now: Duration) -> bool {
        self.is_any.load(Ordering::Acquire)
            && lock(&self.known).get(key).is_some_and(|at| now < *at + REST)
    }

    /// The store has taken a write of the conversation, or shown the further document.
    pub(super) fn end(&self, key: &Key) {
        if !self.is_any.load(Ordering::Acquire) {
            return;
        }
        let mut known = lock(&self.known);
        let _nothing = known.remove(key);
        self.is_any.store(known.len() > 0, Ordering::Release);
    }
}
