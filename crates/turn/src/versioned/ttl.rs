//! TTLs that types declare: how the runtime learns them from a value that it writes.
//!
//! State is any type that serde can write, so no bound tells whether it is a [`BotState`]. A
//! `BotState` that is written says so in a thread-local, as a newer version does that is read.

use std::{any::type_name, cell::Cell, time::Duration};

use super::BotState;

/// Declaration of the last type that was written.
#[derive(Clone, Copy)]
struct Declared {
    name: &'static str,
    ttl: Option<Duration>,
}

thread_local! {
    static LAST: Cell<Option<Declared>> = const { Cell::new(None) };
}

/// Records what a type declares, once a value of it was written.
pub(super) fn declare<T: BotState>() {
    LAST.set(Some(Declared { name: type_name::<T>(), ttl: T::TTL }));
}

/// Returns the TTL that a type declares, if a value of it was written just now and it is a
/// [`BotState`]. A type that only has one inside declares nothing.
pub(crate) fn declared<T>() -> Option<Option<Duration>> {
    let declared = LAST.take()?;
    (declared.name == type_name::<T>()).then_some(declared.ttl)
}
