//! Health, readiness and statistics.

use std::sync::Arc;

use sayso_channel::EndpointOptions;
use sayso_turn::Limits;

use crate::support::{PATIENCE, Server, echo, message, sink::Sink, store::Broken};

#[tokio::test]
async fn an_instance_with_a_store_is_ready() {
    let server = Server::start(echo()).await;
    for (path, body) in [("/healthz", "ok"), ("/readyz", "ready")] {
        let reply = server.get(path).await;
        assert_eq!((reply.status, reply.body.as_str()), (200, body));
    }
}

#[tokio::test]
async fn an_instance_without_its_store_is_healthy_and_not_ready() {
    for (store, sentence) in [
        (Broken::Unavailable, "the store cannot be reached"),
        (Broken::Invalid, "the store cannot be reached"),
        (Broken::Hanging, "the store does not answer in time"),
    ] {
        let (limits, options) = (Limits::default(), EndpointOptions::default());
        let server = Server::with(echo(), Arc::new(store), limits, options).await;
        let reply = server.get("/readyz").await;
        assert_eq!((reply.status, reply.error().1.as_str()), (503, sentence));
        assert_eq!(server.get("/healthz").await.status, 200);
    }
}

#[tokio::test]
async fn the_counters_are_one_flat_object() {
    let mut sink = Sink::accepting().await;
    let server = Server::start(echo()).await;
    assert_eq!(server.post(&message("1", "hi", &sink.url())).await.status, 200);
    sink.next().await;
    assert_eq!(server.engine.close(PATIENCE).await, 0);
    let reply = server.get("/stats").await;
    assert_eq!((reply.status, reply.header("content-type")), (200, Some("application/json")));
    let stats = reply.json();
    assert_eq!(
        (&stats["turns"], &stats["delivered"], &stats["busy"]),
        (&1.into(), &1.into(), &0.into())
    );
    assert_eq!(stats["instance"], server.engine.instance());
    assert!(stats["store"]["saves"]["calls"].is_u64(), "those of the store are within: {stats}");
}
