//! Looks for what is due, through all partitions.

use std::{collections::BTreeSet, sync::Arc, time::Duration};

use sayso_stores::{
    PartitionBy, PartitionedStore,
    doubles::{Fault, Faulty, Operation},
};
use sayso_turn::{
    clock::Timestamp,
    store::{Error, MemoryStore, Store, Write},
};

use super::{Server, of};

const NOW: Timestamp = Timestamp::from_millis(1_000_000);

fn due(tenant: &str) -> Write {
    Write { due: Some(Timestamp::from_millis(1000)), ..of(tenant) }
}

/// Looks until the end; returns the tenants whose document was named, and the number of pages.
async fn look(store: &dyn Store, limit: usize) -> Result<(BTreeSet<String>, usize), Error> {
    let (mut named, mut from) = (BTreeSet::new(), None);
    for page in 1..1000 {
        let found = store.due(NOW, from.as_ref(), limit).await?;
        assert!(found.found.len() <= limit, "{} of {limit}", found.found.len());
        named.extend(found.found.into_iter().map(|due| due.key.to_string()));
        from = found.next;
        if from.is_none() {
            return Ok((named, page));
        }
    }
    panic!("the look does not end");
}

#[tokio::test]
async fn any_instance_finds_what_is_due_in_every_partition() {
    let server = Server::default();
    let store = server.connect(PartitionBy::Tenant);
    for n in 0..40 {
        store.save(due(&format!("tenant-{n}"))).await.unwrap();
    }
    store.save(due("")).await.unwrap();
    for limit in [1, 3, 500] {
        let (named, pages) = look(&server.connect(PartitionBy::Tenant), limit).await.unwrap();
        assert_eq!(named.len(), 41);
        assert!(pages <= 2 * 41usize.div_ceil(limit.min(8)) + 1, "{pages} pages of {limit}");
    }
}

#[tokio::test]
async fn a_look_asks_each_partition_once() {
    let server = Server::default();
    let store = server.connect(PartitionBy::Tenant);
    for tenant in ["a", "b", "c"] {
        store.save(of(tenant)).await.unwrap();
    }
    assert_eq!(look(&store, 500).await.unwrap(), (BTreeSet::new(), 1));
    for partition in server.stores.lock().unwrap().values() {
        assert_eq!(partition.counts().dues, 1);
    }
}

/// A store whose partition `b` fails as it is told to.
fn failing(fault: Fault) -> PartitionedStore {
    let server = Server::default();
    PartitionedStore::new(PartitionBy::Tenant, Arc::clone(&server.base) as _, move |name| {
        let disturbed = move |is_b: bool| {
            move |call: sayso_stores::doubles::Call<'_>| match (is_b, call.operation) {
                (true, Operation::Due) => fault,
                _ => Fault::None,
            }
        };
        let mut stores = server.stores.lock().unwrap();
        let new =
            || Arc::new(sayso_stores::doubles::Counted::new(Arc::new(MemoryStore::default())));
        let is_b = name == "t-b";
        let store = Arc::clone(stores.entry(name).or_insert_with(new));
        let store: Arc<dyn Store> = Arc::new(Faulty::new(store, disturbed(is_b)));
        std::future::ready(Ok(store))
    })
}

#[tokio::test(start_paused = true)]
async fn a_partition_that_fails_or_hangs_hides_nothing_behind_it() {
    for fault in [Fault::Unavailable, Fault::Slow(Duration::from_secs(3600))] {
        let store = failing(fault);
        for tenant in ["a", "b", "c"] {
            store.save(due(tenant)).await.unwrap();
        }
        for limit in [1, 500] {
            let began = tokio::time::Instant::now();
            let (named, _) = look(&store, limit).await.unwrap();
            let all: Vec<&str> = named.iter().map(String::as_str).collect();
            assert_eq!(all, ["~~a/msteams/users/ann", "~~c/msteams/users/ann"]);
            assert!(began.elapsed() < Duration::from_secs(5));
            assert_eq!(store.failing(), ["t-b"], "it is reported");
        }
    }
}

#[tokio::test]
async fn a_base_that_fails_is_an_error_of_the_look() {
    let script = |_: sayso_stores::doubles::Call<'_>| Fault::Unavailable;
    let base = Arc::new(Faulty::new(Arc::new(MemoryStore::default()), script));
    let open = |_| std::future::ready(Ok(Arc::new(MemoryStore::default()) as Arc<dyn Store>));
    let store = PartitionedStore::new(PartitionBy::Tenant, base, open);
    assert!(matches!(look(&store, 10).await, Err(Error::Unavailable { .. })));
}
