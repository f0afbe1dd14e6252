//! Exchange of a request for an answer: access token, rate limit, timeout, and errors without an
//! answer.

use std::{error::Error as StdError, sync::Arc, time::Duration};

use axum::http::{Method, Response, StatusCode};
use hyper::body::Incoming;
use hyper_util::client::legacy;
use sayso_turn::clock::Clock;
use tokio::time::{Instant, timeout, timeout_at};

use super::{host_rate_limiter::HostRateLimiter, http::Http};
use crate::{
    auth::{Bearer, TokenError, Tokens},
    client::{Error, answer::Answer, call::Call},
};

/// Timeout of an ephemeral call; a typing indicator that comes later is of no use.
const EPHEMERAL_TIMEOUT: Duration = Duration::from_secs(3);

/// Sends calls to channels. Cloning is cheap and shares the connections.
#[derive(Clone, Debug)]
pub(super) struct Exchange {
    http: Http,
    tokens: Option<Tokens>,
    /// Set if channels get tokens; bots that call this one always do.
    has_channels: bool,
    timeout: Duration,
    clock: Arc<dyn Clock>,
    rate_limiter: Arc<HostRateLimiter>,
}

impl Exchange {
    pub(super) fn new(
        http: Http,
        tokens: Option<Tokens>,
        has_channels: bool,
        timeout: Duration,
        clock: Arc<dyn Clock>,
    ) -> Self {
        Self { http, tokens, has_channels, timeout, clock, rate_limiter: Arc::default() }
    }

    /// Sends a request once, or twice if the channel refused the token of the first and so did
    /// nothing. It is not sent at all while the host is blocked by `Retry-After`.
    ///
    /// The timeout includes getting the token.
    pub(super) async fn ask(&self, call: Call) -> Result<Answer, Error> {
        self.enter(&call)?;
        let most =
            if call.is_ephemeral { self.timeout.min(EPHEMERAL_TIMEOUT) } else { self.timeout };
        let until = Instant::now() + most;
        let mut refused = None;
        loop {
            let bearer = self.bearer(&call, refused.as_ref(), until).await?;
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
    /// one. It is for the channels, or for the bot that the call goes to, and for nobody else.
    async fn bearer(
        &self,
        call: &Call,
        refused: Option<&Bearer>,
        until: Instant,
    ) -> Result<Option<Bearer>, Error> {
        let (what, scope) = (call.what, call.scope.as_deref());
        let tokens = self.tokens.as_ref().filter(|_| self.has_channels || scope.is_some());
        let Some(tokens) = tokens else { return Ok(None) };
        // Half of the time is reserved for the call itself.
        let time = until.saturating_duration_since(Instant::now()) / 2;
        match timeout(time, tokens.bearer(scope, refused)).await {
            Ok(Ok(bearer)) => Ok(Some(bearer)),
            Ok(Err(TokenError::NOT_ACCEPTED)) if refused.is_some() => {
                Err(Error::not_accepted(what))
            }
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
