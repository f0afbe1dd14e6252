//! Cache of an issuer's signing keys (JWKS), fetched on demand; handles key rotation and outages.
//!
//! Keys are fresh for a day and then fetched again in the background, while they still serve. A
//! token that names an unknown key may be the first after a rotation, so the keys are fetched
//! again, but at most every five minutes: anybody can make up such a token. While the issuer is
//! down, cached keys up to five days old are still used; after that every request is rejected.
//! Callers that need the keys at the same time share one fetch (single-flight), and a caller that
//! goes away does not cancel it. A caller whose key is known never waits; of those whose key is
//! not, a bounded number does.

use std::{
    net::IpAddr,
    sync::{Arc, RwLock},
    time::Duration,
};

use reqwest::Url;
use sayso_turn::clock::Clock;
use serde::Deserialize;
use tokio::sync::{Mutex, Semaphore};

use super::{
    http::{self, Http, HttpError},
    keys::{KeySet, Keys},
    rejection::Rejection,
    ssrf_guard::is_public,
};
use crate::sync::{read, write};

/// Age up to which keys are used without fetching them again.
const FRESH: Duration = Duration::from_secs(24 * 60 * 60);
/// Age up to which keys are used while the issuer is down.
const STALE_MAX: Duration = Duration::from_secs(5 * 24 * 60 * 60);
/// Shortest time between fetches caused by a token with an unknown key.
const SEARCH: Duration = Duration::from_secs(5 * 60);
/// Most callers that wait for such a fetch. Made-up tokens must not hold all connections while the
/// issuer is slow.
const SEARCHERS_MAX: usize = 64;
/// Pause after a fetch, so that an issuer in trouble is left alone.
const RETRY_PAUSE: Duration = Duration::from_secs(10);

/// An OpenID issuer and its cached keys.
#[derive(Debug)]
pub(super) struct Issuer {
    metadata: Url,
    http: Http,
    clock: Arc<dyn Clock>,
    pub(super) private_addresses: bool,
    state: RwLock<State>,
    /// Single-flight lock, held during a fetch.
    fetching: Arc<Mutex<()>>,
    searchers: Semaphore,
}

/// OpenID metadata of an issuer: where its keys are.
#[derive(Deserialize)]
pub(super) struct Metadata {
    pub(super) jwks_uri: String,
}

/// The cached keys and past fetches; times are the clock's uptime.
#[derive(Clone, Debug, Default)]
struct State {
    keys: Option<Arc<Keys>>,
    fetched_at: Duration,
    /// Time of the last failed fetch, if none has succeeded since.
    failed_at: Option<Duration>,
    /// Time of the last fetch caused by an unknown key.
    searched_at: Option<Duration>,
}

/// Next step to find a key.
enum Next {
    Use { keys: Arc<Keys>, is_stale: bool },
    Fetch { is_search: bool },
    Deny(Rejection),
}

/// Fail closed: without keys no token can be checked.
const CLOSED: Rejection =
    Rejection::Unavailable("the issuer's keys are not available right now; please try again");
const NO_SUCH_KEY: Rejection =
    Rejection::Unauthorized("the token's issuer has no key with this kid");

impl Issuer {
    pub(super) fn new(
        metadata: Url,
        http: Http,
        clock: Arc<dyn Clock>,
        private_addresses: bool,
    ) -> Self {
        let (state, fetching) = (RwLock::default(), Arc::default());
        let searchers = Semaphore::new(SEARCHERS_MAX);
        Self { metadata, http, clock, private_addresses, state, fetching, searchers }
    }

    /// Returns the keys, which contain the one with this id, fetching them if needed.
    pub(super) async fn keys(self: &Arc<Self>, kid: &str) -> Result<Arc<Keys>, Rejection> {
        let _searcher = match self.next(kid) {
            Next::Use { keys, is_stale } => {
                if is_stale {
                    self.refresh(kid);
                }
                return Ok(keys);
            }
            Next::Deny(rejection) => return Err(rejection),
            Next::Fetch { is_search: false } => None,
            Next::Fetch { is_search: true } => {
                Some(self.searchers.try_acquire().map_err(|_| CLOSED)?)
            }
        };
        let turn = Arc::clone(&self.fetching).lock_owned().await;
        // Another caller may have fetched the keys while this one waited for the lock.
        let is_search = match self.next(kid) {
            Next::Fetch { is_search } => is_search,
            other => return other.answer().unwrap_or(Err(CLOSED)),
        };
        let this = Arc::clone(self);
        // A task of its own, so that the fetch goes on when its caller disconnects: otherwise
        // clients that connect and hang up could keep the keys from ever being fetched.
        let fetch = tokio::spawn(async move {
            let _turn = turn;
            this.fetch(is_search).await;
        });
        drop(fetch.await);
        self.next(kid).answer().unwrap_or(Err(CLOSED))
    }

