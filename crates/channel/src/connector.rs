//! The connector: hands replies over at the channel's service URL. A new message is posted, an
//! update put, a deletion deleted.
//!
//! What matters here is what is known after each try. *Delivered* and *refused* are final. *Later*
//! says that the reply certainly did not arrive; *unknown* that it may have, so that the next try
//! counts as a possible duplicate. When in doubt it is *unknown*.

#[cfg(feature = "fuzzing")]
pub mod fuzz;
pub(crate) mod http;
pub(crate) mod pauses;

use std::{sync::Arc, time::Duration};

use async_trait::async_trait;
use sayso_turn::{
    Key,
    activity::{Activity, Kind},
    channel::{Channel, Delivery, Parcel},
    clock::{Clock, SystemClock},
};

use self::{http::Http, pauses::Pauses};
use crate::{
    ServiceUrls,
    auth::Tokens,
    client::{
        Error,
        call::Call,
        path::{Path, is_history},
    },
    service_urls::{Base, Lately},
};

/// Hands replies over to the channel that an activity came from, over HTTP. Cloning is cheap and
/// shares the connections.
///
/// # Guarantees
/// A reply goes only to a service URL that is allowed at that moment. Redirects are not followed,
/// proxies from the environment are not used, and nothing is sent twice within one call, but for
/// one case: a channel that does not accept the bot's token, and so did not take the reply, is
/// shown a new one. Nothing goes to a host that asked for quiet (429 or 503 with `Retry-After`)
/// before its time is over, from whatever conversation; who had to wait comes back one after the
/// other.
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
    pub(crate) http: Http,
    service_urls: Arc<Lately>,
    pub(crate) tokens: Option<Tokens>,
    pub(crate) timeout: Duration,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) pauses: Arc<Pauses>,
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
    /// The tokens that show channels who we are. They go only to URLs on a list, never to those
    /// that [`ServiceUrls::Loopback`] allows: anybody can listen there.
    pub tokens: Option<Tokens>,
    /// Lets names lead to private, link-local and other addresses that are not public.
    pub private_addresses: bool,
    /// How long one hand-over may take. Keep it below the engine's `send_timeout`.
    pub timeout: Duration,
    /// How long connecting may take, as a part of that.
    pub connect_timeout: Duration,
    /// Tells when a channel that asked for quiet may be called again.
    pub clock: Arc<dyn Clock>,
}

impl Default for ConnectorOptions {
    fn default() -> Self {
        Self {
            service_urls: ServiceUrls::default(),
            tokens: None,
            private_addresses: false,
            timeout: Duration::from_secs(7),
            connect_timeout: Duration::from_secs(3),
            clock: Arc::new(SystemClock::new()),
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
        let http = Http::new(options.connect_timeout, options.private_addresses)
            .map_err(|error| ConnectorError::Client(error.into()))?;
        let ConnectorOptions { service_urls, tokens, timeout, clock, .. } = options;
        // Whoever listens on this machine is not known to be a channel.
        let tokens = tokens.filter(|_| service_urls != ServiceUrls::Loopback);
        let service_urls = Arc::new(Lately::new(service_urls));
        Ok(Self { http, service_urls, tokens, timeout, clock, pauses: Arc::default() })
    }

    /// The service URL as it is used, if it is allowed. Asked for every call: a stored reference
    /// may be older than the list.
    pub(crate) fn at(&self, service_url: &str) -> Result<Arc<Base>, Error> {
        let base = self.service_urls.resolve(service_url);
        base.ok_or_else(|| {
            let allowed = &self.service_urls;
            Error::unfit(format!("the service URL is not allowed; allowed is {allowed}"))
        })
    }

    /// The call that hands an activity over.
    fn call(&self, activity: &Activity) -> Result<Call, Error> {
        let service_url = activity.service_url.as_deref().unwrap_or_default();
        if service_url.is_empty() {
            return Err(Error::unfit("the reply has no serviceUrl to go to"));
        }
        let base = self.at(service_url)?;
        let conversation = activity.conversation.as_ref().and_then(|account| account.id.as_deref());
        let path = |id| Path::activities(&base, conversation.unwrap_or_default(), id);
        let address = |id| path(id).and_then(Path::address);
        let id = Some(activity.id.as_deref().unwrap_or_default());
        Ok(match activity.kind {
            Kind::MessageDelete => Call::delete("deleting the message", address(id)?),
            Kind::MessageUpdate => {
                let message = Activity { kind: Kind::Message, ..activity.clone() };
                Call::put("updating the message", address(id)?, message.to_json())
            }
            _ => {
                // What is said to `history` would be another call; it is said to all instead.
                let reply_to = activity.reply_to_id.as_deref();
                let reply_to = reply_to.filter(|id| !id.is_empty() && !is_history(id));
                Call::post("sending the reply", address(reply_to)?, body(activity))
            }
        })
    }
}

#[async_trait]
impl Channel for Connector {
    async fn deliver(&self, parcel: &Parcel) -> Delivery {
        if is_unsent(&parcel.activity) {
            return Delivery::Delivered { id: None };
        }
        let call = match self.call(&parcel.activity) {
            Ok(call) => call.key(parcel.id.as_str()),
            Err(error) => return error.into(),
        };
        let is_deletion = parcel.activity.kind == Kind::MessageDelete;
        match self.ask(call).await {
            Ok(answer) => Delivery::Delivered { id: answer.id().await.filter(|_| !is_deletion) },
            // Somebody was faster, perhaps an earlier try of ours: what was wanted is so.
            Err(Error::Gone { .. }) if is_deletion => Delivery::Delivered { id: None },
            Err(error) => error.into(),
        }
    }

    async fn show(&self, key: &Key, sign: &Activity) -> Option<String> {
        if is_unsent(sign) {
            return None;
        }
        let answer = match self.call(sign) {
            Ok(call) => self.ask(call.fleeting()).await,
            Err(error) => Err(error),
        };
        match answer {
            Ok(answer) => answer.id().await,
            Err(error) => {
                tracing::debug!(%key, %error, "a sign was not shown");
                None
            }
        }
    }
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
    if activity.id.is_none() && activity.extra.get("id").is_none() {
        return activity.to_json();
    }
    let mut activity = activity.clone();
    activity.id = None;
    drop(activity.extra.remove("id"));
    activity.to_json()
}
