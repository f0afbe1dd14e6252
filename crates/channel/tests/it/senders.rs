//! Senders to a bot without authentication: programs on this machine, but no foreign web pages.

use std::sync::Arc;

use sayso_channel::{EndpointOptions, ServiceUrls};
use sayso_turn::{Limits, store::MemoryStore};
use serde_json::json;

use crate::support::{Server, client, echo, message, with};

const JSON: (&str, &str) = ("content-type", "application/json");

async fn status(server: &Server, line: &str, headers: &[(&str, &str)]) -> (u16, String) {
    let changes = json!({"deliveryMode": "expectReplies", "serviceUrl": null});
    let body = with(message("1", "hi", ""), changes).to_string();
    let headers = [&[JSON], headers].concat();
    let reply = client::request(server.address, line, &headers, body.as_bytes()).await;
    (reply.status, reply.body)
}

#[tokio::test]
async fn a_foreign_page_or_name_cannot_reach_a_local_bot() {
    let server = Server::start(echo()).await;
    let line = "POST /api/messages HTTP/1.1";
    let page = "web pages of other hosts may not call this bot";
    let name = "this bot accepts requests for localhost only";
    let cases: Vec<(Vec<(&str, &str)>, &str)> = vec![
        (vec![("origin", "https://evil.example")], page),
        (vec![("origin", "http://localhost.evil.example")], page),
        (vec![("origin", "http://127.0.0.1.evil.example")], page),
        (vec![("origin", "null")], page),
        (vec![("origin", "")], page),
        (vec![("origin", "file://")], page),
        (vec![("origin", "chrome-extension://abc")], page),
        (vec![("origin", "http://localhost"), ("origin", "https://evil.example")], page),
        (vec![("host", "evil.example")], name),
        (vec![("host", "evil.example:3978")], name),
        (vec![("host", "localhost.evil.example")], name),
        (vec![("host", "localhost@evil.example")], name),
        (vec![("host", "evil@localhost")], name),
        (vec![("host", "192.168.0.7:3978")], name),
        (vec![("host", "0.0.0.0:3978")], name),
        (vec![("host", "")], name),
        (vec![("host", "localhost"), ("host", "evil.example")], name),
        (vec![("host", "evil.example"), ("origin", "http://evil.example")], name),
    ];
    for (headers, contains) in cases {
        let (status, body) = status(&server, line, &headers).await;
        assert_eq!(status, 403, "{headers:?}: {body}");
        assert!(body.contains(contains) && !body.contains("evil"), "{headers:?}: {body}");
    }
    let absolute = "POST http://evil.example/api/messages HTTP/1.1";
    assert_eq!(status(&server, absolute, &[("host", "localhost")]).await.0, 403);
    assert!(server.stored().await.is_empty());
    assert_eq!(server.engine.stats().attempts, 0);
}

#[tokio::test]
async fn programs_and_pages_of_this_machine_reach_it() {
    let server = Server::start(echo()).await;
    let line = "POST /api/messages HTTP/1.1";
    let cases: Vec<Vec<(&str, &str)>> = vec![
        vec![],
        vec![("host", "localhost")],
        vec![("host", "LocalHost:3978")],
        vec![("host", "127.0.0.1:3978")],
        vec![("host", "[::1]:3978")],
        vec![("origin", "http://localhost:56150")],
        vec![("origin", "https://127.0.0.1:1")],
        vec![("origin", "http://[::1]")],
    ];
    for headers in cases {
        let (status, body) = status(&server, line, &headers).await;
        assert_eq!(status, 200, "{headers:?}: {body}");
    }
}

#[tokio::test]
async fn a_request_without_a_host_is_refused() {
    let server = Server::start(echo()).await;
    let bytes = b"POST /api/messages HTTP/1.0\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{}";
    assert_eq!(client::exchange(server.address, bytes).await.status, 403);
}

#[tokio::test]
async fn a_foreign_name_cannot_read_the_counters() {
    let server = Server::start(echo()).await;
    let foreign = [("host", "evil.example")];
    let line = |path: &str| format!("GET {path} HTTP/1.1");
    let reply = client::request(server.address, &line("/stats"), &foreign, b"").await;
    assert_eq!(reply.status, 403);
    let reply = client::request(server.address, &line("/healthz"), &foreign, b"").await;
    assert_eq!(reply.status, 200);
}

#[tokio::test]
async fn a_bot_with_service_urls_is_reached_by_any_name_and_keeps_to_its_list() {
    let service_urls = ServiceUrls::Only(vec!["https://channel.example/a".to_owned()]);
    let options = EndpointOptions { service_urls, ..Default::default() };
    let store = Arc::new(MemoryStore::default());
    let server = Server::with(echo(), store, Limits::default(), options).await;
    let line = "POST /api/messages HTTP/1.1";
    assert_eq!(status(&server, line, &[("host", "bot.example")]).await.0, 200);

    let reply = server.post(&message("2", "hi", "http://127.0.0.1:1/")).await;
    let (_, sentence) = reply.error();
    assert_eq!(reply.status, 400);
    assert!(sentence.ends_with("expected a URL that starts with https://channel.example/a"));
}
