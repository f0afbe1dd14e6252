//! Connector client for outgoing replies: `POST` for a new message, `PUT` for an update, `DELETE`
//! for a deletion, at the channel's service URL.
//!
//! Every attempt ends with one of four outcomes. *Delivered* and *refused* are final. *Later* means
//! that the reply certainly did not arrive; *unknown* that it may have, so that the next attempt
//! counts as a possible duplicate. In case of doubt the outcome is *unknown*.

mod exchange;
#[cfg(feature = "fuzzing")]
pub(crate) mod fuzz;
pub(crate) mod host_rate_limiter;
mod http;

use std::{sync::Arc, time::Duration};

use async_trait::async_trait;
use sayso_turn::{
    Key,
    activity::{Activity, Kind},
    channel::{Channel, Delivery, Parcel},
    clock::{Clock, SystemClock},
};

use self::{exchange::Exchange, http::Http};
use crate::{
    ServiceUrls,
    auth::Tokens,
    client::{
        Error,
        answer::Answer,
        call::Call,
        path::{Path, is_history},
    },
    service_urls::{ServiceUrl, UrlCache},
    skill_callers::{SkillCaller, SkillCallers},
};

/// Delivers replies over HTTP to the channel that an activity came from. Cloning is cheap and
/// shares the connections.
///
/// # Guarantees
/// A reply goes only to a service URL that is allowed when it is sent. Redirects are not followed,
/// proxies from the environment are not used, and nothing is sent twice within one call, with one
/// exception: a channel that does not accept the bot's token, and so did not take the reply, gets
/// the reply again with a new token. A host that answered 429 or 503 with `Retry-After` gets no
/// request of any conversation until that time has passed; the replies that had to wait are then
/// released one after the other.
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
    exchange: Exchange,
    service_urls: Arc<UrlCache>,
    skill_callers: SkillCallers,
}

/// Options of a [`Connector`].
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
    /// The service URLs that replies may go to. Use the same list as for the endpoint.
    pub service_urls: ServiceUrls,
    /// The bot's access tokens. They are sent only to URLs on a list, never to those that
    /// [`ServiceUrls::Loopback`] allows: any program can listen there.
    pub tokens: Option<Tokens>,
    /// Bots that call this one as a skill. What is said to one goes only to its own service URLs,
    /// with a token for it. Use the same list as for authentication.
    pub skill_callers: Vec<SkillCaller>,
    /// Allows host names to resolve to private, link-local and other non-public addresses.
    pub private_addresses: bool,
    /// Timeout of one delivery attempt. Keep it below the engine's `send_timeout`.
    pub timeout: Duration,
    /// Timeout of connecting, as a part of [`timeout`](Self::timeout).
    pub connect_timeout: Duration,
    /// The clock for `Retry-After` and for the lifetime of tokens.
    pub clock: Arc<dyn Clock>,
}

impl Default for ConnectorOptions {
    fn default() -> Self {
        Self {
            service_urls: ServiceUrls::default(),
            tokens: None,
            skill_callers: Vec::new(),
            private_addresses: false,
            timeout: Duration::from_secs(7),
            connect_timeout: Duration::from_secs(3),
            clock: Arc::new(SystemClock::new()),
        }
    }
}

