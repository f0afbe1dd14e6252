//! The conversations whose handlers are being polled on this thread, the innermost last.
//!
//! A handler that waits for another turn of its own conversation would wait for itself. Whoever
//! begins a turn looks here first.

use std::{cell::RefCell, sync::Arc};

use crate::{Key, sync::thread_local};

thread_local! {
    static INSIDE: RefCell<Vec<(Home, Key)>> = const { RefCell::new(Vec::new()) };
}

/// Tells instances of one process apart: another one may have a conversation of the same name, in a
/// store of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Home(usize);

impl Home {
    /// Where no instance is: a run of the logic alone.
    pub(crate) const NONE: Self = Self(0);

    /// The home of what belongs to an instance, which lives for as long as that is used.
    pub(crate) fn of<T>(instance: &Arc<T>) -> Self {
        Self(Arc::as_ptr(instance).addr())
    }
}

/// Whether this code runs inside a handler of a conversation.
pub(crate) fn is_inside(home: Home, key: &Key) -> bool {
    INSIDE.with(|inside| inside.borrow().iter().any(|(of, inner)| *of == home && inner == key))
}

/// A handler of a conversation is being polled for as long as this lives.
pub(crate) struct Inside(());

impl Inside {
    pub(crate) fn enter(home: Home, key: &Key) -> Self {
        INSIDE.with(|inside| inside.borrow_mut().push((home, key.clone())));
        Self(())
    }
}

impl Drop for Inside {
    fn drop(&mut self) {
        drop(INSIDE.with(|inside| inside.borrow_mut().pop()));
    }
}
