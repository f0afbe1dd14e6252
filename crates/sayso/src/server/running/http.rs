//! Accept loop: HTTP/1.1, with TLS or without, on a bounded number of connections, with timeouts
//! and graceful shutdown.

use std::{
    io::{self, ErrorKind},
    time::{Duration, Instant},
};

use hyper::server::conn::http1;
use hyper_util::{rt::TokioTimer, service::TowerToHyperService};
use tokio::{
    sync::{oneshot, watch},
    task::JoinSet,
};

use super::{
    Listener,
    connection::{Secure, Serving},
    connection_limit::ConnectionLimit,
    limits::HttpLimits,
    refusal::Refusals,
};

/// Pause before the next `accept` after one failed, for example for lack of descriptors.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);

/// Shortest time between two warnings of overload: a flood must not fill the disk with log lines.
const WARN_EVERY: Duration = Duration::from_secs(10);

/// Serves until told to stop, then lets requests in flight finish. Dropping the future cuts every
/// connection.
pub(super) async fn serve(
    listener: Listener,
    limits: HttpLimits,
    mut stopped: oneshot::Receiver<()>,
) {
    let Listener { socket, router, guard, tls } = listener;
    let limit = ConnectionLimit::new(limits.capacity());
    let (stop, stop_seen) = watch::channel(());
    let serving = Serving {
        http: protocol(&limits),
        service: TowerToHyperService::new(router),
        first_byte_max: match tls {
            Some(_) => limits.handshake_timeout.min(limits.head_timeout),
            None => limits.head_timeout,
        },
        guard,
        refusals: Refusals::default(),
        secure: tls.map(|tls| Secure { tls, handshake_max: limits.handshake_timeout }),
        stopped: stop_seen,
    };
    let mut connections = JoinSet::new();
    let mut warning = OverloadWarning::default();
    loop {
        let accepted = tokio::select! {
            biased;
            // The sender is dropped, never used: that it is gone is the signal.
            _ = &mut stopped => break,
            accepted = socket.accept() => accepted,
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
            if serving.secure.is_none() {
                connections.spawn(serving.refusals.clone().refuse(stream));
            }
            continue;
        };
        connections.spawn(serving.clone().serve(stream, peer, permit));
    }
    drop((socket, stop));
    while connections.join_next().await.is_some() {}
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
