//! Cards with a title, a text, pictures and buttons: large ([`HeroCard`]) and small
//! ([`ThumbnailCard`]).

use super::{CardAction, CardImage, attach};
use crate::json::wire_struct::wire_struct;

macro_rules! basic_card {
    ($(#[$meta:meta])* $Card:ident, $label:literal, $content_type:literal) => {
        wire_struct! {
            $(#[$meta])*
            pub struct $Card, $label;
            required {}
            optional {
                /// The title.
                title: String = "title",
                /// The line under the title.
                subtitle: String = "subtitle",
                /// The text.
                text: String = "text",
                /// The pictures.
                images: Vec<CardImage> = "images",
                /// The buttons.
                buttons: Vec<CardAction> = "buttons",
                /// The action when the card itself is pressed.
                tap: CardAction = "tap",
            }
        }

        attach!($Card, $content_type);

        impl $Card {
            /// A card with a text.
            #[must_use]
            pub fn new(text: impl Into<String>) -> Self {
                Self { text: Some(text.into()), ..Self::default() }
            }

            /// Sets the title.
            #[must_use]
            pub fn with_title(mut self, title: impl Into<String>) -> Self {
                self.title = Some(title.into());
                self
            }

            /// Sets the line under the title.
            #[must_use]
            pub fn with_subtitle(mut self, subtitle: impl Into<String>) -> Self {
                self.subtitle = Some(subtitle.into());
                self
            }

            /// Adds a picture, by its address or with what it shows.
            #[must_use]
            pub fn with_image(mut self, image: impl Into<CardImage>) -> Self {
                self.images.get_or_insert_default().push(image.into());
                self
            }

            /// Adds a button.
            #[must_use]
            pub fn with_button(mut self, button: CardAction) -> Self {
                self.buttons.get_or_insert_default().push(button);
                self
            }

            /// Sets what pressing the card itself does.
            #[must_use]
            pub fn with_tap(mut self, tap: CardAction) -> Self {
                self.tap = Some(tap);
                self
            }
        }
    };
}

basic_card! {
    /// A card with a title, a text, a large picture and buttons.
    ///
    /// # Example
    ///
    /// ```
    /// use sayso_activity::{Activity, CardAction, CardImage, HeroCard};
    ///
    /// let card = HeroCard::new("Which colour?")
    ///     .with_image(CardImage::new("https://example.org/red.png").with_alt("a red square"))
    ///     .with_button(CardAction::im_back("Red"));
    /// let message = Activity::message("").with_attachment(card.attach());
    /// assert_eq!(message.attachments.unwrap().len(), 1);
    /// ```
    HeroCard, "heroCard", "application/vnd.microsoft.card.hero"
}

basic_card! {
    /// A card with a title, a text, a small picture and buttons.
    ///
    /// # Example
    ///
    /// ```
    /// use sayso_activity::ThumbnailCard;
    ///
    /// let card = ThumbnailCard::new("12 km north").with_title("Frascati");
    /// assert_eq!(card.attach().content_type.unwrap(), ThumbnailCard::CONTENT_TYPE);
    /// ```
    ThumbnailCard, "thumbnailCard", "application/vnd.microsoft.card.thumbnail"
}
