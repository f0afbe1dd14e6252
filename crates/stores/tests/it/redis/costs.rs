//! Commands of the engine, as a relay before the server counts them.

use std::sync::Arc;

use sayso_stores::RedisStore;

use super::url;
use crate::costs::{
    check,
    wire::{Protocol, Wire},
};

#[tokio::test]
async fn costs_are_as_the_page_says() {
    let url = url();
    let server = url.strip_prefix("redis://").unwrap().split('/').next().unwrap();
    let wire = Wire::to(server, Protocol::Redis).await;
    let store = RedisStore::open_url(&url.replace(server, &wire.address)).await.unwrap();
    check("redis.md", Arc::new(store), &|| wire.calls()).await;
}
