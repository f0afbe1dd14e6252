//! Bad input: one clear sentence each, and nothing overwritten.

use std::time::{Duration, Instant};

use sayso_stores::{CosmosConfig, CosmosStore, Layout};
use sayso_turn::store::{Error, Saved, Store};
use serde_json::json;

use super::scene::{
    CONTAINER, Raw, committed, connection_string, create, in_database, key, replace,
};

const KEY: &str = "webchat/conversations/c";
const ID: &str = "webchat*2fconversations*2fc";

async fn refused(config: CosmosConfig) -> String {
    let error = CosmosStore::open(config).await.unwrap_err();
    assert!(matches!(error, Error::Invalid { .. }), "{error:?}");
    error.to_string()
}

#[tokio::test]
async fn a_database_that_is_missing_is_named_and_not_made() {
    for _ in 0..2 {
        let says = refused(in_database("test-missing")).await;
        assert!(
            says.contains("no database `test-missing`") && says.contains("create=true"),
            "{says}"
        );
    }
}

#[tokio::test]
async fn a_container_that_is_missing_is_named_and_not_made() {
    let raw = Raw::open(&format!("test-{:016x}", fastrand::u64(..))).await;
    for _ in 0..2 {
        let says = refused(raw.config()).await;
        assert!(says.contains("no container `state`") && says.contains("create=true"), "{says}");
    }
}

#[tokio::test]
async fn a_container_of_another_partition_key_is_refused() {
    let raw = Raw::with_container(json!({"partitionKey": {"paths": ["/tenant"]}})).await;
    for creates in [false, true] {
        let says = refused(raw.config().create(creates)).await;
        assert!(says.contains("partitioned by /tenant and not by /id"), "{says}");
    }
}

#[tokio::test]
async fn a_container_that_does_not_index_the_time_is_refused_or_mended_when_asked() {
    let nothing = json!({"indexingPolicy": {"automatic": false, "indexingMode": "none"}});
    let raw = Raw::with_container(nothing).await;
    let says = refused(raw.config()).await;
    assert!(says.contains("does not index /due/?") && says.contains("create=true"), "{says}");
    assert!(!raw.policy().await.automatic, "it is as it was");

    drop(CosmosStore::open(raw.config().create(true)).await.unwrap());
    let policy = raw.policy().await;
    assert!(policy.automatic && policy.included_paths.iter().any(|path| path.path == "/due/?"));
    drop(CosmosStore::open(raw.config()).await.unwrap());
}

#[tokio::test]
async fn a_document_that_is_not_ours_is_reported_and_left() {
    let raw = Raw::with_container(json!({})).await;
    let store = CosmosStore::open(raw.config()).await.unwrap();
    for foreign in [
        json!({"id": ID, "order": "a secret"}),
        json!({"id": ID, "realId": "another/conversations/c", "document": {"secret": 1}}),
        json!({"id": ID, "realId": KEY, "sayso": {"write": "w", "order": "secret"}, "document": {}}),
        json!({"id": ID, "realId": KEY, "sayso": {"write": "w"}}),
    ] {
        raw.put(&foreign).await;
        let before = raw.item(CONTAINER, ID).await.unwrap();
        let error = store.load(&key(KEY)).await.unwrap_err();
        assert!(matches!(error, Error::Corrupt { .. }), "{error:?}");
        let says = error.to_string();
        assert!(says.contains("was left as it is") && !says.contains("secret"), "{says}");
        assert_eq!(store.save(create(&key(KEY), "{}")).await.unwrap(), Saved::Conflict);
        assert_eq!(raw.item(CONTAINER, ID).await.unwrap(), before, "nothing is overwritten");
    }
}

#[tokio::test]
async fn items_without_a_key_of_ours_are_in_no_list() {
    let raw = Raw::with_container(json!({})).await;
    let store = CosmosStore::open(raw.config()).await.unwrap();
    raw.put(&json!({"id": "a", "due": 1})).await;
    raw.put(&json!({"id": "b", "realId": 7, "due": 1})).await;
    raw.put(&json!({"id": "c", "realId": "elsewhere", "due": 1})).await;
    raw.put(&json!({"id": "d", "realId": "d", "due": "soon"})).await;
    let _etag = committed(store.save(create(&key("e"), "{}")).await.unwrap());
    let listed: Vec<_> = futures_util::TryStreamExt::try_collect(store.list("")).await.unwrap();
    assert_eq!(listed, [key("d"), key("e")]);
    let now = sayso_turn::clock::Timestamp::from_millis(9);
    assert_eq!(store.due(now, None, 9).await.unwrap().found, []);
}

#[tokio::test]
async fn a_url_opens_what_it_names_and_the_store_shows_no_key() {
    let raw = Raw::with_container(json!({})).await;
    let text = connection_string();
    let part = |name: &str| text.split_once(name).unwrap().1.split(';').next().unwrap().to_owned();
    let endpoint = part("AccountEndpoint=");
    let (scheme, host) = endpoint.split_once("://").unwrap();
    let scheme = if scheme == "http" { "cosmos+http" } else { "cosmos" };
    let secret = part("AccountKey=").replace('=', "%3D").replace('/', "%2F").replace('+', "%2B");
    let url = format!("{scheme}://:{secret}@{host}{}/{CONTAINER}", raw.name);
    let store = CosmosStore::open_url(&url).await.unwrap();
    let shown = format!("{store} {store:?}");
    assert!(shown.starts_with("Cosmos DB at ") && !shown.contains(&part("AccountKey=")), "{shown}");
    let etag = committed(store.save(create(&key(KEY), "{}")).await.unwrap());
    let _etag = committed(store.save(replace(&key(KEY), &etag, "{}")).await.unwrap());
}

#[tokio::test]
async fn an_account_that_does_not_answer_is_unavailable_soon() {
    // A port that was free a moment ago.
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    drop(listener);
    let config =
        CosmosConfig::new(&format!("http://127.0.0.1:{port}/"), "bots", CONTAINER).unwrap();
    let config = config.key("ZW11bGF0b3I=").call_max(Duration::from_secs(2));
    let started = Instant::now();
    let error = CosmosStore::open(config).await.unwrap_err();
    assert!(matches!(error, Error::Unavailable { .. }), "{error:?}");
    assert!(started.elapsed() < Duration::from_secs(20), "{:?}", started.elapsed());
}

#[tokio::test]
async fn a_key_that_cannot_be_one_is_refused() {
    let config = in_database("test-missing").key("no key, and secret");
    let says = refused(config).await;
    assert!(says.contains("check the account key") && !says.contains("secret"), "{says}");
}

#[tokio::test]
async fn the_sample_has_no_layout_here() {
    let says = refused(in_database("test-missing").layout(Layout::Sample)).await;
    assert!(says.contains("the published sample keeps nothing in Cosmos DB"), "{says}");
}
