//! Conversation reference: the address of an inbound activity, applied to an outgoing one.

use crate::json::wire_struct::wire_struct;
use crate::{Account, Activity, ConversationAccount, Kind};

wire_struct! {
    /// A conversation reference: enough to send there now or later.
    ///
    /// # Example
    ///
    /// ```
    /// use sayso_activity::{Account, Activity};
    ///
    /// let mut inbound = Activity::message("hi");
    /// inbound.id = Some("7".to_owned());
    /// inbound.from = Some(Account::new("ann"));
    ///
    /// let mut reply = Activity::typing();
    /// reply.apply_reference(&inbound.reference());
    /// assert_eq!(reply.recipient, Some(Account::new("ann")));
    /// assert_eq!(reply.reply_to_id.as_deref(), Some("7"));
    /// ```
    pub struct Reference, "reference";
    required {}
    optional {
        /// The id of the activity to reply to.
        activity_id: String = "activityId",
        /// The person.
        user: Account = "user",
        /// The bot.
        bot: Account = "bot",
        /// The conversation.
        conversation: ConversationAccount = "conversation",
        /// The channel.
        channel_id: String = "channelId",
        /// The URL that activities are posted to.
        service_url: String = "serviceUrl",
        /// The language of the conversation.
        locale: String = "locale",
    }
}

impl Activity {
    /// The reference of an inbound activity: its sender is the user, its recipient the bot.
    ///
    /// A conversation update from Direct Line or Web Chat leaves the activity id out, so that no
    /// reply names it; the Bot Framework's own runtimes do the same.
    #[must_use]
    pub fn reference(&self) -> Reference {
        let Address { activity_id, user, bot, conversation, channel_id, service_url, locale } =
            self.back();
        Reference {
            activity_id: activity_id.cloned(),
            user: user.cloned(),
            bot: bot.cloned(),
            conversation: conversation.cloned(),
            channel_id: channel_id.cloned(),
            service_url: service_url.cloned(),
            locale: locale.cloned(),
            ..Reference::default()
        }
    }

    /// Addresses an outgoing activity: from the bot, to the user, in the reference's conversation.
    ///
    /// A language that is set stays, as does `reply_to_id` when the reference has no activity id.
    /// Applying twice is the same as once.
    pub fn apply_reference(&mut self, reference: &Reference) {
        self.address(reference.address());
    }

    /// Addresses an outgoing activity back to where an inbound one came from: the same as
    /// [applying](Self::apply_reference) its [reference](Self::reference), without making one.
    pub fn answer_to(&mut self, inbound: &Self) {
        self.address(inbound.back());
    }

    /// A message that replies to this inbound activity.
    ///
    /// # Example
    ///
    /// ```
    /// use sayso_activity::Activity;
    ///
    /// let inbound = Activity::from_json(br#"{"type":"message","id":"7","from":{"id":"ann"}}"#)?;
    /// let reply = inbound.reply_to("hello");
    /// assert_eq!(
    ///     reply.to_json(),
    ///     br#"{"type":"message","recipient":{"id":"ann"},"text":"hello","replyToId":"7"}"#,
    /// );
    /// # Ok::<(), sayso_activity::ParseError>(())
    /// ```
    #[must_use]
    pub fn reply_to(&self, text: impl Into<String>) -> Self {
        let mut reply = Self::message(text);
        reply.answer_to(self);
        reply
    }

    /// The address of this inbound activity's sender.
    fn back(&self) -> Address<'_> {
        let is_unshown = self.kind == Kind::ConversationUpdate
            && matches!(self.channel(), "directline" | "webchat");
        Address {
            activity_id: self.id.as_ref().filter(|_| !is_unshown),
            user: self.from.as_ref(),
            bot: self.recipient.as_ref(),
            conversation: self.conversation.as_ref(),
            channel_id: self.channel_id.as_ref(),
            service_url: self.service_url.as_ref(),
            locale: self.locale.as_ref(),
        }
    }

    fn address(&mut self, to: Address<'_>) {
        self.channel_id = to.channel_id.cloned();
        self.service_url = to.service_url.cloned();
        self.conversation = to.conversation.cloned();
        self.from = to.bot.cloned();
        self.recipient = to.user.cloned();
        if to.activity_id.is_some() {
            self.reply_to_id = to.activity_id.cloned();
        }
        if self.locale.is_none() {
            self.locale = to.locale.cloned();
        }
    }
}

