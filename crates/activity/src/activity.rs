//! Activity: one thing that happened in a conversation, or should happen.
//!
//! The fields are in the order in which channels usually write them, which is also the order of
//! writing. Timestamps stay text, because channels differ in digits and offsets and a bot that only
//! passes one on must not change it.

use std::sync::Arc;

use crate::json::parse::parse;
use crate::json::wire_struct::wire_struct;
use crate::json::write::WriteJson;
use crate::{Account, Attachment, ConversationAccount, DeliveryMode, Kind, ParseError, Raw};

wire_struct! {
    /// One thing that happened in a conversation, or that a bot wants to happen.
    ///
    /// Members without a field here are in [`extra`](Activity::extra).
    ///
    /// # Guarantees
    ///
    /// An activity that is read and written again is the same JSON value: no member is lost, no
    /// number changes a digit. The order of members may change.
    ///
    /// # Limits
    ///
    /// Reading needs `serde_json`; [`Activity::from_json`] also bounds the depth. A member that
    /// stands twice is refused, at this level and in the accounts and attachments.
    ///
    /// # Example
    ///
    /// ```
    /// use sayso_activity::{Activity, Kind};
    ///
    /// let activity = Activity { locale: Some("it-IT".to_owned()), ..Activity::message("ciao") };
    /// assert_eq!(activity.kind, Kind::Message);
    /// assert_eq!(activity.to_json(), br#"{"type":"message","locale":"it-IT","text":"ciao"}"#);
    /// ```
    pub struct Activity, "activity";
    required {
        /// The type of activity: the member `type`.
        kind: Kind = "type",
    }
    optional {
        /// The id that the channel gave it.
        id: String = "id",
        /// The time when the channel sent it, in UTC.
        timestamp: String = "timestamp",
        /// The time when it was sent, in the sender's time zone.
        local_timestamp: String = "localTimestamp",
        /// The sender's time zone, by its IANA name.
        local_timezone: String = "localTimezone",
        /// The URL that replies are posted to.
        service_url: String = "serviceUrl",
        /// The channel, such as `msteams` or `directline`.
        channel_id: String = "channelId",
        /// The sender.
        from: Account = "from",
        /// The conversation it belongs to.
        conversation: ConversationAccount = "conversation",
        /// The recipient.
        recipient: Account = "recipient",
        /// The markup of the text: `plain`, `markdown` or `xml`.
        text_format: String = "textFormat",
        /// The language of the text, such as `en-US`.
        locale: String = "locale",
        /// The text; see [`Activity::text`] for one that is always there.
        text: String = "text",
        /// The text to speak aloud, plain or SSML.
        speak: String = "speak",
        /// The input hint: `acceptingInput`, `expectingInput` or `ignoringInput`.
        input_hint: String = "inputHint",
        /// Files and cards.
        attachments: Vec<Attachment> = "attachments",
        /// Mentions, places and other structured data.
        entities: Vec<Raw> = "entities",
        /// Buttons to offer: suggested actions (quick replies).
        suggested_actions: Raw = "suggestedActions",
        /// Data in a form of the channel's own.
        channel_data: Raw = "channelData",
        /// The id of the activity that this one answers.
        reply_to_id: String = "replyToId",
        /// The way in which it should be delivered, or its replies.
        delivery_mode: DeliveryMode = "deliveryMode",
        /// The name of an event, an invoke, a command or a trace.
        name: String = "name",
        /// The value that belongs to the name.
        value: Raw = "value",
        /// The type of the value, often an address.
        value_type: String = "valueType",
        /// A description of a trace, for people.
        label: String = "label",
        /// The reason why a conversation ended.
        code: String = "code",
        /// The accounts that joined.
        members_added: Vec<Account> = "membersAdded",
        /// The accounts that left.
        members_removed: Vec<Account> = "membersRemoved",
        /// A reference to another conversation or activity.
        relates_to: Raw = "relatesTo",
    }
}

