//! One call: what is sent, with which token, and what no answer means.

use std::{error::Error as StdError, time::Duration};

use axum::body::Bytes;
use reqwest::{
    Method, Response, StatusCode, Url,
    header::{AUTHORIZATION, CONTENT_TYPE, HeaderName, HeaderValue},
};
use serde::Serialize;
use tokio::time::{Instant, timeout};

use super::{Error, answer::Answer};
use crate::{
    Connector,
    auth::{Bearer, TokenError},
};

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
    url: Url,
    body: Option<Bytes>,
    key: Option<HeaderValue>,
    is_fleeting: bool,
}

impl Call {
    fn new(what: &'static str, method: Method, url: Url, body: Option<Vec<u8>>) -> Self {
        let body = body.map(Bytes::from);
        Self { what, method, url, body, key: None, is_fleeting: false }
    }

    pub(crate) fn get(what: &'static str, url: Url) -> Self {
        Self::new(what, Method::GET, url, None)
    }

    pub(crate) fn delete(what: &'static str, url: Url) -> Self {
        Self::new(what, Method::DELETE, url, None)
    }

    pub(crate) fn put(what: &'static str, url: Url, body: Vec<u8>) -> Self {
        Self::new(what, Method::PUT, url, Some(body))
    }

    pub(crate) fn post(what: &'static str, url: Url, body: Vec<u8>) -> Self {
        Self::new(what, Method::POST, url, Some(body))
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
        let started = Instant::now();
        let most = if call.is_fleeting { self.timeout.min(FLEETING) } else { self.timeout };
        let left = || most.saturating_sub(started.elapsed());
        let mut refused = None;
        loop {
            // Half of the time is for the call itself.
            let bearer = self.bearer(call.what, refused.as_ref(), left() / 2).await?;
            let response = match self.send_once(&call, bearer.as_ref(), left()).await {
                Ok(response) => response,
                Err(error) => return Err(unanswered(call.what, &error)),
            };
            let is_refused = response.status() == StatusCode::UNAUTHORIZED;
            if is_refused && bearer.is_some() && refused.is_none() && !call.is_fleeting {
                refused = bearer;
                continue;
            }
            let is_read = call.method == Method::GET;
            let now = self.clock.now();
            let answer = Answer::sort(call.what, is_read, bearer.is_some(), response, now).await;
            if let Err(Error::Throttled { after: Some(after), .. }) = &answer {
                self.pauses.begin(&call.url, self.clock.uptime(), *after);
            }
            return answer;
        }
    }

    /// Whether a call may be made now, as far as its channel is concerned.
    fn enter(&self, call: &Call) -> Result<(), Error> {
        let now = self.clock.uptime();
        let after = if call.is_fleeting {
            self.pauses.is_quiet(&call.url, now).then_some(Duration::ZERO)
        } else {
            self.pauses.wait(&call.url, now)
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
        time: Duration,
    ) -> Result<Option<Bearer>, Error> {
        let Some(tokens) = &self.tokens else { return Ok(None) };
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
        time: Duration,
    ) -> Result<Response, reqwest::Error> {
        let mut request = self.client.request(call.method.clone(), call.url.clone()).timeout(time);
        if let Some(body) = &call.body {
            let kind = HeaderValue::from_static("application/json");
            request = request.header(CONTENT_TYPE, kind).body(body.clone());
        }
        if let Some(key) = &call.key {
            request = request.header(IDEMPOTENCY_KEY, key);
        }
        if let Some(bearer) = bearer {
            request = request.header(AUTHORIZATION, bearer.header());
        }
        request.send().await
    }
}

/// No answer came.
fn unanswered(what: &str, error: &reqwest::Error) -> Error {
    if error.is_connect() {
        let reason = format!("{what} failed: no connection to the channel: {}", root(error));
        return Error::NotSent { reason };
    }
    let reason = if error.is_timeout() {
        format!("{what} failed: the channel did not answer in time")
    } else {
        format!("{what} failed: the connection to the channel broke: {}", root(error))
    };
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
