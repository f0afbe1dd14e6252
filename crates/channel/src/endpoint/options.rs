//! Options of the endpoint.

use std::time::Duration;

use super::{auth::EndpointAuth, rate_limits::RateLimits, refusals::Refusals};
use crate::ServiceUrls;

/// Options of the endpoint. By default it refuses everybody: see [`EndpointAuth`].
///
/// # Example
/// ```
/// use sayso_channel::{EndpointAuth, EndpointOptions};
///
/// assert!(matches!(EndpointOptions::default().auth, EndpointAuth::Unset));
/// let options = EndpointOptions::unauthenticated(); // programs of this machine may send
/// assert_eq!(options.body_bytes_max, 256 * 1024);
/// ```
#[derive(Clone, Debug)]
pub struct EndpointOptions {
    /// The service URLs that activities may name.
    pub service_urls: ServiceUrls,
    /// Policy on senders. The default refuses all of them.
    pub auth: EndpointAuth,
    /// Rate limits of peers and of conversations. Off by default.
    pub rate_limits: RateLimits,
    /// Counters of refused requests. Give the same ones to
    /// [`status_routes`](crate::status_routes), which shows them.
    pub refusals: Refusals,
    /// Size limit of a request's body.
    pub body_bytes_max: usize,
    /// Timeout for receiving a request's body.
    pub body_timeout: Duration,
}

impl EndpointOptions {
    /// Options of an endpoint without authentication, for programs of this machine:
    /// [`EndpointAuth::None`].
    #[must_use]
    pub fn unauthenticated() -> Self {
        Self { auth: EndpointAuth::None, ..Self::default() }
    }
}

impl Default for EndpointOptions {
    fn default() -> Self {
        Self {
            service_urls: ServiceUrls::default(),
            auth: EndpointAuth::default(),
            rate_limits: RateLimits::default(),
            refusals: Refusals::default(),
            body_bytes_max: 256 * 1024,
            body_timeout: Duration::from_secs(10),
        }
    }
}
