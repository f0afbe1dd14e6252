//! The token service, as a seam.

use std::fmt;

use async_trait::async_trait;
use sayso_activity::{Activity, Reference};
use sayso_turn::BotError;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Keeps users' tokens and knows how they sign in.
#[async_trait]
pub trait TokenService: fmt::Debug + Send + Sync + 'static {
    /// The user's token for a connection, if there is one; with the code that the user was shown.
    async fn token(
        &self,
        user: &User,
        connection: &str,
        code: Option<&str>,
    ) -> Result<Option<Token>, BotError>;

    /// Exchanges a token of the channel for one of the connection; `None` when that is not
    /// possible.
    async fn exchange(
        &self,
        user: &User,
        connection: &str,
        token: &str,
    ) -> Result<Option<Token>, BotError>;

    /// Returns the sign-in data for a user of this conversation.
    async fn sign_in(&self, reference: &Reference, connection: &str) -> Result<SignIn, BotError>;
}

/// A user on a channel.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct User {
    /// The channel's id.
    pub channel: String,
    /// The user's id there.
    pub id: String,
}

impl User {
    /// The sender of an activity.
    #[must_use]
    pub fn of(activity: &Activity) -> Self {
        let from = activity.from.as_ref().and_then(|from| from.id.clone());
        Self {
            channel: activity.channel_id.clone().unwrap_or_default(),
            id: from.unwrap_or_default(),
        }
    }
}

/// A token of a user. It does not show itself in logs.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Token {
    /// The connection that it is for.
    #[serde(default)]
    pub connection_name: String,
    /// The token itself.
    pub token: String,
    /// The time at which it expires, as the service says it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expiration: Option<String>,
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Token")
            .field("connection_name", &self.connection_name)
            .finish_non_exhaustive()
    }
}

/// The data of a sign-in card.
#[derive(Clone, Default)]
pub struct SignIn {
    /// The address of the page on which the user signs in.
    pub link: String,
    /// The data that the channel needs to exchange a token of its own, as the service gives it.
    pub exchange: Option<Value>,
}

impl fmt::Debug for SignIn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The link carries the state of the sign-in.
        f.debug_struct("SignIn").finish_non_exhaustive()
    }
}
