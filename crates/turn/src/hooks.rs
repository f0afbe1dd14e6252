//! Hooks: they see what a turn says, changes and takes back before it is part of the turn.

use std::{fmt, sync::Arc};

use sayso_activity::Activity;

use crate::{MessageId, Turn};

/// Sees a reply, and gives back what is sent instead: itself, another, or nothing.
pub(crate) type OnSend = Arc<dyn Fn(&Turn, Activity) -> Option<Activity> + Send + Sync>;
/// Sees what a message becomes, and gives back what it becomes instead.
pub(crate) type OnUpdate =
    Arc<dyn Fn(&Turn, &MessageId, Activity) -> Option<Activity> + Send + Sync>;
/// Sees which message is deleted, and says whether it is.
pub(crate) type OnDelete = Arc<dyn Fn(&Turn, &MessageId) -> bool + Send + Sync>;

/// Hooks in their order.
#[derive(Clone, Default)]
pub(crate) struct Hooks {
    pub(crate) on_send: Vec<OnSend>,
    pub(crate) on_update: Vec<OnUpdate>,
    pub(crate) on_delete: Vec<OnDelete>,
}

impl Hooks {
    pub(crate) fn is_empty(&self) -> bool {
        self.on_send.is_empty() && self.on_update.is_empty() && self.on_delete.is_empty()
    }

    pub(crate) fn extend(&mut self, others: &Self) {
        self.on_send.extend(others.on_send.iter().cloned());
        self.on_update.extend(others.on_update.iter().cloned());
        self.on_delete.extend(others.on_delete.iter().cloned());
    }
}

impl fmt::Debug for Hooks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { on_send, on_update, on_delete } = self;
        write!(f, "{} hooks", on_send.len() + on_update.len() + on_delete.len())
    }
}
