//! Effects: calls to the outside world that must not be repeated because an attempt was.

use std::{
    any::Any,
    collections::BTreeMap,
    fmt,
    sync::{Arc, Mutex, OnceLock, PoisonError},
};

use crate::id::TurnId;

/// The key under which a called service can recognise a call that it has had already.
///
/// It is the same on every attempt, instance and redelivery of the turn.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct IdempotencyKey(String);

impl IdempotencyKey {
    pub(crate) fn new(turn: TurnId, name: &str) -> Self {
        Self(format!("{turn}.{name}"))
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

/// What the effects of one turn gave, kept over its attempts in this process. Those who have a clone share
/// them, once there are any: most turns have none, and need no room for them.
#[derive(Clone, Default)]
pub(crate) struct Effects {
    done: OnceLock<Arc<Mutex<Done>>>,
}

type Done = BTreeMap<String, Box<dyn Any + Send>>;

impl Effects {
    pub(crate) fn get<T: Clone + 'static>(&self, name: &str) -> Option<T> {
        let done = self.done.get()?.lock().unwrap_or_else(PoisonError::into_inner);
        done.get(name)?.downcast_ref::<T>().cloned()
    }

    pub(crate) fn put<T: Clone + Send + 'static>(&self, name: &str, value: &T) {
        let done = self.done.get_or_init(Arc::default);
        let mut done = done.lock().unwrap_or_else(PoisonError::into_inner);
        drop(done.insert(name.to_owned(), Box::new(value.clone())));
    }

    /// Shares what an attempt has that began with these.
    pub(crate) fn learn(&self, attempt: &Self) {
        if let Some(done) = attempt.done.get() {
            self.done.get_or_init(|| Arc::clone(done));
        }
    }
}

impl fmt::Debug for Effects {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(done) = self.done.get() else { return f.write_str("[]") };
        let done = done.lock().unwrap_or_else(PoisonError::into_inner);
        f.debug_list().entries(done.keys()).finish()
    }
}
