//! The conversations whose handlers are being polled on this thread, the innermost last.
//!
//! A handler that waits for another turn of its own conversation would wait for itself. Whoever begins a
//! turn looks here first.

use std::cell::RefCell;

use crate::{Key, sync::thread_local};

thread_local! {
    static INSIDE: RefCell<Vec<Key>> = const { RefCell::new(Vec::new()) };
}

/// Whether this code runs inside a handler of a conversation.
pub(crate) fn is_inside(key: &Key) -> bool {
    INSIDE.with(|inside| inside.borrow().contains(key))
}

/// A handler of a conversation is being polled for as long as this lives.
pub(crate) struct Inside(());

impl Inside {
    pub(crate) fn enter(key: &Key) -> Self {
        INSIDE.with(|inside| inside.borrow_mut().push(key.clone()));
        Self(())
    }
}

impl Drop for Inside {
    fn drop(&mut self) {
        drop(INSIDE.with(|inside| inside.borrow_mut().pop()));
    }
}
