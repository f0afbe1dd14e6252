//! Hook types: callbacks for replies, updates and deletions, before they are part of the turn.
//!
//! Generic over the turn type, so that a turn can contain them.

use std::{fmt, sync::Arc};

use sayso_activity::Activity;

use crate::message_id::MessageId;

/// Hook for a reply: returns the reply to send instead, or nothing.
pub(crate) type OnSend<T> = Arc<dyn Fn(&T, Activity) -> Option<Activity> + Send + Sync>;
/// Hook for an update: returns the new message to use instead, or nothing.
pub(crate) type OnUpdate<T> =
    Arc<dyn Fn(&T, &MessageId, Activity) -> Option<Activity> + Send + Sync>;
/// Hook for a deletion: returns whether it happens.
pub(crate) type OnDelete<T> = Arc<dyn Fn(&T, &MessageId) -> bool + Send + Sync>;

/// Hooks, in the order in which they run.
pub(crate) struct Hooks<T> {
    pub(crate) on_send: Vec<OnSend<T>>,
    pub(crate) on_update: Vec<OnUpdate<T>>,
    pub(crate) on_delete: Vec<OnDelete<T>>,
}

impl<T> Default for Hooks<T> {
    fn default() -> Self {
        Self { on_send: Vec::new(), on_update: Vec::new(), on_delete: Vec::new() }
    }
}

impl<T> Clone for Hooks<T> {
    fn clone(&self) -> Self {
        let Self { on_send, on_update, on_delete } = self;
        Self {
            on_send: on_send.clone(),
            on_update: on_update.clone(),
            on_delete: on_delete.clone(),
        }
    }
}

impl<T> Hooks<T> {
    pub(crate) fn is_empty(&self) -> bool {
        self.on_send.is_empty() && self.on_update.is_empty() && self.on_delete.is_empty()
    }

    pub(crate) fn extend(&mut self, others: &Self) {
        self.on_send.extend(others.on_send.iter().cloned());
        self.on_update.extend(others.on_update.iter().cloned());
        self.on_delete.extend(others.on_delete.iter().cloned());
    }
}

impl<T> fmt::Debug for Hooks<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { on_send, on_update, on_delete } = self;
        write!(f, "{} hooks", on_send.len() + on_update.len() + on_delete.len())
    }
}
