//! Totals over all partitions: statistics, and what a purge leaves.

use std::{collections::BTreeSet, path::Path, sync::Arc};

use futures_util::TryStreamExt;
use sayso_stores::{PartitionBy, PartitionedStore, SqliteStore};
use sayso_turn::{
    Key,
    store::{Effort, Error, Participant, Participants, Saved, Store, Write},
};

use super::of;

/// Files of a folder, one for each tenant; that of `broken` cannot be opened.
fn files(folder: &Path) -> PartitionedStore {
    let open = |path: &Path| Ok(Arc::new(SqliteStore::open(path)?) as Arc<dyn Store>);
    let base = open(&folder.join("bot.sqlite")).unwrap();
    let folder = folder.to_owned();
    PartitionedStore::new(PartitionBy::Tenant, base, move |name| {
        let broken = Err(Error::Throttled { store: "it".into(), after: None });
        let is_broken = name == "t-broken" && folder.join("broken").exists();
        std::future::ready(if is_broken { broken } else { open(&folder.join(name)) })
    })
}

#[tokio::test]
async fn statistics_are_the_sum_over_all_partitions_and_never_fall() {
    let folder = tempfile::tempdir().unwrap();
    let store = files(folder.path()).open_max(1);
    let (mut written, mut calls) = (0, store.stats().calls());
    for tenant in ["a", "bb", "a", "ccc", "bb"] {
        let write = of(tenant);
        written += write.body.len() as u64;
        let is_known = matches!(store.save(write).await.unwrap(), Saved::Conflict);
        assert!(store.stats().calls() > calls, "{is_known}");
        calls = store.stats().calls();
    }
    let stats = store.stats();
    assert_eq!(stats.conflicts, 2, "{stats:?}");
    // The directory is in the base, and was written, too.
    assert!(stats.saves.calls > 5 && stats.bytes_written > written, "{stats:?}");
}

#[tokio::test]
async fn a_user_is_found_by_the_index_of_each_partition() {
    let folder = tempfile::tempdir().unwrap();
    let ids =
        |ids: &[&str]| Some(Participants::All(ids.iter().map(|id| Participant::of(id)).collect()));
    let store = files(folder.path());
    for (tenant, names) in [("a", &["ann"][..]), ("bb", &["bob"]), ("ccc", &["ann", "bob"])] {
        let write = Write { participants: ids(names), ..of(tenant) };
        assert!(matches!(store.save(write).await.unwrap(), Saved::Committed(_)));
    }
    let found = async |id: &str, prefix: &str| {
        let keys = store.list_with(Participant::of(id), prefix).expect("SQLite has an index");
        let keys: Vec<Key> = keys.try_collect().await.unwrap();
        keys.into_iter().collect::<BTreeSet<Key>>()
    };
    let both = BTreeSet::from([of("a").key, of("ccc").key]);
    assert_eq!(found("ann", "").await, both);
    assert_eq!(found("carl", "").await, BTreeSet::new());
    assert_eq!(found("ann", of("a").key.as_str()).await, BTreeSet::from([of("a").key]));
    // In memory there is one, too; an engine without says so.
    let memory = super::Server::default().connect(PartitionBy::Tenant);
    assert!(memory.list_with(Participant::of("ann"), "").is_some());
}

#[tokio::test]
async fn a_purge_goes_through_all_places_and_tells_of_one_that_fails() {
    let folder = tempfile::tempdir().unwrap();
    for tenant in ["a", "broken", "c"] {
        let store = files(folder.path());
        assert!(matches!(store.save(of(tenant)).await.unwrap(), Saved::Committed(_)));
    }
    let deleted = |tenant: &'static str| {
        let store = files(folder.path());
        async move {
            let key = of(tenant).key;
            let etag = store.load(&key).await.unwrap().unwrap().etag;
            assert!(matches!(store.delete(&key, &etag).await.unwrap(), Saved::Committed(_)));
        }
    };
    deleted("c").await;
    std::fs::write(folder.path().join("broken"), "").unwrap();
    let purged = files(folder.path()).purge(Effort::Rewrite).await.unwrap();
    assert!(!purged.is_whole);
    assert!(purged.left.iter().any(|left| left.contains("t-broken")), "{purged:?}");
    // What comes after the one that failed is done.
    let c = std::fs::read(folder.path().join("t-c")).unwrap();
    let key = of("c").key.as_str().to_owned();
    assert!(!c.windows(key.len()).any(|bytes| bytes == key.as_bytes()));

    std::fs::remove_file(folder.path().join("broken")).unwrap();
    let purged = files(folder.path()).purge(Effort::Rewrite).await.unwrap();
    assert!(purged.is_whole && !purged.done.is_empty(), "{purged:?}");
}
