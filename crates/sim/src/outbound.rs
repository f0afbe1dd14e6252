//! Counters of outbound calls, which no crash, conflict or redelivery can change.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{Mutex, MutexGuard, PoisonError},
};

/// Counters outside of all instances.
#[derive(Debug, Default)]
pub(crate) struct Outbound(Mutex<Counts>);

#[derive(Debug, Default)]
pub(crate) struct Counts {
    /// Calls that succeeded, by life and idempotency key.
    pub(crate) calls: BTreeMap<(usize, String), u32>,
    /// Idempotency keys under which each wish called.
    pub(crate) keys: BTreeMap<String, BTreeSet<String>>,
    /// Number of failures so far of each wish that is asked to fail.
    pub(crate) failures: BTreeMap<String, u32>,
    /// Idempotency keys under which the steps of each wish called.
    pub(crate) step_keys: BTreeMap<String, BTreeSet<String>>,
    /// Number of calls of steps.
    pub(crate) step_calls: u64,
    /// Number of failures so far of each step, by its key.
    pub(crate) step_failures: BTreeMap<String, u32>,
    /// Results of steps that were ever in the store, by their keys.
    pub(crate) saved_steps: BTreeMap<String, String>,
}

impl Outbound {
    pub(crate) fn counts(&self) -> MutexGuard<'_, Counts> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Counts {
    /// Number of calls under a key, over all lives.
    pub(crate) fn calls_of(&self, key: &str) -> u32 {
        self.calls.iter().filter(|((_, known), _)| known == key).map(|(_, count)| count).sum()
    }
}
