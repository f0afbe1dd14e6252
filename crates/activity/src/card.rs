//! Buttons and the simplest card: what a bot offers next to its words.
//!
//! Only what a list of choices needs is here. A button is the same thing everywhere, under a
//! message ([`SuggestedActions`]) and on a card ([`HeroCard`]).

use crate::record::record;
use crate::{Attachment, Raw};

record! {
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

record! {
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

record! {
    /// A card with a title, a text, a picture and buttons.
    ///
    /// # Example
    ///
    /// ```
    /// use sayso_activity::{Activity, CardAction, HeroCard, Kind};
    ///
    /// let card = HeroCard::new("Which colour?").with_button(CardAction::im_back("Red"));
    /// let message = Activity::new(Kind::Message).with_attachment(card.attach());
    /// assert_eq!(message.attachments.unwrap().len(), 1);
    /// ```
    pub struct HeroCard, "heroCard";
    required {}
    optional {
        /// The title.
        title: String = "title",
        /// The line under the title.
        subtitle: String = "subtitle",
        /// The text.
        text: String = "text",
        /// The pictures.
        images: Vec<Raw> = "images",
        /// The buttons.
        buttons: Vec<CardAction> = "buttons",
        /// What pressing the card itself does.
        tap: CardAction = "tap",
    }
}

impl CardAction {
    /// The kind of button whose press is the same as saying its value.
    pub const IM_BACK: &'static str = "imBack";

    /// A button whose press is the same as saying what stands on it.
    #[must_use]
    pub fn im_back(title: impl Into<String>) -> Self {
        let title = title.into();
        Self::new(Self::IM_BACK, title.clone()).with_value(title)
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

    /// The buttons as JSON, for [`Activity::suggested_actions`](crate::Activity::suggested_actions).
    #[must_use]
    pub fn to_raw(&self) -> Raw {
        Raw::of(self).expect("names, texts and JSON are JSON")
    }
}

impl HeroCard {
    /// What an attachment says it is when it holds this card.
    pub const CONTENT_TYPE: &'static str = "application/vnd.microsoft.card.hero";

    /// A card with a text.
    #[must_use]
    pub fn new(text: impl Into<String>) -> Self {
        Self { text: Some(text.into()), ..Self::default() }
    }

    /// Adds a button.
    #[must_use]
    pub fn with_button(mut self, button: CardAction) -> Self {
        self.buttons.get_or_insert_default().push(button);
        self
    }

    /// The card as an attachment.
    #[must_use]
    pub fn attach(&self) -> Attachment {
        Attachment::with_content(Self::CONTENT_TYPE, self).expect("names, texts and JSON are JSON")
    }
}

#[cfg(test)]
mod tests {
    use serde::Serialize;
    use serde::de::DeserializeOwned;

    use super::{CardAction, HeroCard, SuggestedActions};

    fn check_kept<T: Serialize + DeserializeOwned>(text: &str) {
        let record: T = serde_json::from_str(text).unwrap();
        assert_eq!(serde_json::to_string(&record).unwrap(), text);
    }

    #[test]
    fn members_that_are_not_known_are_kept() {
        let button = r#"{"type":"signin","title":"Go","value":{"n":1e400},"iconUrl":"x"}"#;
        check_kept::<CardAction>(button);
        check_kept::<SuggestedActions>(&format!(r#"{{"to":["a"],"actions":[{button}],"z":null}}"#));
        check_kept::<HeroCard>(&format!(
            r#"{{"title":"t","images":[{{"url":"u"}}],"buttons":[{button}],"tap":{button},"z":1}}"#
        ));
    }

    #[test]
    fn builders_write_what_channels_expect() {
        let buttons = SuggestedActions::new([CardAction::new("openUrl", "See").with_value("u")])
            .with_recipient("ann");
        let text = r#"{"to":["ann"],"actions":[{"type":"openUrl","title":"See","value":"u"}]}"#;
        assert_eq!(buttons.to_raw().as_str(), text);

        let card = HeroCard::new("Which?").with_button(CardAction::im_back("A")).attach();
        let text = r#"{"text":"Which?","buttons":[{"type":"imBack","title":"A","value":"A"}]}"#;
        assert_eq!(card.content.unwrap().as_str(), text);
        assert_eq!(card.content_type.as_deref(), Some("application/vnd.microsoft.card.hero"));
    }
}
