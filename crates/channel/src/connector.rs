//! The connector client: hands replies over by posting them to the channel's service URL.
//!
//! What matters here is what is known after each try. *Delivered* and *refused* are final. *Later* says
//! that the reply certainly did not arrive; *unknown* that it may have, so that the next try counts as a
//! possible duplicate. When in doubt it is *unknown*.

pub(crate) mod address;
#[cfg(feature = "fuzzing")]
pub mod fuzz;
pub(crate) mod verdict;

use std::{
    net::{Ipv4Addr, Ipv6Addr, SocketAddr},
    time::Duration,
};

use async_trait::async_trait;
use reqwest::{
    Client, StatusCode, Url,
    header::{AUTHORIZATION, CONTENT_TYPE, HeaderName, HeaderValue},
    redirect, retry,
};
use sayso_turn::{
    activity::{Activity, Kind},
    channel::{Channel, Delivery, Parcel},
};
use tokio::time::{Instant, timeout};

use crate::{
    ServiceUrls,
    auth::{Bearer, PublicOnly, TokenError, Tokens},
};

/// Names a reply to servers that drop what they have had already. Others ignore it.
const IDEMPOTENCY_KEY: HeaderName = HeaderName::from_static("idempotency-key");
/// Shorter than servers usually keep an idle connection (Node: 5 s), so that a reply seldom meets a dead
/// one and has to count as unknown.
const POOL_IDLE: Duration = Duration::from_secs(4);

/// Hands replies over to the channel that an activity came from, over HTTP. Cloning is cheap and shares
/// the connections.
///
/// # Guarantees
/// A reply goes only to a service URL that is allowed at that moment. Redirects are not followed, proxies
/// from the environment are not used, and nothing is sent twice within one call, but for one case: a
/// channel that does not accept the bot's token, and so did not take the reply, is shown a new one.
///
/// # Example
/// ```
/// use sayso_channel::{Connector, ConnectorOptions, ServiceUrls};
///
/// let teams = ServiceUrls::Only(vec!["https://smba.trafficmanager.net/".to_owned()]);
/// let connector = Connector::new(ConnectorOptions { service_urls: teams, ..Default::default() })?;
/// # drop(connector);
/// # Ok::<(), sayso_channel::ConnectorError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Connector {
    pub(crate) client: Client,
    pub(crate) service_urls: ServiceUrls,
    pub(crate) tokens: Option<Tokens>,
    timeout: Duration,
}

/// How a [`Connector`] reaches channels.
///
/// # Example
/// ```
/// use sayso_channel::ConnectorOptions;
/// use std::time::Duration;
///
/// let options = ConnectorOptions { timeout: Duration::from_secs(3), ..Default::default() };
/// assert!(options.service_urls.allows("http://localhost:56150"));
/// ```
#[derive(Clone, Debug)]
pub struct ConnectorOptions {
    /// Where replies may go. Use the same as for the endpoint.
    pub service_urls: ServiceUrls,
    /// The tokens that show channels who we are. They go only to URLs on a list, never to those that
    /// [`ServiceUrls::Loopback`] allows: anybody can listen there.
    pub tokens: Option<Tokens>,
    /// Lets names lead to private, link-local and other addresses that are not public.
    pub private_addresses: bool,
    /// How long one hand-over may take. Keep it below the engine's `send_timeout`.
    pub timeout: Duration,
    /// How long connecting may take, as a part of that.
    pub connect_timeout: Duration,
}

impl Default for ConnectorOptions {
    fn default() -> Self {
        Self {
            service_urls: ServiceUrls::default(),
            tokens: None,
            private_addresses: false,
            timeout: Duration::from_secs(7),
            connect_timeout: Duration::from_secs(3),
        }
    }
}

/// Why a [`Connector`] cannot be made.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ConnectorError {
    /// An allowed service URL can never match.
    #[error(
        "the service URL {0:?} is neither https nor loopback, or has a user, a query or a fragment"
    )]
    ServiceUrl(String),
    /// The HTTP client cannot start: most likely the machine has no certificates to trust.
    #[error("the HTTP client cannot start; are the CA certificates of this machine installed?")]
    Client(#[source] Box<dyn std::error::Error + Send + Sync>),
}

impl Connector {
    /// Makes a connector. It opens no connection yet.
    ///
    /// # Errors
    /// [`ConnectorError`] when an option makes no sense or the HTTP client cannot start.
    pub fn new(options: ConnectorOptions) -> Result<Self, ConnectorError> {
        if let Some(useless) = options.service_urls.useless() {
            return Err(ConnectorError::ServiceUrl(useless.to_owned()));
        }
        // The ports here are not used. `localhost` must be this machine whatever a resolver says.
        let here: [SocketAddr; 2] =
            [(Ipv4Addr::LOCALHOST, 0).into(), (Ipv6Addr::LOCALHOST, 0).into()];
        let mut builder = Client::builder()
            .user_agent(concat!("sayso/", env!("CARGO_PKG_VERSION")))
            .redirect(redirect::Policy::none())
            .retry(retry::never())
            .no_proxy()
            .tls_backend_rustls()
            .resolve_to_addrs("localhost", &here)
            .connect_timeout(options.connect_timeout)
            .timeout(options.timeout)
            .pool_idle_timeout(POOL_IDLE);
        if !options.private_addresses {
            builder = builder.dns_resolver(PublicOnly::new());
        }
        let client = builder.build().map_err(|error| ConnectorError::Client(error.into()))?;
        let ConnectorOptions { service_urls, tokens, timeout, .. } = options;
        // Whoever listens on this machine is not known to be a channel.
        let tokens = tokens.filter(|_| service_urls != ServiceUrls::Loopback);
        Ok(Self { client, service_urls, tokens, timeout })
    }

