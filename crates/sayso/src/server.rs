//! The server: a bot, a store and the Bot Framework endpoint in one process.
//!
//! It runs the same in a program of one's own, in the `sayso` command and in a test; only who
//! decides when to stop differs. Without authentication it refuses to be reachable from outside.

mod error;
mod routes;
mod running;

use std::{
    fmt,
    future::{Future, pending},
    io,
    net::SocketAddr,
    sync::Arc,
};

use axum::Router;
use sayso_channel::{
    Connector, ConnectorOptions, EndpointOptions,
    auth::{AuthOptions, Authenticator, Tokens},
    router, routes,
};
use sayso_turn::{
    Bot, Engine, KeyScheme, Limits, Logic,
    clock::{Clock, SystemClock},
    store::Store,
};
use tokio::net::TcpListener;

use self::routes::Routes;
pub use self::{error::ServeError, running::Running};
pub use crate::defaults::{DEFAULT_ADDRESS, DEFAULT_STORE};
use crate::{Config, announce, open_store, signals::Signals};

/// Serves a bot at [`DEFAULT_ADDRESS`] with its state in [`DEFAULT_STORE`], until it is told to
/// stop.
///
/// The file `sayso.toml` and the environment can say otherwise, see [`Config::load`]. If they name
/// an app (`MicrosoftAppId`, as the SDKs have it) it authenticates both ways. It prints where it
/// listens and a `curl` to try. SIGTERM and Ctrl-C drain: nothing new is taken in, turns and
/// replies under way are finished. For anything else there is [`Server`].
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
///     serve(Bot::new().on_message(async |mut turn: Turn| {
///         turn.say("hello");
///         Ok(())
///     }))
///     .await
/// }
/// ```
pub async fn serve(bot: impl Logic) -> crate::Result {
    Ok(Server::new(bot).config(&Config::load(None)?)?.serve().await?)
}

/// Builder of a server. Everything but the bot has a default.
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
    /// URL of the store to open if none is given. It may hold a password.
    store_url: StoreUrl,
    limits: Limits,
    /// The configuration, whose retention goes before that of the limits.
    config: Option<Config>,
    keys: Option<KeyScheme>,
    auth: Option<AuthOptions>,
    routes: Option<Routes>,
}

/// The URL of a store, which no `Debug` shows.
struct StoreUrl(String);

impl fmt::Debug for StoreUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("[redacted]")
    }
}

impl<L: Logic> Server<L> {
    /// A server for this bot, with every default.
    #[must_use]
    pub fn new(logic: L) -> Self {
        let (address, limits, keys) = (DEFAULT_ADDRESS, Limits::default(), None);
        let store_url = StoreUrl(DEFAULT_STORE.to_owned());
        let (store, config, auth, routes) = (None, None, None, None);
        Self { logic, address, store, store_url, limits, config, keys, auth, routes }
    }

