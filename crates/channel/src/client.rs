//! Client of the Bot Connector REST API.
//!
//! [`Connector`] delivers replies for the engine. [`Client`] is for everything else that a bot does
//! outside its turns: listing members, creating conversations, updating or deleting messages,
//! uploading files.
//!
//! An [`Error`] is sorted by its remedy: it tells whether the call may have taken effect, and
//! whether to repeat it.

mod activities;
pub(crate) mod answer;
mod attachments;
pub(crate) mod call;
mod conversations;
mod error;
mod members;
pub(crate) mod path;
mod user_tokens;

use std::sync::Arc;

use sayso_turn::activity::Reference;

use self::{answer::Answer, call::Call, path::Path};
pub use self::{
    attachments::{Content, file},
    error::Error,
    user_tokens::SignInResource,
};
use crate::{Connector, ConnectorError, ConnectorOptions, service_urls::ServiceUrl};

/// Client for calls to channels. Cloning is cheap and shares the connections.
///
/// # Guarantees
/// A call, and with it the bot's token, goes only to a service URL that is allowed. Redirects are
/// not followed. No request is repeated, with one exception: if a channel does not accept the bot's
/// token, and so did nothing, the request is repeated with a new token. While a host is blocked by
/// `Retry-After` (429 or 503), it is not called: that is [`Error::Throttled`], with the remaining
/// time.
///
/// # Limits
/// An answer has at most 1 MB; for a file the caller sets the limit. Calls have the timeout
/// [`ConnectorOptions::timeout`].
///
/// # Example
/// ```
/// use sayso_channel::{ConnectorOptions, client::{Client, Error}};
/// use sayso_turn::activity::Activity;
/// # use axum::{Router, routing::post};
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let given = || async { r#"{"id":"7"}"# };
/// # let app = Router::new().route("/_connector/v3/conversations/{c}/activities", post(given));
/// # let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await?;
/// # let service_url = format!("http://{}/_connector", listener.local_addr()?);
/// # drop(tokio::spawn(async move { axum::serve(listener, app).await }));
/// let client = Client::new(ConnectorOptions::default())?;
/// let channel = client.at(&service_url)?;
/// let id = channel.send("c1", &Activity::message("good morning")).await?;
/// assert_eq!(id.as_deref(), Some("7"));
///
/// // This channel does not support listing members.
/// let error = channel.members("c1").await.unwrap_err();
/// assert!(matches!(error, Error::Gone { .. }));
/// // A service URL that is not allowed is never called.
/// assert!(matches!(client.at("https://evil.example/"), Err(Error::Refused { .. })));
/// # Ok(()) }
/// ```
#[derive(Clone, Debug)]
pub struct Client {
    connector: Connector,
}

/// The REST API of a channel at its service URL. Created by [`Client::at`].
///
/// Conversations, activities and members are identified by ids, which may be any text except the
/// empty one, `.` and `..`.
///
/// # Cancellation
/// A call whose future is dropped may have taken effect or not. One that only reads changes
/// nothing.
#[derive(Clone, Debug)]
pub struct Service {
    connector: Connector,
    base: Arc<ServiceUrl>,
    /// The scope of tokens for the bot that it is of, if that called this one as a skill.
    scope: Option<Arc<str>>,
}

impl Client {
    /// Creates a client. Opens no connection yet.
    ///
    /// # Errors
    /// [`ConnectorError`] when an option is invalid or the HTTP client cannot start.
    pub fn new(options: ConnectorOptions) -> Result<Self, ConnectorError> {
        Connector::new(options).map(|connector| Self { connector })
    }

    /// Returns the API of a channel at its service URL, which may have a path and a trailing slash.
    ///
    /// # Errors
    /// [`Error::Refused`] when the URL is not allowed by [`ConnectorOptions::service_urls`].
    pub fn at(&self, service_url: &str) -> Result<Service, Error> {
        let base = self.connector.at(service_url)?;
        Ok(Service { connector: self.connector.clone(), base, scope: None })
    }

    /// Returns the API of whoever serves a conversation: its channel, or the bot that called this
    /// one as a skill. That bot gets a token of its own, and only at its own service URLs.
    ///
    /// # Errors
    /// [`Error::Refused`] when the URL, or the bot, is not allowed by the options.
    ///
    /// # Example
    /// ```
    /// use sayso_channel::{ConnectorOptions, client::{Client, Error}};
    /// use sayso_turn::activity::Reference;
    ///
    /// let client = Client::new(ConnectorOptions::default())?;
    /// let mut reference = Reference {
    ///     channel_id: Some("emulator".to_owned()),
    ///     service_url: Some("http://localhost:56150".to_owned()),
    ///     ..Reference::default()
    /// };
    /// assert!(client.of(&reference).is_ok());
    /// // A bot that is not on the list of callers.
    /// reference.channel_id = Some("skill:somebody:emulator".to_owned());
    /// assert!(matches!(client.of(&reference), Err(Error::Refused { .. })));
    /// # Ok::<(), sayso_channel::ConnectorError>(())
    /// ```
    pub fn of(&self, reference: &Reference) -> Result<Service, Error> {
        let service_url = reference.service_url.as_deref().unwrap_or_default();
        let Some(caller) = reference.skill_caller() else { return self.at(service_url) };
        let (base, scope) = self.connector.at_caller(caller, service_url)?;
        Ok(Service { connector: self.connector.clone(), base, scope: Some(scope) })
    }
}

/// Creates a client that shares the connections, tokens and allow-list of a connector.
impl From<&Connector> for Client {
    fn from(connector: &Connector) -> Self {
        Self { connector: connector.clone() }
    }
}

impl Service {
    async fn ask(&self, call: Call) -> Result<Answer, Error> {
        let call = match &self.scope {
            Some(scope) => call.scope(Arc::clone(scope)),
            None => call,
        };
        self.connector.ask(call).await
    }

    fn conversations(&self) -> Path {
        Path::conversations(&self.base)
    }

    fn conversation(&self, id: &str) -> Result<Path, Error> {
        Path::conversation(&self.base, id)
    }

    fn activities(&self, conversation: &str) -> Result<Path, Error> {
        Path::activities(&self.base, conversation, None)
    }

    fn activity(&self, conversation: &str, id: &str) -> Result<Path, Error> {
        Path::activities(&self.base, conversation, Some(id))
    }
}
