//! Containers: creation of missing ones, and distribution of documents.

use std::collections::BTreeSet;

use futures_util::TryStreamExt;
use sayso_stores::{CosmosConfig, CosmosStore, cosmos::Containers};
use sayso_turn::{
    Key,
    clock::Timestamp,
    store::{Error, Store, Write},
};
use serde_json::json;

use super::scene::{
    CONTAINER, Raw, committed, config, connection_string, create, in_database, key, look,
};

async fn raw_of(store: &CosmosStore) -> Raw {
    let name = store.to_string();
    Raw::open(name.rsplit_once(", ").unwrap().1.split_once('/').unwrap().0).await
}

#[tokio::test]
async fn a_container_of_ours_is_partitioned_by_the_key_and_indexes_only_the_time() {
    let store = CosmosStore::open(config().throughput(600)).await.unwrap();
    let raw = raw_of(&store).await;
    let properties = raw.properties(CONTAINER).await;
    assert_eq!(properties["partitionKey"], json!({"paths": ["/id"], "kind": "Hash", "version": 2}));
    assert_eq!(
        properties["defaultTtl"], -1,
        "items may have a life span, and have none by default"
    );
    let policy = &properties["indexingPolicy"];
    assert_eq!(policy["includedPaths"], json!([{"path": "/due/?"}]));
    assert_eq!(policy["excludedPaths"], json!([{"path": "/*"}]));
    let throughput = raw.container(CONTAINER).await.read_throughput(None).await.unwrap();
    assert_eq!(throughput.and_then(|throughput| throughput.throughput()), Some(600));
}

#[tokio::test]
async fn what_is_there_already_is_left_as_it_is() {
    let raw = Raw::with_container(json!({"defaultTtl": 60})).await;
    let before = raw.properties(CONTAINER).await;
    drop(CosmosStore::open(raw.config().create(true)).await.unwrap());
    assert_eq!(raw.properties(CONTAINER).await, before);
}

#[tokio::test]
async fn documents_of_each_kind_and_tenant_are_where_they_belong() {
    let conversation = key("webchat/conversations/c");
    let user = key("msteams/users/u");
    let other = key("settings");
    let tenant = key("~bot~contoso/webchat/users/u");
    for (containers, places) in [
        (Containers::One, ["state", "state", "state", "state"]),
        (Containers::Kind, ["state-conversations", "state-users", "state-other", "state-users"]),
        (Containers::Tenant, ["state-webchat", "state-msteams", "state", "state.contoso"]),
    ] {
        let store = CosmosStore::open(config().containers(containers)).await.unwrap();
        let raw = raw_of(&store).await;
        for (key, place) in [&conversation, &user, &other, &tenant].into_iter().zip(places) {
            assert!(store.load(key).await.unwrap().is_none());
            let due = Some(Timestamp::START);
            let _etag = committed(store.save(Write { due, ..create(key, "{}") }).await.unwrap());
            let id = key.as_str().replace('/', "*2f");
            assert!(raw.item(place, &id).await.is_some(), "{containers}: {key} is in {place}");
        }
        // Another instance, which has opened none of the tenants' containers, finds all of them.
        let other_store = CosmosStore::open(raw.config().containers(containers)).await.unwrap();
        let due = look(&other_store).await;
        let due: BTreeSet<&Key> = due.iter().map(|due| &due.key).collect();
        assert_eq!(due, BTreeSet::from([&user, &other, &conversation, &tenant]), "{containers}");
        let mut listed: Vec<Key> = other_store.list("").try_collect().await.unwrap();
        listed.sort();
        let all = [&user, &other, &conversation, &tenant].map(Clone::clone);
        assert_eq!(listed, all, "{containers}");
    }
}

#[tokio::test]
async fn a_tenant_without_a_container_is_an_error_unless_it_may_be_made() {
    let raw = Raw::with_container(json!({})).await;
    let config = in_database(&raw.name).containers(Containers::Tenant);
    let store = CosmosStore::open(config).await.unwrap();
    let new = key("webchat/conversations/c");
    for error in
        [store.load(&new).await.unwrap_err(), store.save(create(&new, "{}")).await.unwrap_err()]
    {
        assert!(matches!(error, Error::Invalid { .. }), "{error:?}");
        assert!(error.to_string().contains("no container `state-webchat`"), "{error}");
    }
    let _etag = committed(store.save(create(&key("settings"), "{}")).await.unwrap());
}

