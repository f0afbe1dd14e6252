//! Requests of the engine, as a relay before the server counts them.

use std::sync::Arc;

use super::{endpoint, open, url};
use crate::costs::{
    check,
    wire::{Protocol, Wire},
};

fn name(line: &str) -> &'static str {
    match line.split(' ').next() {
        Some("GET") if line.contains("list-type=2") => "LIST",
        Some("GET") => "GET",
        Some("PUT") => "PUT",
        Some("DELETE") => "DELETE",
        _ => "other",
    }
}

#[tokio::test]
async fn costs_are_as_the_page_says() {
    let url = url("SAYSO_TEST_S3", "s3");
    let server = endpoint(&url).expect("a server of our own");
    let wire = Wire::to(server, Protocol::Http(name)).await;
    let store = open(&url.replace(server, &wire.address)).await;
    check("s3.md", Arc::new(store), &|| wire.calls()).await;
}
