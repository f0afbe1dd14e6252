//! Options of the endpoint.

use std::{sync::Arc, time::Duration};

use crate::{ServiceUrls, auth::Authenticator};

/// Options of the endpoint.
///
/// # Example
/// ```
/// use sayso_channel::{EndpointOptions, ServiceUrls};
///
/// let teams = ServiceUrls::Only(vec!["https://smba.trafficmanager.net/".to_owned()]);
/// let options = EndpointOptions { service_urls: teams, ..Default::default() };
/// assert_eq!(options.body_bytes_max, 256 * 1024);
/// ```
#[derive(Clone, Debug)]
pub struct EndpointOptions {
    /// The service URLs that activities may name. With [`ServiceUrls::Loopback`] and no
    /// authentication, requests must also be addressed to a loopback host and must not come from a
    /// web page of another host.
    pub service_urls: ServiceUrls,
    /// Authentication of senders. Without it, anybody who can reach the endpoint may send.
    pub auth: Option<Arc<Authenticator>>,
    /// Enables `GET /stats`. It requires no token, so disable it where strangers can reach it.
    pub has_stats: bool,
    /// Size limit of a request's body.
    pub body_bytes_max: usize,
    /// Timeout for receiving a request's body.
    pub body_timeout: Duration,
}

impl Default for EndpointOptions {
    fn default() -> Self {
        Self {
            service_urls: ServiceUrls::default(),
            auth: None,
            has_stats: true,
            body_bytes_max: 256 * 1024,
            body_timeout: Duration::from_secs(10),
        }
    }
}
