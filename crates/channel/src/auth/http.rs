//! HTTP client for the issuer and the login service: HTTPS, size and time limits, no redirects.

use std::{
    net::{Ipv4Addr, Ipv6Addr, SocketAddr},
    time::Duration,
};

use reqwest::{Client, Response, Url, redirect};
use serde::de::DeserializeOwned;

use super::{error::AuthError, ssrf_guard::SsrfGuard};
use crate::service_urls::is_loopback_name;

/// Size limit of an answer.
const ANSWER_BYTES_MAX: usize = 1 << 20;

/// The client. Only addresses from the configuration, or from an issuer's metadata, are called.
#[derive(Clone, Debug)]
pub(super) struct Http(Client);

/// Failure of a request. The messages name no address and repeat nothing of the answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum HttpError {
    #[error("no connection")]
    Connect,
    #[error("no answer in time")]
    Timeout,
    #[error("the connection was lost")]
    Broken,
    #[error("it answered with status {0}")]
    Status(u16),
    #[error("it answered with a redirect, and redirects are not followed")]
    Redirect,
    #[error("the answer is larger than 1 MB")]
    TooLarge,
    #[error("the answer is not the expected JSON")]
    NotJson,
    #[error("the metadata names an address that is not allowed")]
    NotSecure,
}

impl Http {
    pub(super) fn new(timeout: Duration, private_addresses: bool) -> Result<Self, AuthError> {
        // `localhost` must be this machine, whatever DNS says. The ports are ignored.
        let here: [SocketAddr; 2] =
            [(Ipv4Addr::LOCALHOST, 0).into(), (Ipv6Addr::LOCALHOST, 0).into()];
        let mut builder = Client::builder()
            .user_agent(concat!("sayso/", env!("CARGO_PKG_VERSION")))
            .redirect(redirect::Policy::none())
            .no_proxy()
            .tls_backend_rustls()
            .resolve_to_addrs("localhost", &here)
            .timeout(timeout);
        if !private_addresses {
            builder = builder.dns_resolver(SsrfGuard::new());
        }
        builder.build().map(Self).map_err(|error| AuthError::Client(error.into()))
    }

    pub(super) fn client(&self) -> &Client {
        &self.0
    }

    /// Fetches and parses a JSON object.
    pub(super) async fn get<T: DeserializeOwned>(&self, url: Url) -> Result<T, HttpError> {
        let response = self.0.get(url).send().await.map_err(of_reqwest)?;
        let status = response.status();
        if status.is_redirection() {
            return Err(HttpError::Redirect);
        }
        if !status.is_success() {
            return Err(HttpError::Status(status.as_u16()));
        }
        object(&read(response).await?).ok_or(HttpError::NotJson)
    }
}

/// Parses a JSON object. serde alone would also accept a list, its items as the members.
pub(super) fn object<T: DeserializeOwned>(body: &[u8]) -> Option<T> {
    let is_object = body.trim_ascii_start().starts_with(b"{");
    is_object.then(|| serde_json::from_slice(body).ok()).flatten()
}

/// Reads the body of an answer, up to the size limit.
pub(super) async fn read(mut response: Response) -> Result<Vec<u8>, HttpError> {
    let mut body = Vec::new();
    while let Some(chunk) = response.chunk().await.map_err(of_reqwest)? {
        if body.len() + chunk.len() > ANSWER_BYTES_MAX {
            return Err(HttpError::TooLarge);
        }
        body.extend_from_slice(&chunk);
    }
    Ok(body)
}

#[expect(clippy::needless_pass_by_value, reason = "used in `map_err`")]
pub(super) fn of_reqwest(error: reqwest::Error) -> HttpError {
    if error.is_timeout() {
        HttpError::Timeout
    } else if error.is_connect() {
        HttpError::Connect
    } else {
        HttpError::Broken
    }
}

/// Parses a URL that may be called: HTTPS, or on this machine.
pub(super) fn secure(text: &str) -> Option<Url> {
    let url = Url::parse(text).ok()?;
    let is_secure = url.scheme() == "https" || (url.scheme() == "http" && is_here(&url));
    let is_plain = url.username().is_empty() && url.password().is_none();
    (is_secure && is_plain && url.host_str().is_some()).then_some(url)
}

/// Reports whether a URL is on this machine.
pub(super) fn is_here(url: &Url) -> bool {
    url.host_str().is_some_and(is_loopback_name)
}
