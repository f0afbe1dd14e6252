//! The parts of a server: its routes and its engine, without sockets.

use std::{fmt, sync::Arc};

use axum::Router;
use sayso_channel::{Connector, EndpointOptions, RateLimits, Refusals, router, routes};
use sayso_turn::{Engine, KeyScheme, Limits, Logic, store::Store};

use super::{error::ServeError, routes::Routes, senders::Senders};
use crate::{config::Encryption, open::open_with};

/// The URL of a store, which no `Debug` shows.
pub(super) struct StoreUrl(pub(super) String);

impl fmt::Debug for StoreUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("[redacted]")
    }
}

/// Plan of a server without its sockets.
pub(super) struct Plan<L> {
    pub(super) logic: L,
    pub(super) store: Option<Arc<dyn Store>>,
    pub(super) store_url: StoreUrl,
    pub(super) encryption: Option<Encryption>,
    pub(super) limits: Limits,
    pub(super) keys: Option<KeyScheme>,
    pub(super) senders: Senders,
    pub(super) rate_limits: RateLimits,
    pub(super) routes: Option<Routes>,
}

/// A server without its sockets.
pub(super) struct Assembled {
    pub(super) router: Router,
    pub(super) engine: Engine,
    pub(super) store: Arc<dyn Store>,
    pub(super) refusals: Refusals,
    /// The id of the app as which it authenticates, if it does.
    pub(super) app: Option<String>,
}

impl<L: Logic> Plan<L> {
    /// Opens the store and starts the engine. Embedded routes have no fallback.
    pub(super) async fn assemble(self, is_embedded: bool) -> Result<Assembled, ServeError> {
        // First: whoever may send is an error that needs no store.
        let (endpoint, connector) = self.senders.options()?;
        let store = match self.store {
            Some(store) => store,
            None => open_with(&self.store_url.0, self.encryption).await?.store,
        };
        let endpoint = EndpointOptions { rate_limits: self.rate_limits, ..endpoint };
        let connector = Connector::new(connector).map_err(ServeError::connector)?;
        let keys = self.keys.unwrap_or_else(|| self.logic.keys());
        let engine = Engine::builder(self.logic, Arc::clone(&store), Arc::new(connector))
            .limits(self.limits)
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
