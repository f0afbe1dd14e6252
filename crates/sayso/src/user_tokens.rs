//! Sign-in by OAuth over the Bot Framework's token service: implements the dialogs' seam with the
//! channel's client.

use async_trait::async_trait;
use sayso_activity::{Reference, TokenResponse};
use sayso_channel::client::Service;
use sayso_dialog::oauth::{SignIn, Token, TokenService, User};
use sayso_turn::BotError;

/// The Bot Framework's token service, for an [`OAuthPrompt`](sayso_dialog::oauth::OAuthPrompt).
///
/// # Guarantees
/// The users' tokens and the bot's own go nowhere but to the address of the service, which must be
/// allowed by the client's list.
///
/// # Example
/// ```
/// use std::sync::Arc;
/// use sayso::{
///     UserTokens,
///     channel::{ConnectorOptions, auth::{AuthOptions, Secret, Tokens}, client::Client},
///     dialog::oauth::OAuthPrompt,
///     turn::clock::SystemClock,
/// };
///
/// let app = AuthOptions {
///     password: Some(Secret::new("from a vault")),
///     ..AuthOptions::new("00000000-0000-0000-0000-000000000001")
/// };
/// let client = Client::new(ConnectorOptions {
///     tokens: Some(Tokens::new(&app, Arc::new(SystemClock::new()))?),
///     service_urls: app.cloud.service_urls.clone(),
///     ..Default::default()
/// })?;
/// let service = UserTokens::new(client.at(UserTokens::PUBLIC)?, &app.app_id);
/// let prompt = OAuthPrompt::new("signIn", "GitHub", Arc::new(service)).text("Please sign in.");
/// # drop(prompt);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct UserTokens {
    service: Service,
    app: String,
}

impl UserTokens {
    /// The address of the public cloud's token service.
    pub const PUBLIC: &str = "https://api.botframework.com";
    /// The address of the one of the United States' government.
    pub const US_GOVERNMENT: &str = "https://api.botframework.azure.us";
    /// The address of the one in China.
    pub const CHINA: &str = "https://api.botframework.azure.cn";

    /// The token service at its address, for the app of this id.
    #[must_use]
    pub fn new(service: Service, app_id: impl Into<String>) -> Self {
        Self { service, app: app_id.into() }
    }

    /// Makes the service forget a user's token, so that the user has to sign in again.
    ///
    /// # Errors
    /// When the service cannot be asked, or refuses.
    ///
    /// # Cancellation
    /// It may have been forgotten; making the call again does no harm.
    pub async fn sign_out(&self, user: &User, connection: &str) -> Result<(), BotError> {
        Ok(self.service.sign_out(&user.id, connection, Some(&user.channel)).await?)
    }
}

#[async_trait]
impl TokenService for UserTokens {
    async fn token(
        &self,
        user: &User,
        connection: &str,
        code: Option<&str>,
    ) -> Result<Option<Token>, BotError> {
        let channel = Some(user.channel.as_str());
        let given = self.service.user_token(&user.id, connection, channel, code).await?;
        Ok(given.and_then(|given| token(given, connection)))
    }

    async fn exchange(
        &self,
        user: &User,
        connection: &str,
        offered: &str,
    ) -> Result<Option<Token>, BotError> {
        let (channel, offered) = (Some(user.channel.as_str()), offered.into());
        let given = self.service.exchange_user_token(&user.id, connection, channel, &offered);
        Ok(given.await?.and_then(|given| token(given, connection)))
    }

    async fn sign_in(&self, reference: &Reference, connection: &str) -> Result<SignIn, BotError> {
        let given = self.service.sign_in_resource(&self.app, connection, reference).await?;
        Ok(SignIn { link: given.link, exchange: given.exchange })
    }
}

/// The token of an answer, if there is one.
fn token(given: TokenResponse, connection: &str) -> Option<Token> {
    let token = given.token.filter(|token| !token.reveal().is_empty())?;
    Some(Token {
        connection_name: given.connection_name.unwrap_or_else(|| connection.to_owned()),
        token: token.reveal().to_owned(),
        expiration: given.expiration,
    })
}
