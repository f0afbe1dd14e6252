//! Hooks of one turn: registration and calls.

use std::sync::Arc;

use sayso_activity::Activity;

use super::{Turn, hooks::Hooks};
use crate::message_id::MessageId;

impl Turn {
    /// Adds a hook that sees every reply of this turn from now on. What it returns is sent; `None`
    /// sends nothing. See [`Bot::on_send`](crate::Bot::on_send).
    ///
    /// The response to an `invoke` is not a reply.
    pub fn on_send<F>(&mut self, hook: F)
    where
        F: Fn(&Self, Activity) -> Option<Activity> + Send + Sync + 'static,
    {
        self.inner_mut().hooks.on_send.push(Arc::new(hook));
    }

    /// Adds a hook that sees every [`update`](Self::update) by this turn from now on. The message
    /// becomes what the hook returns; with `None` it stays as it is.
    pub fn on_update<F>(&mut self, hook: F)
    where
        F: Fn(&Self, &MessageId, Activity) -> Option<Activity> + Send + Sync + 'static,
    {
        self.inner_mut().hooks.on_update.push(Arc::new(hook));
    }

    /// Adds a hook that sees every [`delete`](Self::delete) by this turn from now on, and returns
    /// whether it happens.
    pub fn on_delete<F>(&mut self, hook: F)
    where
        F: Fn(&Self, &MessageId) -> bool + Send + Sync + 'static,
    {
        self.inner_mut().hooks.on_delete.push(Arc::new(hook));
    }

    pub(crate) fn hook(&mut self, hooks: &Hooks<Self>) {
        if !hooks.is_empty() {
            self.inner_mut().hooks.extend(hooks);
        }
    }

    /// Passes an addressed reply through the hooks.
    pub(super) fn apply_send_hooks(&mut self, activity: Arc<Activity>) -> Option<Arc<Activity>> {
        if self.inner().hooks.is_empty() {
            return Some(activity);
        }
        let activity = Arc::unwrap_or_clone(activity);
        let mut passed = self.with_hooks(|turn, hooks| {
            hooks.on_send.iter().try_fold(activity, |activity, hook| hook(turn, activity))
        })?;
        self.address(&mut passed);
        Some(Arc::new(passed))
    }

    /// Passes an update through the hooks.
    pub(super) fn apply_update_hooks(
        &mut self,
        message: &MessageId,
        mut activity: Activity,
    ) -> Option<Activity> {
        self.address(&mut activity);
        if self.inner().hooks.is_empty() {
            return Some(activity);
        }
        let mut passed = self.with_hooks(|turn, hooks| {
            hooks
                .on_update
                .iter()
                .try_fold(activity, |activity, hook| hook(turn, message, activity))
        })?;
        self.address(&mut passed);
        Some(passed)
    }

    /// Reports whether all hooks allow a deletion.
    pub(super) fn apply_delete_hooks(&mut self, message: &MessageId) -> bool {
        self.with_hooks(|turn, hooks| hooks.on_delete.iter().all(|hook| hook(turn, message)))
    }

    pub(super) fn address(&self, activity: &mut Activity) {
        self.inner().attempt.origin.address(activity);
        activity.id = None;
    }

    /// Calls the hooks with the turn, from which they are taken out meanwhile.
    fn with_hooks<T>(&mut self, pass: impl FnOnce(&Self, &Hooks<Self>) -> T) -> T {
        let hooks = std::mem::take(&mut self.inner_mut().hooks);
        let passed = pass(self, &hooks);
        self.inner_mut().hooks = hooks;
        passed
    }
}
