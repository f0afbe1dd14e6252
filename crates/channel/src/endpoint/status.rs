//! Health, readiness and statistics, for load balancers and operators.

use std::{sync::Arc, time::Duration};

use axum::{
    extract::{Request, State},
    http::StatusCode,
    response::Response,
};
use sayso_turn::{Stats, store::StoreStats};
use serde::Serialize;

use super::{
    error_response::{self, ErrorResponse},
    guard,
    state::Endpoint,
};

/// Timeout of the store, beyond which the instance counts as not ready.
const READY_TIMEOUT: Duration = Duration::from_secs(3);

/// Liveness: the process runs and answers. Checks nothing else.
pub(super) async fn health() -> &'static str {
    "ok"
}

/// Readiness: the instance accepts activities and its store answers.
pub(super) async fn ready(
    State(endpoint): State<Arc<Endpoint>>,
) -> Result<&'static str, ErrorResponse> {
    let not = |message: &'static str| {
        ErrorResponse::new(StatusCode::SERVICE_UNAVAILABLE, "NotReady", message).retryable()
    };
    let engine = &endpoint.engine;
    if engine.is_closing() {
        return Err(not("this instance is shutting down"));
    }
    match tokio::time::timeout(READY_TIMEOUT, engine.ready()).await {
        Ok(Ok(())) => Ok("ready"),
        Ok(Err(error)) => {
            tracing::warn!(%error, "not ready: the store does not answer");
            Err(not("the store cannot be reached"))
        }
        Err(_) => {
            tracing::warn!(timeout = ?READY_TIMEOUT, "not ready: the store takes too long");
            Err(not("the store does not answer in time"))
        }
    }
}

/// Counters of the instance, as one JSON object.
pub(super) async fn stats(
    State(endpoint): State<Arc<Endpoint>>,
    request: Request,
) -> Result<Response, ErrorResponse> {
    #[derive(Serialize)]
    struct Report<'a> {
        instance: &'a str,
        busy: usize,
        #[serde(flatten)]
        stats: Stats,
        store: StoreStats,
    }
    guard::check_host_and_origin(&request, &endpoint.options.service_urls)?;
    let engine = &endpoint.engine;
    let report = Report {
        instance: engine.instance(),
        busy: engine.busy(),
        stats: engine.stats(),
        store: engine.store_stats(),
    };
    Ok(error_response::json(StatusCode::OK, &report))
}
