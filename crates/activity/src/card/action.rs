//! Buttons: on a card, and under a message.
//!
//! A button is the same type in both places. Its action is a string rather than an enum, because
//! channels have actions of their own beside the known ones.

use crate::Raw;
use crate::json::wire_struct::wire_struct;

wire_struct! {
    /// A button: its label and its action.
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
        /// The type of action, such as `imBack`, `postBack` or `openUrl`: the member `type`.
        kind: String = "type",
        /// The label of the button.
        title: String = "title",
        /// The address of a picture on the button.
        image: String = "image",
        /// The alternative text of the picture.
        image_alt_text: String = "imageAltText",
        /// The text that a message back carries.
        text: String = "text",
        /// The text that the chat shows when the button is pressed.
        display_text: String = "displayText",
        /// The value to send, or the URL to open.
        value: Raw = "value",
        /// Data in a form of the channel's own.
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
        /// The ids of the recipients; unset, all members see the buttons.
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

    /// A button whose press is the same as saying its label.
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

    /// A button whose press sends a text and a value; the chat shows the label.
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

    /// A button of a kind, with its label.
    #[must_use]
    pub fn new(kind: impl Into<String>, title: impl Into<String>) -> Self {
        Self { kind: Some(kind.into()), title: Some(title.into()), ..Self::default() }
    }

    /// Sets the value to send, or the URL to open.
    #[must_use]
    pub fn with_value(mut self, value: impl Into<serde_json::Value>) -> Self {
        self.value = Some(Raw::from(value.into()));
        self
    }

    /// Sets the picture on the button and its alternative text.
    #[must_use]
    pub fn with_image(mut self, url: impl Into<String>, alt: impl Into<String>) -> Self {
        (self.image, self.image_alt_text) = (Some(url.into()), Some(alt.into()));
        self
    }
}

impl SuggestedActions {
    /// Buttons for all members.
    #[must_use]
    pub fn new(actions: impl IntoIterator<Item = CardAction>) -> Self {
        Self { actions: Some(actions.into_iter().collect()), ..Self::default() }
    }

    /// Adds a recipient; only recipients see the buttons.
    #[must_use]
    pub fn with_recipient(mut self, id: impl Into<String>) -> Self {
        self.to.get_or_insert_default().push(id.into());
        self
    }

    /// The buttons as JSON, for
    /// [`Activity::suggested_actions`](crate::Activity::suggested_actions).
    #[must_use]
    pub fn to_raw(&self) -> Raw {
        Raw::of(self).expect("strings and JSON text can be written as JSON")
    }
}
