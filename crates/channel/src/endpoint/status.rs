//! Health, readiness and statistics, for load balancers and operators, on an address of their own.

use std::{collections::BTreeMap, sync::Arc};

use axum::{
    Router,
    extract::{Request, State},
    http::StatusCode,
    middleware::{self, Next},
    response::Response,
    routing::get,
};
use sayso_turn::{Engine, Stats, store::StoreStats};
use serde::Serialize;

use super::{
    error_response::{self, ErrorResponse},
    local_guard::{self, Local},
    readiness::Readiness,
    refusals::{Refusals, peer_of},
};

/// Options of [`status_routes`].
///
/// # Example
/// ```
/// assert!(sayso_channel::StatusOptions::default().is_local);
/// ```
#[derive(Clone, Debug)]
pub struct StatusOptions {
    /// The counters of the endpoint, shown among the statistics.
    pub refusals: Refusals,
    /// Serves programs of this machine only, without proxies and by loopback names; load balancers'
    /// probes on this machine pass. Otherwise whoever reaches the address is served, but no page of
    /// another site.
    pub is_local: bool,
}

impl Default for StatusOptions {
    fn default() -> Self {
        Self { refusals: Refusals::default(), is_local: true }
    }
}

/// Creates `GET /healthz`, `GET /readyz` and `GET /stats`, for a listener of their own: they ask
/// for no token, so they do not belong on the address that channels reach.
///
/// `/healthz` says that the process answers. `/readyz` says that the instance takes activities and
/// that its store answered within three seconds; the store is asked once a second at most, however
/// many clients ask. `/stats` are the counters of the engine and of refused requests.
///
/// # Example
/// ```
/// use std::{net::SocketAddr, sync::Arc};
/// use axum::Router;
/// use sayso_channel::{Connector, ConnectorOptions, StatusOptions, status_routes};
/// use sayso_turn::{Bot, Engine, store::MemoryStore};
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let connector = Arc::new(Connector::new(ConnectorOptions::default())?);
/// # let engine = Engine::builder(Bot::new(), Arc::new(MemoryStore::default()), connector).start();
/// let admin: Router = status_routes(engine, StatusOptions::default());
/// let service = admin.into_make_service_with_connect_info::<SocketAddr>();
/// # drop(service);
/// # Ok(()) }
/// ```
pub fn status_routes<S>(engine: Engine, options: StatusOptions) -> Router<S>
where
    S: Clone + Send + Sync + 'static,
{
    let readiness = Readiness::new(engine.clone());
    let status = Arc::new(Status { engine, readiness, options });
    Router::new()
        .route("/healthz", get(health).fallback(error_response::wrong_method))
        .route("/readyz", get(ready).fallback(error_response::wrong_method))
        .route("/stats", get(stats).fallback(error_response::wrong_method))
        .layer(middleware::from_fn_with_state(Arc::clone(&status), guard))
        .with_state(status)
}

struct Status {
    engine: Engine,
    readiness: Readiness,
    options: StatusOptions,
}

async fn guard(State(status): State<Arc<Status>>, request: Request, next: Next) -> Response {
    let peer = peer_of(&request);
    let checked = match status.options.is_local {
        true => local_guard::check(&request, peer, Local::Probe),
        false => local_guard::check_page(&request),
    };
    match checked {
        Ok(()) => next.run(request).await,
        Err(error) => status.options.refusals.refuse(error, peer),
    }
}

/// Liveness: the process runs and answers. Checks nothing else.
async fn health() -> &'static str {
    "ok"
}

/// Readiness: the instance accepts activities and its store answers.
async fn ready(State(status): State<Arc<Status>>) -> Result<&'static str, ErrorResponse> {
    match status.readiness.check().await {
        Ok(()) => Ok("ready"),
        Err(reason) => {
            let status = StatusCode::SERVICE_UNAVAILABLE;
            Err(ErrorResponse::new(status, "NotReady", reason).retryable())
        }
    }
}

/// Counters of the instance, as one JSON object.
async fn stats(State(status): State<Arc<Status>>) -> Response {
    #[derive(Serialize)]
    struct Report<'a> {
        instance: &'a str,
        busy: usize,
        #[serde(flatten)]
        stats: Stats,
        store: StoreStats,
        #[serde(flatten)]
        refused: BTreeMap<&'static str, u64>,
    }
    let (engine, refused) = (&status.engine, status.options.refusals.counts().collect());
    let report = Report {
        instance: engine.instance(),
        busy: engine.busy(),
        stats: engine.stats(),
        store: engine.store_stats(),
        refused,
    };
    error_response::json(StatusCode::OK, &report)
}
