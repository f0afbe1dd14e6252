//! Rejected requests: each with its status and message, and none leaves anything behind.

use std::{sync::Arc, time::Duration};

use sayso_channel::EndpointOptions;
use sayso_turn::{Limits, store::MemoryStore};
use serde_json::{Value, json};

use crate::support::{Server, client, echo, message, sink::Sink, with};

const POST: &str = "POST /api/messages HTTP/1.1";
const JSON: (&str, &str) = ("content-type", "application/json");
/// User text, which no response may repeat.
const SECRET: &str = "c4n4ry";

/// Checks that the error is as expected, the server still responds, and nothing is stored.
async fn check(server: &Server, reply: &client::Reply, status: u16, contains: &str) {
    assert_eq!(reply.status, status, "{contains}: {reply:?}");
    let (code, sentence) = reply.error();
    assert!(!code.is_empty() && code.bytes().all(|byte| byte.is_ascii_alphanumeric()), "{code}");
    assert!(sentence.contains(contains), "{contains}: {sentence}");
    assert!(!reply.body.contains(SECRET), "{reply:?}");
    assert_eq!(server.status("/healthz").await.body, "ok");
    assert!(server.stored().await.is_empty());
    assert_eq!(server.engine.stats().attempts, 0);
}

#[tokio::test]
async fn a_body_that_is_no_activity_is_refused() {
    let server = Server::start(echo()).await;
    let deep = |levels: usize| {
        let (open, close) = ("[".repeat(levels), "]".repeat(levels));
        format!(r#"{{"type":"message","text":"{SECRET}","value":{open}{close}}}"#).into_bytes()
    };
    let utf16: Vec<u8> =
        "{\"type\":\"message\"}".encode_utf16().flat_map(u16::to_le_bytes).collect();
    let cases: Vec<(Vec<u8>, &str)> = vec![
        (b"".to_vec(), "activity: expected a JSON object"),
        (b"[]".to_vec(), "activity: expected a JSON object"),
        (b"null".to_vec(), "activity: expected a JSON object"),
        (format!("{SECRET}=1").into_bytes(), "activity: expected a JSON object"),
        (b"{".to_vec(), "activity: not readable as JSON"),
        (format!(r#"{{"{SECRET}":"#).into_bytes(), "activity: not readable as JSON"),
        (format!(r#"{{"type":"message"}} {SECRET}"#).into_bytes(), "trailing characters"),
        (b"\xef\xbb\xbf{\"type\":\"message\"}".to_vec(), "byte order mark"),
        (utf16, "activity: "),
        (b"{\"type\":\"\xff\"}".to_vec(), "not valid UTF-8"),
        (b"{\"type\":\"message\",\"text\":\"\\ud83d\"}".to_vec(), "not readable as JSON"),
        (deep(32), "nested more than 32 levels deep"),
        (deep(100_000), "nested more than 32 levels deep"),
        (b"{}".to_vec(), "activity.type: missing"),
        (format!(r#"{{"type":["{SECRET}"]}}"#).into_bytes(), "activity.type: expected a string"),
        (br#"{"type":"message","text":1,"text":2}"#.to_vec(), "activity.text: expected a string"),
        (br#"{"type":"message","text":"a","text":"b"}"#.to_vec(), "activity.text: given twice"),
    ];
    for (body, contains) in cases {
        let reply = client::request(server.address, POST, &[JSON], &body).await;
        check(&server, &reply, 400, contains).await;
    }
}

#[tokio::test]
async fn an_activity_that_cannot_be_routed_is_refused() {
    let server = Server::start(echo()).await;
    let mut sink = Sink::accepting().await;
    let good = message("1", SECRET, &sink.url());
    let not_allowed = "activity.serviceUrl: is not allowed; expected a loopback address";
    let missing = "activity.serviceUrl: is missing or empty; expected a loopback address";
    let cases: Vec<(Value, &str)> = vec![
        (json!({"type": null}), "activity.type: missing"),
        (json!({"type": ""}), "activity.type: expected a string that is not empty"),
        (json!({"channelId": null}), "activity.channelId: missing or empty"),
        (json!({"channelId": ""}), "activity.channelId: missing or empty"),
        (json!({"channelId": " \t"}), "activity.channelId: must not be blank"),
        (json!({"conversation": {"id": "sayso:begin:1"}}), "must not begin with `sayso:`"),
        (json!({"conversation": null}), "activity.conversation.id: missing or empty"),
        (json!({"conversation": {}}), "activity.conversation.id: missing or empty"),
        (json!({"conversation": {"id": ""}}), "activity.conversation.id: missing or empty"),
        (json!({"conversation": {"id": SECRET.repeat(500)}}), "KEY_BYTES_MAX"),
        (json!({"channelId": SECRET.repeat(500)}), "KEY_BYTES_MAX"),
        (json!({"serviceUrl": null}), missing),
        (json!({"serviceUrl": ""}), missing),
        (json!({"serviceUrl": null, "deliveryMode": "ExpectReplies"}), missing),
        (json!({"serviceUrl": null, "type": "invoke"}), missing),
        (json!({"serviceUrl": null, "type": "nobodyHandlesThis"}), missing),
        (json!({"serviceUrl": format!("https://{SECRET}.example/")}), not_allowed),
        (json!({"serviceUrl": "http://metadata.invalid/"}), not_allowed),
        (json!({"serviceUrl": format!("http://{SECRET}@127.0.0.1/")}), not_allowed),
        (json!({"serviceUrl": SECRET}), not_allowed),
        (
            json!({"serviceUrl": "https://evil.example", "deliveryMode": "expectReplies"}),
            not_allowed,
        ),
    ];
    for (changes, contains) in cases {
        let reply = server.post(&with(good.clone(), changes)).await;
        check(&server, &reply, 400, contains).await;
    }
    assert!(sink.came().is_none());
    // The activity that they are all made from is valid.
    assert_eq!(server.post(&good).await.status, 200);
    sink.next().await;
}

#[tokio::test]
async fn a_body_of_another_kind_is_refused() {
    let server = Server::start(echo()).await;
    let body = message("1", SECRET, "http://127.0.0.1:1/").to_string();
    let wanted = "the content type must be application/json";
    let cases: Vec<(Vec<(&str, &str)>, &str)> = vec![
        (vec![], wanted),
        (vec![("content-type", "")], wanted),
        (vec![("content-type", "text/plain")], wanted),
        (vec![("content-type", "text/plain; application/json")], wanted),
        (vec![("content-type", "application/x-www-form-urlencoded")], wanted),
        (vec![("content-type", "multipart/form-data; boundary=x")], wanted),
        (vec![("content-type", "application/jsonp")], wanted),
        (vec![JSON, ("content-type", "text/plain")], wanted),
        (vec![JSON, ("content-encoding", "gzip")], "must not be compressed"),
        (vec![JSON, ("content-encoding", "identity")], "must not be compressed"),
    ];
    for (headers, contains) in cases {
        let reply = client::request(server.address, POST, &headers, body.as_bytes()).await;
        check(&server, &reply, 415, contains).await;
    }
}

#[tokio::test]
async fn a_body_that_is_too_large_is_refused_before_and_while_reading() {
    let server = Server::start(echo()).await;
    let limit = "the body is larger than 262144 bytes (limit body_bytes_max)";
    // No byte of the body is sent: the length alone decides.
    let declared = [JSON, ("content-length", "262145")];
    let reply = client::request(server.address, POST, &declared, b"").await;
    check(&server, &reply, 413, limit).await;

    let chunk = format!("10000\r\n{}\r\n", " ".repeat(0x10000));
    let chunked = [JSON, ("transfer-encoding", "chunked")];
    let reply = client::request(server.address, POST, &chunked, chunk.repeat(5).as_bytes()).await;
    check(&server, &reply, 413, limit).await;

    // A body of exactly the limit is read, and rejected for its content.
    let reply = client::request(server.address, POST, &[JSON], &b" ".repeat(262_144)).await;
    check(&server, &reply, 400, "expected a JSON object").await;
}

#[tokio::test]
async fn a_body_that_does_not_come_is_refused_in_time() {
    let options = EndpointOptions {
        body_timeout: Duration::from_millis(200),
        ..EndpointOptions::unauthenticated()
    };
    let store = Arc::new(MemoryStore::default());
    let server = Server::with(echo(), store, Limits::default(), options).await;
    for headers in [("content-length", "100"), ("transfer-encoding", "chunked")] {
        let reply = client::request(server.address, POST, &[JSON, headers], b"").await;
        check(&server, &reply, 408, "the body did not arrive within 200ms").await;
        assert_eq!(reply.header("connection"), Some("close"));
    }
    let chunked = [JSON, ("transfer-encoding", "chunked")];
    let reply = client::request(server.address, POST, &chunked, b"zz\r\n").await;
    check(&server, &reply, 400, "the body ended too early").await;
}

#[tokio::test]
async fn other_methods_and_paths_are_refused_by_name() {
    let server = Server::start(echo()).await;
    for method in ["GET", "PUT", "DELETE", "OPTIONS", "PATCH", "BREW"] {
        let line = format!("{method} /api/messages HTTP/1.1");
        let reply = client::request(server.address, &line, &[JSON], b"").await;
        check(&server, &reply, 405, "see the Allow header").await;
        assert_eq!(reply.header("allow"), Some("POST"), "{method}");
    }
    let head = client::request(server.address, "HEAD /api/messages HTTP/1.1", &[], b"").await;
    assert_eq!((head.status, head.header("allow"), &*head.body), (405, Some("POST"), ""));
    for path in ["/healthz", "/readyz", "/stats"] {
        let line = format!("POST {path} HTTP/1.1");
        let reply = client::request(server.admin, &line, &[JSON], b"{}").await;
        check(&server, &reply, 405, "see the Allow header").await;
        assert_eq!(reply.header("allow"), Some("GET,HEAD"));
    }
    for path in
        ["/", "/api/messages/", "/api", "/c4n4ry", "/../healthz", "/healthz", "/readyz", "/stats"]
    {
        let reply = server.get(path).await;
        check(&server, &reply, 404, "try POST /api/messages").await;
    }
}
