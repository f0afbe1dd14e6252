//! The tokens that users gave a bot, which the Bot Framework's token service keeps.

use sayso_turn::activity::TokenResponse;

use super::{Error, Service, call::Call, path::Path};

impl Service {
    /// The token that a user gave the bot for a connection, or `None` if there is none and the user has
    /// to sign in.
    ///
    /// It is asked of the token service, which is no channel: make this service with its address. The
    /// channel is where the user is; the code is what the user was shown after signing in.
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
        let url = Path::new(&self.base)
            .then("/api/usertoken/GetToken")
            .query("userId", Some(user))
            .query("connectionName", Some(connection))
            .query("channelId", channel)
            .query("code", code)
            .url()?;
        match self.ask(Call::get("asking for the user's token", url)).await {
            Ok(answer) => answer.value().await.map(Some),
            Err(Error::Gone { .. }) => Ok(None),
            Err(error) => Err(error),
        }
    }
}
