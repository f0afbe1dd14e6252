//! Group commit: saves in flight together share a statement, and each has its own verdict.

use std::{
    io::Write as _,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use futures_util::future::join_all;
use sayso_stores::{PostgresStore, postgres::DOCUMENT_BYTES_MAX};
use sayso_turn::store::{Error, Saved, Store, Transactions as _};

use super::{Bench, committed, create, key, replace, url};

const SAVES: usize = 64;

#[tokio::test]
async fn saves_of_many_documents_at_once_share_statements() {
    let bench = Bench::new().await;
    let store = &bench.store;
    let names: Vec<_> = (0..SAVES).map(|number| format!("key/{number}")).collect();
    let created = join_all(names.iter().map(|name| store.save(create(name, "1")))).await;
    let before = store.stats();
    writeln!(std::io::stdout(), "{SAVES} creates at once: {before:?}").unwrap();
    assert_eq!((before.writes, before.alone), (64, 0));
    assert!(before.commits <= 8, "{before:?}");
    let etags: Vec<_> = created.into_iter().map(committed).collect();
    // Every other one is stale: its neighbours do not mind.
    let stale = &etags[0];
    let replaced = join_all(names.iter().enumerate().map(|(number, name)| {
        let etag = if number % 2 == 1 { &etags[number] } else { stale };
        store.save(replace(name, etag, "2"))
    }));
    for (number, saved) in replaced.await.into_iter().enumerate() {
        let is_saved = matches!(saved, Ok(Saved::Committed(_)));
        assert_eq!(is_saved, number % 2 == 1 || number == 0, "{number}: {saved:?}");
    }
    let after = store.stats();
    writeln!(std::io::stdout(), "{SAVES} replaces at once: {after:?}").unwrap();
    assert!(after.commits - before.commits <= 8, "{after:?}");
    assert_eq!((after.writes - before.writes, after.alone), (33, 0));
    bench.end().await;
}

#[tokio::test]
async fn saves_of_one_document_at_once_have_one_winner() {
    let bench = Bench::new().await;
    let store = &bench.store;
    let wins = |saved: Vec<Result<Saved, Error>>| {
        let saved = saved.into_iter().map(Result::unwrap);
        let etags = saved.filter_map(|saved| match saved {
            Saved::Committed(etag) => Some(etag),
            Saved::Conflict => None,
        });
        let [etag] = &etags.collect::<Vec<_>>()[..] else { panic!("one winner") };
        etag.clone()
    };
    let mut etag = wins(join_all((0..20).map(|_| store.save(create("a", "0")))).await);
    for round in 1..5 {
        let body = round.to_string();
        etag = wins(join_all((0..20).map(|_| store.save(replace("a", &etag, &body)))).await);
        let stored = store.load(&key("a")).await.unwrap().unwrap();
        assert_eq!((stored.body, &stored.etag), (body, &etag));
    }
    bench.end().await;
}

#[tokio::test]
async fn a_save_that_can_never_succeed_does_not_fail_its_neighbours() {
    let bench = Bench::new().await;
    bench.run("ALTER TABLE {table} ADD CHECK (body <> 'poison')").await;
    let store = &bench.store;
    let names: Vec<_> = (0..9).map(|number| format!("key/{number}")).collect();
    let body = |name: &str| if name == "key/4" { "poison" } else { "{}" };
    let created = join_all(names.iter().map(|name| store.save(create(name, body(name))))).await;
    for (name, saved) in names.iter().zip(&created) {
        match saved {
            Ok(Saved::Committed(_)) => assert_ne!(body(name), "poison"),
            Err(error @ Error::Invalid { .. }) => {
                assert_eq!(body(name), "poison");
                // The server's own words quote the row; ours do not.
                assert!(!format!("{error} {error:?}").contains("\\x"), "{error:?}");
            }
            other => panic!("{other:?}"),
        }
        assert_eq!(store.load(&key(name)).await.unwrap().is_some(), body(name) != "poison");
    }
    assert!(store.stats().alone > 0, "they shared no statement: {:?}", store.stats());
    bench.end().await;
}

#[tokio::test]
async fn a_document_over_the_limit_is_refused_before_it_is_sent() {
    let bench = Bench::new().await;
    let body = "x".repeat(DOCUMENT_BYTES_MAX + 1);
    let error = bench.store.save(create("a", &body)).await.unwrap_err();
    assert!(matches!(error, Error::TooLarge { bytes, bytes_max, .. } if bytes == bytes_max + 1));
    let both = vec![create("b", "{}"), create("a", &body)];
    let error = bench.store.save_all(both).await.unwrap_err();
    assert!(matches!(error, Error::TooLarge { .. }));
    assert_eq!(bench.store.load(&key("b")).await.unwrap(), None);
    bench.end().await;
}

/// No deadlocks: creates, replaces, deletes and transactions over the same few keys, named in every
/// order, from two stores.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn writers_of_the_same_documents_never_stand_in_each_others_way() {
    let bench = Bench::new().await;
    let second = PostgresStore::open_url(&url(&format!("schema={}", bench.schema))).await.unwrap();
    let stores = [Arc::new(bench.store), Arc::new(second)];
    let counts: [Arc<AtomicU64>; 2] = Default::default();
    let until = Instant::now() + Duration::from_secs(4);
    let workers = (0..32).map(|worker: usize| {
        let (store, [won, lost]) = (Arc::clone(&stores[worker % 2]), counts.clone());
        tokio::spawn(async move {
            for _ in 0..100_000 {
                if Instant::now() > until {
                    return;
                }
                let is_done = step(&store).await.unwrap();
                let _before = if is_done { &won } else { &lost }.fetch_add(1, Ordering::Relaxed);
            }
        })
    });
    for worker in join_all(workers).await {
        worker.unwrap();
    }
    let [won, lost] = counts.map(|count| count.load(Ordering::Relaxed));
    let stats = stores.each_ref().map(|store| store.stats());
    writeln!(std::io::stdout(), "{won} writes, {lost} conflicts, {stats:?}").unwrap();
    assert!(won > 100 && lost > 100, "no race: {won} {lost}");
    assert_eq!(stats.map(|stats| stats.alone), [0, 0]);
    let other = super::connect(&super::server()).await;
    other.batch_execute(&format!("DROP SCHEMA {} CASCADE", bench.schema)).await.unwrap();
}

/// One random call; whether its condition held.
async fn step(store: &PostgresStore) -> Result<bool, Error> {
    let mut names: Vec<_> = (0..6).map(|number| format!("key/{number}")).collect();
    fastrand::shuffle(&mut names);
    let name = &names[0];
    let write = async |name: &str| -> Result<_, Error> {
        Ok(match store.load(&key(name)).await? {
            Some(stored) => replace(name, &stored.etag, "{}"),
            None => create(name, "{}"),
        })
    };
    Ok(match fastrand::u8(..8) {
        0 => match store.load(&key(name)).await? {
            Some(stored) => store.delete(&key(name), &stored.etag).await? != Saved::Conflict,
            None => true,
        },
        // A create of what may well be there waits for whoever changes it.
        1 => store.save(create(name, "{}")).await? != Saved::Conflict,
        2..5 => {
            let mut writes = Vec::new();
            for name in &names[..4] {
                writes.push(write(name).await?);
            }
            store.save_all(writes).await? != Saved::Conflict
        }
        _ => store.save(write(name).await?).await? != Saved::Conflict,
    })
}