impl Activity {
    /// The text, or the empty string.
    #[must_use]
    pub fn text(&self) -> &str {
        self.text.as_deref().unwrap_or_default()
    }

    /// Reports whether it is a message.
    #[must_use]
    pub fn is_message(&self) -> bool {
        self.kind == Kind::Message
    }

    /// Reports whether the sender gets the replies in the answer to its request: its delivery mode
    /// is [`ExpectReplies`](DeliveryMode::ExpectReplies) or [`Stream`](DeliveryMode::Stream). Any
    /// other mode counts as normal.
    #[must_use]
    pub fn expects_replies(&self) -> bool {
        matches!(self.delivery_mode, Some(DeliveryMode::ExpectReplies | DeliveryMode::Stream))
    }

    /// Checks that the activity can be routed: its channel and its conversation have ids.
    ///
    /// # Errors
    ///
    /// [`ParseError::Missing`] naming the first member that is missing or empty.
    ///
    /// # Example
    ///
    /// ```
    /// use sayso_activity::Activity;
    ///
    /// let error = Activity::message("hi").check().unwrap_err();
    /// assert_eq!(error.to_string(), "activity.channelId: missing or empty");
    /// ```
    pub fn check(&self) -> Result<(), ParseError> {
        if self.channel_id.as_deref().is_none_or(str::is_empty) {
            return Err(ParseError::Missing { member: "activity.channelId" });
        }
        let conversation = self.conversation.as_ref().and_then(|account| account.id.as_deref());
        if conversation.is_none_or(str::is_empty) {
            return Err(ParseError::Missing { member: "activity.conversation.id" });
        }
        Ok(())
    }
}

impl Activity {
    /// Reads an activity from the bytes of a body.
    ///
    /// # Errors
    ///
    /// A [`ParseError`] when the bytes are not one JSON object in UTF-8, nested at most
    /// [`DEPTH_MAX`](crate::json::DEPTH_MAX) deep, whose `type` is a string that is not empty and
    /// whose typed members have their types.
    ///
    /// # Example
    ///
    /// ```
    /// use sayso_activity::Activity;
    ///
    /// let error = Activity::from_json(br#"{"type":"message","text":7}"#).unwrap_err();
    /// assert_eq!(error.to_string(), "activity.text: expected a string at line 1 column 26");
    /// ```
    pub fn from_json(bytes: &[u8]) -> Result<Self, ParseError> {
        let mut activity = None;
        parse(&mut activity, bytes)?;
        Ok(activity.expect("parsing without an error fills the place"))
    }

    /// Reads an activity as [`from_json`](Self::from_json) does, to be shared: activities are
    /// large, and a shared one is not copied when it is handed on.
    ///
    /// # Errors
    ///
    /// Those of [`from_json`](Self::from_json).
    ///
    /// # Example
    ///
    /// ```
    /// use std::sync::Arc;
    /// use sayso_activity::Activity;
    ///
    /// let activity: Arc<Activity> = Activity::shared_from_json(br#"{"type":"message","text":"hi"}"#)?;
    /// assert_eq!(activity.text(), "hi");
    /// # Ok::<(), sayso_activity::ParseError>(())
    /// ```
    pub fn shared_from_json(bytes: &[u8]) -> Result<Arc<Self>, ParseError> {
        let mut activity = None;
        parse(&mut activity, bytes)?;
        // Moved straight into its allocation; `expect` first would move it once more.
        Ok(activity.map(Arc::new).expect("parsing without an error fills the place"))
    }

    /// Writes the activity as compact JSON; raw members keep their own spacing.
    #[must_use]
    pub fn to_json(&self) -> Vec<u8> {
        self.to_text().into_bytes()
    }

    /// Writes the activity as [`to_json`](Self::to_json) does, as text.
    ///
    /// # Example
    ///
    /// ```
    /// use sayso_activity::Activity;
    ///
    /// assert_eq!(Activity::message("hi").to_text(), r#"{"type":"message","text":"hi"}"#);
    /// ```
    #[must_use]
    pub fn to_text(&self) -> String {
        // Room enough for most activities.
        let mut text = String::with_capacity(512);
        self.write(&mut text);
        text
    }
}

