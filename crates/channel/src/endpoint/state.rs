//! State shared by the routes of the endpoint.

use sayso_turn::Engine;

use super::{options::EndpointOptions, rate_limits::Limiter};
use crate::service_urls::UrlCache;

/// The engine behind the endpoint, and the options that requests are checked by.
pub(super) struct Endpoint {
    pub(super) engine: Engine,
    pub(super) service_urls: UrlCache,
    pub(super) peers: Option<Limiter>,
    pub(super) conversations: Option<Limiter>,
    pub(super) options: EndpointOptions,
}

impl Endpoint {
    pub(super) fn new(engine: Engine, options: EndpointOptions) -> Self {
        let service_urls = UrlCache::new(options.service_urls.clone());
        let limits = options.rate_limits;
        let (peers, conversations) =
            (limits.peer.map(Limiter::new), limits.conversation.map(Limiter::new));
        Self { engine, service_urls, peers, conversations, options }
    }
}
