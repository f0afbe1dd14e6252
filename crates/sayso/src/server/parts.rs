//! The parts of a server: its routes and its engine, for an HTTP application that has its own.

use std::sync::Arc;

use axum::Router;
use sayso_channel::{Connector, EndpointOptions, Refusals, router, routes};
use sayso_turn::{Engine, Logic, store::Store};

use super::{Server, error::ServeError, senders::Senders};
use crate::open::open_with;

/// A server without its sockets.
pub(super) struct Assembled {
    pub(super) router: Router,
    pub(super) engine: Engine,
    pub(super) store: Arc<dyn Store>,
    pub(super) refusals: Refusals,
    /// The id of the app as which it authenticates, if it does.
    pub(super) app: Option<String>,
}

impl<L: Logic> Server<L> {
    /// Opens the store, starts the engine, and gives them with the bot's routes to an application
    /// that has an HTTP server of its own: `POST /api/messages`, with the authentication, the rate
    /// limits and everything else that was configured. Merge the routes into the application's or
    /// nest them under a path; they have no fallback.
    ///
    /// # Limits
    /// The addresses that were configured are not listened on, and TLS is the application's own
    /// business. Rate limits of peers, and routes
    /// [without authentication](Server::unauthenticated), need the peer's address: serve the
    /// application with `into_make_service_with_connect_info::<SocketAddr>()`. Before the process
    /// ends, wait for [`Engine::close`].
    ///
    /// # Errors
    /// When nobody said who may send, or the store cannot be had; see [`ServeError`].
    ///
    /// # Cancellation
    /// Dropping the future starts nothing.
    ///
    /// # Example
    /// ```
    /// use axum::{Router, routing::get};
    /// use sayso::{Server, pizza};
    ///
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> sayso::Result {
    /// let store = sayso::open_store("memory://").await?;
    /// let server = Server::new(pizza::bot()).unauthenticated().store(store);
    /// let (bot, engine) = server.into_parts().await?;
    /// let app: Router = Router::new().route("/", get(|| async { "the shop" })).nest("/bot", bot);
    /// # drop(app);
    /// engine.close(std::time::Duration::from_secs(10)).await;
    /// # Ok(()) }
    /// ```
    pub async fn into_parts(self) -> Result<(Router, Engine), ServeError> {
        if matches!(self.senders, Senders::Unset) {
            return Err(ServeError::NoAuth);
        }
        ServeError::of_mistakes(self.logic.mistakes())?;
        let Assembled { router, engine, .. } = self.assemble(true).await?;
        Ok((router, engine))
    }

    /// Opens the store and starts the engine.
    pub(super) async fn assemble(self, is_embedded: bool) -> Result<Assembled, ServeError> {
        let store = match self.store {
            Some(store) => store,
            None => open_with(&self.store_url.0, self.encryption).await?.store,
        };
        let (endpoint, connector) = self.senders.options()?;
        let endpoint = EndpointOptions { rate_limits: self.rate_limits, ..endpoint };
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
        let refusals = endpoint.refusals.clone();
        let router = match self.routes {
            Some(own) => own.make(engine.clone()).merge(routes(engine.clone(), endpoint)),
            None if is_embedded => routes(engine.clone(), endpoint),
            None => router(engine.clone(), endpoint),
        };
        let app = match self.senders {
            Senders::App(auth) => Some(auth.app_id),
            _ => None,
        };
        Ok(Assembled { router, engine, store, refusals, app })
    }
}
