//! A connector service that takes note of every reply and the id it came under.

use std::{
    collections::BTreeSet,
    path::Path,
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use axum::{
    Router,
    body::Bytes,
    extract::State,
    http::{HeaderMap, StatusCode},
};
use sayso::turn::Key;
use serde_json::{Value, json};
use tokio::net::TcpListener;

use crate::process::STEP_MAX;

/// Short times, so that a claim lapses while a test waits.
pub(crate) const LIMITS: [&str; 4] =
    ["--claim-ms=2500", "--send-timeout-ms=1000", "--sweep-ms=200", "--record-ms=50"];

/// The service, and what came to it.
#[derive(Clone, Debug)]
pub(crate) struct Recorder {
    url: String,
    arrived: Arc<Mutex<Vec<Arrival>>>,
    /// Every so many replies the answer is lost: the reply is taken and an error given. Zero for never.
    lost_every: usize,
    count: Arc<AtomicUsize>,
}

/// A reply that came.
#[derive(Clone, Debug)]
pub(crate) struct Arrival {
    pub(crate) id: String,
    pub(crate) conversation: String,
    pub(crate) text: String,
}

impl Recorder {
    pub(crate) async fn start(lost_every: usize) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/", listener.local_addr().unwrap());
        let recorder = Self { url, arrived: Arc::default(), lost_every, count: Arc::default() };
        let router = Router::new().fallback(take).with_state(recorder.clone());
        tokio::spawn(async move { axum::serve(listener, router).await });
        recorder
    }

    /// A message whose reply comes here.
    pub(crate) fn message(&self, conversation: &str, text: &str) -> String {
        json!({
            "type": "message", "id": format!("id of {text}"), "text": text, "serviceUrl": self.url,
            "channelId": "test", "conversation": {"id": conversation},
            "from": {"id": "ann"}, "recipient": {"id": "bot"},
        })
        .to_string()
    }

    pub(crate) fn arrived(&self) -> Vec<Arrival> {
        self.arrived.lock().unwrap().clone()
    }

    /// Waits until this many different replies have arrived.
    pub(crate) async fn until(&self, count: usize) {
        let began = Instant::now();
        loop {
            let arrived = self.arrived();
            let ids: BTreeSet<&str> = arrived.iter().map(|one| one.id.as_str()).collect();
            if ids.len() >= count {
                return;
            }
            assert!(began.elapsed() < STEP_MAX, "{} of {count} replies: {arrived:?}", ids.len());
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }
}

async fn take(
    State(recorder): State<Recorder>,
    headers: HeaderMap,
    body: Bytes,
) -> (StatusCode, &'static str) {
    let activity: Value = serde_json::from_slice(&body).unwrap();
    let arrival = Arrival {
        id: headers["idempotency-key"].to_str().unwrap().to_owned(),
        conversation: activity["conversation"]["id"].as_str().unwrap().to_owned(),
        text: activity["text"].as_str().unwrap().to_owned(),
    };
    recorder.arrived.lock().unwrap().push(arrival);
    let count = recorder.count.fetch_add(1, Ordering::SeqCst) + 1;
    let is_lost = recorder.lost_every > 0 && count.is_multiple_of(recorder.lost_every);
    (if is_lost { StatusCode::BAD_GATEWAY } else { StatusCode::OK }, "{}")
}

/// Sends an activity; false when nobody answered well, so that a channel would send it again.
pub(crate) async fn sent(url: &str, body: String, patience: Duration) -> bool {
    let client = reqwest::Client::builder().no_proxy().timeout(patience).build().unwrap();
    let request = client.post(format!("{url}/api/messages"));
    let request = request.header("content-type", "application/json").body(body);
    request.send().await.is_ok_and(|answer| answer.status().is_success())
}

/// A conversation as it is stored in the default store of a folder.
pub(crate) async fn document(folder: &Path, conversation: &str) -> Value {
    let url = format!("sqlite:{}", folder.join("data/sayso.sqlite").display());
    let store = sayso::open_store(&url).unwrap();
    let key = Key::conversation("test", conversation).unwrap();
    let body = store.load(&key).await.unwrap().unwrap().body;
    serde_json::from_str(&body).unwrap()
}

/// The toppings of a conversation as they are stored.
pub(crate) async fn toppings(folder: &Path, conversation: &str) -> Vec<String> {
    let document = document(folder, conversation).await;
    serde_json::from_value(document["Order"]["toppings"].clone()).unwrap()
}
