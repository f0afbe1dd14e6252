//! Handle of a running server: its address, and a graceful shutdown.

mod connection;
mod connection_limit;
mod handshake;
mod http;
mod limits;
mod refusal;
#[cfg(test)]
mod tests;
pub(super) mod tls;

use std::{io, net::SocketAddr, sync::Arc, time::Duration};

use axum::Router;
use sayso_channel::LocalGuard;
use sayso_turn::{Engine, store::Store};
use tokio::{net::TcpListener, sync::oneshot, task::JoinHandle, time::timeout};

use self::{limits::HttpLimits, tls::Tls};
use crate::announce;

/// Longest graceful shutdown: turns, deliveries and answers under way.
const DRAIN_MAX: Duration = Duration::from_secs(10);

/// Handle of a server that takes requests.
///
/// Dropping it stops taking connections and waits for nothing; call [`stop`](Self::stop) for a
/// graceful shutdown.
///
/// # Example
/// ```
/// use sayso::{Server, pizza};
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> sayso::Result {
/// let server = Server::new(pizza::bot()).store(sayso::open_store("memory://").await?);
/// let running = server.unauthenticated().address(([127, 0, 0, 1], 0)).start().await?;
/// assert_ne!(running.local_addr().port(), 0);
/// assert_eq!(running.engine().stats().turns, 0);
/// assert!(running.welcome().contains("loopback only"));
/// running.stop().await;
/// # Ok(()) }
/// ```
#[derive(Debug)]
pub struct Running {
    address: SocketAddr,
    scheme: &'static str,
    engine: Engine,
    store: Arc<dyn Store>,
    /// The id of the app as which it authenticates, if it does.
    app: Option<String>,
    /// Dropping it is the signal to stop taking connections.
    stop: oneshot::Sender<()>,
    http: JoinHandle<()>,
    admin: Option<Admin>,
}

/// A bound listener: the routes and TLS that it serves, and the guard that is asked before them.
#[derive(Debug)]
pub(super) struct Listener {
    pub(super) socket: TcpListener,
    pub(super) router: Router,
    pub(super) guard: Option<LocalGuard>,
    pub(super) tls: Option<Tls>,
}

impl Listener {
    fn scheme(&self) -> &'static str {
        if self.tls.is_some() { "https" } else { "http" }
    }

    async fn serve(self, limits: HttpLimits, stopped: oneshot::Receiver<()>) {
        http::serve(self, limits, stopped).await;
    }
}

/// The listener for health and statistics.
#[derive(Debug)]
struct Admin {
    address: SocketAddr,
    scheme: &'static str,
    stop: oneshot::Sender<()>,
    http: JoinHandle<()>,
}

impl Running {
    pub(super) fn new(
        public: Listener,
        admin: Option<Listener>,
        engine: Engine,
        store: Arc<dyn Store>,
        app: Option<String>,
    ) -> io::Result<Self> {
        let (address, scheme) = (public.socket.local_addr()?, public.scheme());
        let (stop, stopped) = oneshot::channel::<()>();
        let admin = admin.map(Admin::new).transpose()?;
        let http = tokio::spawn(public.serve(HttpLimits::default(), stopped));
        Ok(Self { address, scheme, engine, store, app, stop, http, admin })
    }

    /// The address of health, readiness and statistics, with the real port, if there is one.
    #[must_use]
    pub fn admin_addr(&self) -> Option<SocketAddr> {
        self.admin.as_ref().map(|admin| admin.address)
    }

    /// The same as a URL, without a slash at the end.
    #[must_use]
    pub fn admin_url(&self) -> Option<String> {
        self.admin.as_ref().map(|Admin { scheme, address, .. }| format!("{scheme}://{address}"))
    }

    /// The address it listens on, with the real port.
    #[must_use]
    pub fn local_addr(&self) -> SocketAddr {
        self.address
    }

    /// The address as a URL, without a slash at the end.
    #[must_use]
    pub fn url(&self) -> String {
        format!("{}://{}", self.scheme, self.address)
    }

    /// The engine, to look at its counters or to hand it an activity without HTTP.
    #[must_use]
    pub fn engine(&self) -> &Engine {
        &self.engine
    }

    /// The store that holds the state.
    #[must_use]
    pub fn store(&self) -> &Arc<dyn Store> {
        &self.store
    }

    /// Welcome text for people: the address, the store, and a `curl` to try.
    #[must_use]
    pub fn welcome(&self) -> String {
        let admin = self.admin_url();
        match &self.app {
            Some(app) => announce::welcome_app(&self.url(), admin.as_deref(), &self.store, app),
            None => announce::welcome(&self.url(), admin.as_deref(), &self.store),
        }
    }

    /// Graceful shutdown: takes no more connections, finishes turns, deliveries and answers within
    /// ten seconds, and releases what is left to other instances. Returns the number of
    /// conversations left.
    ///
    /// # Cancellation
    /// Dropping the future stops the server at once; what was committed is delivered by others.
    pub async fn stop(self) -> usize {
        let Self { engine, stop, mut http, admin, .. } = self;
        drop(stop);
        // Both at once: requests in flight wait for the engine, and new ones are told to come
        // again.
        let (left, answered) = tokio::join!(engine.close(DRAIN_MAX), timeout(DRAIN_MAX, &mut http));
        if answered.is_err() {
            tracing::warn!("a connection did not end within {DRAIN_MAX:?} and is cut");
            http.abort();
        }
        if let Some(admin) = admin {
            // Last, so that whoever asks during the drain is told that it is going on.
            drop(admin.stop);
            admin.http.abort();
        }
        left
    }
}

impl Admin {
    fn new(listener: Listener) -> io::Result<Self> {
        let (address, scheme) = (listener.socket.local_addr()?, listener.scheme());
        let (stop, stopped) = oneshot::channel::<()>();
        let http = tokio::spawn(listener.serve(HttpLimits::admin(), stopped));
        Ok(Self { address, scheme, stop, http })
    }
}
