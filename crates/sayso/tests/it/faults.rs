//! `kill -9` at every named point of a turn, on real processes: nothing is lost, and nothing doubled
//! beyond the one reply that was on its way.

use std::{
    collections::BTreeSet,
    path::Path,
    sync::{Arc, Mutex},
    time::{Duration, Instant},
};

use axum::{Router, body::Bytes, extract::State, http::HeaderMap};
use sayso::{pizza::Order, turn::Key};
use serde_json::{Value, json};
use tokio::net::TcpListener;

use crate::process::{STEP_MAX, Served};

const TOPPINGS: [&str; 5] = ["ham", "olives", "basil", "onion", "garlic"];

/// Short times, so that a claim lapses while a test waits.
const LIMITS: [&str; 4] =
    ["--claim-ms=2500", "--send-timeout-ms=1000", "--sweep-ms=200", "--record-ms=50"];

/// A connector service that takes note of every reply and the id it came under.
#[derive(Clone, Debug)]
struct Recorder {
    url: String,
    arrived: Arc<Mutex<Vec<(String, String)>>>,
}

impl Recorder {
    async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/", listener.local_addr().unwrap());
        let recorder = Self { url, arrived: Arc::default() };
        let router = Router::new().fallback(take).with_state(recorder.clone());
        tokio::spawn(async move { axum::serve(listener, router).await });
        recorder
    }

    fn message(&self, text: &str) -> String {
        json!({
            "type": "message", "id": format!("id of {text}"), "text": text, "serviceUrl": self.url,
            "channelId": "test", "conversation": {"id": "c"},
            "from": {"id": "ann"}, "recipient": {"id": "bot"},
        })
        .to_string()
    }

    fn arrived(&self) -> Vec<(String, String)> {
        self.arrived.lock().unwrap().clone()
    }

    /// Waits until this many different replies have arrived.
    async fn until(&self, count: usize) {
        let began = Instant::now();
        loop {
            let ids: BTreeSet<String> = self.arrived().into_iter().map(|(id, _)| id).collect();
            if ids.len() >= count {
                return;
            }
            assert!(began.elapsed() < STEP_MAX, "{count} replies wanted: {:?}", self.arrived());
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }
}

async fn take(State(recorder): State<Recorder>, headers: HeaderMap, body: Bytes) -> &'static str {
    let activity: Value = serde_json::from_slice(&body).unwrap();
    let id = headers["idempotency-key"].to_str().unwrap().to_owned();
    let text = activity["text"].as_str().unwrap().to_owned();
    recorder.arrived.lock().unwrap().push((id, text));
    "{}"
}

/// Sends an activity; false when nobody answered, so that a channel would send it again.
async fn sent(served: &Served, body: String) -> bool {
    let client = reqwest::Client::builder().no_proxy().timeout(STEP_MAX).build().unwrap();
    let request = client.post(format!("{}/api/messages", served.url));
    let request = request.header("content-type", "application/json").body(body);
    request.send().await.is_ok_and(|answer| answer.status().is_success())
}

async fn start(folder: &Path, fault: Option<&str>) -> Served {
    let faults: Vec<(&str, &str)> = fault.map(|fault| ("SAYSO_FAULT", fault)).into_iter().collect();
    Served::start_with(folder, &LIMITS, &faults).await
}

/// Who goes on after the death.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Heir {
    /// The same machine starts the bot again.
    Restart,
    /// Another instance has been running all the time.
    Other,
}

/// The conversation as it is stored.
async fn document(folder: &Path) -> Value {
    let url = format!("sqlite:{}", folder.join("data/sayso.sqlite").display());
    let store = sayso::open_store(&url).unwrap();
    let key = Key::conversation("test", "c").unwrap();
    let body = store.load(&key).await.unwrap().unwrap().body;
    serde_json::from_str(&body).unwrap()
}

