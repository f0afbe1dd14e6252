//! Conversations deferred to instances of a newer build, because this build cannot read their
//! state.

use std::time::Duration;

use crate::{
    Key,
    by_key::ByKey,
    sync::{AtomicBool, Mutex, Ordering, lock},
};

/// Time for which a conversation is deferred.
const TIME: Duration = Duration::from_secs(30);
/// Maximum number remembered.
const MOST: usize = 10_000;

/// Deferred conversations, each with the end of its deferral.
#[derive(Debug, Default)]
pub(crate) struct DeferredConversations {
    until: Mutex<ByKey<Duration>>,
    /// Fast path: false while the map is empty, so that the lock is not needed.
    is_any: AtomicBool,
}

impl DeferredConversations {
    pub(super) fn add(&self, key: &Key, now: Duration) {
        let mut until = lock(&self.until);
        if until.len() < MOST || until.get(key).is_some() {
            until.insert(key.clone(), now + TIME);
            self.is_any.store(true, Ordering::Release);
        }
    }

    /// Reports whether a conversation is deferred now.
    pub(crate) fn contains(&self, key: &Key, now: impl FnOnce() -> Duration) -> bool {
        if !self.is_any.load(Ordering::Acquire) {
            return false;
        }
        let mut until = lock(&self.until);
        match until.get(key) {
            Some(time) if *time > now() => true,
            Some(_) => {
                let _time = until.remove(key);
                self.is_any.store(until.len() > 0, Ordering::Release);
                false
            }
            None => false,
        }
    }
}
