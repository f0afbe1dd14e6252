//! When this instance next has a timer to fire, as far as it knows.
//!
//! A hint only: another instance finds every timer by [`Store::due`](crate::store::Store::due) too, a
//! little later. The conversation's document decides who fires it.

use std::{
    collections::BTreeSet,
    sync::{Mutex, MutexGuard, PoisonError},
};

use tokio::sync::Notify;

use crate::{Key, clock::Timestamp};

/// How many alarms are kept; what is beyond is found by looking into the store.
const ALARMS_MAX: usize = 10_000;

/// Times and the conversations that have a timer then.
#[derive(Debug, Default)]
pub(super) struct Alarms {
    set: Mutex<BTreeSet<(Timestamp, Key)>>,
    /// An alarm was added that is earlier than all others.
    pub(super) earlier: Notify,
}

impl Alarms {
    fn set(&self) -> MutexGuard<'_, BTreeSet<(Timestamp, Key)>> {
        self.set.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn add(&self, at: Timestamp, key: &Key) {
        let mut set = self.set();
        if set.len() >= ALARMS_MAX || !set.insert((at, key.clone())) {
            return;
        }
        if set.first().is_some_and(|first| first.0 == at) {
            self.earlier.notify_one();
        }
    }

    pub(super) fn next(&self) -> Option<Timestamp> {
        self.set().first().map(|first| first.0)
    }

    /// Takes the conversations whose time has come.
    pub(super) fn take(&self, now: Timestamp) -> BTreeSet<Key> {
        let mut set = self.set();
        let mut keys = BTreeSet::new();
        while set.first().is_some_and(|first| first.0 <= now) {
            keys.extend(set.pop_first().map(|(_, key)| key));
        }
        keys
    }
}
