//! Statements of the engine, as a relay before the server counts them.

use std::sync::Arc;

use sayso_stores::PostgresStore;

use super::{connect, fresh_name, server, url};
use crate::costs::{
    check,
    wire::{Protocol, Wire},
};

#[tokio::test]
async fn costs_are_as_the_page_says() {
    let schema = fresh_name();
    let url = url(&format!("schema={schema}&sslmode=disable"));
    let (_, rest) = url.split_once('@').expect("a user in the URL");
    let address = rest.split('/').next().unwrap();
    let wire = Wire::to(address, Protocol::Postgres).await;
    let store = PostgresStore::open_url(&url.replace(address, &wire.address)).await.unwrap();
    check("postgres.md", Arc::new(store), &|| wire.calls()).await;
    let other = connect(&server()).await;
    other.batch_execute(&format!("DROP SCHEMA {schema} CASCADE")).await.unwrap();
}
