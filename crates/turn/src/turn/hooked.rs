//! Hooks, as one turn has them.

use std::sync::Arc;

use sayso_activity::Activity;

use super::{Turn, hooks::Hooks};
use crate::message::MessageId;

impl Turn {
    /// Lets a hook see every reply that this turn makes from now on: what it gives back is sent,
    /// and nothing is when it gives nothing back. See [`Bot::on_send`](crate::Bot::on_send).
    ///
    /// The answer to an `invoke` is not a reply.
    pub fn on_send<F>(&mut self, hook: F)
    where
        F: Fn(&Self, Activity) -> Option<Activity> + Send + Sync + 'static,
    {
        self.inner_mut().hooks.on_send.push(Arc::new(hook));
    }

    /// Lets a hook see every [`update`](Self::update) that this turn makes from now on: what it
    /// gives back is what the message becomes; it stays as it is when the hook gives nothing back.
    pub fn on_update<F>(&mut self, hook: F)
    where
        F: Fn(&Self, &MessageId, Activity) -> Option<Activity> + Send + Sync + 'static,
    {
        self.inner_mut().hooks.on_update.push(Arc::new(hook));
    }

    /// Lets a hook see every [`delete`](Self::delete) that this turn makes from now on, and say
    /// whether it is to happen.
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

    /// What is sent instead of a reply, which is addressed already.
    pub(super) fn hooked(&mut self, activity: Arc<Activity>) -> Option<Arc<Activity>> {
        if self.inner().hooks.is_empty() {
            return Some(activity);
        }
        let activity = Arc::unwrap_or_clone(activity);
        let mut passed = self.past(|turn, hooks| {
            hooks.on_send.iter().try_fold(activity, |activity, hook| hook(turn, activity))
        })?;
        self.address(&mut passed);
        Some(Arc::new(passed))
    }

    /// What a message becomes instead.
    pub(super) fn hooked_update(
        &mut self,
        message: &MessageId,
        mut activity: Activity,
    ) -> Option<Activity> {
        self.address(&mut activity);
        if self.inner().hooks.is_empty() {
            return Some(activity);
        }
        let mut passed = self.past(|turn, hooks| {
            hooks
                .on_update
                .iter()
                .try_fold(activity, |activity, hook| hook(turn, message, activity))
        })?;
        self.address(&mut passed);
        Some(passed)
    }

    /// Whether a message is deleted.
    pub(super) fn hooked_delete(&mut self, message: &MessageId) -> bool {
        self.past(|turn, hooks| hooks.on_delete.iter().all(|hook| hook(turn, message)))
    }

    pub(super) fn address(&self, activity: &mut Activity) {
        self.inner().attempt.origin.address(activity);
        activity.id = None;
    }

    /// Lets the hooks look at the turn, which is without them meanwhile.
    fn past<T>(&mut self, pass: impl FnOnce(&Self, &Hooks<Self>) -> T) -> T {
        let hooks = std::mem::take(&mut self.inner_mut().hooks);
        let passed = pass(self, &hooks);
        self.inner_mut().hooks = hooks;
        passed
    }
}
