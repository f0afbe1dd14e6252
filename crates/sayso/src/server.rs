//! The server: a bot, a store and the Bot Framework endpoint in one process.
//!
//! It runs the same in a program of one's own, in the `sayso` command and in a test; only who
//! decides when to stop differs. It is closed by default: without an app it does not start, unless
//! it is told to do without authentication, and then it serves programs of its own machine only.

mod admin;
mod audit;
mod error;
mod listen;
mod parts;
mod routes;
mod running;
mod senders;
mod start;

use std::{fmt, net::SocketAddr, sync::Arc};

use axum::Router;
use sayso_channel::{RateLimits, auth::AuthOptions};
use sayso_turn::{Bot, Engine, KeyScheme, Limits, Logic, store::Store};

use self::{admin::Admin, routes::Routes, senders::Senders};
pub use self::{error::ServeError, listen::bind, running::Running};
pub use crate::defaults::{DEFAULT_ADDRESS, DEFAULT_STORE, default_admin_address};
use crate::{
    Config,
    config::{Encryption, TlsFiles},
    log,
};

/// Serves a bot at [`DEFAULT_ADDRESS`] with its state in [`DEFAULT_STORE`], until it is told to
/// stop.
///
/// The file `sayso.toml` and the environment can say otherwise, see [`Config::load`]. If they name
/// an app (`MicrosoftAppId`, as the SDKs have it) it authenticates both ways; if they say `auth =
/// "none"` (`SAYSO_AUTH=none`) it serves programs of this machine without authentication; if they
/// say neither it does not start. It prints where it listens and a `curl` to try. If the program
/// has no log (a `tracing` subscriber) it starts one on standard error, as `log.filter` and
/// `log.format` say, so that a handler that fails is seen. SIGTERM and Ctrl-C drain: nothing new is
/// taken in, turns and replies under way are finished. For anything else there is [`Server`].
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
    let config = Config::load(None)?;
    log::start(&config)?;
    Ok(Server::new(bot).config(&config)?.serve().await?)
}

