//! Effects: calls to the outside world, made once per turn and process (`Turn::once`).
//!
//! Receipts belong to the turn's id, not to an attempt: whatever happens to an attempt (a conflict,
//! a failed load, a commit that fails, a turn that is given up and delivered again), the next one
//! in this process finds them.

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

/// An idempotency key: a called service recognises by it a call that it has had already.
///
/// It is the same on every attempt, instance and redelivery of the turn.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct IdempotencyKey(String);

impl IdempotencyKey {
    /// Of the n-th call of a name in a turn, from 1. A turn's id has a fixed width, so no two are
    /// equal.
    pub(crate) fn new(turn: TurnId, name: &str, number: u32) -> Self {
        Self(match number {
            1 => format!("{turn}.{name}"),
            _ => format!("{turn}#{number}.{name}"),
        })
    }

    /// The key as text, for an `Idempotency-Key` header, say.
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

/// The name under which a stream is kept over the attempts of its turn.
pub(crate) const STREAM: &str = "$stream";

/// A call of a turn: its name, and which one of that name it is.
type Call = (String, u32);

/// The receipts of one turn, kept over its attempts in this process.
#[derive(Default)]
pub(crate) struct Receipts(Mutex<BTreeMap<Call, Box<dyn Any + Send>>>);

impl Receipts {
    /// Forgets the streams among them. Whether nothing else is left.
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

/// The effects of one attempt. Most turns have none, and need no room for them.
#[derive(Debug, Default)]
pub(crate) struct Effects {
    receipts: OnceLock<Arc<Receipts>>,
    /// The calls that the present run has made or is making.
    calls: OnceLock<Mutex<BTreeSet<Call>>>,
}

/// A call under way. It gives its number back unless it succeeds: who tries again after a failure
/// makes the same call, under the same key.
pub(crate) struct Pending<'a> {
    effects: &'a Effects,
    call: Option<Call>,
}

impl Effects {
    /// Begins with what earlier attempts of the turn have.
    pub(crate) fn of(receipts: Option<Arc<Receipts>>) -> Self {
        let effects = Self::default();
        if let Some(receipts) = receipts {
            effects.receipts.get_or_init(|| receipts);
        }
        effects
    }

    /// Whether the turn has receipts.
    pub(crate) fn is_used(&self) -> bool {
        self.receipts.get().is_some()
    }

    /// A run begins: its calls are counted from the first.
    pub(crate) fn restart(&self) {
        if let Some(calls) = self.calls.get() {
            lock(calls).clear();
        }
    }

    /// Begins with a call: the first of its name that this attempt has not made.
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
    /// Which call of its name it is, from 1.
    pub(crate) fn number(&self) -> u32 {
        self.call.as_ref().map_or(1, |call| call.1)
    }

    /// The receipt of the same call by an earlier attempt.
    pub(crate) fn receipt<T: Clone + 'static>(&mut self) -> Option<T> {
        let receipts = lock(&self.effects.receipts.get()?.0);
        let value = receipts.get(self.call.as_ref()?)?.downcast_ref::<T>().cloned()?;
        // It is made: its number stays taken.
        self.call = None;
        Some(value)
    }

    /// Keeps the receipt for further attempts, and gives all of them to whoever keeps them.
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
