//! Effects: calls to the outside world, made once per turn and process (`Turn::once`).
//!
//! Memoised results (receipts) belong to the turn's id, not to an attempt: whatever happens to an
//! attempt (a conflict, a failed load or commit, a redelivery), the next one in this process finds
//! them.

use std::{
    any::Any,
    collections::{BTreeMap, BTreeSet},
    fmt,
    sync::{Arc, OnceLock},
};

use crate::{
    id::TurnId,
    sync::{Mutex, lock},
};

/// Idempotency key: lets a called service recognise a call that it has already handled.
///
/// It is the same on every attempt, instance and redelivery of the turn.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct IdempotencyKey(String);

impl IdempotencyKey {
    /// Builds the key of the n-th call of a name in a turn, counted from 1. A turn's id has a fixed
    /// width, so no two keys are equal.
    pub(crate) fn new(turn: TurnId, name: &str, number: u32) -> Self {
        Self(match number {
            1 => format!("{turn}.{name}"),
            _ => format!("{turn}#{number}.{name}"),
        })
    }

    /// Returns the key as text, for example for an `Idempotency-Key` header.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for IdempotencyKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Reserved name under which a stream is kept across the attempts of its turn.
pub(crate) const STREAM: &str = "$stream";

/// A call of a turn: its name, and its number among the calls of that name.
type Call = (String, u32);

/// Memoised results of one turn's calls, kept across its attempts in this process.
#[derive(Default)]
pub(crate) struct Receipts(Mutex<BTreeMap<Call, Box<dyn Any + Send>>>);

impl Receipts {
    /// Drops the streams among the receipts; returns true if no other receipt is left.
    pub(crate) fn end_streams(&self) -> bool {
        let mut receipts = lock(&self.0);
        receipts.retain(|(name, _), _| name != STREAM);
        receipts.is_empty()
    }
}

impl fmt::Debug for Receipts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(lock(&self.0).keys()).finish()
    }
}

/// Calls of one attempt. Allocated on first use, because most turns make none.
#[derive(Debug, Default)]
pub(crate) struct Effects {
    receipts: OnceLock<Arc<Receipts>>,
    /// Calls that the current run has made or is making.
    calls: OnceLock<Mutex<BTreeSet<Call>>>,
}

/// A call in progress. Unless it succeeds its number is released, so a retry after a failure is the
/// same call, under the same key.
pub(crate) struct Pending<'a> {
    effects: &'a Effects,
    call: Option<Call>,
}

impl Effects {
    /// Starts from the receipts of earlier attempts.
    pub(crate) fn of(receipts: Option<Arc<Receipts>>) -> Self {
        let effects = Self::default();
        if let Some(receipts) = receipts {
            effects.receipts.get_or_init(|| receipts);
        }
        effects
    }

    /// Reports whether the turn has receipts.
    pub(crate) fn is_used(&self) -> bool {
        self.receipts.get().is_some()
    }

    /// Resets the numbering of calls at the start of a run.
    pub(crate) fn restart(&self) {
        if let Some(calls) = self.calls.get() {
            lock(calls).clear();
        }
    }

    /// Starts a call: the lowest number of this name that the attempt has not used.
    pub(crate) fn begin(&self, name: &str) -> Pending<'_> {
        let mut calls = lock(self.calls.get_or_init(Mutex::default));
        let taken = |number: &u32| calls.contains(&(name.to_owned(), *number));
        let number = (1..).find(|number| !taken(number)).unwrap_or(u32::MAX);
        let call = (name.to_owned(), number);
        calls.insert(call.clone());
        drop(calls);
        Pending { effects: self, call: Some(call) }
    }
}

impl Pending<'_> {
    /// Number of the call among those of its name, from 1.
    pub(crate) fn number(&self) -> u32 {
        self.call.as_ref().map_or(1, |call| call.1)
    }

    /// Returns the result of the same call from an earlier attempt, if there is one.
    pub(crate) fn receipt<T: Clone + 'static>(&mut self) -> Option<T> {
        let receipts = lock(&self.effects.receipts.get()?.0);
        let value = receipts.get(self.call.as_ref()?)?.downcast_ref::<T>().cloned()?;
        // The call has been made, so its number stays in use.
        self.call = None;
        Some(value)
    }

    /// Stores the result for later attempts; returns all receipts of the turn.
    pub(crate) fn succeed<T: Clone + Send + 'static>(&mut self, value: &T) -> &Arc<Receipts> {
        let receipts = self.effects.receipts.get_or_init(Arc::default);
        if let Some(call) = self.call.take() {
            drop(lock(&receipts.0).insert(call, Box::new(value.clone())));
        }
        receipts
    }
}

impl Drop for Pending<'_> {
    fn drop(&mut self) {
        if let (Some(call), Some(calls)) = (self.call.take(), self.effects.calls.get()) {
            lock(calls).remove(&call);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Key;

    #[test]
    fn the_same_name_again_is_another_call_and_a_failed_one_is_not() {
        let effects = Effects::default();
        let mut first = effects.begin("pay");
        first.succeed(&1);
        drop(effects.begin("pay"));
        let mut second = effects.begin("pay");
        assert_eq!(second.number(), 2, "the failed call gave its number back");
        second.succeed(&2);
        let again = Effects::of(effects.receipts.get().cloned());
        assert_eq!(again.begin("pay").receipt::<i32>(), Some(1));
        assert_eq!(again.begin("pay").receipt::<i32>(), Some(2));
        assert_eq!(again.begin("pay").receipt::<i32>(), None);
        let turn = TurnId::new(&Key::new("c").unwrap(), "1");
        let keys = [1, 2].map(|number| IdempotencyKey::new(turn, "pay", number).to_string());
        assert_eq!(keys, [format!("{turn}.pay"), format!("{turn}#2.pay")]);
    }
}
