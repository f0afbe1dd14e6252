//! Requests and request units of the engine, as the store counts them itself.

use std::sync::Arc;

use sayso_stores::CosmosStore;
use sayso_turn::store::Store;

use super::scene::config;
use crate::costs::{Calls, check};

#[expect(clippy::cast_precision_loss, reason = "a few calls")]
fn calls(store: &CosmosStore) -> Calls {
    let stats = store.stats();
    let counts = [
        ("point read", stats.loads.calls as f64),
        ("create or replace", stats.saves.calls as f64),
        ("query", (stats.dues.calls + stats.lists.calls) as f64),
        ("RU", stats.request_units()),
    ];
    counts.into_iter().map(|(name, count)| (name.to_owned(), count)).collect()
}

#[tokio::test]
async fn costs_are_as_the_page_says() {
    let store = Arc::new(CosmosStore::open(config()).await.unwrap());
    check("cosmos.md", Arc::clone(&store) as Arc<dyn Store>, &|| calls(&store)).await;
}
