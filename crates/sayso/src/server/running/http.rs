//! Taking connections in: never more than there are seats for, none for longer than it has use for.

use std::{
    io::{self, ErrorKind},
    pin::pin,
    sync::Arc,
    time::{Duration, Instant},
};

use axum::Router;
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
    limits::HttpLimits,
    seats::{Seat, Seats},
};

/// What somebody is told who comes while every connection has a request under way.
const FULL: &str = r#"{"error":{"code":"Full","message":"every connection of this instance has a request under way; send it again"}}"#;

/// How long nobody is let in after the machine could not open a connection.
const PAUSE: Duration = Duration::from_millis(50);

/// How often the log says that it is crowded; whoever crowds could fill the disk otherwise.
const COMPLAIN_EVERY: Duration = Duration::from_secs(10);

/// Serves until told to stop, then lets those with a request finish. Dropping the future cuts them
/// all.
pub(super) async fn serve(
    listener: TcpListener,
    router: Router,
    limits: HttpLimits,
    mut stopped: oneshot::Receiver<()>,
) {
    let seats = Seats::new(limits.capacity());
    let http = protocol(&limits);
    let (mut connections, graceful) = (JoinSet::new(), GracefulShutdown::new());
    let mut crowd = Crowd::default();
    loop {
        let accepted = tokio::select! {
            biased;
            // Either way, sent or dropped, it is the sign.
            _ = &mut stopped => break,
            accepted = listener.accept() => accepted,
        };
        while connections.try_join_next().is_some() {}
        let stream = match accepted {
            Ok((stream, _)) => stream,
            Err(error) if is_of_one_connection(&error) => continue,
            Err(error) => {
                crowd.complain(&format!("no connection can be taken in: {error}"));
                seats.shed();
                tokio::time::sleep(PAUSE).await;
                continue;
            }
        };
        let Some(seat) = seats.take().await else {
            crowd.complain("every connection has a request under way; others are turned away");
            turn_away(&stream);
            continue;
        };
        let service = TowerToHyperService::new(router.clone());
        connections.spawn(attend(http.clone(), stream, service, seat, graceful.watcher()));
    }
    drop(listener);
    graceful.shutdown().await;
}

/// Only HTTP/1.1: nothing that channels do needs another, and each has attacks of its own.
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

/// Serves one connection until it ends or must make room.
async fn attend(
    http: http1::Builder,
    stream: TcpStream,
    service: TowerToHyperService<Router>,
    seat: Seat,
    watcher: Watcher,
) {
    let seat = Arc::new(seat);
    let own = Arc::clone(&seat);
    let service = service_fn(move |request: hyper::Request<Incoming>| {
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
        () = seat.told_to_leave() => tracing::trace!("a connection made room for another"),
        ended = connection => if let Err(error) = ended {
            // What a client does wrong with its connection is its own business.
            tracing::trace!(%error, "a connection ended");
        },
    }
}

/// Says why, if that can be said at once, and hangs up.
fn turn_away(stream: &TcpStream) {
    let answer = format!(
        "HTTP/1.1 503 Service Unavailable\r\ncontent-type: application/json\r\nretry-after: 1\r\n\
         connection: close\r\ncontent-length: {}\r\n\r\n{FULL}",
        FULL.len()
    );
    if let Err(error) = stream.try_write(answer.as_bytes()) {
        tracing::trace!(%error, "somebody who was turned away did not hear why");
    }
}

/// Whether only this connection failed, and the next one may be well.
fn is_of_one_connection(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        ErrorKind::ConnectionRefused
            | ErrorKind::ConnectionAborted
            | ErrorKind::ConnectionReset
            | ErrorKind::Interrupted
    )
}

/// Complains about a crowd, not about everyone in it.
#[derive(Debug, Default)]
struct Crowd {
    last: Option<Instant>,
    unsaid: u64,
}

impl Crowd {
    fn complain(&mut self, what: &str) {
        if self.last.is_some_and(|last| last.elapsed() < COMPLAIN_EVERY) {
            self.unsaid += 1;
            return;
        }
        tracing::warn!(unsaid = std::mem::take(&mut self.unsaid), "{what}");
        self.last = Some(Instant::now());
    }
}
