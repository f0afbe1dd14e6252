//! Locks, atomics and thread-locals: the standard library's, or shuttle's in concurrency tests.
//!
//! With `--cfg shuttle` every use of one is a scheduling point, at which the test chooses the
//! thread that continues.
//!
//! Poisoning is ignored: no lock of this crate is held while code of a bot, a store or a channel
//! runs, so the data is consistent even after a panic.

use std::sync::PoisonError;

#[cfg(not(all(test, shuttle)))]
pub(crate) use std::{
    sync::{
        Mutex, MutexGuard,
        atomic::{AtomicBool, AtomicU8, AtomicU64, AtomicUsize, Ordering},
    },
    thread_local,
};

#[cfg(all(test, shuttle))]
pub(crate) use shuttle::{
    sync::{
        Mutex, MutexGuard,
        atomic::{AtomicBool, AtomicU8, AtomicU64, AtomicUsize, Ordering},
    },
    thread_local,
};

/// Locks a mutex, poisoned or not.
pub(crate) fn lock<T: ?Sized>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
