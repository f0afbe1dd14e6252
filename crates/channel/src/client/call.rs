//! A request to a channel: method, address, headers and body.

use std::sync::Arc;

use axum::{
    body::Bytes,
    http::{
        HeaderName, HeaderValue, Method, Request,
        header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, HOST, USER_AGENT},
        uri::Authority,
    },
};
use http_body_util::Full;
use serde::Serialize;

use super::{Error, path::Address};
use crate::auth::Bearer;

const SAYSO: HeaderValue = HeaderValue::from_static(concat!("sayso/", env!("CARGO_PKG_VERSION")));
/// Idempotency key, for servers that deduplicate. Others ignore it.
const IDEMPOTENCY_KEY: HeaderName = HeaderName::from_static("idempotency-key");

/// A request to be made.
#[derive(Debug)]
pub(crate) struct Call {
    /// The purpose, as the beginning of a sentence that ends with *failed*.
    pub(crate) what: &'static str,
    pub(crate) method: Method,
    address: Address,
    body: Option<Bytes>,
    key: Option<HeaderValue>,
    pub(crate) is_ephemeral: bool,
    /// The OAuth scope of the access token; none for that of the channels.
    pub(crate) scope: Option<Arc<str>>,
}

impl Call {
    fn new(what: &'static str, method: Method, address: Address, body: Option<Vec<u8>>) -> Self {
        let body = body.map(Bytes::from);
        Self { what, method, address, body, key: None, is_ephemeral: false, scope: None }
    }

    pub(crate) fn get(what: &'static str, address: Address) -> Self {
        Self::new(what, Method::GET, address, None)
    }

    pub(crate) fn delete(what: &'static str, address: Address) -> Self {
        Self::new(what, Method::DELETE, address, None)
    }

    pub(crate) fn put(what: &'static str, address: Address, body: Vec<u8>) -> Self {
        Self::new(what, Method::PUT, address, Some(body))
    }

    pub(crate) fn post(what: &'static str, address: Address, body: Vec<u8>) -> Self {
        Self::new(what, Method::POST, address, Some(body))
    }

    /// Sets the idempotency key, which is the same for every attempt.
    pub(crate) fn key(mut self, key: &str) -> Self {
        self.key = HeaderValue::from_str(key).ok();
        self
    }

    /// Sets the scope of the access token: that of a bot which called this one.
    pub(crate) fn scope(mut self, scope: Arc<str>) -> Self {
        self.scope = Some(scope);
        self
    }

    /// Marks the call as ephemeral: it has a short timeout and is never repeated.
    pub(crate) fn ephemeral(mut self) -> Self {
        self.is_ephemeral = true;
        self
    }

    /// Builds the HTTP request, with the access token if there is one.
    pub(crate) fn request(&self, bearer: Option<&Bearer>) -> Request<Full<Bytes>> {
        let mut request = Request::new(Full::new(self.body.clone().unwrap_or_default()));
        *request.method_mut() = self.method.clone();
        *request.uri_mut() = self.address.uri.clone();
        let headers = request.headers_mut();
        headers.insert(HOST, self.address.host.clone());
        headers.insert(USER_AGENT, SAYSO);
        headers.insert(ACCEPT, HeaderValue::from_static("*/*"));
        if self.body.is_some() {
            headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        }
        if let Some(key) = &self.key {
            headers.insert(IDEMPOTENCY_KEY, key.clone());
        }
        if let Some(bearer) = bearer {
            headers.insert(AUTHORIZATION, bearer.header());
        }
        request
    }

    /// The host, with its port, that the rate limit is for.
    pub(crate) fn host(&self) -> &str {
        self.address.uri.authority().map_or("", Authority::as_str)
    }
}

/// Serializes a body.
pub(super) fn json<T: Serialize>(value: &T) -> Result<Vec<u8>, Error> {
    serde_json::to_vec(value).map_err(|_| Error::unfit("the body cannot be serialized as JSON"))
}
