//! Where a reply goes: the reference of an inbound activity, applied to an outgoing one.

use crate::record::record;
use crate::{Account, Activity, ConversationAccount, Kind};

record! {
    /// A point in a conversation, enough to send there now or later.
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
        /// Where activities are posted.
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
        let is_unshown = self.kind == Kind::ConversationUpdate
            && matches!(self.channel_id.as_deref(), Some("directline" | "webchat"));
        Reference {
            activity_id: if is_unshown { None } else { self.id.clone() },
            user: self.from.clone(),
            bot: self.recipient.clone(),
            conversation: self.conversation.clone(),
            channel_id: self.channel_id.clone(),
            service_url: self.service_url.clone(),
            locale: self.locale.clone(),
            ..Reference::default()
        }
    }

    /// Addresses an outgoing activity: from the bot, to the user, in the reference's conversation.
    ///
    /// A language that is set stays, as does `reply_to_id` when the reference has no activity id.
    /// Applying twice is the same as once.
    pub fn apply_reference(&mut self, reference: &Reference) {
        self.address(reference.clone());
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
        reply.address(self.reference());
        reply
    }

    fn address(&mut self, reference: Reference) {
        self.channel_id = reference.channel_id;
        self.service_url = reference.service_url;
        self.conversation = reference.conversation;
        self.from = reference.bot;
        self.recipient = reference.user;
        if reference.activity_id.is_some() {
            self.reply_to_id = reference.activity_id;
        }
        if self.locale.is_none() {
            self.locale = reference.locale;
        }
    }
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
