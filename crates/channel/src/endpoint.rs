//! HTTP endpoint: receives activities from channels, and reports health and statistics.
//!
//! All input is untrusted. The checks of a request go from cheap to expensive: headers, length,
//! body, JSON, ids and URLs; only then does it become a turn. A request that fails a check leaves
//! nothing behind but a line in the log.

mod answer;
mod body;
mod error_response;
mod guard;
mod options;
mod state;
mod status;
mod stream;

use std::sync::Arc;

use axum::{
    Router,
    extract::{Request, State},
    http::StatusCode,
    response::Response,
    routing::{get, post},
};
use sayso_turn::{
    Engine,
    activity::{Activity, DeliveryMode},
};

pub use self::options::EndpointOptions;
use self::{error_response::ErrorResponse, state::Endpoint};
use crate::service_urls::UrlCache;

/// Creates the router of a bot: `POST /api/messages`, `GET /healthz`, `GET /readyz`, `GET /stats`.
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
/// Without [`EndpointOptions::auth`] anybody who can reach the endpoint can talk to the bot. The
/// router has a fallback of its own; an application that has one should use [`routes`].
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
///     .nest("/bot", routes(engine, EndpointOptions::default())) // POST /bot/api/messages
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
    let mut routes = Router::new()
        .route("/api/messages", post(messages).fallback(error_response::wrong_method))
        .route("/healthz", get(status::health).fallback(error_response::wrong_method))
        .route("/readyz", get(status::ready).fallback(error_response::wrong_method));
    if options.has_stats {
        routes = routes.route("/stats", get(status::stats).fallback(error_response::wrong_method));
    }
    let service_urls = UrlCache::new(options.service_urls.clone());
    routes.with_state(Arc::new(Endpoint { engine, options, service_urls }))
}

async fn messages(
    State(endpoint): State<Arc<Endpoint>>,
    request: Request,
) -> Result<Response, ErrorResponse> {
    let options = &endpoint.options;
    let verified = match &options.auth {
        Some(auth) => Some(guard::check_token(request.headers(), auth).await?),
        None => {
            guard::check_host_and_origin(&request, &options.service_urls)?;
            None
        }
    };
    guard::check_content_type(request.headers())?;
    let body = body::read(request, options).await?;
    let mut activity = parse(&body)?;
    if let Some(verified) = verified {
        verified.admit(Arc::make_mut(&mut activity)).map_err(error_response::for_rejection)?;
    }
    guard::check_ids(&activity)?;
    guard::check_service_url(&activity, &endpoint.service_urls)?;
    if activity.delivery_mode == Some(DeliveryMode::Stream) {
        let activity = Arc::unwrap_or_clone(activity);
        return stream::answer(endpoint.engine.clone(), activity).await;
    }
    let kind = answer::AnswerKind::of(&activity);
    match endpoint.engine.receive(activity).await {
        Ok(answer) => answer::give(kind, &answer),
        Err(error) => Err(error_response::for_turn_error(&error)),
    }
}

fn parse(body: &[u8]) -> Result<Arc<Activity>, ErrorResponse> {
    let bad = |error: sayso_turn::activity::ParseError| {
        ErrorResponse::new(StatusCode::BAD_REQUEST, "BadArgument", error.to_string())
    };
    let mut activity = Activity::shared_from_json(body).map_err(bad)?;
    activity.check().map_err(bad)?;
    // `callerId` identifies the authenticated caller, so the value from the wire is dropped.
    drop(Arc::make_mut(&mut activity).extra.remove("callerId"));
    Ok(activity)
}
