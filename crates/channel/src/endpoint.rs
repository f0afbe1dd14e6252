//! The endpoint: channels post activities to it, and operators ask it how it is.
//!
//! Everything here comes from outside. A request is looked at from the cheap to the dear: its
//! headers, its length, its bytes, its JSON, its addresses; only then does it become a turn. What
//! is refused at any of these leaves no trace but a line in the log.

mod answer;
mod guard;
mod intake;
mod refusal;
mod status;
mod stream;

use std::{sync::Arc, time::Duration};

use axum::{
    Router,
    extract::{Request, State},
    http::StatusCode,
    response::Response,
    routing::{get, post},
};
use sayso_turn::{Engine, activity::Activity};

use self::refusal::Refusal;
use crate::{ServiceUrls, auth::Authenticator, service_urls::Lately};

/// What the endpoint lets in.
///
/// # Example
/// ```
/// use sayso_channel::{EndpointOptions, ServiceUrls};
///
/// let teams = ServiceUrls::Only(vec!["https://smba.trafficmanager.net/".to_owned()]);
/// let options = EndpointOptions { service_urls: teams, ..Default::default() };
/// assert_eq!(options.body_bytes_max, 256 * 1024);
/// ```
#[derive(Clone, Debug)]
pub struct EndpointOptions {
    /// Where activities may ask replies to go. While it is [`ServiceUrls::Loopback`] and nothing
    /// authenticates, requests must also be addressed to this machine by a loopback name and not
    /// come from a foreign web page.
    pub service_urls: ServiceUrls,
    /// Who may send activities. Without it everybody who can reach the endpoint may.
    pub auth: Option<Arc<Authenticator>>,
    /// Whether `GET /stats` is there. It asks for no token, so leave it out where strangers can
    /// reach it.
    pub has_stats: bool,
    /// How large the body of a request may be.
    pub body_bytes_max: usize,
    /// How long the body of a request may take to arrive.
    pub body_timeout: Duration,
}

impl Default for EndpointOptions {
    fn default() -> Self {
        Self {
            service_urls: ServiceUrls::default(),
            auth: None,
            has_stats: true,
            body_bytes_max: 256 * 1024,
            body_timeout: Duration::from_secs(10),
        }
    }
}

/// The routes of a bot: `POST /api/messages`, `GET /healthz`, `GET /readyz`, `GET /stats`.
///
/// A message is answered 200 when its turn is durable; replies follow through the engine's channel.
/// An activity with `deliveryMode: expectReplies` gets its replies in the answer, an `invoke` gets
/// the status and body that the bot gave; with `deliveryMode: stream` the answer is a stream of
/// events, the turn's fleeting signs as they come and then its replies. A turn that takes longer
/// than [`acknowledge_after`](sayso_turn::Limits::acknowledge_after) is answered 202 when it is
/// durable that it will be handled. Every error has a JSON body with a code and one sentence.
///
/// # Guarantees
/// A 4xx stored nothing and said nothing. So did a 500, unless the bot's own response to an invoke
/// had no valid status. After a 503, or no answer at all, send the activity again under the same
/// id: if its turn was saved after all, that is recognised. 408 and 429 are worth another try too.
///
/// # Limits
/// Without [`EndpointOptions::auth`] whoever can reach the endpoint can talk to the bot. The router
/// has a fallback of its own; for an application that has one, there is [`routes`].
///
/// # Example
/// ```
/// use std::sync::Arc;
/// use sayso_channel::{Connector, ConnectorOptions, EndpointOptions, router};
/// use sayso_turn::{Bot, Engine, store::MemoryStore};
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let connector = Arc::new(Connector::new(ConnectorOptions::default())?);
/// let engine = Engine::builder(Bot::new(), Arc::new(MemoryStore::default()), connector).start();
/// let app: axum::Router = router(engine, EndpointOptions::default());
/// # drop(app);
/// # Ok(()) }
/// ```
pub fn router(engine: Engine, options: EndpointOptions) -> Router {
    routes(engine, options).fallback(refusal::no_such_path)
}

/// The same routes as [`router`] gives, and nothing for other paths: to be merged into an
/// application that has routes, state and a fallback of its own, or nested in it under a path.
///
/// # Example
/// ```
/// use std::sync::Arc;
/// use axum::{Router, routing::get};
/// use sayso_channel::{Connector, ConnectorOptions, EndpointOptions, routes};
/// use sayso_turn::{Bot, Engine, store::MemoryStore};
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let connector = Arc::new(Connector::new(ConnectorOptions::default())?);
/// # let engine = Engine::builder(Bot::new(), Arc::new(MemoryStore::default()), connector).start();
/// let app: Router = Router::new()
///     .route("/", get(|| async { "the shop" }))
///     .fallback(|| async { "a page that is not there" })
///     .nest("/bot", routes(engine, EndpointOptions::default())) // POST /bot/api/messages
///     .with_state(());
/// # drop(app);
/// # Ok(()) }
/// ```
pub fn routes<S>(engine: Engine, options: EndpointOptions) -> Router<S>
where
    S: Clone + Send + Sync + 'static,
{
    if let Some(useless) = options.service_urls.useless() {
        tracing::warn!(service_url = useless, "an allowed service URL can never match");
    }
    let mut routes = Router::new()
        .route("/api/messages", post(messages).fallback(refusal::wrong_method))
        .route("/healthz", get(status::health).fallback(refusal::wrong_method))
        .route("/readyz", get(status::ready).fallback(refusal::wrong_method));
    if options.has_stats {
        routes = routes.route("/stats", get(status::stats).fallback(refusal::wrong_method));
    }
    let service_urls = Lately::new(options.service_urls.clone());
    routes.with_state(Arc::new(Endpoint { engine, options, service_urls }))
}

/// What the routes share.
struct Endpoint {
    engine: Engine,
    options: EndpointOptions,
    service_urls: Lately,
}

async fn messages(
    State(endpoint): State<Arc<Endpoint>>,
    request: Request,
) -> Result<Response, Refusal> {
    let options = &endpoint.options;
    let verified = match &options.auth {
        Some(auth) => Some(guard::check_token(request.headers(), auth).await?),
        None => {
            guard::check_sender(&request, &options.service_urls)?;
            None
        }
    };
    guard::check_format(request.headers())?;
    let body = intake::read(request, options).await?;
    let mut activity = parse(&body)?;
    if let Some(verified) = verified {
        verified.admit(Arc::make_mut(&mut activity)).map_err(refusal::of_denial)?;
    }
    guard::check_ids(&activity)?;
    guard::check_service_url(&activity, &endpoint.service_urls)?;
    if activity.delivery_mode.as_deref() == Some("stream") {
        let activity = Arc::unwrap_or_clone(activity);
        return stream::answer(endpoint.engine.clone(), activity).await;
    }
    let want = answer::Want::of(&activity);
    match endpoint.engine.receive(activity).await {
        Ok(answer) => answer::give(want, &answer),
        Err(error) => Err(refusal::of_turn(&error)),
    }
}

fn parse(body: &[u8]) -> Result<Arc<Activity>, Refusal> {
    let bad = |error: sayso_turn::activity::ParseError| {
        Refusal::new(StatusCode::BAD_REQUEST, "BadArgument", error.to_string())
    };
    let mut activity = Activity::shared_from_json(body).map_err(bad)?;
    activity.check().map_err(bad)?;
    // Says who called on whose behalf, so only somebody who checked a token may set it.
    drop(Arc::make_mut(&mut activity).extra.remove("callerId"));
    Ok(activity)
}
