//! Media cards: animation, audio, video.

use super::{CardAction, MediaUrl, ThumbnailUrl, attach};
use crate::Raw;
use crate::json::wire_struct::wire_struct;

macro_rules! media_card {
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
                /// The picture to show until it plays.
                image: ThumbnailUrl = "image",
                /// The media to play: one thing, in one or more forms.
                media: Vec<MediaUrl> = "media",
                /// The buttons.
                buttons: Vec<CardAction> = "buttons",
                /// True if it may be shared, which is the default of channels.
                is_shareable: bool = "shareable",
                /// True if it plays in a loop, which is the default of channels.
                is_looping: bool = "autoloop",
                /// True if it plays by itself (autostart), which is the default of channels.
                is_starting: bool = "autostart",
                /// The shape of the picture: `16:9` or `4:3`.
                aspect: String = "aspect",
                /// The duration, in ISO 8601.
                duration: String = "duration",
                /// The value that media events of this card carry.
                value: Raw = "value",
            }
        }

        attach!($Card, $content_type);

        impl $Card {
            /// A card that plays what is at an address.
            #[must_use]
            pub fn new(media: impl Into<MediaUrl>) -> Self {
                Self { media: Some(vec![media.into()]), ..Self::default() }
            }

            /// Sets the title.
            #[must_use]
            pub fn with_title(mut self, title: impl Into<String>) -> Self {
                self.title = Some(title.into());
                self
            }

            /// Sets the text.
            #[must_use]
            pub fn with_text(mut self, text: impl Into<String>) -> Self {
                self.text = Some(text.into());
                self
            }

            /// Sets the picture to show until it plays.
            #[must_use]
            pub fn with_image(mut self, image: impl Into<ThumbnailUrl>) -> Self {
                self.image = Some(image.into());
                self
            }

            /// Adds another form of the same thing, such as a smaller file.
            #[must_use]
            pub fn with_media(mut self, media: impl Into<MediaUrl>) -> Self {
                self.media.get_or_insert_default().push(media.into());
                self
            }

            /// Adds a button.
            #[must_use]
            pub fn with_button(mut self, button: CardAction) -> Self {
                self.buttons.get_or_insert_default().push(button);
                self
            }

            /// Waits for the user before it plays, and plays once.
            #[must_use]
            pub fn played_on_request(mut self) -> Self {
                (self.is_starting, self.is_looping) = (Some(false), Some(false));
                self
            }
        }
    };
}

media_card! {
    /// A card that plays an animation, such as a GIF.
    ///
    /// # Example
    ///
    /// ```
    /// use sayso_activity::AnimationCard;
    ///
    /// let card = AnimationCard::new("https://example.org/wave.gif").with_title("Ciao");
    /// assert_eq!(card.attach().content_type.unwrap(), AnimationCard::CONTENT_TYPE);
    /// ```
    AnimationCard, "animationCard", "application/vnd.microsoft.card.animation"
}

media_card! {
    /// A card that plays a sound.
    ///
    /// # Example
    ///
    /// ```
    /// use sayso_activity::AudioCard;
    ///
    /// let card = AudioCard::new("https://example.org/bell.mp3").played_on_request();
    /// assert_eq!(card.is_starting, Some(false));
    /// ```
    AudioCard, "audioCard", "application/vnd.microsoft.card.audio"
}

media_card! {
    /// A card that plays a film.
    ///
    /// # Example
    ///
    /// ```
    /// use sayso_activity::VideoCard;
    ///
    /// let card = VideoCard::new("https://example.org/large.mp4")
    ///     .with_media("https://example.org/small.mp4")
    ///     .with_image("https://example.org/still.png");
    /// assert_eq!(card.media.as_ref().unwrap().len(), 2);
    /// ```
    VideoCard, "videoCard", "application/vnd.microsoft.card.video"
}
