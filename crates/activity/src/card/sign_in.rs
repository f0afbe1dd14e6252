//! Cards that ask the user to sign in.

use super::{CardAction, attach};
use crate::json::wire_struct::wire_struct;

wire_struct! {
    /// A card that asks the user to sign in at an address of the bot's own.
    ///
    /// # Example
    ///
    /// ```
    /// use sayso_activity::SigninCard;
    ///
    /// let card = SigninCard::new("Who are you?", "Sign in", "https://example.org/sign-in");
    /// assert_eq!(card.attach().content_type.unwrap(), SigninCard::CONTENT_TYPE);
    /// ```
    pub struct SigninCard, "signinCard";
    required {}
    optional {
        /// The text.
        text: String = "text",
        /// The button.
        buttons: Vec<CardAction> = "buttons",
    }
}

wire_struct! {
    /// A card that asks the user to sign in over a connection that the channel's service keeps.
    ///
    /// # Example
    ///
    /// ```
    /// use sayso_activity::{OAuthCard, TokenExchangeResource};
    ///
    /// let card = OAuthCard::new("Please sign in.", "calendar")
    ///     .with_button("Sign in", "https://token.example.org/start")
    ///     .with_exchange(TokenExchangeResource::new("1", "api://calendar"));
    /// assert_eq!(card.attach().content_type.unwrap(), OAuthCard::CONTENT_TYPE);
    /// ```
    pub struct OAuthCard, "oauthCard";
    required {}
    optional {
        /// The text.
        text: String = "text",
        /// The connection, by the name it has in the service's settings.
        connection_name: String = "connectionName",
        /// The resource for single sign-on: a client that is signed in can exchange its token for
        /// it.
        token_exchange_resource: TokenExchangeResource = "tokenExchangeResource",
        /// The button.
        buttons: Vec<CardAction> = "buttons",
    }
}

wire_struct! {
    /// The resource for single sign-on: a client that is signed in can exchange its token for it.
    pub struct TokenExchangeResource, "tokenExchangeResource";
    required {}
    optional {
        /// The id of this request, to match its answer.
        id: String = "id",
        /// The URI of the resource that the token should be for.
        uri: String = "uri",
        /// The id of the identity provider.
        provider_id: String = "providerId",
    }
}

attach!(SigninCard, "application/vnd.microsoft.card.signin");
attach!(OAuthCard, "application/vnd.microsoft.card.oauth");

impl SigninCard {
    /// A card with a text and a button that opens an address.
    #[must_use]
    pub fn new(text: impl Into<String>, title: impl Into<String>, url: impl Into<String>) -> Self {
        let button = CardAction::new(CardAction::SIGN_IN, title).with_value(url.into());
        Self { text: Some(text.into()), buttons: Some(vec![button]), ..Self::default() }
    }
}

impl OAuthCard {
    /// A card with a text, for a connection.
    #[must_use]
    pub fn new(text: impl Into<String>, connection_name: impl Into<String>) -> Self {
        let connection_name = Some(connection_name.into());
        Self { text: Some(text.into()), connection_name, ..Self::default() }
    }

    /// Adds the button that opens the sign-in.
    #[must_use]
    pub fn with_button(mut self, title: impl Into<String>, url: impl Into<String>) -> Self {
        let button = CardAction::new(CardAction::SIGN_IN, title).with_value(url.into());
        self.buttons.get_or_insert_default().push(button);
        self
    }

    /// Sets the resource for single sign-on.
    #[must_use]
    pub fn with_exchange(mut self, resource: TokenExchangeResource) -> Self {
        self.token_exchange_resource = Some(resource);
        self
    }
}

impl TokenExchangeResource {
    /// A resource with the id of this request.
    #[must_use]
    pub fn new(id: impl Into<String>, uri: impl Into<String>) -> Self {
        Self { id: Some(id.into()), uri: Some(uri.into()), ..Self::default() }
    }
}