    /// Takes the address, the store, the app and the retention of documents from a configuration.
    /// What is set in code after this counts more, and so does a [store](Self::store) that was
    /// given. Only a retention that the configuration sets counts more than the
    /// [limits](Self::limits) of the program.
    ///
    /// # Errors
    /// When the app's settings do not fit together.
    ///
    /// # Example
    /// ```
    /// use sayso::{Config, Server, pizza};
    ///
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> sayso::Result {
    /// let config = Config::default().flag("store", "memory://")?.flag("address", "127.0.0.1:0")?;
    /// let running = Server::new(pizza::bot()).config(&config)?.start().await?;
    /// running.stop().await;
    /// # Ok(()) }
    /// ```
    pub fn config(mut self, config: &Config) -> Result<Self, ServeError> {
        self.address = config.address();
        self.store_url = StoreUrl(config.store().to_owned());
        self.config = Some(config.clone());
        self.keys = config.keys().or(self.keys);
        self.auth = config.auth()?.or(self.auth);
        Ok(self)
    }

    /// Authenticates both ways as an app: whoever sends shows a token of the channels' issuer, and
    /// replies carry one of the bot's own. Replies go only to the service URLs of the app's cloud.
    #[must_use]
    pub fn auth(mut self, auth: AuthOptions) -> Self {
        self.auth = Some(auth);
        self
    }

    /// Authenticates both ways if the environment names an app: `MicrosoftAppId`,
    /// `MicrosoftAppPassword`, `MicrosoftAppType`, `MicrosoftAppTenantId`, as the SDKs have them.
    /// Without an id nothing changes.
    ///
    /// # Errors
    /// When a setting is there and makes no sense.
    pub fn auth_from_env(mut self) -> Result<Self, ServeError> {
        let settings = std::env::vars_os().filter_map(|(name, value)| {
            Some((name.into_string().ok()?, value.into_string().ok()?))
        });
        let found = AuthOptions::from_settings(settings).map_err(ServeError::auth)?;
        self.auth = found.or(self.auth);
        Ok(self)
    }

    /// Sets where to listen: a loopback address, unless it [authenticates](Self::auth). Port 0
    /// takes any free port.
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

    /// Sets the engine's limits. A retention that the [configuration](Self::config) sets goes
    /// before theirs.
    #[must_use]
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Sets the scheme of the keys, in place of the bot's own: the bot and the tenant that they
    /// name.
    #[must_use]
    pub fn keys(mut self, keys: KeyScheme) -> Self {
        self.keys = Some(keys);
        self
    }

    /// Adds routes of one's own, beside those of the bot: they are made from the engine, so that
    /// they can [continue conversations](Engine::resume). They may have a fallback; they must not
    /// have the bot's paths. Nothing guards them but themselves: whoever reaches the bot reaches
    /// them.
    ///
    /// # Example
    /// ```
    /// use axum::{Router, extract::State, routing::get};
    /// use sayso::{Engine, prelude::*};
    ///
    /// async fn turns(State(engine): State<Engine>) -> String {
    ///     engine.stats().turns.to_string()
    /// }
    /// let server = Server::new(Bot::new())
    ///     .routes(|engine| Router::new().route("/turns", get(turns)).with_state(engine));
    /// # drop(server);
    /// ```
    #[must_use]
    pub fn routes(mut self, make: impl FnOnce(Engine) -> Router + Send + 'static) -> Self {
        self.routes = Some(Routes::new(make));
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
        let listener = match &self.auth {
            Some(_) => listen(self.address).await?,
            None => bind(self.address).await?,
        };
        let store = match self.store {
            Some(store) => store,
            None => open_store(&self.store_url.0).await?,
        };
        let (mut endpoint, mut connector) =
            (EndpointOptions::default(), ConnectorOptions::default());
        endpoint.has_stats = self.address.ip().is_loopback();
        if let Some(auth) = &self.auth {
            let clock: Arc<dyn Clock> = Arc::new(SystemClock::new());
            let tokens = Tokens::new(auth, Arc::clone(&clock)).map_err(ServeError::auth)?;
            let gate = Authenticator::new(auth, clock).map_err(ServeError::auth)?;
            endpoint.service_urls.clone_from(&auth.cloud.service_urls);
            connector.service_urls.clone_from(&auth.cloud.service_urls);
            connector.private_addresses = auth.private_addresses;
            (endpoint.auth, connector.tokens) = (Some(Arc::new(gate)), Some(tokens));
        }
        let connector = Connector::new(connector).map_err(ServeError::connector)?;
        let limits = match &self.config {
            Some(config) => config.limits(self.limits),
            None => self.limits,
        };
        let keys = self.keys.unwrap_or_else(|| self.logic.keys());
        let engine = Engine::builder(self.logic, Arc::clone(&store), Arc::new(connector))
            .limits(limits)
            .keys(keys)
            .start();
        let router = match self.routes {
            Some(own) => own.make(engine.clone()).merge(routes(engine.clone(), endpoint)),
            None => router(engine.clone(), endpoint),
        };
        let app = self.auth.map(|auth| auth.app_id);
        Ok(Running::new(listener, router, engine, store, app)?)
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
    listen(address).await
}

async fn listen(address: SocketAddr) -> Result<TcpListener, ServeError> {
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
