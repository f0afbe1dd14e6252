//! Policy on senders: bearer tokens, programs of this machine, or nobody.

use std::sync::Arc;

use crate::auth::Authenticator;

/// Policy on who may send activities. It is closed by default: a setting that was forgotten must
/// not open a bot.
#[derive(Clone, Debug, Default)]
pub enum EndpointAuth {
    /// Nothing was configured: every activity is refused.
    #[default]
    Unset,
    /// Senders show a bearer token.
    Token(Arc<Authenticator>),
    /// No authentication: programs of this machine may send, for development and tests.
    ///
    /// The peer's address must be a loopback one, so the server has to tell it: with axum by
    /// [`into_make_service_with_connect_info`]. `Host` must be a loopback name. A request with any
    /// sign of a proxy, or from a page of another site, is refused.
    ///
    /// [`into_make_service_with_connect_info`]: axum::Router::into_make_service_with_connect_info
    None,
}

impl From<Authenticator> for EndpointAuth {
    fn from(authenticator: Authenticator) -> Self {
        Self::Token(Arc::new(authenticator))
    }
}
