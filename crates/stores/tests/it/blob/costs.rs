//! Requests of the engine, as a relay before the server counts them.

use sayso_stores::blob::{BlobConfig, DueBy};

use super::{account, new_container, open, part};
use crate::costs::{
    check, check_with,
    wire::{Protocol, Wire},
};

fn name(line: &str) -> &'static str {
    match line.split(' ').next() {
        Some("GET") if line.contains("comp=blobs") => "Find Blobs by Tags",
        Some("GET") if line.contains("comp=list") => "List Blobs",
        Some("GET") => "Get Blob",
        Some("PUT") => "Put Blob",
        Some("DELETE") => "Delete Blob",
        Some("HEAD") => "Get Blob Properties",
        _ => "other",
    }
}

async fn through_a_relay() -> (BlobConfig, Wire) {
    let endpoint = part("BlobEndpoint");
    let server = endpoint.trim_start_matches("http://").split('/').next().unwrap();
    let wire = Wire::to(server, Protocol::Http(name)).await;
    let through = account().replace(server, &wire.address);
    (BlobConfig::from_connection_string(&through, new_container()).unwrap(), wire)
}

#[tokio::test]
async fn costs_are_as_the_page_says() {
    let (config, wire) = through_a_relay().await;
    check("azure-blob.md", open(config).await, &|| wire.calls()).await;
}

#[tokio::test]
async fn costs_without_index_tags_are_as_the_page_says() {
    let (config, wire) = through_a_relay().await;
    let store = open(config.with_due_by(DueBy::Listing)).await;
    check_with("azure-blob.md", " with `due=list`", store, &|| wire.calls()).await;
}
