//! Senders to a bot without authentication: programs on this machine, but no proxies and no foreign
//! web pages.

mod strangers;

use std::{net::SocketAddr, sync::Arc};

use axum::{Extension, Router, extract::ConnectInfo, routing::get};
use sayso_channel::{
    Connector, ConnectorOptions, EndpointOptions, Refusals, ServiceUrls, guard_local, routes,
};
use sayso_turn::{Engine, Limits, store::MemoryStore};
use serde_json::{Value, json};
use tokio::net::TcpListener;

use crate::support::{Server, client, echo, message, serve, with};

const JSON: (&str, &str) = ("content-type", "application/json");
const POST: &str = "POST /api/messages HTTP/1.1";

fn body() -> String {
    let changes = json!({"deliveryMode": "expectReplies", "serviceUrl": null});
    with(message("1", "hi", ""), changes).to_string()
}

async fn status(address: SocketAddr, line: &str, headers: &[(&str, &str)]) -> (u16, String) {
    let headers = [&[JSON], headers].concat();
    let reply = client::request(address, line, &headers, body().as_bytes()).await;
    (reply.status, reply.body)
}

fn engine() -> Engine {
    let connector = Arc::new(Connector::new(ConnectorOptions::default()).unwrap());
    Engine::builder(echo(), Arc::new(MemoryStore::default()), connector).start()
}

/// An application with a route of its own, guarded as a whole, and the bot nested in it.
fn shop(engine: Engine) -> Router {
    let app = Router::new()
        .route("/", get(|| async { "the shop" }))
        .nest("/bot", routes(engine, EndpointOptions::unauthenticated()))
        .fallback(|| async { "lost in the shop" });
    guard_local(app, Refusals::default())
}

#[tokio::test]
#[expect(clippy::print_stdout, reason = "the figures of the run")]
async fn a_foreign_page_or_name_or_a_proxy_cannot_reach_a_local_bot() {
    let server = Server::start(echo()).await;
    let (engine, rows) = (engine(), strangers::rows());
    let shop = serve(shop(engine.clone())).await;
    let bare =
        Router::new().nest("/bot", routes(engine.clone(), EndpointOptions::unauthenticated()));
    let bare = serve(bare).await;
    for row in &rows {
        let headers = row.headers.as_slice();
        let (code, text) = status(server.address, POST, headers).await;
        assert_eq!(code, 403, "{headers:?}: {text}");
        assert!(text.contains(row.why.sentence()), "{headers:?}: {text}");
        assert!(!text.contains("evil") && !text.contains("203.0.113.7"), "{headers:?}: {text}");
        // Mounted in an application, and on the application's own routes, it is the same.
        for (address, line) in [
            (bare, "POST /bot/api/messages HTTP/1.1"),
            (shop, "POST /bot/api/messages HTTP/1.1"),
            (shop, "GET / HTTP/1.1"),
            (shop, "GET /nowhere HTTP/1.1"),
        ] {
            assert_eq!(status(address, line, headers).await.0, 403, "{line} {headers:?}");
        }
    }
    let absolute = "POST http://evil.example/api/messages HTTP/1.1";
    assert_eq!(status(server.address, absolute, &[("host", "localhost")]).await.0, 403);
    // What nginx sends if nobody tells it otherwise.
    let old = "POST /api/messages HTTP/1.0";
    assert_eq!(status(server.address, old, &[("host", "127.0.0.1")]).await.0, 403);
    assert!(server.stored().await.is_empty());
    assert_eq!((server.engine.stats().attempts, engine.stats().attempts), (0, 0));
    let refused: Value = server.status("/stats").await.json();
    let count = |name: &str| refused[format!("refused_{name}")].as_u64().unwrap();
    assert_eq!(count("proxy") + count("host") + count("page"), rows.len() as u64 + 2);
    println!("{} requests of strangers", rows.len() + 2);
    assert!(rows.len() >= 45, "{}", rows.len());
}

