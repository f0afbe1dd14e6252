//! Listings while the server changes under them.

use std::collections::BTreeSet;

use futures_util::{StreamExt, future::join_all};
use sayso_stores::RedisStore;
use sayso_turn::{Key, store::Store};

use super::{create, server::Server};

/// More than a few pages of a scan.
const DOCUMENTS: usize = 6_000;

/// A cursor means something to the process that gave it only: another one, which took its place,
/// has its keys in another order.
#[tokio::test]
async fn a_listing_is_whole_although_the_server_was_replaced_in_its_middle() {
    let mut server = Server::start(&[]);
    let store = RedisStore::open_url(&server.url()).await.unwrap();
    let names: Vec<String> = (0..DOCUMENTS).map(|number| format!("document/{number}")).collect();
    for names in names.chunks(500) {
        let saved = join_all(names.iter().map(|name| store.save(create(name, "{}")))).await;
        assert!(saved.iter().all(Result::is_ok));
    }
    let mut listing = store.list("");
    let mut listed = BTreeSet::<Key>::new();
    for _ in 0..DOCUMENTS / 2 {
        assert!(listed.insert(listing.next().await.unwrap().unwrap()), "each once");
    }
    server.kill();
    server.start_again();
    while let Some(key) = listing.next().await {
        assert!(listed.insert(key.unwrap()), "each once");
    }
    assert_eq!(listed.len(), DOCUMENTS);
}
