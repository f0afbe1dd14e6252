//! Policy on senders: whoever shows a token for an app, or programs of this machine.

use std::sync::Arc;

use sayso_channel::{
    ConnectorOptions, EndpointAuth, EndpointOptions,
    auth::{AuthOptions, Authenticator, Tokens},
};
use sayso_turn::clock::{Clock, SystemClock};

use super::error::ServeError;

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
        connector.skill_callers.clone_from(&auth.skill_callers);
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