    /// Fetches stale keys again in the background, unless a fetch is under way.
    fn refresh(self: &Arc<Self>, kid: &str) {
        let Ok(turn) = Arc::clone(&self.fetching).try_lock_owned() else { return };
        // The fetch that held the lock until now may have been the one that is needed.
        if !matches!(self.next(kid), Next::Use { is_stale: true, .. }) {
            return;
        }
        let this = Arc::clone(self);
        drop(tokio::spawn(async move {
            let _turn = turn;
            this.fetch(false).await;
        }));
    }

    /// Fetches the keys without caching them, to check that the issuer can be reached.
    pub(super) async fn probe(&self) -> Result<(), HttpError> {
        self.download().await.map(drop)
    }

    fn next(&self, kid: &str) -> Next {
        let state = read(&self.state).clone();
        let now = self.clock.uptime();
        let is_within =
            |at: Option<Duration>, span| at.is_some_and(|at| now.saturating_sub(at) < span);
        let may_ask = !is_within(state.failed_at, RETRY_PAUSE);
        let age = now.saturating_sub(state.fetched_at);
        let Some(keys) = state.keys.filter(|_| age < STALE_MAX) else {
            return if may_ask { Next::Fetch { is_search: false } } else { Next::Deny(CLOSED) };
        };
        if keys.get(kid).is_some() {
            return Next::Use { keys, is_stale: age >= FRESH && may_ask };
        }
        if !may_ask {
            // The key may be a new one: nobody can say at the moment.
            return Next::Deny(CLOSED);
        }
        if age >= RETRY_PAUSE && !is_within(state.searched_at, SEARCH) {
            return Next::Fetch { is_search: true };
        }
        Next::Deny(NO_SUCH_KEY)
    }

    async fn fetch(&self, is_search: bool) {
        let result = self.download().await;
        let now = self.clock.uptime();
        let mut state = write(&self.state);
        match result {
            Ok(keys) => {
                let searched_at = if is_search { Some(now) } else { state.searched_at };
                let keys = Some(Arc::new(keys));
                *state = State { keys, fetched_at: now, failed_at: None, searched_at };
                tracing::debug!(metadata = %self.metadata, "fetched the issuer's keys");
            }
            Err(error) => {
                state.failed_at = Some(now);
                tracing::warn!(metadata = %self.metadata, %error, "cannot fetch the issuer's keys");
            }
        }
    }

    async fn download(&self) -> Result<Keys, HttpError> {
        let metadata: Metadata = self.http.get(self.metadata.clone()).await?;
        let set: KeySet = self.http.get(self.keys_address(&metadata.jwks_uri)?).await?;
        let keys = Keys::of(set);
        // A key set without a usable key is a mistake; it must not replace the cached keys.
        if keys.is_empty() { Err(HttpError::NotJson) } else { Ok(keys) }
    }

    /// Checks the address of the keys (SSRF guard): public metadata must not point to an internal
    /// host.
    pub(super) fn keys_address(&self, text: &str) -> Result<Url, HttpError> {
        let url = http::secure(text).ok_or(HttpError::NotSecure)?;
        let host = url.host_str().unwrap_or_default();
        let literal = host.trim_start_matches('[').trim_end_matches(']').parse::<IpAddr>();
        let is_good = if http::is_here(&url) {
            http::is_here(&self.metadata)
        } else {
            // Host names are checked when they are resolved.
            self.private_addresses || literal.map_or(true, is_public)
        };
        if is_good { Ok(url) } else { Err(HttpError::NotSecure) }
    }
}

impl Next {
    fn answer(self) -> Option<Result<Arc<Keys>, Rejection>> {
        match self {
            Self::Use { keys, .. } => Some(Ok(keys)),
            Self::Deny(rejection) => Some(Err(rejection)),
            Self::Fetch { .. } => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use sayso_turn::clock::SystemClock;

    use super::*;

    fn may_ask(metadata: &str, keys: &str, private_addresses: bool) -> bool {
        let http = Http::new(Duration::from_secs(1), private_addresses).unwrap();
        let clock = Arc::new(SystemClock::new());
        let metadata = http::secure(metadata).unwrap();
        let issuer = Issuer::new(metadata, http, clock, private_addresses);
        issuer.keys_address(keys).is_ok()
    }

    #[test]
    fn metadata_from_outside_does_not_send_us_inside() {
        let outside = "https://issuer.example/metadata";
        for keys in ["https://issuer.example/k", "https://keys.example/k", "https://8.8.8.8/k"] {
            assert!(may_ask(outside, keys, false), "{keys}");
        }
        for keys in [
            "https://localhost/k",
            "http://127.0.0.1/k",
            "https://10.0.0.1/k",
            "https://169.254.169.254/k",
            "https://[fd00::1]/k",
            "https://[::ffff:10.0.0.1]/k",
            "http://keys.example/k",
        ] {
            assert!(!may_ask(outside, keys, false), "{keys}");
        }
        assert!(may_ask(outside, "https://10.0.0.1/k", true));
        assert!(!may_ask(outside, "http://127.0.0.1/k", true));
        assert!(may_ask("http://127.0.0.1:1/m", "http://localhost:2/k", false));
    }
}
