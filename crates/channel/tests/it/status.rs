//! Health, readiness and statistics, on an address of their own.

use std::{sync::Arc, time::Duration};

use sayso_channel::{EndpointOptions, Rate, RateLimits, StatusOptions, status_routes};
use sayso_turn::{Limits, store::MemoryStore};
use serde_json::json;

use crate::support::{
    PATIENCE, Server, client, echo, message, serve,
    sink::Sink,
    store::{Broken, Counted},
    with,
};

#[tokio::test]
async fn an_instance_with_a_store_is_ready() {
    let server = Server::start(echo()).await;
    for (path, body) in [("/healthz", "ok"), ("/readyz", "ready")] {
        let reply = server.status(path).await;
        assert_eq!((reply.status, reply.body.as_str()), (200, body));
        assert_eq!(server.get(path).await.status, 404, "not where channels post");
    }
}

#[tokio::test]
async fn an_instance_without_its_store_is_healthy_and_not_ready() {
    for (store, sentence) in [
        (Broken::Unavailable, "the store cannot be reached"),
        (Broken::Invalid, "the store cannot be reached"),
        (Broken::Hanging, "the store does not answer in time"),
    ] {
        let (limits, options) = (Limits::default(), EndpointOptions::unauthenticated());
        let server = Server::with(echo(), Arc::new(store), limits, options).await;
        let reply = server.status("/readyz").await;
        assert_eq!((reply.status, reply.error().1.as_str()), (503, sentence));
        assert_eq!(server.status("/healthz").await.status, 200);
    }
}

#[tokio::test]
async fn however_many_ask_for_readiness_the_store_is_asked_now_and_then() {
    let store = Arc::new(Counted::default());
    // Nothing else asks the store what is due.
    let limits = Limits { sweep_every: PATIENCE, ..Limits::default() };
    let options = EndpointOptions::unauthenticated();
    let server = Server::with(echo(), Arc::clone(&store) as _, limits, options).await;
    let before = store.looks();
    let began = std::time::Instant::now();
    for _ in 0..10 {
        let asked = (0..50).map(|_| server.status("/readyz"));
        let replies = futures_util::future::join_all(asked).await;
        assert!(replies.iter().all(|reply| reply.body == "ready"));
    }
    let (asked, seconds) = (store.looks() - before, began.elapsed().as_secs());
    assert!(asked >= 1 && asked <= 2 + seconds, "{asked} in {seconds} s");
    // Health asks nobody at all.
    let before = store.looks();
    for _ in 0..20 {
        assert_eq!(server.status("/healthz").await.body, "ok");
    }
    assert_eq!(store.looks(), before);
}

#[tokio::test]
async fn a_hanging_store_keeps_no_client_waiting_for_long_and_is_not_asked_by_each() {
    let store = Arc::new(Counted::hanging());
    let limits = Limits { sweep_every: 3 * PATIENCE, ..Limits::default() };
    let options = EndpointOptions::unauthenticated();
    let server = Server::with(echo(), Arc::clone(&store) as _, limits, options).await;
    let before = store.looks();
    let began = std::time::Instant::now();
    let asked = (0..200).map(|_| server.status("/readyz"));
    let replies = futures_util::future::join_all(asked).await;
    assert!(replies.iter().all(|reply| reply.status == 503));
    assert!(began.elapsed() < PATIENCE / 2, "{:?}", began.elapsed());
    // One for all of them; the engine looks for abandoned work when it starts.
    assert!((1..=2).contains(&(store.looks() - before)), "{}", store.looks());
    // A client that gives up leaves the check to the others.
    tokio::time::sleep(Duration::from_millis(1100)).await;
    let began = std::time::Instant::now();
    assert_eq!(server.status("/readyz").await.status, 503);
    assert!(began.elapsed() < Duration::from_secs(2), "a failure is known while it is looked at");
    // A turn that needs what the store still gives goes on.
    let expecting = json!({"deliveryMode": "expectReplies", "serviceUrl": null});
    let reply = server.post(&with(message("1", "hi", ""), expecting)).await;
    assert_eq!(reply.status, 200, "{reply:?}");
}

#[tokio::test]
async fn the_counters_are_one_flat_object() {
    let mut sink = Sink::accepting().await;
    let server = Server::start(echo()).await;
    assert_eq!(server.post(&message("1", "hi", &sink.url())).await.status, 200);
    sink.next().await;
    assert_eq!(client::post(server.address, "{}").await.status, 400);
    assert_eq!(server.engine.close(PATIENCE).await, 0);
    let reply = server.status("/stats").await;
    assert_eq!((reply.status, reply.header("content-type")), (200, Some("application/json")));
    let stats = reply.json();
    assert_eq!(
        (&stats["turns"], &stats["delivered"], &stats["busy"]),
        (&1.into(), &1.into(), &0.into())
    );
    assert_eq!(stats["instance"], server.engine.instance());
    assert_eq!((&stats["refused_activity"], &stats["refused_token"]), (&1.into(), &0.into()));
    assert!(stats["store"]["saves"]["calls"].is_u64(), "those of the store are within: {stats}");
}

#[tokio::test]
async fn an_open_status_address_serves_any_name_and_no_foreign_page() {
    let server = Server::start(echo()).await;
    let options = StatusOptions { is_local: false, ..StatusOptions::default() };
    let address = serve(status_routes(server.engine.clone(), options)).await;
    let line = "GET /readyz HTTP/1.1";
    for (header, status) in [
        (("host", "bot-7.bots.svc.cluster.local:13978"), 200),
        (("x-forwarded-for", "10.0.0.1"), 200),
        (("origin", "https://evil.example"), 403),
        (("sec-fetch-site", "cross-site"), 403),
    ] {
        assert_eq!(client::request(address, line, &[header], b"").await.status, status);
    }
}

#[tokio::test]
async fn whoever_sends_too_much_is_told_when_to_come_again() {
    const RATE: Rate = Rate { requests: 3, per: Duration::from_secs(3600) };
    let expecting = json!({"deliveryMode": "expectReplies", "serviceUrl": null});
    let say = |id: &str, conversation: &str| {
        let good = with(message(id, "hi", ""), expecting.clone());
        with(good, json!({"conversation": {"id": conversation}}))
    };
    for (limits, counter, is_by_peer) in [
        (RateLimits { peer: Some(RATE), ..Default::default() }, "refused_peer_rate", true),
        (
            RateLimits { conversation: Some(RATE), ..Default::default() },
            "refused_conversation_rate",
            false,
        ),
    ] {
        let options = EndpointOptions { rate_limits: limits, ..EndpointOptions::unauthenticated() };
        let store = Arc::new(MemoryStore::default());
        let server = Server::with(echo(), store, Limits::default(), options).await;
        for id in ["1", "2", "3"] {
            assert_eq!(server.post(&say(id, "c1")).await.status, 200);
        }
        let reply = server.post(&say("4", "c1")).await;
        assert_eq!((reply.status, reply.error().0.as_str()), (429, "RateLimited"), "{reply:?}");
        let seconds: u64 = reply.header("retry-after").unwrap().parse().unwrap();
        assert!((1100..=1200).contains(&seconds), "{seconds}");
        let other = server.post(&say("5", "c2")).await.status;
        assert_eq!(other, if is_by_peer { 429 } else { 200 });
        let refused = server.status("/stats").await.json()[counter].as_u64().unwrap();
        assert_eq!(refused, if is_by_peer { 2 } else { 1 });
    }
}
