//! Constructors of activities, and `with_…` methods that set one member each.
//!
//! Members that people set by hand have a method; the rest are public fields. A method fails only
//! where it takes a value of the caller's own type, which may not be JSON.

use serde::Serialize;

use crate::{Activity, Attachment, Kind, Raw};

impl Activity {
    /// An activity of a kind, with no other member set.
    #[must_use]
    pub fn new(kind: Kind) -> Self {
        Self { kind, ..Self::default() }
    }

    /// A message with a text.
    ///
    /// # Example
    ///
    /// ```
    /// use sayso_activity::Activity;
    ///
    /// let question = Activity::message("Where to?").with_input_hint("expectingInput");
    /// assert!(question.is_message());
    /// ```
    #[must_use]
    pub fn message(text: impl Into<String>) -> Self {
        Self { text: Some(text.into()), ..Self::default() }
    }

    /// A typing indicator.
    #[must_use]
    pub fn typing() -> Self {
        Self::new(Kind::Typing)
    }

    /// An event with a name.
    ///
    /// # Example
    ///
    /// ```
    /// use sayso_activity::Activity;
    ///
    /// let event = Activity::event("moved").with_value(&[4, 2])?;
    /// assert_eq!(event.to_json(), br#"{"type":"event","name":"moved","value":[4,2]}"#);
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    #[must_use]
    pub fn event(name: impl Into<String>) -> Self {
        Self { name: Some(name.into()), ..Self::new(Kind::Event) }
    }

    /// The end of the conversation.
    #[must_use]
    pub fn end_of_conversation() -> Self {
        Self::new(Kind::EndOfConversation)
    }

    /// The answer to an invoke: an HTTP status and a body.
    ///
    /// # Example
    ///
    /// ```
    /// use sayso_activity::Activity;
    ///
    /// let answer = Activity::invoke_response(404, None);
    /// assert_eq!(answer.value.unwrap().as_str(), r#"{"status":404}"#);
    /// ```
    #[must_use]
    pub fn invoke_response(status: u16, body: Option<Raw>) -> Self {
        #[derive(Serialize)]
        struct Value {
            status: u16,
            #[serde(skip_serializing_if = "Option::is_none")]
            body: Option<Raw>,
        }
        let value = Raw::of(&Value { status, body })
            .expect("a number and JSON text can be written as JSON");
        Self { value: Some(value), ..Self::new(Kind::InvokeResponse) }
    }

    /// Sets the text.
    #[must_use]
    pub fn with_text(mut self, text: impl Into<String>) -> Self {
        self.text = Some(text.into());
        self
    }

    /// Sets the markup of the text: `plain`, `markdown` or `xml`.
    #[must_use]
    pub fn with_text_format(mut self, format: impl Into<String>) -> Self {
        self.text_format = Some(format.into());
        self
    }

    /// Sets the text to speak aloud, plain or SSML.
    #[must_use]
    pub fn with_speak(mut self, speak: impl Into<String>) -> Self {
        self.speak = Some(speak.into());
        self
    }

    /// Sets the input hint: `acceptingInput`, `expectingInput` or `ignoringInput`.
    #[must_use]
    pub fn with_input_hint(mut self, hint: impl Into<String>) -> Self {
        self.input_hint = Some(hint.into());
        self
    }

    /// Sets the language of the text.
    #[must_use]
    pub fn with_locale(mut self, locale: impl Into<String>) -> Self {
        self.locale = Some(locale.into());
        self
    }

    /// Sets the reason why a conversation ended.
    #[must_use]
    pub fn with_code(mut self, code: impl Into<String>) -> Self {
        self.code = Some(code.into());
        self
    }

    /// Adds an attachment.
    #[must_use]
    pub fn with_attachment(mut self, attachment: Attachment) -> Self {
        self.attachments.get_or_insert_default().push(attachment);
        self
    }

    /// Adds an entity.
    #[must_use]
    pub fn with_entity(mut self, entity: Raw) -> Self {
        self.entities.get_or_insert_default().push(entity);
        self
    }

    /// Sets a member that has no field.
    #[must_use]
    pub fn with_extra(mut self, name: impl Into<Box<str>>, value: Raw) -> Self {
        self.extra.insert(name, value);
        self
    }

    /// Sets the value that comes with the name.
    ///
    /// # Errors
    ///
    /// When the value cannot be written as JSON.
    pub fn with_value<T: Serialize + ?Sized>(
        mut self,
        value: &T,
    ) -> Result<Self, serde_json::Error> {
        self.value = Some(Raw::of(value)?);
        Ok(self)
    }

    /// Sets the suggested actions (quick replies), as any type.
    ///
    /// # Errors
    ///
    /// When they cannot be written as JSON.
    pub fn with_suggested_actions<T: Serialize + ?Sized>(
        mut self,
        actions: &T,
    ) -> Result<Self, serde_json::Error> {
        self.suggested_actions = Some(Raw::of(actions)?);
        Ok(self)
    }

    /// Sets the channel data, in a form of the channel's own.
    ///
    /// # Errors
    ///
    /// When it cannot be written as JSON.
    pub fn with_channel_data<T: Serialize + ?Sized>(
        mut self,
        data: &T,
    ) -> Result<Self, serde_json::Error> {
        self.channel_data = Some(Raw::of(data)?);
        Ok(self)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::{Activity, Attachment, Raw};

    fn check(activity: &Activity, text: &str) {
        assert_eq!(String::from_utf8(activity.to_json()).unwrap(), text);
    }

    #[test]
    fn constructors_set_what_they_name_and_no_more() {
        check(&Activity::message("a\"b"), r#"{"type":"message","text":"a\"b"}"#);
        check(&Activity::typing(), r#"{"type":"typing"}"#);
        check(&Activity::event("e"), r#"{"type":"event","name":"e"}"#);
        let end = Activity::end_of_conversation().with_code("completedSuccessfully");
        check(&end, r#"{"type":"endOfConversation","code":"completedSuccessfully"}"#);
        let answer = Activity::invoke_response(200, Some(Raw::from(json!({"ok": true}))));
        check(&answer, r#"{"type":"invokeResponse","value":{"status":200,"body":{"ok":true}}}"#);
    }

    #[test]
    fn lists_grow_by_one() {
        let activity = Activity::typing()
            .with_attachment(Attachment::default())
            .with_attachment(Attachment::default())
            .with_entity(Raw::null())
            .with_extra("importance", Raw::from(json!("high")));
        let text =
            r#"{"type":"typing","attachments":[{},{}],"entities":[null],"importance":"high"}"#;
        check(&activity, text);
    }

    #[test]
    fn a_value_that_is_not_json_is_refused() {
        let keyed_by_list = std::collections::BTreeMap::from([([1, 2], 3)]);
        assert!(Activity::event("e").with_value(&keyed_by_list).is_err());
    }
}