    /// Hands a reply over with a token. Getting the token is a part of the time.
    async fn deliver_with(&self, tokens: &Tokens, url: &Url, parcel: &Parcel) -> Delivery {
        let started = Instant::now();
        let left = || self.timeout.saturating_sub(started.elapsed());
        let mut refused = None;
        loop {
            // Half of it is for the reply itself.
            let bearer = match timeout(left() / 2, tokens.bearer(None, refused.as_ref())).await {
                Ok(Ok(bearer)) => bearer,
                Ok(Err(error)) => return no_token(&error, refused.is_some()),
                // It is still being asked for; the next try finds it.
                Err(_) => return no_token(&TokenError::NOT_YET, false),
            };
            let response = match self.post(url, parcel, Some(&bearer), left()).await {
                Ok(response) => response,
                Err(error) => return verdict::unanswered(&error),
            };
            if response.status() != StatusCode::UNAUTHORIZED {
                return verdict::answered(response).await;
            }
            if refused.is_some() {
                return no_token(&TokenError::NOT_ACCEPTED, true);
            }
            refused = Some(bearer);
        }
    }

    /// Posts a reply.
    async fn post(
        &self,
        url: &Url,
        parcel: &Parcel,
        bearer: Option<&Bearer>,
        timeout: Duration,
    ) -> Result<reqwest::Response, reqwest::Error> {
        let mut request = self
            .client
            .post(url.clone())
            .timeout(timeout)
            .header(CONTENT_TYPE, HeaderValue::from_static("application/json"))
            .body(body(&parcel.activity));
        if let Ok(id) = HeaderValue::from_str(parcel.id.as_str()) {
            request = request.header(IDEMPOTENCY_KEY, id);
        }
        if let Some(bearer) = bearer {
            request = request.header(AUTHORIZATION, bearer.header());
        }
        request.send().await
    }

    /// Where a reply goes, or why it cannot go anywhere.
    fn address(&self, activity: &Activity) -> Result<Url, String> {
        let service_url = activity.service_url.as_deref().unwrap_or_default();
        if service_url.is_empty() {
            return Err("the reply has no serviceUrl to go to".to_owned());
        }
        // Checked again: a stored reference may be older than the list.
        let Some(base) = self.service_urls.resolve(service_url) else {
            return Err(format!("its serviceUrl is not allowed; allowed is {}", self.service_urls));
        };
        let conversation = activity.conversation.as_ref().and_then(|account| account.id.as_deref());
        let reply_to = activity.reply_to_id.as_deref();
        address::activities(&base, conversation.unwrap_or_default(), reply_to)
            .ok_or_else(|| "its conversation.id or replyToId cannot stand in a URL".to_owned())
    }
}

#[async_trait]
impl Channel for Connector {
    async fn deliver(&self, parcel: &Parcel) -> Delivery {
        if is_unsent(&parcel.activity) {
            return Delivery::Delivered { id: None };
        }
        let url = match self.address(&parcel.activity) {
            Ok(url) => url,
            Err(reason) => return Delivery::Refused { reason },
        };
        match &self.tokens {
            Some(tokens) => self.deliver_with(tokens, &url, parcel).await,
            None => match self.post(&url, parcel, None, self.timeout).await {
                Ok(response) => verdict::answered(response).await,
                Err(error) => verdict::unanswered(&error),
            },
        }
    }
}

/// The channel was not shown a token that it accepts, so it did not take the reply.
fn no_token(error: &TokenError, is_refused: bool) -> Delivery {
    if is_refused && *error == TokenError::NOT_ACCEPTED {
        let reason = "the channel answered 401 Unauthorized to the bot's token; is the app \
                      registered with the channel's cloud and tenant?";
        return Delivery::Refused { reason: reason.to_owned() };
    }
    Delivery::Later { after: None, reason: format!("no token for the channel: {error}") }
}

/// Whether a reply is dealt with by not sending it.
fn is_unsent(activity: &Activity) -> bool {
    match activity.kind {
        // A trace is for whoever debugs; other channels would show it to people or refuse it.
        Kind::Trace => activity.channel_id.as_deref() != Some("emulator"),
        // The response to an invoke travels in the answer to its request. A pause is not a message.
        Kind::InvokeResponse | Kind::Delay => true,
        _ => false,
    }
}

/// The reply as it is posted: the channel gives the id.
pub(crate) fn body(activity: &Activity) -> Vec<u8> {
    let mut activity = activity.clone();
    activity.id = None;
    drop(activity.extra.remove("id"));
    activity.to_json()
}
