//! HTTP client for channels: a pool of kept-alive connections, with the SSRF guard in its resolver.
//!
//! It uses hyper's client directly. The libraries above it add redirects, decompression, proxies
//! and retries, none of which may happen to a reply.

use std::{
    fmt, io,
    net::{Ipv4Addr, Ipv6Addr, SocketAddr},
    sync::Arc,
    task::{Context, Poll},
    time::Duration,
};

use axum::{
    body::Bytes,
    http::{Request, Uri},
};
use futures_util::future::BoxFuture;
use http_body_util::Full;
use hyper_rustls::{HttpsConnector, MaybeHttpsStream};
use hyper_util::{
    client::legacy::{
        Client, ResponseFuture,
        connect::{HttpConnector, dns::Name},
    },
    rt::{TokioExecutor, TokioIo, TokioTimer},
};
use rustls::{
    ClientConfig,
    crypto::{CryptoProvider, aws_lc_rs},
};
use rustls_platform_verifier::BuilderVerifierExt;
use tokio::{net::TcpStream, time};
use tower_service::Service;

use crate::auth::{SsrfGuard, look_up};

/// Idle timeout of a pooled connection. Servers usually close one later (Node.js: after 5 s), so a
/// reply is rarely sent on a connection that is just being closed, which would make it *unknown*.
const POOL_IDLE: Duration = Duration::from_secs(4);

type AnyError = Box<dyn std::error::Error + Send + Sync>;

/// The client. Cloning is cheap and shares the connections.
#[derive(Clone)]
pub(crate) struct Http(Client<TimedConnector, Full<Bytes>>);

impl Http {
    /// Creates a client with a timeout for connecting, including DNS and the TLS handshake.
    pub(crate) fn new(timeout: Duration, private_addresses: bool) -> Result<Self, rustls::Error> {
        let ssrf_guard = (!private_addresses).then(SsrfGuard::new);
        Self::with(timeout, Resolver { ssrf_guard })
    }

    fn with(timeout: Duration, resolver: Resolver) -> Result<Self, rustls::Error> {
        let mut tcp = HttpConnector::new_with_resolver(resolver);
        tcp.enforce_http(false);
        tcp.set_nodelay(true);
        let connector = TimedConnector { tls: HttpsConnector::from((tcp, tls()?)), timeout };
        let client = Client::builder(TokioExecutor::new())
            .pool_timer(TokioTimer::new())
            .pool_idle_timeout(POOL_IDLE)
            // Every request already has its `Host` header.
            .set_host(false)
            // A reply is short: copying it behind its head is cheaper than a vectored write.
            .http1_writev(false)
            .build(connector);
        Ok(Self(client))
    }

    /// Sends a request once. If a pooled connection turns out to be closed before any byte of the
    /// request was written, another connection is used.
    pub(crate) fn send(&self, request: Request<Full<Bytes>>) -> ResponseFuture {
        self.0.request(request)
    }
}

impl fmt::Debug for Http {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Http").finish_non_exhaustive()
    }
}

/// TLS configuration that trusts the CA certificates of the operating system.
fn tls() -> Result<ClientConfig, rustls::Error> {
    let provider = CryptoProvider::get_default().cloned();
    let provider = provider.unwrap_or_else(|| Arc::new(aws_lc_rs::default_provider()));
    let mut tls = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()?
        .with_platform_verifier()?
        .with_no_client_auth();
    tls.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(tls)
}

/// Connector with a timeout for DNS, TCP and TLS together.
#[derive(Clone)]
struct TimedConnector {
    tls: HttpsConnector<HttpConnector<Resolver>>,
    timeout: Duration,
}

impl Service<Uri> for TimedConnector {
    type Response = MaybeHttpsStream<TokioIo<TcpStream>>;
    type Error = AnyError;
    type Future = BoxFuture<'static, Result<Self::Response, AnyError>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), AnyError>> {
        self.tls.poll_ready(context)
    }

    fn call(&mut self, uri: Uri) -> Self::Future {
        let (dialling, timeout) = (self.tls.call(uri), self.timeout);
        Box::pin(async move {
            let late = |_| io::Error::new(io::ErrorKind::TimedOut, "connecting timed out");
            time::timeout(timeout, dialling).await.map_err(late)?
        })
    }
}

/// DNS resolver with the SSRF guard. Resolves anew for every connection.
#[derive(Clone)]
struct Resolver {
    ssrf_guard: Option<SsrfGuard>,
}

impl Service<Name> for Resolver {
    type Response = std::vec::IntoIter<SocketAddr>;
    type Error = AnyError;
    type Future = BoxFuture<'static, Result<Self::Response, AnyError>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), AnyError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, name: Name) -> Self::Future {
        let ssrf_guard = self.ssrf_guard;
        Box::pin(async move {
            let addresses = match (name.as_str(), ssrf_guard) {
                // `localhost` must be this machine, whatever DNS says. The ports are ignored.
                ("localhost", _) => {
                    vec![(Ipv4Addr::LOCALHOST, 0).into(), (Ipv6Addr::LOCALHOST, 0).into()]
                }
                (name, None) => look_up(name.to_owned()).await?,
                (name, Some(ssrf_guard)) => ssrf_guard.look_up(name).await?,
            };
            Ok(addresses.into_iter())
        })
    }
}

#[cfg(test)]
mod tests {
    use hyper_util::client::legacy::Error;
    use tokio::net::TcpListener;

    use super::*;

    async fn call(http: &Http, url: &str) -> Error {
        let mut request = Request::new(Full::default());
        *request.uri_mut() = url.parse().unwrap();
        http.send(request).await.unwrap_err()
    }

    #[tokio::test]
    async fn a_name_that_leads_inside_is_not_called() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let inside = SsrfGuard::with_resolver(|_| {
            let both = [Ipv4Addr::LOCALHOST, Ipv4Addr::new(8, 8, 8, 8)];
            Box::pin(async move { Ok(both.map(|ip| (ip, 0).into()).to_vec()) })
        });
        let resolver = Resolver { ssrf_guard: Some(inside) };
        let http = Http::with(Duration::from_secs(2), resolver).unwrap();
        let error = call(&http, &format!("http://channel.example:{port}/")).await;
        assert!(error.is_connect() && format!("{error:?}").contains("not public"), "{error:?}");
        assert!(futures_util::FutureExt::now_or_never(listener.accept()).is_none());
    }

    #[tokio::test]
    async fn the_tls_handshake_is_a_part_of_connecting() {
        // It accepts the connection, and never answers.
        let silent = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = silent.local_addr().unwrap().port();
        let http = Http::new(Duration::from_millis(200), false).unwrap();
        let error = call(&http, &format!("https://localhost:{port}/")).await;
        assert!(error.is_connect() && format!("{error:?}").contains("timed out"), "{error:?}");
    }
}
