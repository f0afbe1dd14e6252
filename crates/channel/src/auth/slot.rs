//! One token of the bot's own, kept until shortly before its end.
//!
//! Callers that need a new one at the same time share one request, and a caller that goes away does
//! not stop it. While the login service is down, the old token serves to its end.

use std::{
    future::Future,
    sync::{Arc, PoisonError, RwLock},
    time::Duration,
};

use reqwest::header::HeaderValue;
use sayso_turn::clock::Clock;
use tokio::sync::Mutex;

use super::{login::Granted, tokens::TokenError};

/// How long before its end a token is renewed.
const EARLY: Duration = Duration::from_secs(5 * 60);
/// A token this near its end would not survive the journey.
const LAST: Duration = Duration::from_secs(10);
/// How soon we ask again after we were refused.
const PAUSE: Duration = Duration::from_secs(10);
/// How often a channel that refuses our token may make us ask for another.
const RENEWAL: Duration = Duration::from_secs(60);

/// A token in use. Its text shows nowhere.
#[derive(Clone, Debug)]
pub(crate) struct Bearer {
    header: HeaderValue,
    renew_at: Duration,
    ends_at: Duration,
    number: u64,
}

impl Bearer {
    /// The value of an `Authorization` header.
    pub(crate) fn header(&self) -> HeaderValue {
        self.header.clone()
    }
}

/// The place of one token.
#[derive(Debug, Default)]
pub(super) struct Slot {
    state: RwLock<State>,
    /// Whoever asks holds it.
    asking: Arc<Mutex<()>>,
}

/// What is known; times are the clock's uptime.
#[derive(Clone, Debug, Default)]
struct State {
    token: Option<Bearer>,
    failed: Option<(Duration, TokenError)>,
    /// When a channel's refusal last made us ask.
    renewed_at: Option<Duration>,
    count: u64,
}

enum Next {
    Use(Bearer),
    Ask,
    Fail(TokenError),
}

impl Slot {
    /// A token; if one was refused by a channel, another.
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
        // Somebody else may have asked while we waited.
        match self.next(clock.uptime(), refused) {
            Next::Use(bearer) => return Ok(bearer),
            Next::Fail(error) => return Err(error),
            Next::Ask => {}
        }
        let (slot, clock, answer, is_renewal) =
            (Arc::clone(self), Arc::clone(clock), ask(), refused.is_some());
        let asking = tokio::spawn(async move {
            let _turn = turn;
            let asked_at = clock.uptime();
            let answer = answer.await;
            slot.keep(answer, asked_at, clock.uptime(), is_renewal)
        });
        asking.await.unwrap_or(Err(TokenError::CREDENTIALS))
    }

    fn next(&self, now: Duration, refused: Option<&Bearer>) -> Next {
        let state = self.state.read().unwrap_or_else(PoisonError::into_inner).clone();
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
            (Some(token), Some((at, _))) if is_within(at, PAUSE) => Next::Use(token),
            (None, Some((at, error))) if is_within(at, PAUSE) => Next::Fail(error),
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
        let mut state = self.state.write().unwrap_or_else(PoisonError::into_inner);
        if is_renewal {
            state.renewed_at = Some(now);
        }
        match answer {
            Ok(Granted { header, lifetime }) => {
                // A short life leaves no five minutes; half of it must do.
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
