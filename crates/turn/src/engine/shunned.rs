//! Conversations that only a newer build can go on with: this instance leaves them alone for a
//! while.

use std::time::Duration;

use crate::{
    Key,
    by_key::ByKey,
    sync::{AtomicBool, Mutex, Ordering, lock},
};

/// How long one is left alone.
const TIME: Duration = Duration::from_secs(30);
/// How many are remembered.
const MOST: usize = 10_000;

/// Conversations and until when they are left alone.
#[derive(Debug, Default)]
pub(crate) struct Shunned {
    until: Mutex<ByKey<Duration>>,
    /// Usually there are none, and nobody need look inside.
    is_any: AtomicBool,
}

impl Shunned {
    pub(super) fn add(&self, key: &Key, now: Duration) {
        let mut until = lock(&self.until);
        if until.len() < MOST || until.get(key).is_some() {
            until.insert(key.clone(), now + TIME);
            self.is_any.store(true, Ordering::Release);
        }
    }

    /// Whether a conversation is left alone now.
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
