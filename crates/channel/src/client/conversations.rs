//! Conversations: creating and listing them.

use sayso_turn::activity::{ConversationParameters, ConversationResource, PagedConversations};

use super::{
    Error, Service,
    call::{Call, json},
};

impl Service {
    /// Creates a conversation, and returns its id and that of the first activity.
    ///
    /// A service URL in the answer is not trusted: [`Client::at`](super::Client::at) checks it like
    /// any other.
    ///
    /// # Errors
    /// [`Error`], sorted by remedy. A success that names no conversation is [`Error::Unknown`].
    ///
    /// # Cancellation
    /// It may have been created.
    ///
    /// # Example
    /// ```
    /// use sayso_channel::{ConnectorOptions, client::Client};
    /// use sayso_turn::activity::{Account, Activity, ConversationParameters};
    /// # use axum::{Router, routing::post};
    ///
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let made = || async { r#"{"id":"c1","activityId":"7"}"# };
    /// # let app = Router::new().route("/v3/conversations", post(made));
    /// # let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await?;
    /// # let service_url = format!("http://{}", listener.local_addr()?);
    /// # drop(tokio::spawn(async move { axum::serve(listener, app).await }));
    /// let channel = Client::new(ConnectorOptions::default())?.at(&service_url)?;
    /// let pair = ConversationParameters::with(Account::new("28:bot"), Account::new("29:ann"));
    /// let first = pair.saying(Activity::message("Your pizza is ready."));
    /// let made = channel.create_conversation(&first).await?;
    /// assert_eq!((made.id.as_deref(), made.activity_id.as_deref()), (Some("c1"), Some("7")));
    /// # Ok(()) }
    /// ```
    pub async fn create_conversation(
        &self,
        parameters: &ConversationParameters,
    ) -> Result<ConversationResource, Error> {
        let url = self.conversations().address()?;
        let what = "creating the conversation";
        let call = Call::post(what, url, json(parameters)?);
        let made: ConversationResource = self.ask(call).await?.value().await?;
        if made.id.as_deref().unwrap_or_default().is_empty() {
            let reason = format!("{what} failed: the channel's answer names no conversation");
            return Err(Error::Unknown { reason });
        }
        Ok(made)
    }

    /// Lists one page of the bot's conversations: the first page, or the one that the continuation
    /// token names.
    ///
    /// # Errors
    /// [`Error`], sorted by remedy. Most channels do not support it.
    ///
    /// # Cancellation
    /// It changes nothing.
    pub async fn paged_conversations(
        &self,
        continuation_token: Option<&str>,
    ) -> Result<PagedConversations, Error> {
        let url = self.conversations().query("continuationToken", continuation_token).address()?;
        self.ask(Call::get("listing the conversations", url)).await?.value().await
    }
}
