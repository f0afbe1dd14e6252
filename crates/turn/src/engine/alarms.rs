//! Alarms: in-memory wake-up times of conversations, for timers and for outboxes in back-off.
//!
//! A hint only: every instance also finds due work by [`Store::due`](crate::store::Store::due), a
//! little later. One alarm per conversation, its earliest; only near ones, so that neither
//! cancelled nor distant timers take up room. Timers go by the wall clock, the rest of an outbox by
//! the monotonic one: a clock that jumps must not delay replies.

use std::{collections::BTreeSet, time::Duration};

use crate::{
    Key,
    by_key::ByKey,
    clock::Timestamp,
    sync::{AtomicBool, Mutex, MutexGuard, Ordering, lock},
};

/// Maximum number of alarms; the farthest are evicted first. Conversations without an alarm are
/// found by the sweep.
const ALARMS_MAX: usize = 10_000;
/// Times further away than this are left to the sweep.
pub(super) const HORIZON: Duration = Duration::from_secs(60 * 60);

/// Wake-up times of conversations, on one clock.
#[derive(Debug)]
pub(crate) struct Alarms<T> {
    set: Mutex<Set<T>>,
    /// Fast path: false while the set is empty, so that the lock is not needed.
    is_any: AtomicBool,
}

/// Alarms of timers.
pub(crate) type TimerAlarms = Alarms<Timestamp>;
/// Alarms of outboxes that rest (in back-off during an outage of their channel).
pub(crate) type RestAlarms = Alarms<RestEnd>;

/// End of an outbox's rest: by this process's monotonic clock, and as the document says it, so that
/// a late alarm does not end a newer rest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct RestEnd {
    pub(crate) at: Duration,
    pub(crate) until: Timestamp,
}

impl RestEnd {
    /// Latest end that is over at a time.
    pub(crate) fn over_at(at: Duration) -> Self {
        Self { at, until: Timestamp::from_millis(u64::MAX) }
    }
}

#[derive(Debug)]
struct Set<T> {
    by_time: BTreeSet<(T, Key)>,
    by_key: ByKey<T>,
}

impl<T> Default for Alarms<T> {
    fn default() -> Self {
        let set = Set { by_time: BTreeSet::new(), by_key: ByKey::default() };
        Self { set: Mutex::new(set), is_any: AtomicBool::new(false) }
    }
}

impl<T: Ord + Copy> Alarms<T> {
    fn set(&self) -> MutexGuard<'_, Set<T>> {
        lock(&self.set)
    }

    /// Updates the fast-path flag while the lock is held.
    fn note(&self, set: &Set<T>) {
        self.is_any.store(set.by_key.len() > 0, Ordering::Release);
    }

    /// Sets or clears the alarm of a conversation. Returns true if it is the earliest of all: the
    /// task that waits for alarms must be woken.
    pub(crate) fn set_to(&self, key: &Key, at: Option<T>) -> bool {
        if at.is_none() && !self.is_any.load(Ordering::Acquire) {
            return false;
        }
        let mut set = self.set();
        if let Some(old) = set.by_key.remove(key) {
            set.by_time.remove(&(old, key.clone()));
        }
        let Some(at) = at else {
            self.note(&set);
            return false;
        };
        set.by_key.insert(key.clone(), at);
        set.by_time.insert((at, key.clone()));
        if set.by_time.len() > ALARMS_MAX
            && let Some((_, farthest)) = set.by_time.pop_last()
        {
            let _time = set.by_key.remove(&farthest);
        }
        self.note(&set);
        set.by_time.first().is_some_and(|first| first.0 == at)
    }

    /// Returns the alarm of a conversation.
    pub(crate) fn get(&self, key: &Key) -> Option<T> {
        self.set().by_key.get(key).copied()
    }

    /// Number of alarms.
    pub(crate) fn len(&self) -> usize {
        self.set().by_key.len()
    }

    /// Returns the earliest alarm.
    pub(crate) fn next(&self) -> Option<T> {
        self.set().by_time.first().map(|first| first.0)
    }

    /// Removes and returns conversations whose alarm is due, at most `most`, with their alarms.
    pub(crate) fn take(&self, now: T, most: usize) -> Vec<(T, Key)> {
        let mut set = self.set();
        let mut keys = Vec::new();
        while keys.len() < most && set.by_time.first().is_some_and(|first| first.0 <= now) {
            let Some((at, key)) = set.by_time.pop_first() else { break };
            let _time = set.by_key.remove(&key);
            keys.push((at, key));
        }
        self.note(&set);
        keys
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_conversation_has_one_alarm() {
        let alarms = Alarms::default();
        let key = |name: &str| Key::new(name).unwrap();
        for seconds in (1..100).rev() {
            assert!(alarms.set_to(&key("a"), Some(seconds)));
        }
        assert!(!alarms.set_to(&key("b"), Some(5)));
        assert_eq!(alarms.len(), 2);
        alarms.set_to(&key("a"), None);
        assert_eq!(alarms.next(), Some(5));
        assert!(alarms.take(4, 9).is_empty());
        assert_eq!(alarms.take(5, 9), [(5, key("b"))]);
        assert_eq!(alarms.len(), 0);
    }
}
