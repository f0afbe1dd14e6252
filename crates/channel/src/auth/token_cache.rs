//! Single-flight cache of one access token of the bot, renewed shortly before it expires.
//!
//! Callers that need a new token at the same time share one request, and a caller that goes away
//! does not cancel it. While the login service is down, the old token is used until it expires.

use std::{
    future::Future,
    sync::{Arc, RwLock},
    time::Duration,
};

use reqwest::header::HeaderValue;
use sayso_turn::clock::Clock;
use tokio::sync::Mutex;

use super::{login::Granted, token_error::TokenError};
use crate::sync::{read, write};

/// Time before expiry at which a token is renewed.
const EARLY: Duration = Duration::from_secs(5 * 60);
/// Remaining lifetime below which a token is not sent: it could expire on the way.
const LAST: Duration = Duration::from_secs(10);
/// Pause after a failed request for a token.
const RETRY_PAUSE: Duration = Duration::from_secs(10);
/// Shortest time between renewals that a channel forces by refusing the token.
const RENEWAL: Duration = Duration::from_secs(60);

/// An access token in use. `Debug` does not show its text.
#[derive(Clone, Debug)]
pub(crate) struct Bearer {
    header: HeaderValue,
    renew_at: Duration,
    ends_at: Duration,
    /// Counts up with every token, to tell a newer one from the one that was refused.
    number: u64,
}

impl Bearer {
    /// The value of an `Authorization` header.
    pub(crate) fn header(&self) -> HeaderValue {
        self.header.clone()
    }
}

/// The cache of one token.
#[derive(Debug, Default)]
pub(super) struct TokenCache {
    state: RwLock<State>,
    /// Single-flight lock, held while a token is requested.
    asking: Arc<Mutex<()>>,
}

/// The token and the last failure; times are the clock's uptime.
#[derive(Clone, Debug, Default)]
struct State {
    token: Option<Bearer>,
    failed: Option<(Duration, TokenError)>,
    /// Time of the last renewal that a channel forced by refusing the token.
    renewed_at: Option<Duration>,
    count: u64,
}

enum Next {
    Use(Bearer),
    Ask,
    Fail(TokenError),
}

impl TokenCache {
    /// Returns the token, or requests one. A token that a channel refused is not returned again.
    pub(super) async fn bearer<F>(
        self: &Arc<Self>,
        clock: &Arc<dyn Clock>,
        refused: Option<&Bearer>,
        ask: impl FnOnce() -> F + Send,
    ) -> Result<Bearer, TokenError>
    where
        F: Future<Output = Result<Granted, TokenError>> + Send + 'static,
    {
        match self.next(clock.uptime(), refused) {
            Next::Use(bearer) => return Ok(bearer),
            Next::Fail(error) => return Err(error),
            Next::Ask => {}
        }
        let turn = Arc::clone(&self.asking).lock_owned().await;
        // Another caller may have fetched a token while this one waited for the lock.
        match self.next(clock.uptime(), refused) {
            Next::Use(bearer) => return Ok(bearer),
            Next::Fail(error) => return Err(error),
            Next::Ask => {}
        }
        let (this, clock, answer, is_renewal) =
            (Arc::clone(self), Arc::clone(clock), ask(), refused.is_some());
        let asking = tokio::spawn(async move {
            let _turn = turn;
            let asked_at = clock.uptime();
            let answer = answer.await;
            this.keep(answer, asked_at, clock.uptime(), is_renewal)
        });
        asking.await.unwrap_or(Err(TokenError::CREDENTIALS))
    }

    fn next(&self, now: Duration, refused: Option<&Bearer>) -> Next {
        let state = read(&self.state).clone();
        let is_within = |at: Duration, span| now.saturating_sub(at) < span;
        let is_refused =
            |token: &Bearer| refused.is_some_and(|refused| refused.number >= token.number);
        let token = state.token.filter(|token| token.ends_at > now + LAST && !is_refused(token));
        if refused.is_some()
            && token.is_none()
            && state.renewed_at.is_some_and(|at| is_within(at, RENEWAL))
        {
            return Next::Fail(TokenError::NOT_ACCEPTED);
        }
        match (token, state.failed) {
            (Some(token), _) if now < token.renew_at => Next::Use(token),
            (Some(token), Some((at, _))) if is_within(at, RETRY_PAUSE) => Next::Use(token),
            (None, Some((at, error))) if is_within(at, RETRY_PAUSE) => Next::Fail(error),
            _ => Next::Ask,
        }
    }

    fn keep(
        &self,
        answer: Result<Granted, TokenError>,
        asked_at: Duration,
        now: Duration,
        is_renewal: bool,
    ) -> Result<Bearer, TokenError> {
        let mut state = write(&self.state);
        if is_renewal {
            state.renewed_at = Some(now);
        }
        match answer {
            Ok(Granted { header, lifetime }) => {
                // A token that lives less than ten minutes is renewed at half its lifetime.
                let early = EARLY.min(lifetime / 2);
                state.count += 1;
                let bearer = Bearer {
                    header,
                    renew_at: asked_at + lifetime.saturating_sub(early),
                    ends_at: asked_at + lifetime,
                    number: state.count,
                };
                state.token = Some(bearer.clone());
                state.failed = None;
                Ok(bearer)
            }
            Err(error) => {
                tracing::warn!(%error, "no token for the channel");
                state.failed = Some((now, error.clone()));
                let token = state.token.clone().filter(|token| token.ends_at > now + LAST);
                token.filter(|_| !is_renewal).ok_or(error)
            }
        }
    }
}
