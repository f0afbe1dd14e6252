//! Locks, atomics and what belongs to one thread, from one place.
//!
//! They are those of the standard library. A test build with `--cfg shuttle` takes shuttle's: then
//! every use of one is a point at which another thread may go on, in an order that the tests
//! choose.
//!
//! A panic under a lock ends the turn that panicked. What it left behind is a value like any other,
//! because no lock of this crate is held while code of a bot, a store or a channel runs. So the
//! poison of a mutex is ignored.

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