/// Waits until what was handed over is recorded, or the process is dead.
async fn until_at_rest(folder: &Path, doomed: &mut Served) {
    let began = Instant::now();
    while doomed.child.try_wait().unwrap().is_none() {
        if document(folder).await["$sayso"].get("outbox").is_none() {
            return;
        }
        assert!(began.elapsed() < STEP_MAX, "the hand-over is never recorded");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

async fn stored(folder: &Path) -> Vec<String> {
    let document = document(folder).await;
    let order: Order = serde_json::from_value(document["Order"].clone()).unwrap();
    order.toppings
}

/// Kills at a passing of a point, redelivers what was not answered, and checks everything.
/// Gives the number of repeated replies.
async fn die_at(point: &str, heir: Heir) -> usize {
    let folder = tempfile::tempdir().unwrap();
    let recorder = Recorder::start().await;
    let mut doomed = start(folder.path(), Some(point)).await;
    let other = match heir {
        Heir::Other => Some(start(folder.path(), None).await),
        Heir::Restart => None,
    };
    let mut told = 0;
    for (count, text) in TOPPINGS.iter().enumerate() {
        if !sent(&doomed, recorder.message(text)).await {
            break;
        }
        told = count + 1;
        // Some points are passed only when the conversation comes to rest.
        recorder.until(told).await;
        until_at_rest(folder.path(), &mut doomed).await;
    }
    let died = tokio::time::timeout(STEP_MAX, doomed.child.wait()).await;
    assert!(!died.expect("the fault point was never passed").unwrap().success(), "{point}");
    let heir = match other {
        Some(other) => other,
        None => start(folder.path(), None).await,
    };
    // The channel sends again what was not answered, and what it thinks was not.
    for text in &TOPPINGS[told.saturating_sub(1)..] {
        assert!(sent(&heir, recorder.message(text)).await, "{point}: {text}");
    }
    recorder.until(TOPPINGS.len()).await;
    // Long enough for a claim to lapse and for anything superfluous to be sent.
    tokio::time::sleep(Duration::from_millis(3000)).await;
    assert_eq!(stored(folder.path()).await, TOPPINGS, "{point}: each once, in order");
    check_replies(point, &recorder.arrived())
}

fn check_replies(point: &str, arrived: &[(String, String)]) -> usize {
    let mut ids = BTreeSet::new();
    let firsts: Vec<&str> = arrived
        .iter()
        .filter(|(id, _)| ids.insert(id.clone()))
        .map(|(_, text)| text.as_str())
        .collect();
    let expected: Vec<String> = (1..=TOPPINGS.len())
        .map(|count| {
            Order { toppings: TOPPINGS[..count].iter().map(|&t| t.into()).collect() }.sentence()
        })
        .collect();
    assert_eq!(firsts, expected, "{point}: every reply, in commit order");
    arrived.len() - firsts.len()
}

/// Dies at the n-th passing of a point for each heir, and says how many replies were repeated.
///
/// The first passing is the first turn of a new conversation, the second the record of its reply, the
/// third the second turn. Only a death between a hand-over and its record may repeat that one reply.
async fn check(point: &str, repeats: [usize; 3]) {
    for (nth, expected) in (1..).zip(repeats) {
        for heir in [Heir::Restart, Heir::Other] {
            let at = format!("{point}:{nth}");
            assert_eq!(die_at(&at, heir).await, expected, "{at}, {heir:?}: repeated replies");
        }
    }
}

#[tokio::test]
async fn killed_after_load_nothing_is_lost_or_doubled() {
    check("after_load", [0, 1, 0]).await;
}

#[tokio::test]
async fn killed_before_commit_nothing_is_lost_or_doubled() {
    check("before_commit", [0, 1, 0]).await;
}

#[tokio::test]
async fn killed_after_commit_nothing_is_lost_or_doubled() {
    check("after_commit", [0, 0, 0]).await;
}

/// The instant between hand-over and record: that one reply comes again, under the same id.
#[tokio::test]
async fn killed_after_hand_over_one_reply_is_repeated_under_its_id() {
    check("after_hand_over", [1, 1, 1]).await;
}

#[tokio::test]
async fn killed_after_record_nothing_is_lost_or_doubled() {
    check("after_record", [0, 0, 0]).await;
}

/// The same activity three times at once and three times later, to either process.
#[tokio::test]
async fn an_activity_posted_again_and_again_to_two_processes_is_one_turn() {
    let folder = tempfile::tempdir().unwrap();
    let recorder = Recorder::start().await;
    let processes = [start(folder.path(), None).await, start(folder.path(), None).await];
    let one = |n: usize| sent(&processes[n % 2], recorder.message("ham"));
    assert_eq!(tokio::join!(one(0), one(1), one(0)), (true, true, true));
    recorder.until(1).await;
    for n in 0..3 {
        assert!(one(n).await);
        let answer = processes[n % 2].ask("asked", "olives").await;
        assert_eq!(answer, ["A pizza with ham and olives."], "the same answer every time");
    }
    tokio::time::sleep(Duration::from_millis(500)).await;
    assert_eq!(recorder.arrived().len(), 1);
    assert_eq!(stored(folder.path()).await, ["ham", "olives"]);
}
