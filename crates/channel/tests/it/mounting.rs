//! Bot routes inside an application that has routes, state and a fallback of its own.

use std::{net::SocketAddr, sync::Arc};

use axum::{Router, extract::State, http::StatusCode, routing::get};
use sayso_channel::{Connector, ConnectorOptions, EndpointOptions, routes};
use sayso_turn::{Engine, store::MemoryStore};
use serde_json::json;

use crate::support::{
    self,
    client::{Reply, request},
    echo, message, with,
};

const JSON: (&str, &str) = ("content-type", "application/json");

fn engine() -> Engine {
    let connector = Arc::new(Connector::new(ConnectorOptions::default()).unwrap());
    Engine::builder(echo(), Arc::new(MemoryStore::default()), connector).start()
}

/// An application that contains a bot.
async fn serve(mount: impl FnOnce(Router<&'static str>) -> Router<&'static str>) -> SocketAddr {
    let own = Router::new()
        .route("/", get(|State(name): State<&'static str>| async move { name }))
        .fallback(|| async { (StatusCode::NOT_FOUND, "lost in the shop") });
    let app = mount(own).with_state("the shop");
    support::serve(app).await
}

async fn get_at(address: SocketAddr, path: &str) -> Reply {
    request(address, &format!("GET {path} HTTP/1.1"), &[], b"").await
}

async fn check(address: SocketAddr, at: &str) {
    assert_eq!(get_at(address, "/").await.body, "the shop");
    let hi = message("1", "hi", "http://localhost/");
    let hi = with(hi, json!({ "deliveryMode": "expectReplies" }));
    let line = format!("POST {at}/api/messages HTTP/1.1");
    let reply = request(address, &line, &[JSON], hi.to_string().as_bytes()).await;
    assert_eq!(reply.status, 200, "{reply:?}");
    assert_eq!(reply.json()["activities"][0]["text"], "Echo: hi");
    // Unknown paths go to the application's fallback, a wrong method to the bot's.
    for path in ["/nowhere".to_owned(), format!("{at}/nowhere")] {
        let lost = get_at(address, &path).await;
        assert_eq!((lost.status, lost.body.as_str()), (404, "lost in the shop"), "{path}");
    }
    let refused = get_at(address, &format!("{at}/api/messages")).await;
    assert_eq!((refused.status, refused.error().0.as_str()), (405, "MethodNotAllowed"));
}

#[tokio::test]
async fn a_bot_is_merged_into_an_application_that_has_a_fallback_and_state() {
    let routes = routes(engine(), EndpointOptions::unauthenticated());
    check(serve(|own| own.merge(routes)).await, "").await;
}

#[tokio::test]
async fn a_bot_is_nested_under_a_path_of_an_application() {
    let routes = routes(engine(), EndpointOptions::unauthenticated());
    check(serve(|own| own.nest("/bot", routes)).await, "/bot").await;
}
