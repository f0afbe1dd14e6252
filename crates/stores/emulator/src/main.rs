//! Microsoft's in-memory emulator of Cosmos DB over HTTP, for tests:
//! `sayso-cosmos-emulator PORT [PUBLIC]`.
//!
//! An account tells its clients where it is. `PUBLIC` is the port that it names, when something
//! stands between the clients and this program.
//!
//! The emulator is part of the published driver crate, as an HTTP client that answers by itself.
//! This program is the door to it: each request is handed over, each answer copied back. It serves
//! the loopback address only, keeps everything in memory, and checks no keys.

use std::{env, sync::Arc};

use anyhow::Context;
use axum::{
    Router,
    body::{Body, to_bytes},
    extract::{Request, State},
    http::{Response, StatusCode},
    routing::any,
};
use azure_core::http::{Request as CosmosRequest, Url};
use azure_data_cosmos_driver::in_memory_emulator::{
    ConsistencyLevel, InMemoryEmulatorHttpClient, VirtualAccountConfig, VirtualRegion,
};

/// The largest request that is read. Cosmos itself takes 2 MiB; more must reach it to be refused.
const REQUEST_BYTES_MAX: usize = 16 << 20;

#[derive(Clone, Debug)]
struct Emulator {
    inner: Arc<InMemoryEmulatorHttpClient>,
    base: Url,
}

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let ports = env::args().skip(1).map(|port| port.parse::<u16>());
    let ports: Vec<u16> = ports.collect::<Result<_, _>>().context("a port is not a number")?;
    let (port, public) = match ports.as_slice() {
        [port] => (*port, *port),
        [port, public] => (*port, *public),
        _ => anyhow::bail!("use: sayso-cosmos-emulator PORT [PUBLIC]"),
    };
    let base = Url::parse(&format!("http://127.0.0.1:{public}/"))?;
    let account = VirtualAccountConfig::new(vec![VirtualRegion::new("East US", base.clone())])?
        .with_consistency(ConsistencyLevel::Session);
    let emulator = Emulator { inner: Arc::new(InMemoryEmulatorHttpClient::new(account)), base };
    let listener = tokio::net::TcpListener::bind(("127.0.0.1", port)).await?;
    axum::serve(listener, Router::new().fallback(any(answer)).with_state(emulator)).await?;
    Ok(())
}

async fn answer(State(emulator): State<Emulator>, request: Request) -> Response<Body> {
    emulator.answer(request).await.unwrap_or_else(|error| {
        let mut response = Response::new(Body::from(format!("{error:#}")));
        *response.status_mut() = StatusCode::INTERNAL_SERVER_ERROR;
        response
    })
}

impl Emulator {
    async fn answer(&self, request: Request) -> anyhow::Result<Response<Body>> {
        let (parts, body) = request.into_parts();
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
