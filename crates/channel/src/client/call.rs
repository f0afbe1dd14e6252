//! One call: what is sent, with which token, and what no answer means.

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
/// Names a call to servers that drop what they have had already. Others ignore it.
const IDEMPOTENCY_KEY: HeaderName = HeaderName::from_static("idempotency-key");
/// A sign that is shown later than this is of no use any more.
const FLEETING: Duration = Duration::from_secs(3);

/// A call to be made.
#[derive(Debug)]
pub(crate) struct Call {
    /// What it is for, as the beginning of a sentence that ends with *failed*.
    what: &'static str,
    method: Method,
    address: Address,
    body: Option<Bytes>,
    key: Option<HeaderValue>,
    is_fleeting: bool,
}

impl Call {
    fn new(what: &'static str, method: Method, address: Address, body: Option<Vec<u8>>) -> Self {
        let body = body.map(Bytes::from);
        Self { what, method, address, body, key: None, is_fleeting: false }
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

    /// The same for every try, so that a server can know it again.
    pub(crate) fn key(mut self, key: &str) -> Self {
        self.key = HeaderValue::from_str(key).ok();
        self
    }

    /// Made once and in short time, or not at all: nobody will make it again.
    pub(crate) fn fleeting(mut self) -> Self {
        self.is_fleeting = true;
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

    /// Who is called, as far as quiet is concerned.
    fn host(&self) -> &str {
        self.address.uri.authority().map_or("", Authority::as_str)
    }
}

/// Writes a body.
pub(super) fn json<T: Serialize>(value: &T) -> Result<Vec<u8>, Error> {
    serde_json::to_vec(value).map_err(|_| Error::unfit("the body cannot be written as JSON"))
}

impl Connector {
    /// Makes a call once; twice only when the channel refuses the token of the first, and so did
    /// nothing. It is not made at all while the channel wants quiet.
    ///
    /// Getting the token is a part of the time.
    pub(crate) async fn ask(&self, call: Call) -> Result<Answer, Error> {
        self.enter(&call)?;
        let most = if call.is_fleeting { self.timeout.min(FLEETING) } else { self.timeout };
        let until = Instant::now() + most;
        let mut refused = None;
        loop {
            let bearer = self.bearer(call.what, refused.as_ref(), until).await?;
            let response = self.send_once(&call, bearer.as_ref(), until).await?;
            let is_refused = response.status() == StatusCode::UNAUTHORIZED;
            if is_refused && bearer.is_some() && refused.is_none() && !call.is_fleeting {
                refused = bearer;
                continue;
            }
            let is_read = call.method == Method::GET;
            let answer = Answer { what: call.what, is_read, until, response };
            let answer = answer.sort(bearer.is_some(), &*self.clock).await;
            if let Err(Error::Throttled { after: Some(after), .. }) = &answer {
                self.pauses.begin(call.host(), self.clock.uptime(), *after);
            }
            return answer;
        }
    }

    /// Whether a call may be made now, as far as its channel is concerned.
    fn enter(&self, call: &Call) -> Result<(), Error> {
        if self.pauses.are_none() {
            return Ok(());
        }
        let now = self.clock.uptime();
        let after = if call.is_fleeting {
            self.pauses.is_quiet(call.host(), now).then_some(Duration::ZERO)
        } else {
            self.pauses.wait(call.host(), now)
        };
        match after {
            None => Ok(()),
            Some(_) => Err(Error::Throttled {
                after,
                reason: format!("{} failed: the channel asked for quiet a while ago", call.what),
            }),
        }
    }

    /// The token to show, if there are any; another one if the channel refused one.
    async fn bearer(
        &self,
        what: &str,
        refused: Option<&Bearer>,
        until: Instant,
    ) -> Result<Option<Bearer>, Error> {
        let Some(tokens) = &self.tokens else { return Ok(None) };
        // Half of the time is for the call itself.
        let time = until.saturating_duration_since(Instant::now()) / 2;
        match timeout(time, tokens.bearer(None, refused)).await {
            Ok(Ok(bearer)) => Ok(Some(bearer)),
            Ok(Err(TokenError::NOT_ACCEPTED)) if refused.is_some() => Err(not_accepted(what)),
            Ok(Err(error)) => Err(no_token(what, &error)),
            // It is still being asked for; the next try finds it.
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

/// No answer came.
fn unanswered(what: &str, error: &legacy::Error) -> Error {
    if error.is_connect() {
        let reason = format!("{what} failed: no connection to the channel: {}", root(error));
        return Error::NotSent { reason };
    }
    let reason = format!("{what} failed: the connection to the channel broke: {}", root(error));
    Error::Unknown { reason }
}

/// The innermost cause, which names no URL.
fn root<'a>(error: &'a (dyn StdError + 'static)) -> &'a (dyn StdError + 'static) {
    let mut root = error;
    while let Some(source) = root.source() {
        root = source;
    }
    root
}

/// There is no token that the channel could be shown.
fn no_token(what: &str, error: &TokenError) -> Error {
    Error::NotSent { reason: format!("{what} failed: no token for the channel: {error}") }
}

/// The channel refuses every token of the bot.
pub(super) fn not_accepted(what: &str) -> Error {
    let reason = format!(
        "{what} failed: the channel answered 401 Unauthorized to the bot's token; is the app \
         registered with the channel's cloud and tenant?"
    );
    Error::Refused { status: Some(401), code: None, reason }
}
