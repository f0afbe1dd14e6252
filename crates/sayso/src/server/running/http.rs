//! Accept loop: HTTP/1.1 on a bounded number of connections, with timeouts and graceful shutdown.

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
    net::{TcpListener, TcpStream},
    sync::oneshot,
    task::JoinSet,
};

use super::{
    connection_limit::{ConnectionLimit, Permit},
    limits::HttpLimits,
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
    limits: HttpLimits,
    mut stopped: oneshot::Receiver<()>,
) {
    let limit = ConnectionLimit::new(limits.capacity());
    let http = protocol(&limits);
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
            refuse(&stream);
            continue;
        };
        let service = TowerToHyperService::new(router.clone());
        let watcher = graceful.watcher();
        connections.spawn(serve_one(http.clone(), (stream, peer), service, permit, watcher));
    }
    drop(listener);
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

/// Serves one connection until it ends or is evicted.
async fn serve_one(
    http: http1::Builder,
    (stream, peer): (TcpStream, SocketAddr),
    service: TowerToHyperService<Router>,
    permit: Permit,
    watcher: Watcher,
) {
    let permit = Arc::new(permit);
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
