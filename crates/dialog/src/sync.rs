//! The lock of a mutex.
//!
//! Poisoning is ignored: of a bot's code only its serde implementations run under a lock, and the
//! data is consistent whenever one of them does.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Locks a mutex, poisoned or not.
pub(crate) fn lock<T: ?Sized>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
