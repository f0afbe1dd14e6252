//! Fake connector service that records every reply and its idempotency key.

use std::{
    collections::BTreeSet,
    net::SocketAddr,
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
    extract::{ConnectInfo, State},
    http::{HeaderMap, StatusCode},
};
use reqwest::Client;
use sayso::turn::{Key, store::Store};
use serde_json::{Value, json};
use tokio::net::TcpListener;

use crate::process::STEP_MAX;

/// Short times, so that a claim lapses while a test waits.
pub(crate) const LIMITS: [&str; 4] =
    ["--claim-ms=2500", "--send-timeout-ms=1000", "--sweep-ms=200", "--record-ms=50"];
/// Lifetime of a claim under these limits.
pub(crate) const CLAIM: Duration = Duration::from_millis(2500);

/// The service, and what came to it.
#[derive(Clone, Debug)]
pub(crate) struct Recorder {
    pub(crate) address: SocketAddr,
    arrived: Arc<Mutex<Vec<Arrival>>>,
    /// Every so many replies the answer is lost: the reply is taken and an error given. Zero for
    /// never.
    lost_every: usize,
    count: Arc<AtomicUsize>,
}

/// A reply that came.
#[derive(Clone, Debug)]
pub(crate) struct Arrival {
    pub(crate) at: Instant,
    /// Address of the client side of its connection.
    pub(crate) peer: SocketAddr,
    /// True if an error was given for an answer, although it was taken.
    pub(crate) is_refused: bool,
    pub(crate) id: String,
    pub(crate) conversation: String,
    pub(crate) text: String,
}

impl Recorder {
    pub(crate) async fn start(lost_every: usize) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let recorder = Self { address, arrived: Arc::default(), lost_every, count: Arc::default() };
        let router = Router::new().fallback(take).with_state(recorder.clone());
        let router = router.into_make_service_with_connect_info::<SocketAddr>();
        tokio::spawn(async move { axum::serve(listener, router).await });
        recorder
    }

    /// A message whose reply comes here.
    pub(crate) fn message(&self, conversation: &str, text: &str) -> String {
        message(self.address, conversation, text)
    }

    pub(crate) fn arrived(&self) -> Vec<Arrival> {
        self.arrived.lock().unwrap().clone()
    }

    /// Number of different replies that have arrived.
    fn ids(&self) -> usize {
        let arrived = self.arrived.lock().unwrap();
        arrived.iter().map(|one| one.id.as_str()).collect::<BTreeSet<&str>>().len()
    }

    /// Waits until this many different replies have arrived.
    pub(crate) async fn until(&self, count: usize) {
        let came = self.wait(count).await;
        assert!(came >= count, "{came} of {count} replies: {:?}", self.arrived());
    }

    /// Waits for so many different replies, but not for ever. Returns how many came.
    pub(crate) async fn wait(&self, count: usize) -> usize {
        let began = Instant::now();
        loop {
            let came = self.ids();
            if came >= count || began.elapsed() >= STEP_MAX {
                return came;
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }
}

async fn take(
    State(recorder): State<Recorder>,
    ConnectInfo(peer): ConnectInfo<SocketAddr>,
    headers: HeaderMap,
    body: Bytes,
) -> (StatusCode, &'static str) {
    let activity: Value = serde_json::from_slice(&body).unwrap();
    let count = recorder.count.fetch_add(1, Ordering::SeqCst) + 1;
    let is_refused = recorder.lost_every > 0 && count.is_multiple_of(recorder.lost_every);
    let arrival = Arrival {
        at: Instant::now(),
        peer,
        is_refused,
        id: headers["idempotency-key"].to_str().unwrap().to_owned(),
        conversation: activity["conversation"]["id"].as_str().unwrap().to_owned(),
        text: activity["text"].as_str().unwrap().to_owned(),
    };
    recorder.arrived.lock().unwrap().push(arrival);
    (if is_refused { StatusCode::BAD_GATEWAY } else { StatusCode::OK }, "{}")
}

/// A message of a conversation whose reply goes to a connector service at this address.
pub(crate) fn message(service: SocketAddr, conversation: &str, text: &str) -> String {
    json!({
        "type": "message", "id": format!("id of {text}"), "text": text,
        "serviceUrl": format!("http://{service}/"),
        "channelId": "test", "conversation": {"id": conversation},
        "from": {"id": "ann"}, "recipient": {"id": "bot"},
    })
    .to_string()
}

/// Sends an activity; `false` if the answer was no success, so that a channel would send it again.
pub(crate) async fn sent(url: &str, body: String, patience: Duration) -> bool {
    sent_by(&client(), url, body, patience).await
}

/// The same, on connections that are kept.
pub(crate) async fn sent_by(client: &Client, url: &str, body: String, patience: Duration) -> bool {
    let request = client.post(format!("{url}/api/messages")).timeout(patience);
    let request = request.header("content-type", "application/json").body(body);
    request.send().await.is_ok_and(|answer| answer.status().is_success())
}

/// A client that keeps connections.
pub(crate) fn client() -> Client {
    Client::builder().no_proxy().build().unwrap()
}

/// A conversation as it is stored in the default store of a folder.
pub(crate) async fn document(folder: &Path, conversation: &str) -> Value {
    let url = format!("sqlite:{}", folder.join("data/sayso.sqlite").display());
    let store = sayso::open_store(&url).await.unwrap();
    stored(store.as_ref(), conversation).await
}

/// A conversation as it is stored.
pub(crate) async fn stored(store: &dyn Store, conversation: &str) -> Value {
    let key = Key::conversation("test", conversation).unwrap();
    let body = store.load(&key).await.unwrap().unwrap().body;
    serde_json::from_str(&body).unwrap()
}

/// The toppings of a conversation as they are stored in the default store of a folder.
pub(crate) async fn toppings(folder: &Path, conversation: &str) -> Vec<String> {
    let document = document(folder, conversation).await;
    serde_json::from_value(document["Order"]["toppings"].clone()).unwrap()
}
