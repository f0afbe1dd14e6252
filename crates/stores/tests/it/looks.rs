//! Looks at scale: a few documents are due among a million idle ones with a time to live.

use std::{
    collections::BTreeSet,
    time::{Duration, Instant},
};

use rusqlite::Connection;
use sayso_stores::SqliteStore;
use sayso_turn::{Key, clock::Timestamp, store::Store};

pub(crate) const IDLE: usize = 1_000_000;
pub(crate) const DUE: usize = 20_000;
/// As the sweep asks.
const PAGE: usize = 500;
/// The time of the look; idle documents expire later, those that are due wait since before.
pub(crate) const NOW: u64 = 1_800_000_000_000;
/// The longest time of a page on a busy machine. A scan of all documents takes longer.
const PAGE_TIME_MAX: Duration = Duration::from_millis(500);

/// Looks until the end; returns the keys, the number of pages, and the time of the slowest.
async fn look(store: &dyn Store, now: u64) -> (BTreeSet<Key>, usize, Duration) {
    let (mut keys, mut from, mut slowest) = (BTreeSet::new(), None, Duration::ZERO);
    for page in 1..=2 * DUE / PAGE {
        let began = Instant::now();
        let found = store.due(Timestamp::from_millis(now), from.as_ref(), PAGE).await.unwrap();
        slowest = slowest.max(began.elapsed());
        for due in found.found {
            assert!(keys.insert(due.key), "named twice");
        }
        from = found.next;
        if from.is_none() {
            return (keys, page, slowest);
        }
    }
    panic!("the look does not end");
}

/// A look names what is due, in as many pages as that needs; one at rest takes a single call.
#[expect(clippy::print_stdout, reason = "figures for whoever runs it")]
pub(crate) async fn check(store: &dyn Store, engine: &str) {
    let (keys, pages, slowest) = look(store, NOW).await;
    println!("{engine}: {DUE} due among {IDLE} idle: {pages} calls, the slowest {slowest:.1?}");
    assert_eq!(keys.len(), DUE);
    assert!(keys.iter().all(|key| key.as_str().starts_with("due/")));
    assert!(pages <= DUE / PAGE + 1, "{pages} calls");
    assert!(slowest < PAGE_TIME_MAX, "{slowest:?}");
    let (keys, pages, slowest) = look(store, 1).await;
    println!("{engine}: nothing due: {pages} call, {slowest:.1?}");
    assert_eq!((keys.len(), pages), (0, 1));
    assert!(slowest < PAGE_TIME_MAX, "{slowest:?}");
}

#[tokio::test]
async fn sqlite_finds_the_few_that_are_due_among_a_million_idle_documents() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("bot.sqlite");
    let store = SqliteStore::open(&path).unwrap();
    let other = Connection::open(&path).unwrap();
    let fill = format!(
        "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {IDLE})
         INSERT INTO document (key, version, due, body)
         SELECT 'idle/' || i, i, {NOW} + i, '{{}}' FROM n;
         WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {DUE})
         INSERT INTO document (key, version, due, body)
         SELECT 'due/' || i, i, {NOW} - i % 7, '{{}}' FROM n;"
    );
    other.execute_batch(&fill).unwrap();
    check(&store, "SQLite").await;
}
