//! User sign-in (OAuth): calls to the Bot Framework's token service, which stores users' tokens.
//!
//! The token service is not a channel, but it is called in the same way and with the same access
//! token of the bot: create a [`Service`] with its address.

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

/// Sign-in link and token exchange data for a user.
#[derive(Clone, Default, PartialEq, Eq, Deserialize)]
pub struct SignInResource {
    /// The address of the page on which the user signs in.
    #[serde(rename = "signInLink")]
    pub link: String,
    /// Data with which a client exchanges a token of its own (single sign-on), as the service sends
    /// it.
    #[serde(default, rename = "tokenExchangeResource")]
    pub exchange: Option<Value>,
}

impl fmt::Debug for SignInResource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The link carries the state of the sign-in.
        f.debug_struct("SignInResource").finish_non_exhaustive()
    }
}

/// State of a sign-in, as the token service expects it.
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
    /// Returns the user's token for a connection, or `None` if there is none and the user has to
    /// sign in.
    ///
    /// `channel` is the channel that the user is on; `code` is the one that the user was shown
    /// after signing in.
    ///
    /// # Errors
    /// [`Error`], sorted by remedy.
    ///
    /// # Cancellation
    /// It changes nothing, except that a code can be used only once.
    pub async fn user_token(
        &self,
        user: &str,
        connection: &str,
        channel: Option<&str>,
        code: Option<&str>,
    ) -> Result<Option<TokenResponse>, Error> {
        let path = self.of_user("/api/usertoken/GetToken", user, connection, channel);
        let call = Call::get("getting the user's token", path.query("code", code).address()?);
        match self.ask(call).await {
            Ok(answer) => answer.value().await.map(Some),
            Err(Error::Gone { .. }) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Exchanges a token of the user's client for one of a connection (single sign-on). Returns
    /// `None` if that is not possible and the user has to sign in.
    ///
    /// # Errors
    /// [`Error`], sorted by remedy.
    ///
    /// # Cancellation
    /// It may have been exchanged; repeating the call is harmless.
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
            // No consent yet, or another user's token.
            Err(Error::Gone { .. } | Error::Refused { status: Some(400), .. }) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Returns the sign-in link for a connection of the bot, whose app id is `app`.
    ///
    /// # Errors
    /// [`Error`], sorted by remedy.
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
        self.ask(Call::get("getting the sign-in link", url)).await?.value().await
    }

    /// Signs the user out: deletes the user's token for a connection from the token service.
    ///
    /// # Errors
    /// [`Error`], sorted by remedy.
    ///
    /// # Cancellation
    /// It may have been deleted; repeating the call is harmless.
    pub async fn sign_out(
        &self,
        user: &str,
        connection: &str,
        channel: Option<&str>,
    ) -> Result<(), Error> {
        let url = self.of_user("/api/usertoken/SignOut", user, connection, channel).address()?;
        match self.ask(Call::delete("signing the user out", url)).await {
            Ok(answer) => answer.done().await,
            // There was no token.
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
