//! Replies, updates and deletions of a turn. All of them wait for the commit.

use std::sync::Arc;

use sayso_activity::{Activity, Kind};

use super::Turn;
use crate::{delivery_policy::DeliveryPolicy, message_id::MessageId};

impl Turn {
    /// Says something: it is sent if, and only if, the turn commits. Keep the returned id to change
    /// the message later.
    pub fn say(&mut self, text: impl Into<String>) -> MessageId {
        self.send_new(Arc::new(Activity::message(text)))
    }

    /// Sends an activity: it is sent if, and only if, the turn commits. An `invokeResponse` is not
    /// sent but responds to the `invoke`, as [`respond`](Self::respond) does.
    pub fn send(&mut self, activity: Activity) -> MessageId {
        match activity.kind {
            Kind::InvokeResponse => {
                // Ported bots respond to an invoke this way.
                self.inner_mut().response = activity.value.and_then(|value| value.get().ok());
                MessageId::nothing()
            }
            // An update or deletion sent as an activity, as in transcripts.
            Kind::MessageUpdate | Kind::MessageDelete if activity.id.is_some() => {
                let id = MessageId::of_channel(activity.id.clone().unwrap_or_default());
                match activity.kind {
                    Kind::MessageDelete => self.delete(&id),
                    _ => self.update(&id, activity),
                }
                id
            }
            _ => self.send_new(Arc::new(activity)),
        }
    }

    fn send_new(&mut self, mut activity: Arc<Activity>) -> MessageId {
        self.address(Arc::make_mut(&mut activity));
        match self.apply_send_hooks(activity) {
            Some(activity) => self.push(activity),
            None => MessageId::nothing(),
        }
    }

    /// Updates a message of this turn or an earlier one. The update is sent if, and only if, the
    /// turn commits, after all replies before it.
    ///
    /// A message of the same turn is replaced before it is sent. Replies that went into the answer
    /// (`expectReplies`) cannot be changed by a later turn: the channel has no id for them.
    pub fn update(&mut self, message: &MessageId, activity: Activity) {
        let Some(activity) = self.apply_update_hooks(message, activity) else { return };
        let inner = self.inner_mut();
        if let Some(number) = message.number_in(inner.attempt.reply_prefix) {
            if let Some(said) = inner.replies.get_mut(number) {
                *said = activity;
            }
            return;
        }
        self.change(Kind::MessageUpdate, message, activity);
    }

    /// Deletes a message of this turn or an earlier one if, and only if, the turn commits. A
    /// message of the same turn is not sent at all.
    pub fn delete(&mut self, message: &MessageId) {
        if !self.apply_delete_hooks(message) {
            return;
        }
        let inner = self.inner_mut();
        if let Some(number) = message.number_in(inner.attempt.reply_prefix) {
            return inner.replies.remove(number);
        }
        let mut activity = Activity::message("");
        activity.text = None;
        inner.attempt.origin.address(&mut activity);
        self.change(Kind::MessageDelete, message, activity);
    }

    /// Sets the delivery policy of one reply of this turn, instead of the bot's
    /// [policy](crate::Bot::delivery). Has no effect on a message of an earlier turn.
    pub fn set_delivery(&mut self, message: &MessageId, policy: DeliveryPolicy) {
        let inner = self.inner_mut();
        if let Some(number) = message.number_in(inner.attempt.reply_prefix) {
            inner.replies.set_delivery(number, policy);
        }
    }

    /// Returns the replies of this attempt so far, addressed, in order. Changes of earlier messages
    /// are among them, as `messageUpdate` and `messageDelete`.
    #[must_use]
    pub fn replies(&self) -> &[Arc<Activity>] {
        self.inner().replies.as_slice()
    }

    fn change(&mut self, kind: Kind, message: &MessageId, mut activity: Activity) {
        if message.is_nothing() {
            return;
        }
        activity.kind = kind;
        activity.id = Some(message.text());
        self.push(Arc::new(activity));
    }

    fn push(&mut self, activity: Arc<Activity>) -> MessageId {
        let inner = self.inner_mut();
        if inner.replies.len() >= inner.attempt.source.limits().replies_max {
            inner.replies.over += 1;
            return MessageId::nothing();
        }
        inner.replies.push(inner.attempt.reply_prefix, activity)
    }
}
