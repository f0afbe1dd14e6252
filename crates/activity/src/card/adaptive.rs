//! Adaptive card: JSON in a format of its own, which this crate carries and does not parse.

use serde::{Deserialize, Serialize};

use super::attach;
use crate::Raw;

/// An adaptive card, as its JSON.
///
/// Include the JSON file of a designer, or write it with `serde_json::json!`.
///
/// # Example
///
/// ```
/// use sayso_activity::AdaptiveCard;
/// use serde_json::json;
///
/// let card = AdaptiveCard::new(json!({
///     "type": "AdaptiveCard",
///     "version": "1.4",
///     "body": [{ "type": "Input.Text", "id": "name" }],
///     "actions": [{ "type": "Action.Execute", "title": "Send", "verb": "send" }],
/// }));
/// assert_eq!(card.attach().content_type.unwrap(), AdaptiveCard::CONTENT_TYPE);
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct AdaptiveCard(Raw);

attach!(AdaptiveCard, "application/vnd.microsoft.card.adaptive");

impl AdaptiveCard {
    /// A card from its JSON.
    #[must_use]
    pub fn new(card: impl Into<Raw>) -> Self {
        Self(card.into())
    }

    /// A card from a JSON text, such as a file of a designer.
    ///
    /// # Errors
    ///
    /// When the text is not one JSON value.
    pub fn from_text(text: impl Into<String>) -> Result<Self, serde_json::Error> {
        Raw::from_text(text.into()).map(Self)
    }

    /// The card's JSON.
    #[must_use]
    pub fn raw(&self) -> &Raw {
        &self.0
    }
}