/// Error in [`ConnectorOptions`].
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ConnectorError {
    /// An entry of the allowed service URLs can never match.
    #[error(
        "the service URL {0:?} must be https or loopback, without user name, query and fragment"
    )]
    ServiceUrl(String),
    /// An entry of the bots that call this one as a skill makes no sense.
    #[error("the callers of skills: {0}")]
    SkillCallers(&'static str),
    /// The HTTP client cannot start: most likely the machine has no trusted CA certificates.
    #[error("the HTTP client cannot start; are the CA certificates of this machine installed?")]
    Client(#[source] Box<dyn std::error::Error + Send + Sync>),
}

impl Connector {
    /// Creates a connector. Opens no connection yet.
    ///
    /// # Errors
    /// [`ConnectorError`] when an option is invalid or the HTTP client cannot start.
    pub fn new(options: ConnectorOptions) -> Result<Self, ConnectorError> {
        if let Some(invalid) = options.service_urls.first_invalid() {
            return Err(ConnectorError::ServiceUrl(invalid.to_owned()));
        }
        let http = Http::new(options.connect_timeout, options.private_addresses)
            .map_err(|error| ConnectorError::Client(error.into()))?;
        let skill_callers =
            SkillCallers::new(&options.skill_callers).map_err(ConnectorError::SkillCallers)?;
        if options.tokens.is_none() && !skill_callers.is_empty() {
            return Err(ConnectorError::SkillCallers("replies to them need tokens of the bot"));
        }
        let ConnectorOptions { service_urls, tokens, timeout, clock, .. } = options;
        // A program that listens on this machine is not known to be a channel.
        let has_channels = service_urls != ServiceUrls::Loopback;
        let service_urls = Arc::new(UrlCache::new(service_urls));
        let exchange = Exchange::new(http, tokens, has_channels, timeout, clock);
        Ok(Self { exchange, service_urls, skill_callers })
    }

    /// Makes a call; see [`Exchange::ask`].
    pub(crate) fn ask(&self, call: Call) -> impl Future<Output = Result<Answer, Error>> + Send {
        self.exchange.ask(call)
    }

    /// Returns the parsed service URL, if it is allowed. Checked for every call: a stored reference
    /// may be older than the list.
    pub(crate) fn at(&self, service_url: &str) -> Result<Arc<ServiceUrl>, Error> {
        let base = self.service_urls.resolve(service_url);
        base.ok_or_else(|| {
            let allowed = &self.service_urls;
            Error::unfit(format!("the service URL is not allowed; expected {allowed}"))
        })
    }

    /// Returns the parsed service URL of a calling bot, and the scope of tokens for it, if both are
    /// allowed.
    pub(crate) fn at_caller(
        &self,
        caller: &str,
        service_url: &str,
    ) -> Result<(Arc<ServiceUrl>, Arc<str>), Error> {
        let Some(caller) = self.skill_callers.find(caller) else {
            return Err(Error::unfit("the bot that called this one as a skill is not listed"));
        };
        let base = caller.service_urls.resolve(service_url).ok_or_else(|| {
            let allowed = &caller.service_urls;
            Error::unfit(format!("the caller's service URL is not allowed; expected {allowed}"))
        })?;
        Ok((base, Arc::clone(&caller.scope)))
    }

    /// Builds the call that delivers an activity: to its channel, or to the bot that called.
    fn call(&self, activity: &Activity) -> Result<Call, Error> {
        let service_url = activity.service_url.as_deref().unwrap_or_default();
        if service_url.is_empty() {
            return Err(Error::unfit("the reply has no serviceUrl to go to"));
        }
        let Some(caller) = activity.skill_caller() else {
            return Self::call_at(&self.at(service_url)?, activity);
        };
        let (base, scope) = self.at_caller(caller, service_url)?;
        let mut activity = activity.clone();
        activity.leave_skill();
        Ok(Self::call_at(&base, &activity)?.scope(scope))
    }

    fn call_at(base: &Arc<ServiceUrl>, activity: &Activity) -> Result<Call, Error> {
        let conversation = activity.conversation.as_ref().and_then(|account| account.id.as_deref());
        let path = |id| Path::activities(base, conversation.unwrap_or_default(), id);
        let address = |id| path(id).and_then(Path::address);
        let id = Some(activity.id.as_deref().unwrap_or_default());
        Ok(match activity.kind {
            Kind::MessageDelete => Call::delete("deleting the message", address(id)?),
            Kind::MessageUpdate => {
                let message = Activity { kind: Kind::Message, ..activity.clone() };
                Call::put("updating the message", address(id)?, message.to_json())
            }
            _ => {
                // A reply to the id `history` would be a different call, so it is sent as a message
                // to the conversation instead.
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
            // Already deleted, perhaps by an earlier attempt: the goal is reached.
            Err(Error::Gone { .. }) if is_deletion => Delivery::Delivered { id: None },
            Err(error) => error.into(),
        }
    }

    async fn show(&self, key: &Key, sign: &Activity) -> Option<String> {
        if is_unsent(sign) {
            return None;
        }
        let answer = match self.call(sign) {
            Ok(call) => self.ask(call.ephemeral()).await,
            Err(error) => Err(error),
        };
        match answer {
            Ok(answer) => answer.id().await,
            Err(error) => {
                tracing::debug!(%key, %error, "could not show a typing indicator or a part of a stream");
                None
            }
        }
    }
}

/// Reports whether an activity counts as delivered without being sent.
fn is_unsent(activity: &Activity) -> bool {
    match activity.kind {
        // A trace is for debugging; other channels would show it to users or refuse it.
        Kind::Trace => activity.channel() != "emulator",
        // The response to an invoke is in the HTTP response. A delay is not a message.
        Kind::InvokeResponse | Kind::Delay => true,
        _ => false,
    }
}

/// Serializes an activity without its id: the channel assigns one. Nothing outside is told of the
/// name spaces of calling bots.
pub(crate) fn body(activity: &Activity) -> Vec<u8> {
    let is_inside = activity.skill_caller().is_some();
    if activity.id.is_none() && activity.extra.get("id").is_none() && !is_inside {
        return activity.to_json();
    }
    let mut activity = activity.clone();
    if is_inside {
        activity.leave_skill();
    }
    activity.id = None;
    drop(activity.extra.remove("id"));
    activity.to_json()
}
