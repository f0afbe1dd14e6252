//! Asking the issuer and the login service: over HTTPS, within a size and a time, without
//! redirects.

use std::{
    net::{Ipv4Addr, Ipv6Addr, SocketAddr},
    time::Duration,
};

use reqwest::{Client, Response, Url, redirect};
use serde::de::DeserializeOwned;

use super::{address::PublicOnly, options::AuthError};
use crate::service_urls::is_loopback_name;

/// How much of an answer is read.
const ANSWER_BYTES_MAX: usize = 1 << 20;

/// A client for the addresses of a configuration.
#[derive(Clone, Debug)]
pub(super) struct Http(Client);

/// Why there is no answer. It names no address and repeats nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum HttpError {
    #[error("no connection")]
    Connect,
    #[error("no answer in time")]
    Timeout,
    #[error("the connection broke")]
    Broken,
    #[error("it answered with status {0}")]
    Status(u16),
    #[error("it answered with a redirect, and redirects are not followed")]
    Redirect,
    #[error("its answer is longer than 1 MB")]
    TooLarge,
    #[error("its answer is not the JSON that was expected")]
    NotJson,
    #[error("it names an address that is not https")]
    NotSecure,
}

impl Http {
    pub(super) fn new(timeout: Duration, private_addresses: bool) -> Result<Self, AuthError> {
        // `localhost` must be this machine whatever a resolver says. The ports here are not used.
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
            builder = builder.dns_resolver(PublicOnly::new());
        }
        builder.build().map(Self).map_err(|error| AuthError::Client(error.into()))
    }

    pub(super) fn client(&self) -> &Client {
        &self.0
    }

    /// Reads the object that is at an address.
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

/// Reads an object. By itself serde would take a list for one, its items for the members.
pub(super) fn object<T: DeserializeOwned>(body: &[u8]) -> Option<T> {
    let is_object = body.trim_ascii_start().starts_with(b"{");
    is_object.then(|| serde_json::from_slice(body).ok()).flatten()
}

/// Reads an answer, unless it is too long.
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

#[expect(clippy::needless_pass_by_value, reason = "it stands in `map_err`")]
pub(super) fn of_reqwest(error: reqwest::Error) -> HttpError {
    if error.is_timeout() {
        HttpError::Timeout
    } else if error.is_connect() {
        HttpError::Connect
    } else {
        HttpError::Broken
    }
}

/// Reads an address that may be asked: HTTPS, or on this machine.
pub(super) fn secure(text: &str) -> Option<Url> {
    let url = Url::parse(text).ok()?;
    let is_secure = url.scheme() == "https" || (url.scheme() == "http" && is_here(&url));
    let is_plain = url.username().is_empty() && url.password().is_none();
    (is_secure && is_plain && url.host_str().is_some()).then_some(url)
}

/// Whether an address is on this machine.
pub(super) fn is_here(url: &Url) -> bool {
    url.host_str().is_some_and(is_loopback_name)
}
