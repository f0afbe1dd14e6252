//! The service outside: does a step's work in a moment, and counts what it is asked for.

use std::{
    collections::{BTreeMap, BTreeSet},
    net::SocketAddr,
    sync::{Arc, Mutex},
    time::{Duration, Instant},
};

use axum::{
    Router,
    extract::State,
    http::{HeaderMap, Uri},
};
use tokio::{net::TcpListener, time::sleep};

use super::STEPS;
use crate::client::STEP_MAX;

/// Duration of a call.
const TAKES: Duration = Duration::from_millis(80);

#[derive(Clone, Debug)]
pub(super) struct Service {
    address: SocketAddr,
    calls: Arc<Mutex<Calls>>,
}

#[derive(Debug, Default)]
struct Calls {
    count: usize,
    /// Calls by idempotency key, begun and ended, with the numbers that were answered.
    begun: BTreeMap<String, usize>,
    ended: BTreeMap<String, BTreeSet<usize>>,
    /// The furthest step that each turn has called.
    furthest: BTreeMap<String, usize>,
    /// Calls of a step after a later one of the same turn: that was finished, and is made again.
    after_finished: Vec<String>,
}

/// Calls that the service has seen.
#[derive(Debug)]
pub(super) struct Story {
    pub(super) calls: usize,
    pub(super) keys: usize,
    /// Calls beyond the first under their keys.
    pub(super) repeated: usize,
    pub(super) after_finished: Vec<String>,
}

impl Service {
    pub(super) async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let service = Self { address, calls: Arc::default() };
        let router = Router::new().fallback(work).with_state(service.clone());
        tokio::spawn(async move { axum::serve(listener, router).await });
        service
    }

    pub(super) fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Waits until calls under so many keys have begun, or ended.
    pub(super) async fn until(&self, keys: usize, is_ended: bool) {
        let began = Instant::now();
        loop {
            {
                let calls = self.calls.lock().unwrap();
                let count = if is_ended { calls.ended.len() } else { calls.begun.len() };
                if count >= keys {
                    return;
                }
            }
            assert!(began.elapsed() < STEP_MAX, "no call under {keys} keys");
            sleep(Duration::from_millis(2)).await;
        }
    }

    /// Reports whether the service has answered with a number.
    pub(super) fn has_answered(&self, number: &str) -> bool {
        let calls = self.calls.lock().unwrap();
        number.parse().is_ok_and(|number| calls.ended.values().any(|all| all.contains(&number)))
    }

    pub(super) fn story(&self) -> Story {
        let calls = self.calls.lock().unwrap();
        Story {
            calls: calls.count,
            keys: calls.begun.len(),
            repeated: calls.begun.values().map(|count| count - 1).sum(),
            after_finished: calls.after_finished.clone(),
        }
    }
}

async fn work(State(service): State<Service>, uri: Uri, headers: HeaderMap) -> String {
    let key = headers["idempotency-key"].to_str().unwrap().to_owned();
    let step = uri.path().rsplit('/').next().unwrap_or_default();
    let place = STEPS.iter().position(|known| *known == step).expect("a known step");
    let turn = key.split('.').next().unwrap_or_default().to_owned();
    let number = {
        let calls = &mut *service.calls.lock().unwrap();
        calls.count += 1;
        *calls.begun.entry(key.clone()).or_default() += 1;
        let furthest = calls.furthest.entry(turn).or_default();
        if place < *furthest {
            calls.after_finished.push(key.clone());
        }
        *furthest = place.max(*furthest);
        calls.count
    };
    sleep(TAKES).await;
    service.calls.lock().unwrap().ended.entry(key).or_default().insert(number);
    number.to_string()
}
