//! Microsoft's in-memory emulator of Cosmos DB, hosted over HTTP.
//!
//! The emulator is part of the published driver crate, as an HTTP client that answers by itself.
//! This is the door to it: each request is handed over, each answer copied back. It checks no keys;
//! a guard at the door may.

use std::{fmt, sync::Arc};

use anyhow::Context;
use axum::{
    Router,
    body::{Body, to_bytes},
    extract::{Request, State},
    http::{Response, StatusCode, request::Parts},
    routing::any,
};
use azure_core::http::{Request as CosmosRequest, Url};
use azure_data_cosmos_driver::in_memory_emulator::{
    InMemoryEmulatorHttpClient, VirtualAccountConfig,
};
use tokio::net::TcpListener;

/// The largest request that is read. Cosmos itself takes 2 MiB; more must reach it to be refused.
const REQUEST_BYTES_MAX: usize = 16 << 20;

/// True for a request that is let in.
type Guard = dyn Fn(&Parts) -> bool + Send + Sync;

/// An account in memory, and the address under which its clients find it.
#[derive(Clone)]
pub struct Emulator {
    inner: Arc<InMemoryEmulatorHttpClient>,
    base: Url,
    guard: Arc<Guard>,
}

impl fmt::Debug for Emulator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Emulator").field("base", &self.base).finish_non_exhaustive()
    }
}

impl Emulator {
    /// A new account, whose first region is at this address.
    #[must_use]
    pub fn new(account: VirtualAccountConfig, base: Url) -> Self {
        let inner = Arc::new(InMemoryEmulatorHttpClient::new(account));
        Self { inner, base, guard: Arc::new(|_| true) }
    }

    /// Answers 401 to what the guard does not let in.
    #[must_use]
    pub fn guarded(self, guard: impl Fn(&Parts) -> bool + Send + Sync + 'static) -> Self {
        Self { guard: Arc::new(guard), ..self }
    }

    /// Serves until the task ends.
    ///
    /// # Errors
    /// When the listener fails.
    pub async fn serve(self, listener: TcpListener) -> std::io::Result<()> {
        axum::serve(listener, Router::new().fallback(any(answer)).with_state(self)).await
    }

    async fn answer(&self, request: Request) -> anyhow::Result<Response<Body>> {
        let (parts, body) = request.into_parts();
        if !(self.guard)(&parts) {
            let mut refusal = Response::new(Body::from("{\"code\":\"Unauthorized\"}"));
            *refusal.status_mut() = StatusCode::UNAUTHORIZED;
            return Ok(refusal);
        }
        let path = parts.uri.path_and_query().map_or("/", |path| path.as_str());
        let url = self.base.join(path).context("the path is no URL")?;
        let method = parts.method.as_str().parse().context("the method is unknown")?;
        let mut question = CosmosRequest::new(url, method);
        for (name, value) in &parts.headers {
            let value = value.to_str().context("a header is not text")?;
            question.headers_mut().insert(name.as_str().to_owned(), value.to_owned());
        }
        let body = to_bytes(body, REQUEST_BYTES_MAX).await.context("the body cannot be read")?;
        if !body.is_empty() {
            question.set_body(body.to_vec());
        }
        let answer = self.inner.execute_request(&question).await?.try_into_raw_response().await?;
        let mut response = Response::builder().status(u16::from(answer.status()));
        for (name, value) in answer.headers().iter() {
            response = response.header(name.as_str(), value.as_str());
        }
        Ok(response.body(Body::from(answer.body().as_ref().to_vec()))?)
    }
}

async fn answer(State(emulator): State<Emulator>, request: Request) -> Response<Body> {
    emulator.answer(request).await.unwrap_or_else(|error| {
        let mut response = Response::new(Body::from(format!("{error:#}")));
        *response.status_mut() = StatusCode::INTERNAL_SERVER_ERROR;
        response
    })
}
