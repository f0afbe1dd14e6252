//! A request to a channel: building it, authorization, rate limit, and errors without an answer.

use std::{error::Error as StdError, time::Duration};

use axum::{
    body::Bytes,
    http::{
        HeaderName, HeaderValue, Method, Request, Response, StatusCode,
        header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, HOST, USER_AGENT},
        uri::Authority,
    },
};
use http_body_util::Full;
use hyper::body::Incoming;
use hyper_util::client::legacy;
use serde::Serialize;
use tokio::time::{Instant, timeout, timeout_at};

use super::{Error, answer::Answer, path::Address};
use crate::{
    Connector,
    auth::{Bearer, TokenError},
};

const SAYSO: HeaderValue = HeaderValue::from_static(concat!("sayso/", env!("CARGO_PKG_VERSION")));
/// Idempotency key, for servers that deduplicate. Others ignore it.
const IDEMPOTENCY_KEY: HeaderName = HeaderName::from_static("idempotency-key");
/// Timeout of an ephemeral call; a typing indicator that comes later is of no use.
const EPHEMERAL_TIMEOUT: Duration = Duration::from_secs(3);

/// A request to be made.
#[derive(Debug)]
pub(crate) struct Call {
    /// The purpose, as the beginning of a sentence that ends with *failed*.
    what: &'static str,
    method: Method,
    address: Address,
    body: Option<Bytes>,
    key: Option<HeaderValue>,
    is_ephemeral: bool,
}

impl Call {
    fn new(what: &'static str, method: Method, address: Address, body: Option<Vec<u8>>) -> Self {
        let body = body.map(Bytes::from);
        Self { what, method, address, body, key: None, is_ephemeral: false }
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

    /// Marks the call as ephemeral: it has a short timeout and is never repeated.
    pub(crate) fn ephemeral(mut self) -> Self {
        self.is_ephemeral = true;
        self
    }

    fn request(&self, bearer: Option<&Bearer>) -> Request<Full<Bytes>> {
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
    fn host(&self) -> &str {
        self.address.uri.authority().map_or("", Authority::as_str)
    }
}

/// Serializes a body.
pub(super) fn json<T: Serialize>(value: &T) -> Result<Vec<u8>, Error> {
    serde_json::to_vec(value).map_err(|_| Error::unfit("the body cannot be serialized as JSON"))
}

impl Connector {
    /// Sends a request once, or twice if the channel refused the token of the first and so did
    /// nothing. It is not sent at all while the host is blocked by `Retry-After`.
    ///
    /// The timeout includes getting the token.
    pub(crate) async fn ask(&self, call: Call) -> Result<Answer, Error> {
        self.enter(&call)?;
        let most =
            if call.is_ephemeral { self.timeout.min(EPHEMERAL_TIMEOUT) } else { self.timeout };
        let until = Instant::now() + most;
        let mut refused = None;
        loop {
            let bearer = self.bearer(call.what, refused.as_ref(), until).await?;
            let response = self.send_once(&call, bearer.as_ref(), until).await?;
            let is_refused = response.status() == StatusCode::UNAUTHORIZED;
            if is_refused && bearer.is_some() && refused.is_none() && !call.is_ephemeral {
                refused = bearer;
                continue;
            }
            let is_read = call.method == Method::GET;
            let answer = Answer { what: call.what, is_read, until, response };
            let answer = answer.sort(bearer.is_some(), &*self.clock).await;
            if let Err(Error::Throttled { after: Some(after), .. }) = &answer {
                self.rate_limiter.block(call.host(), self.clock.uptime(), *after);
            }
            return answer;
        }
    }

    /// Applies the rate limit of the host.
    fn enter(&self, call: &Call) -> Result<(), Error> {
        if self.rate_limiter.is_empty() {
            return Ok(());
        }
        let now = self.clock.uptime();
        let after = if call.is_ephemeral {
            self.rate_limiter.is_blocked(call.host(), now).then_some(Duration::ZERO)
        } else {
            self.rate_limiter.delay(call.host(), now)
        };
        match after {
            None => Ok(()),
            Some(_) => Err(Error::Throttled {
                after,
                reason: format!("{} failed: the channel asked to wait (Retry-After)", call.what),
            }),
        }
    }

    /// Returns the access token to send, if tokens are configured; a new one if the channel refused
    /// one.
    async fn bearer(
        &self,
        what: &str,
        refused: Option<&Bearer>,
        until: Instant,
    ) -> Result<Option<Bearer>, Error> {
        let Some(tokens) = &self.tokens else { return Ok(None) };
        // Half of the time is reserved for the call itself.
        let time = until.saturating_duration_since(Instant::now()) / 2;
        match timeout(time, tokens.bearer(None, refused)).await {
            Ok(Ok(bearer)) => Ok(Some(bearer)),
            Ok(Err(TokenError::NOT_ACCEPTED)) if refused.is_some() => Err(not_accepted(what)),
            Ok(Err(error)) => Err(no_token(what, &error)),
            // The request for the token continues; the next attempt finds its result.
            Err(_) => Err(no_token(what, &TokenError::NOT_YET)),
        }
    }

    async fn send_once(
        &self,
        call: &Call,
        bearer: Option<&Bearer>,
        until: Instant,
    ) -> Result<Response<Incoming>, Error> {
        match timeout_at(until, self.http.send(call.request(bearer))).await {
            Ok(Ok(response)) => Ok(response),
            Ok(Err(error)) => Err(unanswered(call.what, &error)),
            Err(_) => {
                let reason = format!("{} failed: the channel did not answer in time", call.what);
                Err(Error::Unknown { reason })
            }
        }
    }
}

/// Converts a failure without an answer.
fn unanswered(what: &str, error: &legacy::Error) -> Error {
    if error.is_connect() {
        let reason = format!("{what} failed: could not connect to the channel: {}", root(error));
        return Error::NotSent { reason };
    }
    let reason = format!("{what} failed: the connection to the channel was lost: {}", root(error));
    Error::Unknown { reason }
}

/// Returns the innermost cause, which names no URL.
fn root<'a>(error: &'a (dyn StdError + 'static)) -> &'a (dyn StdError + 'static) {
    let mut root = error;
    while let Some(source) = root.source() {
        root = source;
    }
    root
}

/// Error of a call that was not made because there is no access token.
fn no_token(what: &str, error: &TokenError) -> Error {
    Error::NotSent { reason: format!("{what} failed: no token for the channel: {error}") }
}

/// Error of a call for which the channel refuses every access token of the bot.
pub(super) fn not_accepted(what: &str) -> Error {
    let reason = format!(
        "{what} failed: the channel answered 401 Unauthorized to the bot's token; is the app \
         registered with the channel's cloud and tenant?"
    );
    Error::Refused { status: Some(401), code: None, reason }
}
