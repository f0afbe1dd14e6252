//! Partitions: the conformance suite over tenants, and what is theirs alone.

mod engines;
mod looks;
mod scattered;
mod totals;

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex},
};

use futures_util::TryStreamExt;
use sayso_stores::{PartitionBy, PartitionedStore, doubles::Counted};
use sayso_turn::{
    Key, KeyScheme,
    store::{Error, Expect, MemoryStore, Saved, Store, Write},
};

/// Partitions in memory, as a server keeps them: opened by name, any number of times.
#[derive(Clone, Debug, Default)]
struct Server {
    base: Arc<MemoryStore>,
    stores: Arc<Mutex<BTreeMap<String, Arc<Counted<MemoryStore>>>>>,
    opened: Arc<Mutex<Vec<String>>>,
}

impl Server {
    fn connect(&self, by: PartitionBy) -> PartitionedStore {
        let server = self.clone();
        PartitionedStore::new(by, Arc::clone(&self.base) as _, move |name| {
            server.opened.lock().unwrap().push(name.clone());
            let mut stores = server.stores.lock().unwrap();
            let new = || Arc::new(Counted::new(Arc::new(MemoryStore::default())));
            let store = Arc::clone(stores.entry(name).or_insert_with(new));
            std::future::ready(Ok(store as Arc<dyn Store>))
        })
    }

    fn opened(&self) -> usize {
        self.opened.lock().unwrap().len()
    }
}

fn of(tenant: &str) -> Write {
    let key = KeyScheme::default().by_tenant(true).scope(Some(tenant)).user("msteams", "ann");
    Write {
        key: key.unwrap(),
        expect: Expect::Absent,
        body: format!("\"{}\"", tenant.len()),
        due: None,
        expires: None,
        participants: None,
    }
}

async fn keys(store: &dyn Store, prefix: &str) -> Vec<String> {
    let keys: Vec<Key> = store.list(prefix).try_collect().await.unwrap();
    let mut keys: Vec<String> = keys.iter().map(|key| key.as_str().to_owned()).collect();
    keys.sort();
    keys
}

#[tokio::test]
async fn a_tenant_is_listed_and_removed_alone() {
    let server = Server::default();
    let store = server.connect(PartitionBy::Tenant);
    for tenant in ["a", "ab", "A", ""] {
        assert!(matches!(store.save(of(tenant)).await.unwrap(), Saved::Committed(_)));
    }
    assert_eq!(keys(&store, "").await.len(), 4, "the directory is not among them");
    assert_eq!(keys(&store, "~~a/").await, ["~~a/msteams/users/ann"]);
    assert_eq!(keys(&store, "~~a").await.len(), 2);
    assert_eq!(keys(&store, "~~b/").await, [""; 0]);
    assert_eq!(keys(&store, "msteams/").await, [""; 0]);
    let names = store.partitions().await.unwrap();
    assert_eq!((names.len(), &*names[1], &*names[2]), (3, "t-a", "t-ab"));

    // Dropping the partition is dropping the tenant.
    let tenant = Arc::clone(&server.stores.lock().unwrap()["t-a"]);
    assert_eq!(keys(&*tenant, "").await, ["~~a/msteams/users/ann"]);
    let etag = store.load(&of("a").key).await.unwrap().unwrap().etag;
    assert!(matches!(store.delete(&of("a").key, &etag).await.unwrap(), Saved::Committed(_)));
    assert_eq!(keys(&store, "").await.len(), 3);
}

#[tokio::test]
async fn what_was_never_written_opens_no_partition() {
    let server = Server::default();
    let store = server.connect(PartitionBy::Tenant);
    for tenant in ["a", "b", "c"] {
        assert!(store.load(&of(tenant).key).await.unwrap().is_none());
        let etag = sayso_turn::store::ETag::new("1");
        assert_eq!(store.delete(&of(tenant).key, &etag).await.unwrap(), Saved::Conflict);
    }
    assert_eq!(server.opened(), 0);
    assert!(store.partitions().await.unwrap().is_empty());
}

#[tokio::test]
async fn another_instance_finds_a_new_partition_at_once() {
    let server = Server::default();
    let [one, other] = [PartitionBy::Tenant; 2].map(|by| server.connect(by));
    assert!(other.load(&of("a").key).await.unwrap().is_none());
    one.save(of("a")).await.unwrap();
    assert!(other.load(&of("a").key).await.unwrap().is_some());
    assert_eq!(other.save(of("a")).await.unwrap(), Saved::Conflict);
    assert_eq!(keys(&server.connect(PartitionBy::Tenant), "").await.len(), 1);
}

#[tokio::test]
async fn instances_that_add_partitions_at_once_lose_none() {
    let server = Server::default();
    let added = (0..6).map(|n| {
        let store = server.connect(PartitionBy::Tenant);
        async move { store.save(of(&format!("tenant-{n}"))).await }
    });
    for saved in futures_util::future::join_all(added).await {
        assert!(matches!(saved.unwrap(), Saved::Committed(_)));
    }
    assert_eq!(server.connect(PartitionBy::Tenant).partitions().await.unwrap().len(), 6);
}

#[tokio::test]
async fn few_partitions_are_open_at_a_time() {
    let server = Server::default();
    let store = server.connect(PartitionBy::Tenant).open_max(2);
    for tenant in ["a", "b", "a", "c", "a"] {
        drop(store.save(of(tenant)).await.unwrap());
    }
    assert_eq!(*server.opened.lock().unwrap(), ["t-a", "t-b", "t-c"], "`a` was used lately");
    store.load(&of("b").key).await.unwrap().unwrap();
    assert_eq!(server.opened(), 4, "`b` was closed");
}

#[tokio::test]
async fn partitions_are_limited_and_the_directory_is_nobody_s_document() {
    let server = Server::default();
    let store = server.connect(PartitionBy::Tenant);
    let names: Vec<String> = (0..1000).map(|n| format!("\"t-{n}\"")).collect();
    let directory = Key::new("$sayso/partitions").unwrap();
    let body = format!(r#"{{"partitions":[{}]}}"#, names.join(","));
    let write = Write {
        key: directory.clone(),
        expect: Expect::Absent,
        body,
        due: None,
        expires: None,
        participants: None,
    };
    assert!(matches!(store.save(write.clone()).await, Err(Error::Invalid { .. })));
    server.base.save(write).await.unwrap();
    assert!(store.load(&directory).await.unwrap().is_none());
    assert!(matches!(store.save(of("7")).await.unwrap(), Saved::Committed(_)));
    let error = store.save(of("one more")).await.unwrap_err();
    assert!(error.to_string().contains("PARTITIONS_MAX"), "{error}");
}

#[tokio::test]
async fn kinds_are_partitions_too() {
    let server = Server::default();
    let store = server.connect(PartitionBy::Kind);
    let all = ["c/conversations/x", "c/conversations/x/users/u", "c/users/u", "orders/7"];
    for key in all {
        let key = Key::new(key).unwrap();
        store.save(Write { key, ..of("") }).await.unwrap();
    }
    assert_eq!(keys(&store, "").await, all);
    let users = Arc::clone(&server.stores.lock().unwrap()["users"]);
    assert_eq!(keys(&*users, "").await, ["c/users/u"]);
    assert_eq!(keys(&*server.base, "").await, ["orders/7"]);
}
