//! Reads of what another instance wrote, on an account whose regions are behind each other.

use std::{sync::Arc, time::Duration};

use azure_core::http::Url;
use azure_data_cosmos::{AccountReference, CosmosClient, CosmosRuntimeBuilder, RoutingStrategy};
use azure_data_cosmos_driver::in_memory_emulator::{
    ConsistencyLevel, InMemoryEmulatorHttpClient, ReplicationConfig, VirtualAccountConfig,
    VirtualRegion,
};
use sayso_stores::{CosmosConfig, CosmosStore};
use sayso_turn::store::{Error, Saved, Store};

use super::scene::{ANY_KEY, committed, create, key, replace, stored};

const HUB: &str = "https://eastus.emulator.local/";
const NEAR: &str = "https://westus.emulator.local/";

/// The time that a write takes from one region to the other.
const DELAY: Duration = Duration::from_secs(2);

async fn store(emulator: &Arc<InMemoryEmulatorHttpClient>) -> Result<CosmosStore, Error> {
    let runtime: CosmosRuntimeBuilder =
        emulator.runtime_builder_with_fault_rules(Vec::new()).into();
    let hub: Url = HUB.parse().unwrap();
    let account = AccountReference::with_authentication_key(hub.into(), ANY_KEY);
    let regions = vec!["West US".into(), "East US".into()];
    let client = CosmosClient::builder()
        .with_runtime(runtime.build().await.unwrap())
        .build(account, RoutingStrategy::PreferredRegions(regions))
        .await
        .unwrap();
    let config = CosmosConfig::new(HUB, "bots", "state").unwrap().create(true);
    CosmosStore::open_with(&client, config.call_max(Duration::from_secs(5))).await
}

/// A store, once the database and the container have come to the other region.
async fn opened(emulator: &Arc<InMemoryEmulatorHttpClient>) -> CosmosStore {
    for _ in 0..200 {
        if let Ok(store) = store(emulator).await {
            return store;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    panic!("the container does not come to the other region");
}

/// Session consistency: an instance sees its own writes at once, those of another later. What it
/// does with an old version conflicts, and then it sees the newer one.
#[tokio::test]
async fn an_instance_that_read_an_old_version_conflicts_and_then_reads_the_newer() {
    let regions = [("East US", HUB), ("West US", NEAR)];
    let regions = regions.map(|(name, url)| VirtualRegion::new(name, url.parse().unwrap()));
    let account = VirtualAccountConfig::new(regions.to_vec()).unwrap();
    let account = account.with_consistency(ConsistencyLevel::Session);
    let account = account.with_replication_config(ReplicationConfig::fixed(DELAY));
    let emulator = Arc::new(InMemoryEmulatorHttpClient::new(account));
    let (one, other) = (opened(&emulator).await, opened(&emulator).await);

    let first = committed(one.save(create("[1]")).await.unwrap());
    assert_eq!(stored(&one).await.as_deref(), Some("[1]"), "its own write, at once");
    assert_eq!(stored(&other).await, None, "not there yet, for another");
    assert_eq!(other.save(create("[other]")).await.unwrap(), Saved::Conflict);
    assert_eq!(stored(&other).await.as_deref(), Some("[1]"), "after the conflict it sees more");

    let second = committed(one.save(replace(&first, "[2]")).await.unwrap());
    assert_eq!(other.save(replace(&first, "[other]")).await.unwrap(), Saved::Conflict);
    let found = other.load(&key()).await.unwrap().unwrap();
    assert_eq!((found.body.as_str(), &found.etag), ("[2]", &second));
    let _etag = committed(other.save(replace(&found.etag, "[3]")).await.unwrap());
    assert_eq!(stored(&other).await.as_deref(), Some("[3]"));
}