#[tokio::test]
async fn programs_and_pages_of_this_machine_reach_it() {
    let server = Server::start(echo()).await;
    let shop = serve(shop(engine())).await;
    for headers in strangers::neighbours() {
        let (code, text) = status(server.address, POST, &headers).await;
        assert_eq!(code, 200, "{headers:?}: {text}");
        let (code, text) = status(shop, "GET / HTTP/1.1", &headers).await;
        assert_eq!((code, text.as_str()), (200, "the shop"), "{headers:?}");
    }
}

#[tokio::test]
async fn a_peer_that_is_elsewhere_or_unknown_is_refused() {
    let peers: [SocketAddr; 4] = [
        ([192, 168, 0, 7], 1).into(),
        ([203, 0, 113, 7], 1).into(),
        "[2001:db8::1]:1".parse().unwrap(),
        "[::ffff:10.0.0.1]:1".parse().unwrap(),
    ];
    for app in [
        shop(engine()),
        Router::new().nest("/bot", routes(engine(), EndpointOptions::unauthenticated())),
    ] {
        for peer in peers {
            let address = serve(app.clone().layer(Extension(ConnectInfo(peer)))).await;
            let (code, text) = status(address, "POST /bot/api/messages HTTP/1.1", &[]).await;
            assert_eq!(code, 403, "{peer}: {text}");
        }
        // A server that does not tell the address of the peer.
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        drop(tokio::spawn(async move { axum::serve(listener, app).await }));
        let (code, text) = status(address, "POST /bot/api/messages HTTP/1.1", &[]).await;
        assert_eq!(code, 403, "{text}");
        assert!(text.contains("programs of its own machine only"), "{text}");
    }
}

#[tokio::test]
async fn an_endpoint_without_a_word_on_authentication_lets_nobody_in() {
    let store = Arc::new(MemoryStore::default());
    let server = Server::with(echo(), store, Limits::default(), EndpointOptions::default()).await;
    let (code, text) = status(server.address, POST, &[]).await;
    assert_eq!(code, 403);
    assert!(text.contains("no authentication configured"), "{text}");
    assert_eq!(server.status("/stats").await.json()["refused_no_auth"], 1);
}

#[tokio::test]
async fn a_request_without_a_host_is_refused() {
    let server = Server::start(echo()).await;
    let bytes = b"POST /api/messages HTTP/1.1\r\nconnection: close\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{}";
    assert_eq!(client::exchange(server.address, bytes).await.status, 403);
}

#[tokio::test]
async fn strangers_cannot_read_the_counters_and_a_probe_of_this_machine_can() {
    let server = Server::start(echo()).await;
    for row in strangers::rows() {
        for path in ["/stats", "/readyz", "/healthz"] {
            let line = format!("GET {path} HTTP/1.1");
            let reply = client::request(server.admin, &line, &row.headers, b"").await;
            assert_eq!(reply.status, 403, "{path} {:?}", row.headers);
        }
    }
    // As HAProxy asks: an old version of HTTP, and no name.
    let probe = b"GET /readyz HTTP/1.0\r\n\r\n";
    assert_eq!(client::exchange(server.admin, probe).await.body, "ready");
}

#[tokio::test]
async fn a_bot_without_authentication_keeps_to_its_list_of_service_urls() {
    let service_urls = ServiceUrls::Only(vec!["https://channel.example/a".to_owned()]);
    let options = EndpointOptions { service_urls, ..EndpointOptions::unauthenticated() };
    let store = Arc::new(MemoryStore::default());
    let server = Server::with(echo(), store, Limits::default(), options).await;
    assert_eq!(status(server.address, POST, &[]).await.0, 200);
    assert_eq!(status(server.address, POST, &[("host", "bot.example")]).await.0, 403);

    let reply = server.post(&message("2", "hi", "http://127.0.0.1:1/")).await;
    let (_, sentence) = reply.error();
    assert_eq!(reply.status, 400);
    assert!(sentence.ends_with("expected a URL that starts with https://channel.example/a"));
}
