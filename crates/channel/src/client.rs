//! A client of the Bot Connector's REST interface: everything that a bot can ask of a channel.
//!
//! [`Connector`] hands replies over for the engine. [`Client`] is for what a bot does beside its
//! turns: it looks who takes part, makes conversations, changes or takes back what was said,
//! uploads files.
//!
//! What matters is what is known after a call that came to nothing, so an [`Error`] is sorted by
//! what to do about it.

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

use self::{answer::Answer, call::Call, path::Path};
pub use self::{
    attachments::{Content, file},
    error::Error,
    user_tokens::SignInResource,
};
use crate::{Connector, ConnectorError, ConnectorOptions, service_urls::Base};

/// Calls channels. Cloning is cheap and shares the connections.
///
/// # Guarantees
/// A call goes only to a service URL that is allowed, and so does the bot's token. Redirects are
/// not followed. Nothing is called twice, but for one case: a channel that does not accept the
/// bot's token, and so did nothing, is shown a new one. Nothing is called while its host asks for
/// quiet (429 or 503 with `Retry-After`): that is [`Error::Throttled`], with the time that is left.
///
/// # Limits
/// An answer has at most 1 MB; a file has the limit that the caller sets. A call has the time that
/// [`ConnectorOptions::timeout`] says.
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
/// // This channel has no list of members.
/// let error = channel.members("c1").await.unwrap_err();
/// assert!(matches!(error, Error::Gone { .. }));
/// // Nothing is ever sent where it may not go.
/// assert!(matches!(client.at("https://evil.example/"), Err(Error::Refused { .. })));
/// # Ok(()) }
/// ```
#[derive(Clone, Debug)]
pub struct Client {
    connector: Connector,
}

/// A channel at its service URL: what can be asked of it. Made by [`Client::at`].
///
/// A conversation, an activity or a member is named by its id, which is any text but the empty one
/// and `.` and `..`.
///
/// # Cancellation
/// A call whose future is dropped may have been made or not. One that only reads changes nothing.
#[derive(Clone, Debug)]
pub struct Service {
    connector: Connector,
    base: Arc<Base>,
}

impl Client {
    /// Makes a client. It opens no connection yet.
    ///
    /// # Errors
    /// [`ConnectorError`] when an option makes no sense or the HTTP client cannot start.
    pub fn new(options: ConnectorOptions) -> Result<Self, ConnectorError> {
        Connector::new(options).map(|connector| Self { connector })
    }

    /// A channel at its service URL, which comes with or without a path and a final slash.
    ///
    /// # Errors
    /// [`Error::Refused`] when the URL is not allowed by [`ConnectorOptions::service_urls`].
    pub fn at(&self, service_url: &str) -> Result<Service, Error> {
        let base = self.connector.at(service_url)?;
        Ok(Service { connector: self.connector.clone(), base })
    }
}

/// A client that shares the connections, the tokens and the list of a connector.
impl From<&Connector> for Client {
    fn from(connector: &Connector) -> Self {
        Self { connector: connector.clone() }
    }
}

impl Service {
    async fn ask(&self, call: Call) -> Result<Answer, Error> {
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
