//! The tokens that users gave a bot, which the Bot Framework's token service keeps.
//!
//! The token service is no channel, but it is called in the same way and shown the same token of
//! the bot: make a [`Service`] with its address.

use std::fmt;

use base64::{Engine as _, engine::general_purpose::STANDARD};
use sayso_turn::activity::{Reference, Token, TokenResponse};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{
    Error, Service,
    call::{Call, json},
    path::Path,
};

/// How a user can sign in.
#[derive(Clone, Default, PartialEq, Eq, Deserialize)]
pub struct SignInResource {
    /// The address of the page on which the user signs in.
    #[serde(rename = "signInLink")]
    pub link: String,
    /// What a client needs to exchange a token of its own, as the service gives it.
    #[serde(default, rename = "tokenExchangeResource")]
    pub exchange: Option<Value>,
}

impl fmt::Debug for SignInResource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The link carries the state of the sign-in.
        f.debug_struct("SignInResource").finish_non_exhaustive()
    }
}

/// What the token service has to know of a sign-in that begins.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct State<'a> {
    connection_name: &'a str,
    conversation: &'a Reference,
    ms_app_id: &'a str,
}

#[derive(Serialize)]
struct Offer<'a> {
    token: &'a Token,
}

impl Service {
    /// The token that a user gave the bot for a connection, or `None` if there is none and the user
    /// has to sign in.
    ///
    /// The channel is where the user is; the code is what the user was shown after signing in.
    ///
    /// # Errors
    /// [`Error`], by what to do.
    ///
    /// # Cancellation
    /// It changes nothing, but a code can be used only once.
    pub async fn user_token(
        &self,
        user: &str,
        connection: &str,
        channel: Option<&str>,
        code: Option<&str>,
    ) -> Result<Option<TokenResponse>, Error> {
        let path = self.of_user("/api/usertoken/GetToken", user, connection, channel);
        let call = Call::get("asking for the user's token", path.query("code", code).address()?);
        match self.ask(call).await {
            Ok(answer) => answer.value().await.map(Some),
            Err(Error::Gone { .. }) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Exchanges a token that the user's client has for one of a connection, or `None` if that is
    /// not possible: the user has to sign in.
    ///
    /// # Errors
    /// [`Error`], by what to do.
    ///
    /// # Cancellation
    /// It may have been exchanged; making the call again does no harm.
    pub async fn exchange_user_token(
        &self,
        user: &str,
        connection: &str,
        channel: Option<&str>,
        token: &Token,
    ) -> Result<Option<TokenResponse>, Error> {
        let url = self.of_user("/api/usertoken/exchange", user, connection, channel).address()?;
        let call = Call::post("exchanging the user's token", url, json(&Offer { token })?);
        match self.ask(call).await {
            Ok(answer) => answer.value().await.map(Some),
            // No consent yet, or a token of somebody else.
            Err(Error::Gone { .. } | Error::Refused { status: Some(400), .. }) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// How the user of a conversation signs in over a connection of the bot, whose app id is `app`.
    ///
    /// # Errors
    /// [`Error`], by what to do.
    ///
    /// # Cancellation
    /// It changes nothing.
    pub async fn sign_in_resource(
        &self,
        app: &str,
        connection: &str,
        reference: &Reference,
    ) -> Result<SignInResource, Error> {
        let (connection_name, conversation, ms_app_id) = (connection, reference, app);
        let state = STANDARD.encode(json(&State { connection_name, conversation, ms_app_id })?);
        let path = Path::new(&self.base).then("/api/botsignin/GetSignInResource");
        let url = path.query("state", Some(state)).address()?;
        self.ask(Call::get("asking how to sign in", url)).await?.value().await
    }

    /// Makes the token service forget the user's token of a connection.
    ///
    /// # Errors
    /// [`Error`], by what to do.
    ///
    /// # Cancellation
    /// It may have been forgotten; making the call again does no harm.
    pub async fn sign_out(
        &self,
        user: &str,
        connection: &str,
        channel: Option<&str>,
    ) -> Result<(), Error> {
        let url = self.of_user("/api/usertoken/SignOut", user, connection, channel).address()?;
        match self.ask(Call::delete("signing the user out", url)).await {
            Ok(answer) => answer.done().await,
            // There was nothing to forget.
            Err(Error::Gone { .. }) => {}
            Err(error) => return Err(error),
        }
        Ok(())
    }

    fn of_user(
        &self,
        words: &'static str,
        user: &str,
        connection: &str,
        channel: Option<&str>,
    ) -> Path {
        Path::new(&self.base)
            .then(words)
            .query("userId", Some(user))
            .query("connectionName", Some(connection))
            .query("channelId", channel)
    }
}
