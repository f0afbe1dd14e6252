//! Accept loop: HTTP/1.1, with TLS or without, on a bounded number of connections, with timeouts
//! and graceful shutdown.

use std::{
    io::{self, ErrorKind},
    net::SocketAddr,
    pin::pin,
    sync::Arc,
    time::{Duration, Instant},
};

use axum::{Router, extract::ConnectInfo};
use hyper::{
    body::Incoming,
    server::conn::http1,
    service::{Service as _, service_fn},
};
use hyper_util::{
    rt::{TokioIo, TokioTimer},
    server::graceful::{GracefulShutdown, Watcher},
    service::TowerToHyperService,
};
use tokio::{
    io::{AsyncRead, AsyncWrite},
    net::{TcpListener, TcpStream},
    sync::{oneshot, watch},
    task::JoinSet,
};

use super::{
    connection_limit::{ConnectionLimit, Permit},
    handshake,
    limits::HttpLimits,
    tls::Tls,
};

/// Body of the 503 that a client gets while every connection has a request under way.
const FULL: &str = r#"{"error":{"code":"Full","message":"every connection of this instance has a request under way; send it again"}}"#;

/// Pause before the next `accept` after one failed, for example for lack of descriptors.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);

/// Shortest time between two warnings of overload: a flood must not fill the disk with log lines.
const WARN_EVERY: Duration = Duration::from_secs(10);

/// Serves until told to stop, then lets requests in flight finish. Dropping the future cuts every
/// connection.
pub(super) async fn serve(
    listener: TcpListener,
    router: Router,
    tls: Option<Tls>,
    limits: HttpLimits,
    mut stopped: oneshot::Receiver<()>,
) {
    let limit = ConnectionLimit::new(limits.capacity());
    let http = protocol(&limits);
    // Dropping the sender cuts the handshakes that are under way.
    let (draining, drain) = watch::channel(());
    let (mut connections, graceful) = (JoinSet::new(), GracefulShutdown::new());
    let mut warning = OverloadWarning::default();
    loop {
        let accepted = tokio::select! {
            biased;
            // The sender is dropped, never used: that it is gone is the signal.
            _ = &mut stopped => break,
            accepted = listener.accept() => accepted,
        };
        while connections.try_join_next().is_some() {}
        let (stream, peer) = match accepted {
            Ok(accepted) => accepted,
            Err(error) if is_of_one_connection(&error) => continue,
            Err(error) => {
                warning.warn(&format!("no connection can be accepted: {error}"));
                limit.evict();
                tokio::time::sleep(ACCEPT_PAUSE).await;
                continue;
            }
        };
        let Some(permit) = limit.acquire().await else {
            warning.warn("every connection has a request under way; new ones are refused");
            // Over TLS it would take a handshake to say so.
            if tls.is_none() {
                refuse(&stream);
            }
            continue;
        };
        let connection = Connection {
            http: http.clone(),
            peer,
            service: TowerToHyperService::new(router.clone()),
            permit: Arc::new(permit),
            watcher: graceful.watcher(),
        };
        match &tls {
            None => connections.spawn(connection.serve(stream)),
            Some(tls) => {
                let (tls, drain) = (tls.clone(), drain.clone());
                connections.spawn(connection.serve_tls(
                    stream,
                    tls,
                    limits.handshake_timeout,
                    drain,
                ))
            }
        };
    }
    drop((listener, draining));
    graceful.shutdown().await;
}

/// HTTP/1.1 only: channels need no other version, and each has attacks of its own.
fn protocol(limits: &HttpLimits) -> http1::Builder {
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new());
    http.header_read_timeout(limits.head_timeout);
    http.max_header_size(limits.head_bytes_max);
    http.max_buf_size(limits.buffer_bytes_max);
    // Answers are short: to copy one behind its head costs less than two pieces do.
    http.writev(false);
    http
}

/// An accepted connection, and what serves it.
struct Connection {
    http: http1::Builder,
    peer: SocketAddr,
    service: TowerToHyperService<Router>,
    permit: Arc<Permit>,
    watcher: Watcher,
}

impl Connection {
    /// Serves it after a TLS handshake, unless that fails, takes too long, or must make room for
    /// another connection.
    async fn serve_tls(
        self,
        stream: TcpStream,
        tls: Tls,
        timeout: Duration,
        mut drain: watch::Receiver<()>,
    ) {
        let stream = tokio::select! {
            biased;
            () = self.permit.evicted() => return tracing::trace!("a handshake made room"),
            // The sender is dropped, never used: that it is gone is the signal.
            _ = drain.changed() => return,
            stream = handshake::accept(stream, &tls, timeout) => stream,
        };
        match stream {
            Ok(stream) => self.serve(stream).await,
            // What a client does wrong with its connection is its own business.
            Err(error) => tracing::trace!(%error, "a TLS handshake failed"),
        }
    }

    /// Serves it until it ends or is evicted.
    async fn serve<S>(self, stream: S)
    where
        S: AsyncRead + AsyncWrite + Send + Unpin + 'static,
    {
        let Self { http, peer, service, permit, watcher } = self;
        let own = Arc::clone(&permit);
        let service = service_fn(move |mut request: hyper::Request<Incoming>| {
            request.extensions_mut().insert(ConnectInfo(peer));
            let (busy, answer) = (own.busy(), service.call(request));
            async move {
                let answer = answer.await;
                drop(busy);
                answer
            }
        });
        let connection = http.serve_connection(TokioIo::new(stream), service);
        let connection = pin!(watcher.watch(connection));
        tokio::select! {
            biased;
            () = permit.evicted() => tracing::trace!("an idle connection made room for another"),
            ended = connection => if let Err(error) = ended {
                // What a client does wrong with its connection is its own business.
                tracing::trace!(%error, "a connection ended");
            },
        }
    }
}

/// Sends a 503 if the socket takes it at once, and closes the connection.
fn refuse(stream: &TcpStream) {
    let answer = format!(
        "HTTP/1.1 503 Service Unavailable\r\ncontent-type: application/json\r\nretry-after: 1\r\n\
         connection: close\r\ncontent-length: {}\r\n\r\n{FULL}",
        FULL.len()
    );
    if let Err(error) = stream.try_write(answer.as_bytes()) {
        tracing::trace!(%error, "a refused client was not told why");
    }
}

/// Reports whether the error is of one connection only, so that the next may succeed.
fn is_of_one_connection(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        ErrorKind::ConnectionRefused
            | ErrorKind::ConnectionAborted
            | ErrorKind::ConnectionReset
            | ErrorKind::Interrupted
    )
}

/// Rate-limited warning of overload; counts the warnings it withheld.
#[derive(Debug, Default)]
struct OverloadWarning {
    last: Option<Instant>,
    withheld: u64,
}

impl OverloadWarning {
    fn warn(&mut self, what: &str) {
        if self.last.is_some_and(|last| last.elapsed() < WARN_EVERY) {
            self.withheld += 1;
            return;
        }
        tracing::warn!(withheld = std::mem::take(&mut self.withheld), "{what}");
        self.last = Some(Instant::now());
    }
}
