//! Pictures and media on a card, by their addresses.

use super::CardAction;
use crate::json::wire_struct::wire_struct;

wire_struct! {
    /// A picture on a card.
    pub struct CardImage, "image";
    required {}
    optional {
        /// The address.
        url: String = "url",
        /// The alternative text.
        alt: String = "alt",
        /// The action when the picture is pressed.
        tap: CardAction = "tap",
    }
}

wire_struct! {
    /// The picture that stands for a film or a sound until it plays.
    pub struct ThumbnailUrl, "image";
    required {}
    optional {
        /// The address.
        url: String = "url",
        /// The alternative text.
        alt: String = "alt",
    }
}

wire_struct! {
    /// A film, a sound or an animation.
    pub struct MediaUrl, "media";
    required {}
    optional {
        /// The address.
        url: String = "url",
        /// A hint for the client, which of several to play.
        profile: String = "profile",
    }
}

impl CardImage {
    /// A picture by its address.
    #[must_use]
    pub fn new(url: impl Into<String>) -> Self {
        Self { url: Some(url.into()), ..Self::default() }
    }

    /// Sets the alternative text.
    #[must_use]
    pub fn with_alt(mut self, alt: impl Into<String>) -> Self {
        self.alt = Some(alt.into());
        self
    }

    /// Sets the action when the picture is pressed.
    #[must_use]
    pub fn with_tap(mut self, tap: CardAction) -> Self {
        self.tap = Some(tap);
        self
    }
}

impl From<&str> for CardImage {
    fn from(url: &str) -> Self {
        Self::new(url)
    }
}

impl From<&str> for ThumbnailUrl {
    fn from(url: &str) -> Self {
        Self { url: Some(url.to_owned()), ..Self::default() }
    }
}

impl From<&str> for MediaUrl {
    fn from(url: &str) -> Self {
        Self { url: Some(url.to_owned()), ..Self::default() }
    }
}
