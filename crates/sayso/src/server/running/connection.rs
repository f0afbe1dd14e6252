//! One connection: serves its requests until it ends, is evicted, or the server stops.

use std::{net::SocketAddr, pin::pin, sync::Arc, time::Duration};

use axum::{Router, extract::ConnectInfo};
use hyper::{
    body::Incoming,
    server::conn::http1,
    service::{Service as _, service_fn},
};
use hyper_util::{rt::TokioIo, service::TowerToHyperService};
use sayso_channel::LocalGuard;
use tokio::{
    io::{AsyncRead, AsyncWrite},
    net::TcpStream,
    sync::watch,
    time::sleep,
};

use super::{
    connection_limit::Permit,
    handshake,
    refusal::{Refusals, full},
    tls::Tls,
};

/// Settings and services that all connections share.
#[derive(Clone, Debug)]
pub(super) struct Serving {
    pub(super) http: http1::Builder,
    pub(super) service: TowerToHyperService<Router>,
    /// Longest time until the first byte of a connection arrives.
    pub(super) first_byte_max: Duration,
    /// Asked before the service, if there is one.
    pub(super) guard: Option<LocalGuard>,
    pub(super) refusals: Refusals,
    pub(super) secure: Option<Secure>,
    /// Its sender is dropped when the server stops.
    pub(super) stopped: watch::Receiver<()>,
}

/// TLS, and the time that a handshake may take.
#[derive(Clone, Debug)]
pub(super) struct Secure {
    pub(super) tls: Tls,
    pub(super) handshake_max: Duration,
}

impl Serving {
    /// Serves one connection until it ends or is evicted, or, when the server stops, until it is
    /// idle.
    pub(super) async fn serve(mut self, stream: TcpStream, peer: SocketAddr, permit: Permit) {
        let permit = Arc::new(permit);
        // Until the client has said something, nothing but its socket is kept. A look at the first
        // byte, because readiness alone may be a false alarm.
        let mut first = [0];
        tokio::select! {
            biased;
            said = stream.peek(&mut first) => if !said.is_ok_and(|count| count > 0) { return },
            () = permit.evicted() => {
                tracing::trace!("a connection without a request made room for another");
                drop(permit);
                // Over TLS it would take a handshake to say so.
                if self.secure.is_none() {
                    self.refusals.refuse(stream).await;
                }
                return;
            },
            _ = self.stopped.changed() => return,
            () = sleep(self.first_byte_max) => return,
        }
        let Some(Secure { tls, handshake_max }) = self.secure.take() else {
            return self.serve_requests(stream, peer, permit).await;
        };
        let stream = tokio::select! {
            biased;
            () = permit.evicted() => return tracing::trace!("a handshake made room"),
            _ = self.stopped.changed() => return,
            stream = handshake::accept(stream, &tls, handshake_max) => stream,
        };
        match stream {
            Ok(stream) => self.serve_requests(stream, peer, permit).await,
            // What a client does wrong with its connection is its own business.
            Err(error) => tracing::trace!(%error, "a TLS handshake failed"),
        }
    }

    async fn serve_requests<S>(mut self, stream: S, peer: SocketAddr, permit: Arc<Permit>)
    where
        S: AsyncRead + AsyncWrite + Send + Unpin + 'static,
    {
        let (own, guard, service) = (Arc::clone(&permit), self.guard, self.service);
        let service = service_fn(move |mut request: hyper::Request<Incoming>| {
            request.extensions_mut().insert(ConnectInfo(peer));
            // One that was evicted before its request was read has made room already.
            let answer = match own.busy() {
                None => Err(full()),
                Some(busy) => match guard.as_ref().and_then(|guard| guard.refusal(&mut request)) {
                    Some(refusal) => Err(refusal),
                    None => Ok((busy, service.call(request))),
                },
            };
            async move {
                match answer {
                    Ok((busy, answer)) => {
                        let answer = answer.await;
                        drop(busy);
                        answer
                    }
                    Err(refusal) => Ok(refusal),
                }
            }
        });
        let mut connection = pin!(self.http.serve_connection(TokioIo::new(stream), service));
        let mut is_stopping = false;
        loop {
            tokio::select! {
                biased;
                // First, so that a request that has arrived is read before an eviction counts.
                ended = &mut connection => {
                    if let Err(error) = ended {
                        // What a client does wrong with its connection is its own business.
                        tracing::trace!(%error, "a connection ended");
                    }
                    return;
                },
                () = permit.evicted() => {
                    return tracing::trace!("an idle connection made room for another");
                },
                _ = self.stopped.changed(), if !is_stopping => {
                    is_stopping = true;
                    connection.as_mut().graceful_shutdown();
                },
            }
        }
    }
}
