//! Hooks on sending, as one turn has them.

use std::sync::Arc;

use sayso_activity::Activity;

use super::Turn;
use crate::hooks::Hooks;

impl Turn {
    /// Lets a hook see every reply that this turn makes from now on: what it gives back is sent, and
    /// nothing is when it gives nothing back. See [`Bot::on_send`](crate::Bot::on_send).
    ///
    /// The answer to an `invoke` is not a reply.
    pub fn on_send<F>(&mut self, hook: F)
    where
        F: Fn(&Self, Activity) -> Option<Activity> + Send + Sync + 'static,
    {
        self.inner_mut().hooks.push(Arc::new(hook));
    }

    pub(crate) fn hook(&mut self, hooks: &Hooks) {
        if !hooks.is_empty() {
            self.inner_mut().hooks.extend(hooks);
        }
    }

    /// What is sent instead of a reply; the hooks see it addressed.
    pub(super) fn hooked(&mut self, mut activity: Activity) -> Option<Activity> {
        let inner = self.inner_mut();
        activity.apply_reference(&inner.reference);
        activity.id = None;
        let hooks = std::mem::take(&mut inner.hooks);
        let passed = hooks.pass(self, activity);
        self.inner_mut().hooks = hooks;
        passed
    }
}
