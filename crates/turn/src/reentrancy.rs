//! Reentrancy check: the conversations whose handlers are being polled on this thread.
//!
//! A handler that awaits another turn of its own conversation would deadlock. Starting a turn
//! checks this first.

use std::{cell::RefCell, sync::Arc};

use crate::{Key, sync::thread_local};

thread_local! {
    static INSIDE: RefCell<Vec<(InstanceTag, Key)>> = const { RefCell::new(Vec::new()) };
}

/// Identifies an instance within this process: another instance may have a conversation of the same
/// name in a store of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct InstanceTag(usize);

impl InstanceTag {
    /// No instance: a pure run of the logic.
    pub(crate) const NONE: Self = Self(0);

    /// Tag of an instance, by its address. The instance must outlive every use of the tag.
    pub(crate) fn of<T>(instance: &Arc<T>) -> Self {
        Self(Arc::as_ptr(instance).addr())
    }
}

/// Reports whether this code runs inside a handler of the conversation.
pub(crate) fn is_inside(instance_tag: InstanceTag, key: &Key) -> bool {
    INSIDE.with(|inside| {
        inside.borrow().iter().any(|(of, inner)| *of == instance_tag && inner == key)
    })
}

/// Guard: a handler of the conversation is being polled while this lives.
pub(crate) struct ReentrancyGuard(());

impl ReentrancyGuard {
    pub(crate) fn enter(instance_tag: InstanceTag, key: &Key) -> Self {
        INSIDE.with(|inside| inside.borrow_mut().push((instance_tag, key.clone())));
        Self(())
    }
}

impl Drop for ReentrancyGuard {
    fn drop(&mut self) {
        drop(INSIDE.with(|inside| inside.borrow_mut().pop()));
    }
}