/// Builder of a server. Everything has a default but the bot, and who may speak to it: an
/// [app](Self::auth), or [programs of this machine](Self::unauthenticated).
///
/// # Example
/// ```
/// use sayso::prelude::*;
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result {
/// let bot = Bot::new().on_message(async |mut turn: Turn| { turn.say("hello"); Ok(()) });
/// let running = Server::new(bot)
///     .unauthenticated() // for programs of this machine
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
    encryption: Option<Encryption>,
    limits: Limits,
    /// The configuration, whose retention goes before that of the limits.
    config: Option<Config>,
    keys: Option<KeyScheme>,
    senders: Senders,
    admin: Admin,
    tls: Option<TlsFiles>,
    admin_tls: Option<TlsFiles>,
    rate_limits: RateLimits,
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
        Self {
            logic,
            address,
            store: None,
            store_url,
            encryption: None,
            limits,
            config: None,
            keys,
            senders: Senders::default(),
            admin: Admin::default(),
            tls: None,
            admin_tls: None,
            rate_limits: RateLimits::default(),
            routes: None,
        }
    }

    /// Takes the addresses, TLS, the store, its encryption, the app, the rate limits and the
    /// engine's limits from a configuration. What is set in code after this counts more, and so
    /// does a [store](Self::store) that was given: it is not encrypted here. Only a limit or a
    /// retention that the configuration sets counts more than the [limits](Self::limits) of the
    /// program.
    ///
    /// # Errors
    /// When the app's settings or the limits do not fit together, or the encryption keys make no
    /// sense.
    ///
    /// # Example
    /// ```
    /// use sayso::{Config, Server, pizza};
    ///
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> sayso::Result {
    /// let config = Config::default().flag("store", "memory://")?.flag("address", "127.0.0.1:0")?;
    /// let config = config.flag("auth", "none")?;
    /// let running = Server::new(pizza::bot()).config(&config)?.start().await?;
    /// running.stop().await;
    /// # Ok(()) }
    /// ```
    pub fn config(mut self, config: &Config) -> Result<Self, ServeError> {
        config.check_limits()?;
        self.address = config.address();
        self.store_url = StoreUrl(config.store().to_owned());
        // With a store that was given it is that one's business.
        self.encryption = config.encryption()?;
        self.config = Some(config.clone());
        self.keys = config.keys().or(self.keys);
        self.admin = match config.admin_address() {
            None => Admin::Off,
            // So it moves with an address that is set in code after this.
            Some(beside) if beside == default_admin_address(config.address()) => Admin::Beside,
            Some(address) => Admin::At(address),
        };
        (self.tls, self.admin_tls) = (config.tls()?, config.admin_tls()?);
        self.rate_limits = config.rate_limits();
        self.senders = match config.auth()? {
            Some(app) => Senders::App(Box::new(app)),
            None if config.is_unauthenticated() => Senders::Unauthenticated,
            None => self.senders,
        };
        Ok(self)
    }

    /// Authenticates both ways as an app: whoever sends shows a token of the channels' issuer, and
    /// replies carry one of the bot's own. Replies go only to the service URLs of the app's cloud.
    #[must_use]
    pub fn auth(mut self, auth: AuthOptions) -> Self {
        self.senders = Senders::App(Box::new(auth));
        self
    }

    /// Does without authentication: for development and tests. The address must be a loopback one,
    /// and only programs of this machine are served: a request that came through a proxy, was
    /// addressed to another name or made by a page of another site is refused, on every route.
    #[must_use]
    pub fn unauthenticated(mut self) -> Self {
        self.senders = Senders::Unauthenticated;
        self
    }

    /// Authenticates both ways if the environment names an app: `MicrosoftAppId`,
    /// `MicrosoftAppPassword`, `MicrosoftAppType`, `MicrosoftAppTenantId`, as the SDKs have them.
    /// Without an id nothing changes, unless it says `SAYSO_AUTH=none`:
    /// [`unauthenticated`](Self::unauthenticated).
    ///
    /// # Errors
    /// When a setting is there and makes no sense.
    pub fn auth_from_env(mut self) -> Result<Self, ServeError> {
        let settings = std::env::vars_os().filter_map(|(name, value)| {
            Some((name.into_string().ok()?, value.into_string().ok()?))
        });
        self.senders = match AuthOptions::from_settings(settings).map_err(ServeError::auth)? {
            Some(app) => Senders::App(Box::new(app)),
            None if std::env::var("SAYSO_AUTH").is_ok_and(|value| value == "none") => {
                Senders::Unauthenticated
            }
            None => self.senders,
        };
        Ok(self)
    }

    /// Sets where to listen: a loopback address, unless it [authenticates](Self::auth). Port 0
    /// takes any free port.
    #[must_use]
    pub fn address(mut self, address: impl Into<SocketAddr>) -> Self {
        self.address = address.into();
        self
    }

    /// Sets where health, readiness and statistics are served (`/healthz`, `/readyz`, `/stats`), by
    /// default [beside the bot](default_admin_address) on loopback. They ask for no token: whoever
    /// reaches another address than a loopback one reads them. Port 0 takes any free port.
    #[must_use]
    pub fn admin_address(mut self, address: impl Into<SocketAddr>) -> Self {
        self.admin = Admin::At(address.into());
        self
    }

    /// Serves no health, readiness and statistics.
    #[must_use]
    pub fn without_admin(mut self) -> Self {
        self.admin = Admin::Off;
        self
    }

    /// Speaks TLS where channels post. The files are looked at every five seconds; a new
    /// certificate counts for new connections, and one that cannot be used leaves the old one in
    /// place.
    #[must_use]
    pub fn tls(mut self, files: TlsFiles) -> Self {
        self.tls = Some(files);
        self
    }

    /// Speaks TLS at the [admin address](Self::admin_address), in the same way. With
    /// [`TlsFiles::clients`] only clients with a certificate get in.
    #[must_use]
    pub fn admin_tls(mut self, files: TlsFiles) -> Self {
        self.admin_tls = Some(files);
        self
    }

    /// Sets rate limits of peers and conversations. They are off by default.
    #[must_use]
    pub fn rate_limits(mut self, rate_limits: RateLimits) -> Self {
        self.rate_limits = rate_limits;
        self
    }

    /// Sets where state is kept. Servers of one bot share it.
    #[must_use]
    pub fn store(mut self, store: Arc<dyn Store>) -> Self {
        self.store = Some(store);
        self
    }

    /// Sets the engine's limits. Those that the [configuration](Self::config) sets go before them.
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
    /// have the bot's paths. Without authentication they are guarded as the bot is. With an app
    /// nothing guards them but themselves: whoever reaches the bot reaches them.
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
}
