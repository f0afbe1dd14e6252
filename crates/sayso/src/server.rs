//! The server: a bot, a store and the Bot Framework endpoint in one process.
//!
//! It runs the same in a program of one's own, in the `sayso` command and in a test; only who decides
//! when to stop differs. There is no authentication yet, so it refuses to be reachable from outside.

mod error;
mod running;

use std::{
    future::{Future, pending},
    io,
    net::{Ipv4Addr, SocketAddr},
    sync::Arc,
};

use sayso_channel::{Connector, ConnectorOptions, EndpointOptions, router};
use sayso_turn::{Bot, Engine, Limits, Logic, store::Store};
use tokio::net::TcpListener;

pub use self::{error::ServeError, running::Running};
use crate::{announce, open_store, signals::Signals};

/// Where a server listens unless told otherwise: the port that Bot Framework tools expect.
pub const DEFAULT_ADDRESS: SocketAddr =
    SocketAddr::new(std::net::IpAddr::V4(Ipv4Addr::LOCALHOST), 3978);

/// Where a server keeps its state unless told otherwise.
pub const DEFAULT_STORE: &str = "sqlite:data/sayso.sqlite";

/// Serves a bot at [`DEFAULT_ADDRESS`] with its state in [`DEFAULT_STORE`], until it is told to stop.
///
/// It prints where it listens and a `curl` to try. SIGTERM and Ctrl-C drain: nothing new is taken in,
/// turns and replies under way are finished. For anything else there is [`Server`].
///
/// # Errors
/// When it cannot start, as one sentence that says what to do; see [`ServeError`].
///
/// # Cancellation
/// Dropping the future stops taking connections; what was committed is delivered by the next start.
///
/// # Example
/// ```no_run
/// use sayso::prelude::*;
///
/// #[tokio::main]
/// async fn main() -> Result {
///     sayso::serve(Bot::new().on_message(async |mut turn: Turn| {
///         turn.say("hello");
///         Ok(())
///     }))
///     .await
/// }
/// ```
pub async fn serve(bot: impl Logic) -> crate::Result {
    Ok(Server::new(bot).serve().await?)
}

/// Puts a server together. Everything but the bot has a default.
///
/// # Example
/// ```
/// use sayso::prelude::*;
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result {
/// let bot = Bot::new().on_message(async |mut turn: Turn| { turn.say("hello"); Ok(()) });
/// let running = Server::new(bot)
///     .address(([127, 0, 0, 1], 0)) // any free port
///     .store(sayso::open_store("memory://").await?)
///     .start()
///     .await?;
/// assert!(running.url().starts_with("http://127.0.0.1:"));
/// assert_eq!(running.stop().await, 0); // nothing was left undone
/// # Ok(()) }
/// ```
#[derive(Debug)]
pub struct Server<L = Bot> {
    logic: L,
    address: SocketAddr,
    store: Option<Arc<dyn Store>>,
    limits: Limits,
    endpoint: EndpointOptions,
    connector: ConnectorOptions,
}

impl<L: Logic> Server<L> {
    /// A server for this bot, with every default.
    #[must_use]
    pub fn new(logic: L) -> Self {
        let (endpoint, connector) = (EndpointOptions::default(), ConnectorOptions::default());
        Self {
            logic,
            address: DEFAULT_ADDRESS,
            store: None,
            limits: Limits::default(),
            endpoint,
            connector,
        }
    }

    /// Sets where to listen: a loopback address, since there is no authentication. Port 0 takes any
    /// free port.
    #[must_use]
    pub fn address(mut self, address: impl Into<SocketAddr>) -> Self {
        self.address = address.into();
        self
    }

    /// Sets where state is kept. Servers of one bot share it.
    #[must_use]
    pub fn store(mut self, store: Arc<dyn Store>) -> Self {
        self.store = Some(store);
        self
    }

    /// Sets the engine's limits.
    #[must_use]
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Starts the server and gives a handle to it; this is what a test wants.
    ///
    /// # Errors
    /// When the address or the store cannot be had; see [`ServeError`].
    ///
    /// # Cancellation
    /// Dropping the future starts nothing, or stops what was started.
    pub async fn start(self) -> Result<Running, ServeError> {
        let listener = bind(self.address).await?;
        let store = match self.store {
            Some(store) => store,
            None => open_store(DEFAULT_STORE).await?,
        };
        let connector = Connector::new(self.connector).map_err(ServeError::connector)?;
        let engine = Engine::builder(self.logic, Arc::clone(&store), Arc::new(connector))
            .limits(self.limits)
            .start();
        let router = router(engine.clone(), self.endpoint);
        Ok(Running::new(listener, router, engine, store)?)
    }

    /// Serves until SIGTERM or Ctrl-C, then drains. Prints where it listens and what to try.
    ///
    /// # Errors
    /// When it cannot start, or a second signal cut the drain short; see [`ServeError`].
    ///
    /// # Cancellation
    /// Dropping the future stops taking connections; what was committed is delivered by the next
    /// start.
    pub async fn serve(self) -> Result<(), ServeError> {
        self.serve_until(|running| announce::print(&running.welcome()), pending()).await
    }

    /// Serves until a signal, or until `stop` ends, then drains. `started` is called once, when
    /// requests are taken and signals already lead to a drain.
    ///
    /// # Errors
    /// As [`serve`](Self::serve).
    ///
    /// # Cancellation
    /// As [`serve`](Self::serve).
    pub async fn serve_until<F>(
        self,
        started: impl FnOnce(&Running) + Send,
        stop: F,
    ) -> Result<(), ServeError>
    where
        F: Future<Output = ()> + Send,
    {
        let mut signals = Signals::new()?;
        let running = self.start().await?;
        started(&running);
        tokio::select! {
            () = signals.next() => tracing::info!("draining; a second signal stops at once"),
            () = stop => tracing::info!("draining"),
        }
        let busy = running.engine().clone();
        tokio::select! {
            left = running.stop() => {
                report(left);
                Ok(())
            }
            () = signals.next() => Err(ServeError::Interrupted { left: busy.busy() }),
        }
    }
}

/// Binds a loopback address, with errors that say what to do.
///
/// # Errors
/// [`ServeError::NotLoopback`], [`ServeError::InUse`] or [`ServeError::Bind`].
///
/// # Cancellation
/// Dropping the future binds nothing.
///
/// # Example
/// ```
/// # #[tokio::main(flavor = "current_thread")] async fn main() {
/// let error = sayso::server::bind(([0, 0, 0, 0], 3978).into()).await.unwrap_err();
/// assert!(error.to_string().contains("no authentication is configured"));
/// # }
/// ```
pub async fn bind(address: SocketAddr) -> Result<TcpListener, ServeError> {
    if !address.ip().is_loopback() {
        return Err(ServeError::NotLoopback { address });
    }
    TcpListener::bind(address).await.map_err(|source| match source.kind() {
        io::ErrorKind::AddrInUse => ServeError::InUse { address },
        _ => ServeError::Bind { address, source },
    })
}

fn report(left: usize) {
    match left {
        0 => tracing::info!("drained"),
        left => tracing::warn!(left, "conversations are left for others to finish"),
    }
}
