//! Policy on senders: whoever shows a token for an app, or programs of this machine.

use std::{net::SocketAddr, sync::Arc};

use sayso_channel::{
    ConnectorOptions, EndpointAuth, EndpointOptions,
    auth::{AuthOptions, Authenticator, Tokens},
};
use sayso_turn::clock::{Clock, SystemClock};
use tokio::net::TcpListener;

use super::{
    error::ServeError,
    listen::{bind, listen},
};

/// Policy on senders of activities.
#[derive(Debug, Default)]
pub(super) enum Senders {
    /// Nobody said, so the server does not start.
    #[default]
    Unset,
    /// Programs of this machine, without authentication.
    Unauthenticated,
    /// Whoever shows a token for this app.
    App(Box<AuthOptions>),
}

impl Senders {
    /// Those that the environment names, else these.
    pub(super) fn from_env(or: Self) -> Result<Self, ServeError> {
        let settings = std::env::vars_os().filter_map(|(name, value)| {
            Some((name.into_string().ok()?, value.into_string().ok()?))
        });
        Ok(match AuthOptions::from_settings(settings).map_err(ServeError::auth)? {
            Some(app) => Self::App(Box::new(app)),
            None if std::env::var("SAYSO_AUTH").is_ok_and(|value| value == "none") => {
                Self::Unauthenticated
            }
            None => or,
        })
    }

    /// Binds the address: without authentication it must be a loopback one.
    pub(super) async fn listen(&self, address: SocketAddr) -> Result<TcpListener, ServeError> {
        match self {
            Self::Unset => Err(ServeError::NoAuth),
            Self::Unauthenticated => bind(address).await,
            Self::App(_) => listen(address).await,
        }
    }

    /// Options of the endpoint and of the connector.
    pub(super) fn options(&self) -> Result<(EndpointOptions, ConnectorOptions), ServeError> {
        let mut connector = ConnectorOptions::default();
        let auth = match self {
            Self::App(auth) => auth,
            Self::Unauthenticated => return Ok((EndpointOptions::unauthenticated(), connector)),
            Self::Unset => return Err(ServeError::NoAuth),
        };
        let clock: Arc<dyn Clock> = Arc::new(SystemClock::new());
        connector.tokens = Some(Tokens::new(auth, Arc::clone(&clock)).map_err(ServeError::auth)?);
        connector.service_urls.clone_from(&auth.cloud.service_urls);
        connector.private_addresses = auth.private_addresses;
        let gate = Authenticator::new(auth, clock).map_err(ServeError::auth)?;
        let endpoint = EndpointOptions {
            service_urls: auth.cloud.service_urls.clone(),
            auth: EndpointAuth::from(gate),
            ..EndpointOptions::default()
        };
        Ok((endpoint, connector))
    }
}
