//! A server that crashes or restarts while many write.

use std::{
    collections::BTreeMap,
    io::Write as _,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

use futures_util::future::join_all;
use sayso_stores::PostgresStore;
use sayso_turn::store::{Error, Expect, Saved, Store, Write};

use super::{create, key, private::Server};

const WRITERS: usize = 16;

/// Writes one document over and over, remembering what was acknowledged; every doubt is settled by
/// reading. Returns how many writes were acknowledged and how many were in doubt.
async fn write_until_over(
    store: Arc<PostgresStore>,
    name: String,
    is_over: Arc<AtomicBool>,
) -> (u64, u64) {
    let (mut acknowledged, mut doubts) = (0, 0);
    for _ in 0..1_000_000 {
        let stored = match store.load(&key(&name)).await {
            Ok(stored) => stored,
            Err(Error::Unavailable { .. }) => {
                tokio::time::sleep(Duration::from_millis(20)).await;
                continue;
            }
            Err(error) => panic!("{error}"),
        };
        let number: u64 = stored.as_ref().map_or(0, |stored| stored.body.parse().unwrap());
        assert!(number >= acknowledged, "{name}: acknowledged {acknowledged}, stored {number}");
        if is_over.load(Ordering::SeqCst) {
            break;
        }
        let expect = stored.map_or(Expect::Absent, |stored| Expect::At(stored.etag));
        let body = (number + 1).to_string();
        match store.save(Write { expect, ..create(&name, &body) }).await {
            Ok(Saved::Committed(_)) => acknowledged = number + 1,
            // A write in doubt may land after the load.
            Ok(Saved::Conflict) => assert!(doubts > 0, "nobody else writes"),
            Err(Error::Unknown { .. }) => doubts += 1,
            Err(Error::Unavailable { .. }) => {}
            Err(error) => panic!("{error}"),
        }
    }
    (acknowledged, doubts)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_that_restarts_under_load_is_found_again_and_no_acknowledged_write_is_lost() {
    let mut server = Server::start(&[]).await;
    let store = Arc::new(server.open("schema=sayso").await.unwrap());
    let is_over = Arc::new(AtomicBool::new(false));
    let writers: Vec<_> = (0..WRITERS)
        .map(|writer| {
            let (store, is_over) = (Arc::clone(&store), Arc::clone(&is_over));
            tokio::spawn(write_until_over(store, format!("key/{writer}"), is_over))
        })
        .collect();
    for round in 0..4 {
        tokio::time::sleep(Duration::from_millis(700)).await;
        let before = store.stats().writes;
        assert!(before > 0, "nothing was written");
        if round % 2 == 0 {
            server.kill();
        } else {
            server.stop();
        }
        server.start_again(&[]).await;
        let restarted = Instant::now();
        while store.stats().writes == before {
            assert!(restarted.elapsed() < Duration::from_secs(10), "the store does not recover");
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    }
    is_over.store(true, Ordering::SeqCst);
    let mut totals = BTreeMap::new();
    for (writer, counts) in join_all(writers).await.into_iter().enumerate() {
        let _before = totals.insert(writer, counts.unwrap());
    }
    let (acknowledged, doubts) =
        totals.values().fold((0, 0), |sum, counts| (sum.0 + counts.0, sum.1 + counts.1));
    writeln!(std::io::stdout(), "4 restarts: {acknowledged} acknowledged, {doubts} in doubt")
        .unwrap();
    assert!(totals.values().all(|(acknowledged, _)| *acknowledged > 0), "{totals:?}");
}