impl Reference {
    fn address(&self) -> Address<'_> {
        Address {
            activity_id: self.activity_id.as_ref(),
            user: self.user.as_ref(),
            bot: self.bot.as_ref(),
            conversation: self.conversation.as_ref(),
            channel_id: self.channel_id.as_ref(),
            service_url: self.service_url.as_ref(),
            locale: self.locale.as_ref(),
        }
    }
}

/// Borrowed parts of a reference or an activity that address an outgoing activity.
#[derive(Clone, Copy)]
struct Address<'a> {
    activity_id: Option<&'a String>,
    user: Option<&'a Account>,
    bot: Option<&'a Account>,
    conversation: Option<&'a ConversationAccount>,
    channel_id: Option<&'a String>,
    service_url: Option<&'a String>,
    locale: Option<&'a String>,
}

#[cfg(test)]
mod tests {
    use super::Reference;
    use crate::{Account, Activity, ConversationAccount, Kind};

    fn inbound(kind: Kind, channel: &str) -> Activity {
        Activity {
            kind,
            id: Some("7".to_owned()),
            channel_id: Some(channel.to_owned()),
            service_url: Some("https://service".to_owned()),
            from: Some(Account::new("ann")),
            recipient: Some(Account::new("bot")),
            conversation: Some(ConversationAccount::new("c")),
            locale: Some("it".to_owned()),
            ..Activity::default()
        }
    }

    #[test]
    fn a_reply_goes_back_to_where_the_activity_came_from() {
        let reply = inbound(Kind::Message, "directline").reply_to("hello");
        let expected = Activity {
            text: Some("hello".to_owned()),
            kind: Kind::Message,
            id: None,
            from: Some(Account::new("bot")),
            recipient: Some(Account::new("ann")),
            reply_to_id: Some("7".to_owned()),
            ..inbound(Kind::Message, "directline")
        };
        assert_eq!(reply, expected);
    }

    #[test]
    fn to_answer_is_to_apply_the_reference() {
        for kind in [Kind::Message, Kind::ConversationUpdate] {
            let inbound = inbound(kind, "webchat");
            let mut reply = Activity { reply_to_id: Some("6".to_owned()), ..Activity::typing() };
            let mut other = reply.clone();
            reply.answer_to(&inbound);
            other.apply_reference(&inbound.reference());
            assert_eq!(reply, other);
        }
    }

    #[test]
    fn only_a_conversation_update_of_a_web_channel_is_not_replied_to_by_id() {
        for (kind, channel, is_replied) in [
            (Kind::ConversationUpdate, "directline", false),
            (Kind::ConversationUpdate, "webchat", false),
            (Kind::ConversationUpdate, "msteams", true),
            (Kind::Message, "directline", true),
            (Kind::Message, "webchat", true),
        ] {
            let reply = inbound(kind, channel).reply_to("hello");
            assert_eq!(reply.reply_to_id.is_some(), is_replied, "{channel}");
        }
    }

    #[test]
    fn applying_twice_is_the_same_as_once_and_a_set_language_stays() {
        let reference = inbound(Kind::Message, "test").reference();
        let mut once = Activity::message("hello").with_locale("en");
        once.apply_reference(&reference);
        let mut twice = once.clone();
        twice.apply_reference(&reference);
        assert_eq!(once, twice);
        assert_eq!(once.locale.as_deref(), Some("en"));
    }

    #[test]
    fn a_reference_survives_storage() {
        let reference = inbound(Kind::Message, "test").reference();
        let text = serde_json::to_string(&reference).unwrap();
        assert_eq!(serde_json::from_str::<Reference>(&text).unwrap(), reference);
    }
}
