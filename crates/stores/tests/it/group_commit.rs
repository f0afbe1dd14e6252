//! Group commit: writes in flight together share a flush, and none is forgotten.

use std::{io::Write as _, sync::Arc};

use futures_util::{FutureExt, StreamExt, future::join_all, stream};
use sayso_stores::SqliteStore;
use sayso_turn::{
    Key,
    store::{Expect, Saved, Store, Write},
};

const SAVES: usize = 64;

fn create(number: usize) -> Write {
    let key = Key::new(format!("key/{number}")).unwrap();
    Write {
        key,
        expect: Expect::Absent,
        body: format!("{number}"),
        due: None,
        expires: None,
        participants: None,
    }
}

#[tokio::test]
async fn saves_of_many_documents_at_once_share_transactions() {
    let folder = tempfile::tempdir().unwrap();
    let store = SqliteStore::open(folder.path().join("bot.sqlite")).unwrap();
    let saved = join_all((0..SAVES).map(|number| store.save(create(number)))).await;
    assert!(saved.iter().all(|saved| matches!(saved, Ok(Saved::Committed(_)))));
    let stats = store.stats();
    writeln!(std::io::stdout(), "{SAVES} saves at once: {stats:?}").unwrap();
    assert_eq!(stats.writes, 64);
    assert!(stats.commits <= 32, "{stats:?}");
}

#[tokio::test]
async fn dropping_the_store_finishes_what_is_queued_although_nobody_waits_for_it() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("bot.sqlite");
    let store = SqliteStore::open(&path).unwrap();
    for number in 0..SAVES {
        // Polled once, a save is queued; then its future is dropped.
        assert!(store.save(create(number)).now_or_never().is_none());
    }
    drop(store);
    let store = SqliteStore::open(&path).unwrap();
    let listed = store.list("key/").collect::<Vec<_>>().await;
    assert_eq!(listed.len(), SAVES);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn many_more_callers_than_places_in_the_queue_are_all_served() {
    let folder = tempfile::tempdir().unwrap();
    let store = Arc::new(SqliteStore::open(folder.path().join("bot.sqlite")).unwrap());
    let saves = join_all((0..3_000).map(|number| store.save(create(number)))).await;
    assert!(saves.iter().all(|saved| matches!(saved, Ok(Saved::Committed(_)))));
    let loads = stream::iter(0..3_000)
        .map(|number| {
            let store = Arc::clone(&store);
            async move { (number, store.load(&create(number).key).await.unwrap().unwrap().body) }
        })
        .buffer_unordered(3_000);
    let loads: Vec<_> = loads.collect().await;
    assert!(loads.iter().all(|(number, body)| &number.to_string() == body));
    assert_eq!(store.stats().loads.calls, 3_000);
}
