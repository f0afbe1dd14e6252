//! Azure Blob Storage: the conformance suite on a real server, and tests of this engine alone.

mod costs;
mod documents;
mod faults;
mod layouts;
mod opening;
mod rotation;
mod sdk;
mod waterfall;

use std::sync::Arc;

use sayso_stores::{
    BlobStore,
    blob::{BlobConfig, DueBy},
};
use sayso_turn::{
    Key,
    store::{ETag, Expect, Saved, Store, Write},
};

/// The account for the tests, as a connection string.
fn account() -> String {
    let text = std::env::var("SAYSO_TEST_BLOB").unwrap_or_default();
    assert!(
        !text.is_empty(),
        "SAYSO_TEST_BLOB is not set: run the tests with `scripts/servers run -- ...`"
    );
    text
}

/// A part of the account's connection string.
fn part(name: &str) -> String {
    let account = account();
    let mut parts = account.split(';').filter_map(|part| part.split_once('='));
    let found = parts.find(|(own, _)| *own == name).map(|(_, value)| value.to_owned());
    found.unwrap_or_else(|| panic!("the connection string for the tests needs {name}"))
}

/// A container that nobody else uses.
fn new_container() -> String {
    format!("sayso-test-{:016x}", fastrand::u64(..))
}

pub(crate) fn config() -> BlobConfig {
    BlobConfig::from_connection_string(&account(), new_container()).expect("a connection string")
}

pub(crate) async fn open(config: BlobConfig) -> Arc<BlobStore> {
    Arc::new(BlobStore::open(config).await.expect("the container opens"))
}

fn key(text: &str) -> Key {
    Key::new(text).unwrap()
}

fn write(text: &str, expect: Expect, body: &str) -> Write {
    Write::new(key(text), expect, body)
}

async fn save(store: &BlobStore, write: Write) -> ETag {
    match store.save(write).await.expect("save works") {
        Saved::Committed(etag) => etag,
        Saved::Conflict => panic!("nobody else writes"),
    }
}

async fn make() -> (Arc<dyn Store>, ()) {
    (open(config()).await, ())
}

async fn make_listing() -> (Arc<dyn Store>, ()) {
    (open(config().with_due_by(DueBy::Listing)).await, ())
}

sayso_stores::conformance!(make(), cases: 64, operations: 40);

/// The suite without index tags: due documents are found by listing.
mod listing {
    use super::make_listing;

    sayso_stores::conformance!(make_listing(), cases: 64, operations: 40);
}