#[cfg(test)]
mod tests {
    use super::Activity;
    use crate::{ConversationAccount, Kind, Raw};

    fn read(text: &str) -> Activity {
        serde_json::from_str(text).unwrap()
    }

    fn refused(text: &str) -> String {
        serde_json::from_str::<Activity>(text).unwrap_err().to_string()
    }

    #[test]
    fn a_null_is_written_back() {
        let text = r#"{"type":"message","text":null,"value":null,"topicName":null}"#;
        let activity = read(text);
        assert_eq!((activity.text(), activity.value.is_none()), ("", true));
        assert_eq!(String::from_utf8(activity.to_json()).unwrap(), text);
    }

    #[test]
    fn a_field_set_later_replaces_its_null() {
        let mut activity = read(r#"{"type":"message","text":null}"#);
        activity.text = Some("now".to_owned());
        activity.extra.insert("type", Raw::null());
        assert_eq!(activity.to_json(), br#"{"type":"message","text":"now"}"#);
    }

    #[test]
    fn a_member_given_twice_is_refused_by_name() {
        for (members, name) in [
            (r#""text":"a","text":"b""#, "activity.text"),
            (r#""text":null,"text":"b""#, "activity.text"),
            (r#""type":"event""#, "activity.type"),
            (r#""x":1,"y":2,"x":1"#, "activity.x"),
            (r#""from":{"id":"a","id":"a"}"#, "account.id"),
            (r#""a b":1,"a b":1"#, "activity: a member is"),
        ] {
            let error = refused(&format!(r#"{{"type":"message",{members}}}"#));
            assert!(error.starts_with(name) && error.contains("given twice"), "{error}");
        }
    }

    #[test]
    fn a_wrong_type_is_refused_by_name_and_without_the_value() {
        for (member, start) in [
            (r#""text":7"#, "activity.text: expected a string"),
            (r#""text":["secret"]"#, "activity.text: expected a string"),
            (r#""locale":{"a":"secret"}"#, "activity.locale: expected a string"),
            (r#""from":"secret""#, "activity.from: expected an object"),
            (r#""attachments":{}"#, "activity.attachments: expected a list"),
            (r#""attachments":[null]"#, "activity.attachments: expected an object in the list"),
            (r#""attachments":["secret"]"#, "activity.attachments: expected an object"),
            (r#""entities":true"#, "activity.entities: expected a list"),
            (r#""conversation":{"id":-1.5}"#, "conversation.id: expected a string"),
        ] {
            let error = refused(&format!(r#"{{"type":"message",{member}}}"#));
            assert!(error.starts_with(start) && !error.contains("secret"), "{error}");
        }
    }

    #[test]
    fn a_type_is_required() {
        for text in ["{}", r#"{"type":null}"#] {
            assert!(refused(text).starts_with("activity.type: missing"), "{text}");
        }
        assert!(refused(r#"{"type":""}"#).starts_with("activity.type: expected a string"));
        assert_eq!(read(r#"{"type":"own"}"#).kind, Kind::Other("own".into()));
    }

    #[test]
    fn a_null_entity_stays_in_its_place() {
        let text = r#"{"type":"message","entities":[1,null,{}]}"#;
        assert_eq!(read(text).to_json(), text.as_bytes());
    }

    #[test]
    fn routing_needs_a_channel_and_a_conversation() {
        let mut activity = Activity::message("hi");
        activity.channel_id = Some("test".to_owned());
        activity.conversation = Some(ConversationAccount::new(""));
        let error = activity.check().unwrap_err().to_string();
        assert_eq!(error, "activity.conversation.id: missing or empty");
        activity.conversation = Some(ConversationAccount::new("c"));
        assert!(activity.check().is_ok());
    }
}
