//! Buttons: on a card, and under a message.
//!
//! A button is the same thing in both places. What pressing it does is a word, because channels
//! have words of their own beside the known ones.

use crate::Raw;
use crate::json::wire_struct::wire_struct;

wire_struct! {
    /// A button: what stands on it, and what pressing it does.
    ///
    /// # Example
    ///
    /// ```
    /// use sayso_activity::CardAction;
    ///
    /// let red = CardAction::im_back("Red");
    /// let text = r#"{"type":"imBack","title":"Red","value":"Red"}"#;
    /// assert_eq!(serde_json::to_string(&red)?, text);
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    pub struct CardAction, "action";
    required {}
    optional {
        /// What pressing does, such as `imBack`, `postBack` or `openUrl`: the member `type`.
        kind: String = "type",
        /// What stands on the button.
        title: String = "title",
        /// The address of a picture on the button.
        image: String = "image",
        /// What the picture shows, for those who do not see it.
        image_alt_text: String = "imageAltText",
        /// The text that a message back carries.
        text: String = "text",
        /// What the chat shows as said when the button is pressed.
        display_text: String = "displayText",
        /// What is sent or opened.
        value: Raw = "value",
        /// What only this channel understands.
        channel_data: Raw = "channelData",
    }
}

wire_struct! {
    /// Buttons offered with a message; they go away when one is pressed.
    ///
    /// # Example
    ///
    /// ```
    /// use sayso_activity::{Activity, CardAction, SuggestedActions};
    ///
    /// let buttons = SuggestedActions::new([CardAction::im_back("Yes"), CardAction::im_back("No")]);
    /// let question = Activity::message("Sure?").with_suggested_actions(&buttons)?;
    /// assert_eq!(question.suggested_actions, Some(buttons.to_raw()));
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    pub struct SuggestedActions, "suggestedActions";
    required {}
    optional {
        /// The ids of those who see them; all do when this is not set.
        to: Vec<String> = "to",
        /// The buttons.
        actions: Vec<CardAction> = "actions",
    }
}

impl CardAction {
    /// The kind of button whose press is the same as saying its value.
    pub const IM_BACK: &'static str = "imBack";
    /// The kind of button whose press sends its value, unseen by the others.
    pub const POST_BACK: &'static str = "postBack";
    /// The kind of button whose press sends a text and a value.
    pub const MESSAGE_BACK: &'static str = "messageBack";
    /// The kind of button that opens an address.
    pub const OPEN_URL: &'static str = "openUrl";
    /// The kind of button that begins a sign-in.
    pub const SIGN_IN: &'static str = "signin";

    /// A button whose press is the same as saying what stands on it.
    #[must_use]
    pub fn im_back(title: impl Into<String>) -> Self {
        let title = title.into();
        Self::new(Self::IM_BACK, title.clone()).with_value(title)
    }

    /// A button whose press sends a value, unseen by the others.
    ///
    /// Some channels send it as the text of a message, some as its value.
    #[must_use]
    pub fn post_back(title: impl Into<String>, value: impl Into<serde_json::Value>) -> Self {
        Self::new(Self::POST_BACK, title).with_value(value)
    }

    /// A button whose press sends a text and a value; the chat shows what stands on the button.
    #[must_use]
    pub fn message_back(
        title: impl Into<String>,
        text: impl Into<String>,
        value: impl Into<serde_json::Value>,
    ) -> Self {
        let title = title.into();
        let button = Self::new(Self::MESSAGE_BACK, title.clone()).with_value(value);
        Self { text: Some(text.into()), display_text: Some(title), ..button }
    }

    /// A button that opens an address.
    #[must_use]
    pub fn open_url(title: impl Into<String>, url: impl Into<String>) -> Self {
        Self::new(Self::OPEN_URL, title).with_value(url.into())
    }

    /// A button of a kind, with what stands on it.
    #[must_use]
    pub fn new(kind: impl Into<String>, title: impl Into<String>) -> Self {
        Self { kind: Some(kind.into()), title: Some(title.into()), ..Self::default() }
    }

    /// Sets what is sent or opened.
    #[must_use]
    pub fn with_value(mut self, value: impl Into<serde_json::Value>) -> Self {
        self.value = Some(Raw::from(value.into()));
        self
    }

    /// Puts a picture on the button, and says what it shows.
    #[must_use]
    pub fn with_image(mut self, url: impl Into<String>, alt: impl Into<String>) -> Self {
        (self.image, self.image_alt_text) = (Some(url.into()), Some(alt.into()));
        self
    }
}

impl SuggestedActions {
    /// Buttons that all see.
    #[must_use]
    pub fn new(actions: impl IntoIterator<Item = CardAction>) -> Self {
        Self { actions: Some(actions.into_iter().collect()), ..Self::default() }
    }

    /// Adds one who sees them; the others then do not.
    #[must_use]
    pub fn with_recipient(mut self, id: impl Into<String>) -> Self {
        self.to.get_or_insert_default().push(id.into());
        self
    }

    /// The buttons as JSON, for
    /// [`Activity::suggested_actions`](crate::Activity::suggested_actions).
    #[must_use]
    pub fn to_raw(&self) -> Raw {
        Raw::of(self).expect("names, texts and JSON are JSON")
    }
}
