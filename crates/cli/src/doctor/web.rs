//! HTTP client for servers that are not trusted with anything.

use std::time::Duration;

use reqwest::{Client, redirect};

/// Timeout of a single request: shorter, so that a check can say who did not answer.
pub(super) const ANSWER_MAX: Duration = Duration::from_secs(4);

/// Builds a client like the runtime's own: no redirects, no proxy.
pub(super) fn client() -> Option<Client> {
    Client::builder()
        .user_agent(concat!("sayso/", env!("CARGO_PKG_VERSION")))
        .redirect(redirect::Policy::none())
        .no_proxy()
        .timeout(ANSWER_MAX)
        .build()
        .ok()
}

/// Returns the host and port of a URL, and nothing else of it.
pub(super) fn host(url: &str) -> String {
    let url = reqwest::Url::parse(url).ok();
    let host = url.as_ref().and_then(|url| {
        let host = url.host_str()?;
        Some(url.port().map_or_else(|| host.to_owned(), |port| format!("{host}:{port}")))
    });
    host.unwrap_or_else(|| "(not an address)".to_owned())
}
