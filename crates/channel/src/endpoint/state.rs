//! State shared by the routes of the endpoint.

use sayso_turn::Engine;

use super::options::EndpointOptions;
use crate::service_urls::UrlCache;

/// The engine behind the endpoint, and the options that requests are checked by.
pub(super) struct Endpoint {
    pub(super) engine: Engine,
    pub(super) options: EndpointOptions,
    pub(super) service_urls: UrlCache,
}
