//! Hooks on sending: they see each reply before it is part of the turn.

use std::{fmt, sync::Arc};

use sayso_activity::Activity;

use crate::Turn;

/// Sees a reply, and gives back what is sent instead: itself, another, or nothing.
pub(crate) type Hook = Arc<dyn Fn(&Turn, Activity) -> Option<Activity> + Send + Sync>;

/// Hooks in their order.
#[derive(Clone, Default)]
pub(crate) struct Hooks(Vec<Hook>);

impl Hooks {
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn push(&mut self, hook: Hook) {
        self.0.push(hook);
    }

    pub(crate) fn extend(&mut self, others: &Self) {
        self.0.extend(others.0.iter().cloned());
    }

    /// What is sent in the end.
    pub(crate) fn pass(&self, turn: &Turn, reply: Activity) -> Option<Activity> {
        self.0.iter().try_fold(reply, |reply, hook| hook(turn, reply))
    }
}

impl fmt::Debug for Hooks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} hooks", self.0.len())
    }
}
