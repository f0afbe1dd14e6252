//! HTTP endpoint: receives activities from channels, and reports health and statistics elsewhere.
//!
//! All input is untrusted. The checks of a request go from cheap to expensive: headers, length,
//! body, JSON, ids and URLs; only then does it become a turn. A request that fails a check leaves
//! nothing behind but a line in the log.

mod answer;
mod auth;
mod body;
mod error_response;
mod guard;
mod local_guard;
mod options;
mod proxy_signs;
mod rate_limits;
mod readiness;
mod refusal;
mod refusals;
mod state;
mod status;
mod stream;

use std::{net::SocketAddr, sync::Arc};

use axum::{
    Router,
    extract::{Request, State},
    http::StatusCode,
    response::Response,
    routing::post,
};
use sayso_turn::{
    Engine,
    activity::{Activity, DeliveryMode},
};

pub use self::{
    auth::EndpointAuth,
    local_guard::{LocalGuard, guard_local},
    options::EndpointOptions,
    rate_limits::{Rate, RateLimits},
    refusals::Refusals,
    status::{StatusOptions, status_routes},
};
use self::{error_response::ErrorResponse, refusal::Refusal, refusals::peer_of, state::Endpoint};

/// Creates the router of a bot: `POST /api/messages`. Health and statistics are
/// [`status_routes`], for an address of their own.
///
/// A message is answered with 200 when its turn is durable; replies follow through the engine's
/// channel. An activity with `deliveryMode: expectReplies` gets its replies in the response, an
/// `invoke` gets the status and body that the bot returned; with `deliveryMode: stream` the
/// response is a stream of server-sent events: typing indicators and partial texts as they come,
/// then the replies. A turn that takes longer than
/// [`acknowledge_after`](sayso_turn::Limits::acknowledge_after) is answered with 202 once it is
/// durable that it will be handled. Every error has a JSON body with a code and one sentence.
///
/// # Guarantees
/// After a 4xx nothing was stored and nothing was sent. The same holds for a 500, unless the bot's
/// own response to an invoke had no valid status. After a 503, or no response at all, send the
/// activity again with the same id: if its turn was saved after all, it is recognised as a
/// duplicate. 408 and 429 are worth a retry, too.
///
/// # Limits
/// With the default options every activity is refused: [`EndpointOptions::auth`] says who may send.
/// [`EndpointAuth::None`] and [`RateLimits::peer`] need the address of the peer. The router has a
/// fallback of its own; an application that has one should use [`routes`].
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
/// let app: axum::Router = router(engine, EndpointOptions::unauthenticated());
/// let app = app.into_make_service_with_connect_info::<std::net::SocketAddr>();
/// # drop(app);
/// # Ok(()) }
/// ```
pub fn router(engine: Engine, options: EndpointOptions) -> Router {
    routes(engine, options).fallback(error_response::no_such_path)
}

/// Creates the same routes as [`router`] without a fallback: to be merged into an application that
/// has routes, state and a fallback of its own, or nested in it under a path.
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
///     .nest("/bot", routes(engine, EndpointOptions::unauthenticated())) // POST /bot/api/messages
///     .with_state(());
/// # drop(app);
/// # Ok(()) }
/// ```
pub fn routes<S>(engine: Engine, options: EndpointOptions) -> Router<S>
where
    S: Clone + Send + Sync + 'static,
{
    if let Some(invalid) = options.service_urls.first_invalid() {
        tracing::warn!(
            service_url = invalid,
            "this entry of the allowed service URLs can never match"
        );
    }
    Router::new()
        .route("/api/messages", post(messages).fallback(error_response::wrong_method))
        .with_state(Arc::new(Endpoint::new(engine, options)))
}

async fn messages(State(endpoint): State<Arc<Endpoint>>, request: Request) -> Response {
    let peer = peer_of(&request);
    match receive(&endpoint, peer, request).await {
        Ok(response) => response,
        Err(error) => endpoint.options.refusals.refuse(error, peer),
    }
}

async fn receive(
    endpoint: &Endpoint,
    peer: Option<SocketAddr>,
    request: Request,
) -> Result<Response, ErrorResponse> {
    let options = &endpoint.options;
    check_peer(endpoint, peer, &request)?;
    let verified = match &options.auth {
        EndpointAuth::Token(auth) => Some(guard::check_token(request.headers(), auth).await?),
        EndpointAuth::None | EndpointAuth::Unset => None,
    };
    guard::check_content_type(request.headers())?;
    let body = body::read(request, options).await?;
    let mut activity = parse(&body)?;
    guard::check_ids(&activity)?;
    if let Some(verified) = verified {
        guard::check_service_url_is_there(&activity)?;
        verified.admit(Arc::make_mut(&mut activity)).map_err(error_response::for_rejection)?;
    }
    // Another bot has a list of its own, which has been looked at.
    let is_skill = activity.skill_caller().is_some();
    if !is_skill {
        guard::check_service_url(&activity, &endpoint.service_urls)?;
    }
    check_conversation(endpoint, &activity)?;
    if activity.delivery_mode == Some(DeliveryMode::Stream) {
        let activity = Arc::unwrap_or_clone(activity);
        return stream::answer(endpoint.engine.clone(), activity).await;
    }
    let kind = answer::AnswerKind::of(&activity);
    match endpoint.engine.receive(activity).await {
        Ok(answer) if is_skill => answer::give(kind, &answer::outside(answer)),
        Ok(answer) => answer::give(kind, &answer),
        Err(error) => Err(error_response::for_turn_error(&error)),
    }
}

/// Checks what of a sender is cheap to check: its rate and, without authentication, its place.
fn check_peer(
    endpoint: &Endpoint,
    peer: Option<SocketAddr>,
    request: &Request,
) -> Result<(), ErrorResponse> {
    if let (Some(limiter), Some(peer)) = (&endpoint.peers, peer) {
        limiter.take(rate_limits::network(peer.ip())).map_err(|wait| {
            error_response::rate_limited(Refusal::PeerRate, "rate_limits.peer", wait)
        })?;
    }
    match &endpoint.options.auth {
        EndpointAuth::Token(_) => Ok(()),
        EndpointAuth::None => local_guard::check_once(request, peer),
        EndpointAuth::Unset => Err(ErrorResponse::new(
            StatusCode::FORBIDDEN,
            "Forbidden",
            "this bot has no authentication configured, so it lets nobody in",
        )
        .because(Refusal::NoAuth)),
    }
}

/// Checks the rate of a conversation.
fn check_conversation(endpoint: &Endpoint, activity: &Activity) -> Result<(), ErrorResponse> {
    let Some(limiter) = &endpoint.conversations else { return Ok(()) };
    let conversation = activity.conversation.as_ref().and_then(|account| account.id.as_ref());
    limiter.take((&activity.channel_id, conversation)).map_err(|wait| {
        error_response::rate_limited(Refusal::ConversationRate, "rate_limits.conversation", wait)
    })
}

fn parse(body: &[u8]) -> Result<Arc<Activity>, ErrorResponse> {
    let bad = |error: sayso_turn::activity::ParseError| {
        ErrorResponse::new(StatusCode::BAD_REQUEST, "BadArgument", error.to_string())
            .because(Refusal::Activity)
    };
    let mut activity = Activity::shared_from_json(body).map_err(bad)?;
    activity.check().map_err(bad)?;
    // `callerId` identifies the authenticated caller, so the value from the wire is dropped.
    drop(Arc::make_mut(&mut activity).extra.remove("callerId"));
    Ok(activity)
}