#[tokio::test]
async fn containers_of_others_do_not_disturb() {
    let raw = Raw::with_container(json!({})).await;
    let mine = raw.config().containers(Containers::Tenant).create(true);
    let theirs = CosmosConfig::from_connection_string(&connection_string(), &raw.name, "state-eu");
    let theirs = theirs.unwrap().containers(Containers::Tenant).create(true);
    let odd = json!({"id": "state-odd", "partitionKey": {"paths": ["/x"]}});
    let odd = raw.database.create_container(serde_json::from_value(odd).unwrap(), None).await;
    drop(odd.unwrap());
    let (mine, theirs) =
        (CosmosStore::open(mine).await.unwrap(), CosmosStore::open(theirs).await.unwrap());
    let (one, other) = (key("webchat/users/1"), key("webchat/users/2"));
    for (store, key) in [(&mine, &one), (&theirs, &other)] {
        let due = Some(Timestamp::START);
        let _etag = committed(store.save(Write { due, ..create(key, "{}") }).await.unwrap());
    }
    for (store, key) in [(&mine, &one), (&theirs, &other)] {
        let due = look(store).await;
        assert_eq!(due.iter().map(|due| &due.key).collect::<Vec<_>>(), [key]);
        let listed: Vec<Key> = store.list("").try_collect().await.unwrap();
        assert_eq!(listed, std::slice::from_ref(key));
    }
}

#[tokio::test]
async fn an_old_container_without_a_partition_key_is_used_as_it_is() {
    let raw = Raw::with_container(json!({"partitionKey": {"paths": ["/_partitionKey"]}})).await;
    let store = CosmosStore::open(raw.config()).await.unwrap();
    let (one, other) = (key("webchat/users/1"), key("webchat/users/2"));
    let etag = committed(store.save(create(&one, "[1]")).await.unwrap());
    let _etag = committed(store.save(create(&other, "[2]")).await.unwrap());
    assert_eq!(store.load(&one).await.unwrap().unwrap().body, "[1]");
    let listed: Vec<Key> = store.list("webchat/").try_collect().await.unwrap();
    assert_eq!(listed.len(), 2);
    let _etag = committed(store.delete(&one, &etag).await.unwrap());
    assert!(store.load(&one).await.unwrap().is_none());
}

/// A container taken over from another SDK indexes everything, as Cosmos does by itself.
#[tokio::test]
async fn a_container_that_indexes_bodies_is_warned_about() {
    let paths = |included: &str, excluded: &str| {
        json!({"indexingPolicy": {"automatic": true, "indexingMode": "consistent",
            "includedPaths": [{"path": included}, {"path": "/due/?"}],
            "excludedPaths": [{"path": excluded}]}})
    };
    for (properties, is_warned) in [
        (json!({}), true),
        (paths("/*", "/\"_etag\"/?"), true),
        (paths("/document/name/?", "/*"), true),
        (paths("/*", "/document/*"), false),
        (paths("/realId/?", "/*"), false),
    ] {
        let raw = Raw::with_container(properties.clone()).await;
        let store = CosmosStore::open(raw.config()).await.unwrap();
        let warned = store.warnings().join("\n");
        assert_eq!(warned.contains("indexes /document/*"), is_warned, "{properties}: {warned}");
    }
    let store = CosmosStore::open(config()).await.unwrap();
    assert_eq!(store.warnings(), Vec::<String>::new(), "one of ours");
}

#[tokio::test]
async fn a_container_that_fails_hides_none_after_it_from_a_look() {
    let store = CosmosStore::open(config().containers(Containers::Tenant)).await.unwrap();
    let raw = raw_of(&store).await;
    let keys = ["a/users/u", "b/users/u", "c/users/u"].map(key);
    for key in &keys {
        let due = Some(Timestamp::START);
        let _etag = committed(store.save(Write { due, ..create(key, "{}") }).await.unwrap());
    }
    // Somebody removes a container under the store.
    drop(raw.container("state-a").await.delete(None).await.unwrap());
    let (mut found, mut from) = (Vec::new(), None);
    let mut error = None;
    for _ in 0..9 {
        match store.due(Timestamp::START, from.as_ref(), 9).await {
            Ok(page) => {
                found.extend(page.found.into_iter().map(|due| due.key));
                from = page.next;
                if from.is_none() {
                    break;
                }
            }
            Err(failed) => {
                error = Some(failed.to_string());
                break;
            }
        }
    }
    assert_eq!(found, keys[1..]);
    assert!(error.is_some_and(|error| error.contains("state-a") || error.contains("is gone")));
}
