//! An issuer's keys, fetched when they are needed and kept.
//!
//! Keys are good for a day. A token that names a key we do not have may be the first after a
//! rotation, so the keys are fetched again, but at most once an hour: anybody can make such a token
//! up. While the issuer is down, keys of up to five days serve on; after that nobody is let in.
//! Callers that need the keys at the same time share one fetch, and a caller that goes away does
//! not stop it.

use std::{
    net::IpAddr,
    sync::{Arc, PoisonError, RwLock},
    time::Duration,
};

use reqwest::Url;
use sayso_turn::clock::Clock;
use serde::Deserialize;
use tokio::sync::Mutex;

use super::{
    address::is_public,
    denial::Denial,
    http::{self, Http, HttpError},
    keys::{KeySet, Keys},
};

/// How long keys are good without asking again.
const FRESH: Duration = Duration::from_secs(24 * 60 * 60);
/// How long keys serve while the issuer is down.
const STALE_MAX: Duration = Duration::from_secs(5 * 24 * 60 * 60);
/// How often a key that we do not have may make us ask.
const SEARCH: Duration = Duration::from_secs(60 * 60);
/// How soon we ask again after we asked.
const PAUSE: Duration = Duration::from_secs(10);

/// An issuer, and its keys.
#[derive(Debug)]
pub(super) struct Issuer {
    metadata: Url,
    http: Http,
    clock: Arc<dyn Clock>,
    private_addresses: bool,
    state: RwLock<State>,
    /// Whoever fetches holds it.
    fetching: Arc<Mutex<()>>,
}

/// What is known; times are the clock's uptime.
#[derive(Clone, Debug, Default)]
struct State {
    keys: Option<Arc<Keys>>,
    fetched_at: Duration,
    /// When a fetch last failed.
    failed_at: Option<Duration>,
    /// When an unknown key last made us fetch.
    searched_at: Option<Duration>,
}

/// What is to be done to find a key.
enum Next {
    Use(Arc<Keys>),
    Fetch { is_search: bool },
    Deny(Denial),
}

const CLOSED: Denial =
    Denial::Unavailable("the keys to check the token with cannot be had now; send it again");
const NO_SUCH_KEY: Denial = Denial::Unknown("the token's key is not one of its issuer's");

impl Issuer {
    pub(super) fn new(
        metadata: Url,
        http: Http,
        clock: Arc<dyn Clock>,
        private_addresses: bool,
    ) -> Self {
        let (state, fetching) = (RwLock::default(), Arc::default());
        Self { metadata, http, clock, private_addresses, state, fetching }
    }

    /// The keys, among which is the one of this name.
    pub(super) async fn keys(self: &Arc<Self>, kid: &str) -> Result<Arc<Keys>, Denial> {
        if let Some(answer) = self.next(kid).answer() {
            return answer;
        }
        let turn = Arc::clone(&self.fetching).lock_owned().await;
        // Somebody else may have fetched while we waited.
        let is_search = match self.next(kid) {
            Next::Fetch { is_search } => is_search,
            other => return other.answer().unwrap_or(Err(CLOSED)),
        };
        let this = Arc::clone(self);
        // A task of its own, so that it goes on when the caller hangs up: else callers that come
        // and go could keep the keys away for ever.
        let fetch = tokio::spawn(async move {
            let _turn = turn;
            this.fetch(is_search).await;
        });
        drop(fetch.await);
        self.next(kid).answer().unwrap_or(Err(CLOSED))
    }

    /// Fetches the keys, to see that it can be done.
    pub(super) async fn probe(&self) -> Result<(), HttpError> {
        self.download().await.map(drop)
    }

    fn next(&self, kid: &str) -> Next {
        let state = self.read();
        let now = self.clock.uptime();
        let is_within =
            |at: Option<Duration>, span| at.is_some_and(|at| now.saturating_sub(at) < span);
        let may_ask = !is_within(state.failed_at, PAUSE);
        let age = now.saturating_sub(state.fetched_at);
        let Some(keys) = state.keys.filter(|_| age < STALE_MAX) else {
            return if may_ask { Next::Fetch { is_search: false } } else { Next::Deny(CLOSED) };
        };
        if age >= FRESH && may_ask {
            return Next::Fetch { is_search: false };
        }
        if keys.get(kid).is_some() {
            return Next::Use(keys);
        }
        if may_ask && age >= PAUSE && !is_within(state.searched_at, SEARCH) {
            return Next::Fetch { is_search: true };
        }
        Next::Deny(NO_SUCH_KEY)
    }

    async fn fetch(&self, is_search: bool) {
        let result = self.download().await;
        let now = self.clock.uptime();
        let mut state = self.state.write().unwrap_or_else(PoisonError::into_inner);
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
        #[derive(Deserialize)]
        struct Metadata {
            jwks_uri: String,
        }
        let metadata: Metadata = self.http.get(self.metadata.clone()).await?;
        let set: KeySet = self.http.get(self.keys_address(&metadata.jwks_uri)?).await?;
        let keys = Keys::of(set);
        // A set without a key of use is a mistake; it must not push out the keys that we have.
        if keys.is_empty() { Err(HttpError::NotJson) } else { Ok(keys) }
    }

    /// Where the metadata sends us for the keys: not to the inside from the outside.
    fn keys_address(&self, text: &str) -> Result<Url, HttpError> {
        let url = http::secure(text).ok_or(HttpError::NotSecure)?;
        let host = url.host_str().unwrap_or_default();
        let literal = host.trim_start_matches('[').trim_end_matches(']').parse::<IpAddr>();
        let is_good = if http::is_here(&url) {
            http::is_here(&self.metadata)
        } else {
            // A name is looked at when it is looked up.
            self.private_addresses || literal.map_or(true, is_public)
        };
        if is_good { Ok(url) } else { Err(HttpError::NotSecure) }
    }

    fn read(&self) -> State {
        self.state.read().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Next {
    fn answer(self) -> Option<Result<Arc<Keys>, Denial>> {
        match self {
            Self::Use(keys) => Some(Ok(keys)),
            Self::Deny(denial) => Some(Err(denial)),
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
