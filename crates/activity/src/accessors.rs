//! Accessors for members that few activities have.
//!
//! They are parsed from [`Extra`](crate::Extra) on request, so that the many do not carry fields
//! for them.

use serde::de::DeserializeOwned;

use crate::json::wire_struct::wire_struct;
use crate::{Activity, CardAction, Raw, SuggestedActions};

wire_struct! {
    /// A reaction to a message, such as `like`.
    ///
    /// # Example
    ///
    /// ```
    /// use sayso_activity::Activity;
    ///
    /// let text = br#"{"type":"messageReaction","reactionsAdded":[{"type":"like"}]}"#;
    /// let reactions = Activity::from_json(text)?.reactions_added();
    /// assert_eq!(reactions[0].kind.as_deref(), Some("like"));
    /// # Ok::<(), sayso_activity::ParseError>(())
    /// ```
    pub struct Reaction, "reaction";
    required {}
    optional {
        /// The reaction: the member `type`.
        kind: String = "type",
    }
}

impl Reaction {
    /// A reaction by its name.
    #[must_use]
    pub fn new(kind: impl Into<String>) -> Self {
        Self { kind: Some(kind.into()), ..Self::default() }
    }
}

impl Activity {
    /// Deserialises a member without a field; `None` when it is not there or does not fit the type.
    ///
    /// # Example
    ///
    /// ```
    /// use sayso_activity::Activity;
    ///
    /// let text = br#"{"type":"message","listenFor":["pizza","pasta"]}"#;
    /// let words: Option<Vec<String>> = Activity::from_json(text)?.member("listenFor");
    /// assert_eq!(words.unwrap(), ["pizza", "pasta"]);
    /// # Ok::<(), sayso_activity::ParseError>(())
    /// ```
    #[must_use]
    pub fn member<T: DeserializeOwned>(&self, name: &str) -> Option<T> {
        self.extra.get(name).filter(|raw| !raw.is_null())?.get().ok()
    }

    /// The change of the installation or the contact: `add`, `remove`, `add-upgrade`, ...
    #[must_use]
    pub fn action(&self) -> Option<String> {
        self.member("action")
    }

    /// The reactions that were put on a message.
    #[must_use]
    pub fn reactions_added(&self) -> Vec<Reaction> {
        self.member("reactionsAdded").unwrap_or_default()
    }

    /// The reactions that were taken off a message.
    #[must_use]
    pub fn reactions_removed(&self) -> Vec<Reaction> {
        self.member("reactionsRemoved").unwrap_or_default()
    }

    /// The new topic of the conversation.
    #[must_use]
    pub fn topic_name(&self) -> Option<String> {
        self.member("topicName")
    }

    /// The importance: `low`, `normal` or `high`.
    #[must_use]
    pub fn importance(&self) -> Option<String> {
        self.member("importance")
    }

    /// The suggested actions (quick replies).
    #[must_use]
    pub fn buttons(&self) -> Vec<CardAction> {
        let actions = self.suggested_actions.as_ref();
        let actions = actions.and_then(|raw| raw.get::<SuggestedActions>().ok());
        actions.and_then(|actions| actions.actions).unwrap_or_default()
    }

    /// Sets the suggested actions (quick replies).
    ///
    /// # Example
    ///
    /// ```
    /// use sayso_activity::{Activity, CardAction};
    ///
    /// let sizes = ["small", "large"].map(CardAction::im_back);
    /// let question = Activity::message("What size?").with_buttons(sizes);
    /// assert_eq!(question.buttons().len(), 2);
    /// ```
    #[must_use]
    pub fn with_buttons(mut self, buttons: impl IntoIterator<Item = CardAction>) -> Self {
        self.suggested_actions = Some(SuggestedActions::new(buttons).to_raw());
        self
    }

    /// Lays the attachments out side by side rather than one under the other.
    #[must_use]
    pub fn with_carousel(self) -> Self {
        self.with_word("attachmentLayout", "carousel")
    }

    /// Sets the importance: `low`, `normal` or `high`.
    #[must_use]
    pub fn with_importance(self, importance: impl Into<String>) -> Self {
        self.with_word("importance", importance)
    }

    /// Sets the summary: the text to show where cards cannot be shown.
    #[must_use]
    pub fn with_summary(self, summary: impl Into<String>) -> Self {
        self.with_word("summary", summary)
    }

    fn with_word(self, name: &str, word: impl Into<String>) -> Self {
        self.with_extra(name, Raw::from(serde_json::Value::from(word.into())))
    }
}

#[cfg(test)]
mod tests {
    use crate::{Activity, CardAction, Reaction};

    #[test]
    fn a_member_of_another_type_is_not_there() {
        let activity = Activity::from_json(
            br#"{"type":"x","action":7,"reactionsAdded":{"type":"like"},"reactionsRemoved":null,
                 "topicName":null,"importance":"high","suggestedActions":{"actions":7}}"#,
        );
        let activity = activity.unwrap();
        assert_eq!((activity.action(), activity.topic_name()), (None, None));
        assert!(activity.reactions_added().is_empty() && activity.reactions_removed().is_empty());
        assert!(activity.buttons().is_empty());
        assert_eq!(activity.importance().as_deref(), Some("high"));
        assert_eq!(activity.member::<Option<u8>>("nothing"), None);
    }

    #[test]
    fn what_is_set_is_read_and_written() {
        let activity = Activity::message("two")
            .with_buttons([CardAction::im_back("A")])
            .with_buttons([CardAction::im_back("B")])
            .with_carousel()
            .with_importance("low")
            .with_summary("cards");
        let text = concat!(
            r#"{"type":"message","text":"two","#,
            r#""suggestedActions":{"actions":[{"type":"imBack","title":"B","value":"B"}]},"#,
            r#""attachmentLayout":"carousel","importance":"low","summary":"cards"}"#
        );
        assert_eq!(String::from_utf8(activity.to_json()).unwrap(), text);
        assert_eq!(activity.buttons(), [CardAction::im_back("B")]);
        assert_eq!(Reaction::new("like").kind.as_deref(), Some("like"));
    }
}
