//! Custom routes beside those of the bot.

use std::fmt;

use axum::Router;
use sayso_turn::Engine;

/// Makes the routes, once there is an engine for them to use.
pub(super) struct Routes(Box<dyn FnOnce(Engine) -> Router + Send>);

impl Routes {
    pub(super) fn new(make: impl FnOnce(Engine) -> Router + Send + 'static) -> Self {
        Self(Box::new(make))
    }

    pub(super) fn make(self, engine: Engine) -> Router {
        (self.0)(engine)
    }
}

impl fmt::Debug for Routes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Routes")
    }
}
