//! Counters of refused requests by reason, and a rate-limited warning for each reason.

use std::{
    array,
    net::SocketAddr,
    sync::{
        Arc, Mutex,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use axum::{
    extract::ConnectInfo,
    http::Request,
    response::{IntoResponse, Response},
};

use super::{
    error_response::ErrorResponse,
    refusal::{NAMES, Refusal},
};
use crate::sync::lock;

/// Shortest time between two warnings of one reason: a flood must not fill the disk.
const WARN_EVERY: Duration = Duration::from_secs(10);

/// Counters of requests that were refused before they became turns, by reason. Clones share them.
///
/// Each refusal is counted; each reason is logged as a warning every ten seconds at most, with the
/// peer's address, the reason's total and the number of warnings withheld. Nothing of the request
/// itself is logged.
///
/// # Example
/// ```
/// let refusals = sayso_channel::Refusals::default();
/// assert!(refusals.counts().all(|(name, count)| name.starts_with("refused_") && count == 0));
/// ```
#[derive(Clone, Debug)]
pub struct Refusals(Arc<[Counter; NAMES.len()]>);

#[derive(Debug, Default)]
struct Counter {
    count: AtomicU64,
    warning: Mutex<Warning>,
}

#[derive(Debug, Default)]
struct Warning {
    last: Option<Instant>,
    withheld: u64,
}

impl Default for Refusals {
    fn default() -> Self {
        Self(Arc::new(array::from_fn(|_| Counter::default())))
    }
}

impl Refusals {
    /// All counters by name, such as `refused_token`.
    pub fn counts(&self) -> impl Iterator<Item = (&'static str, u64)> {
        let counts = self.0.iter().map(|counter| counter.count.load(Ordering::Relaxed));
        NAMES.iter().map(|(_, name)| *name).zip(counts)
    }

    /// Counts a refused request and makes the response to it.
    pub(super) fn refuse(&self, error: ErrorResponse, peer: Option<SocketAddr>) -> Response {
        if let Some(reason) = error.refusal() {
            self.count(reason, peer);
        }
        error.into_response()
    }

    fn count(&self, reason: Refusal, peer: Option<SocketAddr>) {
        let at = NAMES.iter().zip(self.0.iter()).find(|((known, _), _)| *known == reason);
        let Some(((_, name), counter)) = at else { return };
        let total = counter.count.fetch_add(1, Ordering::Relaxed) + 1;
        let withheld = {
            let mut warning = lock(&counter.warning);
            if warning.last.is_some_and(|last| last.elapsed() < WARN_EVERY) {
                warning.withheld += 1;
                return;
            }
            warning.last = Some(Instant::now());
            std::mem::take(&mut warning.withheld)
        };
        let peer = peer.map_or_else(|| "unknown".to_owned(), |peer| peer.ip().to_string());
        tracing::warn!(peer, reason = name, total, withheld, "refusing requests at the edge");
    }
}

/// The address of the peer, if the server told it.
pub(super) fn peer_of<B>(request: &Request<B>) -> Option<SocketAddr> {
    request.extensions().get::<ConnectInfo<SocketAddr>>().map(|info| info.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_reason_has_a_counter_of_its_own() {
        let refusals = Refusals::default();
        for (reason, _) in NAMES {
            refusals.count(reason, None);
        }
        assert!(refusals.counts().all(|(_, count)| count == 1));
        refusals.count(Refusal::Token, Some(([127, 0, 0, 1], 1).into()));
        let twice: Vec<_> = refusals.counts().filter(|(_, count)| *count == 2).collect();
        assert_eq!(twice, [("refused_token", 2)]);
    }

    #[test]
    fn a_flood_of_one_reason_is_warned_about_once() {
        let refusals = Refusals::default();
        for _ in 0..1000 {
            refusals.count(Refusal::Token, None);
        }
        let withheld: Vec<u64> =
            refusals.0.iter().map(|counter| lock(&counter.warning).withheld).collect();
        assert_eq!(withheld.iter().sum::<u64>(), 999);
    }
}
