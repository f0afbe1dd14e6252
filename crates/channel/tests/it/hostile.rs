//! Malicious requests, by table: each with the expected status and error code.
//!
//! After every one of them nothing is stored, nothing is sent, and the next valid request is
//! answered.

mod activities;
mod floods;
mod requests;

use std::{collections::BTreeSet, sync::Arc, time::Duration};

use sayso_channel::EndpointOptions;
use sayso_turn::{Key, Limits, store::MemoryStore};
use serde_json::{Value, json};

use crate::support::{
    Server,
    client::{self, Reply},
    echo, message,
    sink::Sink,
    with,
};

/// Text of the sender, which no response may repeat.
const SECRET: &str = "c4n4ry";

/// One attack: its name, the bytes to send, and the expected response.
struct Row {
    name: String,
    bytes: Vec<u8>,
    status: u16,
    /// The error code in the body; none where the request is not HTTP and hyper itself responds.
    code: &'static str,
}

/// A bot, and the channel that it would call if an attack succeeded.
struct Scene {
    server: Server,
    sink: Sink,
    healthy: Key,
}

impl Scene {
    async fn start() -> Self {
        let options = EndpointOptions {
            body_timeout: Duration::from_millis(300),
            ..EndpointOptions::unauthenticated()
        };
        let store = Arc::new(MemoryStore::default());
        let server = Server::with(echo(), store, Limits::default(), options).await;
        let healthy = Key::conversation("emulator", "healthy").unwrap();
        let scene = Self { server, sink: Sink::accepting().await, healthy };
        scene.is_well(0).await;
        scene
    }

    /// Checks that a valid request is answered, and that nothing else has happened.
    async fn is_well(&self, count: usize) {
        let change = json!({"conversation": {"id": "healthy"}, "deliveryMode": "expectReplies"});
        let good = with(message(&count.to_string(), "hi", &self.sink.url()), change);
        let reply = self.server.post(&good).await;
        assert_eq!(reply.status, 200, "{reply:?}");
        assert_eq!(reply.json()["activities"][0]["text"], "Echo: hi");
        assert_eq!(self.server.stored().await, std::slice::from_ref(&self.healthy));
        assert_eq!(self.server.engine.stats().attempts, count as u64 + 1);
    }

    async fn check(mut self, rows: Vec<Row>) -> usize {
        for (index, Row { name, bytes, status, code }) in rows.iter().enumerate() {
            let reply = client::exchange(self.server.address, bytes).await;
            assert_eq!(reply.status, *status, "{name}: {reply:?}");
            assert_eq!(found(&reply), *code, "{name}: {reply:?}");
            let all = format!("{}{}", reply.head, reply.body);
            assert!(!all.contains(SECRET), "{name}: {all}");
            self.is_well(index + 1).await;
            assert!(self.sink.came().is_none(), "{name}");
        }
        let names: BTreeSet<_> = rows.iter().map(|row| &row.name).collect();
        assert_eq!(names.len(), rows.len(), "every row is another attack");
        rows.len()
    }
}

/// The error code of a response; none if it has no body.
fn found(reply: &Reply) -> String {
    if reply.body.is_empty() {
        return String::new();
    }
    let (code, sentence) = reply.error();
    assert!(!sentence.is_empty() && sentence.len() < 300, "{sentence}");
    code
}

/// A request with this body, as a channel sends it.
fn post(body: &[u8]) -> Vec<u8> {
    let head = format!(
        "POST /api/messages HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\
         content-type: application/json\r\ncontent-length: {}\r\n\r\n",
        body.len()
    );
    [head.as_bytes(), body].concat()
}

/// A valid activity with changes.
fn activity(url: &str, changes: Value) -> Value {
    with(message("1", SECRET, url), changes)
}

#[tokio::test]
#[expect(clippy::print_stdout, reason = "the figures of the run")]
async fn bad_activities_are_refused_by_table() {
    let scene = Scene::start().await;
    let rows = activities::rows(&scene.sink.url());
    let count = scene.check(rows).await;
    println!("{count} bad activities");
    assert!(count >= 140, "{count}");
}

#[tokio::test]
#[expect(clippy::print_stdout, reason = "the figures of the run")]
async fn bad_headers_and_bodies_are_refused_by_table() {
    let scene = Scene::start().await;
    let rows = requests::rows(&scene.sink.url());
    let count = scene.check(rows).await;
    println!("{count} bad heads and bodies");
    assert!(count >= 90, "{count}");
}
