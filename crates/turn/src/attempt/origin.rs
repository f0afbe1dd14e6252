//! Origin of a turn: the inbound activity whose address its replies get.

use std::sync::Arc;

use sayso_activity::{Activity, Reference};

/// Reply address of a turn: the activity as it arrived, whatever handlers change in it later.
///
/// It holds the activity instead of a conversation reference, because most turns need no reference.
#[derive(Clone, Debug)]
pub(crate) struct Origin {
    activity: Arc<Activity>,
    /// True if the channel knows the activity by its id, so that something can be a reply to it.
    is_known: bool,
}

impl Origin {
    /// Origin of an activity that the channel sent.
    pub(crate) fn of(activity: &Arc<Activity>) -> Self {
        Self { activity: Arc::clone(activity), is_known: true }
    }

    /// Origin of an activity made by the runtime, such as a timer: the channel does not know its
    /// id.
    pub(crate) fn of_ours(activity: &Arc<Activity>) -> Self {
        Self { activity: Arc::clone(activity), is_known: false }
    }

    /// Returns the activity as it arrived.
    pub(crate) fn activity(&self) -> &Arc<Activity> {
        &self.activity
    }

    /// Addresses an activity to the sender of this one.
    pub(crate) fn address(&self, activity: &mut Activity) {
        if self.is_known {
            return activity.answer_to(&self.activity);
        }
        let reply_to_id = activity.reply_to_id.take();
        activity.answer_to(&self.activity);
        activity.reply_to_id = reply_to_id;
    }

    /// Conversation reference, for a proactive message later.
    pub(crate) fn reference(&self) -> Reference {
        let reference = self.activity.reference();
        let activity_id = reference.activity_id.filter(|_| self.is_known);
        Reference { activity_id, ..reference }
    }

    /// Channel id.
    pub(crate) fn channel_id(&self) -> Option<&str> {
        self.activity.channel_id.as_deref()
    }

    /// Conversation type (`personal`, for example), if the channel gives one.
    pub(crate) fn conversation_type(&self) -> Option<&str> {
        self.activity.conversation.as_ref()?.conversation_type.as_deref()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_activity_of_ours_is_not_replied_to() {
        let inbound = Activity { id: Some("7".to_owned()), ..Activity::message("hi") };
        let inbound = Arc::new(inbound);
        for (origin, expected) in [
            (Origin::of(&inbound), [Some("7"), Some("7")]),
            (Origin::of_ours(&inbound), [None, Some("3")]),
        ] {
            assert_eq!(origin.reference().activity_id.as_deref(), expected[0]);
            for (before, after) in [None, Some("3")].into_iter().zip(expected) {
                let mut reply = Activity::typing();
                reply.reply_to_id = before.map(str::to_owned);
                origin.address(&mut reply);
                assert_eq!(reply.reply_to_id.as_deref(), after);
            }
        }
    }
}
