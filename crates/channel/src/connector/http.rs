//! The connections to channels.
//!
//! By the HTTP client that others are built on, without what those add to each call: redirects,
//! decompression, proxies and retries are things that a reply must never meet.

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
use tokio::{net::TcpStream, time::timeout};
use tower_service::Service;

use crate::auth::{PublicOnly, look_up};

/// Shorter than servers usually keep an idle connection (Node: 5 s), so that a reply seldom meets a
/// dead one and has to count as unknown.
const POOL_IDLE: Duration = Duration::from_secs(4);

type AnyError = Box<dyn std::error::Error + Send + Sync>;

/// Connections to channels, kept for a while. Cloning is cheap and shares them.
#[derive(Clone)]
pub(crate) struct Http(Client<Dial, Full<Bytes>>);

impl Http {
    /// Connecting, with all that belongs to it, takes at most so long.
    pub(crate) fn new(within: Duration, private_addresses: bool) -> Result<Self, rustls::Error> {
        let public_only = (!private_addresses).then(PublicOnly::new);
        Self::with(within, Names { public_only })
    }

    fn with(within: Duration, names: Names) -> Result<Self, rustls::Error> {
        let mut tcp = HttpConnector::new_with_resolver(names);
        tcp.enforce_http(false);
        tcp.set_nodelay(true);
        let dial = Dial { tls: HttpsConnector::from((tcp, tls()?)), within };
        let client = Client::builder(TokioExecutor::new())
            .pool_timer(TokioTimer::new())
            .pool_idle_timeout(POOL_IDLE)
            // Calls bring theirs along.
            .set_host(false)
            // A reply is short: to copy it behind its head costs less than two pieces do.
            .http1_writev(false)
            .build(dial);
        Ok(Self(client))
    }

    /// Makes a request once. A connection that turns out to be closed before anything of the
    /// request was sent is replaced by another.
    pub(crate) fn send(&self, request: Request<Full<Bytes>>) -> ResponseFuture {
        self.0.request(request)
    }
}

impl fmt::Debug for Http {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Http").finish_non_exhaustive()
    }
}

/// Trusts whom the machine trusts.
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

/// Opens connections.
#[derive(Clone)]
struct Dial {
    tls: HttpsConnector<HttpConnector<Names>>,
    within: Duration,
}

impl Service<Uri> for Dial {
    type Response = MaybeHttpsStream<TokioIo<TcpStream>>;
    type Error = AnyError;
    type Future = BoxFuture<'static, Result<Self::Response, AnyError>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), AnyError>> {
        self.tls.poll_ready(context)
    }

    fn call(&mut self, uri: Uri) -> Self::Future {
        let (dialling, within) = (self.tls.call(uri), self.within);
        Box::pin(async move {
            let late = |_| io::Error::new(io::ErrorKind::TimedOut, "connecting took too long");
            timeout(within, dialling).await.map_err(late)?
        })
    }
}

/// Looks names up, anew for every connection.
#[derive(Clone)]
struct Names {
    public_only: Option<PublicOnly>,
}

impl Service<Name> for Names {
    type Response = std::vec::IntoIter<SocketAddr>;
    type Error = AnyError;
    type Future = BoxFuture<'static, Result<Self::Response, AnyError>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), AnyError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, name: Name) -> Self::Future {
        let public_only = self.public_only;
        Box::pin(async move {
            let addresses = match (name.as_str(), public_only) {
                // It must be this machine whatever a resolver says. The ports are not used.
                ("localhost", _) => {
                    vec![(Ipv4Addr::LOCALHOST, 0).into(), (Ipv6Addr::LOCALHOST, 0).into()]
                }
                (name, None) => look_up(name.to_owned()).await?,
                (name, Some(public_only)) => public_only.look_up(name).await?,
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
        let inside = PublicOnly::by(|_| {
            let both = [Ipv4Addr::LOCALHOST, Ipv4Addr::new(8, 8, 8, 8)];
            Box::pin(async move { Ok(both.map(|ip| (ip, 0).into()).to_vec()) })
        });
        let names = Names { public_only: Some(inside) };
        let http = Http::with(Duration::from_secs(2), names).unwrap();
        let error = call(&http, &format!("http://channel.example:{port}/")).await;
        assert!(error.is_connect() && format!("{error:?}").contains("not public"), "{error:?}");
        assert!(futures_util::FutureExt::now_or_never(listener.accept()).is_none());
    }

    #[tokio::test]
    async fn shaking_hands_is_a_part_of_connecting() {
        // It is connected to, and says nothing.
        let silent = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = silent.local_addr().unwrap().port();
        let http = Http::new(Duration::from_millis(200), false).unwrap();
        let error = call(&http, &format!("https://localhost:{port}/")).await;
        assert!(error.is_connect() && format!("{error:?}").contains("too long"), "{error:?}");
    }
}
