//! Markers among many, and races about them, on a container in memory.

mod fake;

use std::{
    collections::BTreeSet,
    io::Write as _,
    time::{Duration, Instant},
};

use futures_util::future::join_all;
use sayso_turn::store::Expect;

use self::fake::Fake;
use super::*;

const IDLE: u64 = 1_000_000;
const DUE: u64 = 20_000;
/// As the sweep asks.
const PAGE: usize = 500;
/// The time of the look; idle documents expire later, those that are due wait since before.
const NOW: u64 = 1_800_000_000_000;
const MINUTE: Duration = Duration::from_secs(60);

fn at(millis: u64) -> Timestamp {
    Timestamp::from_millis(millis)
}

fn key(text: impl Into<String>) -> Key {
    Key::new(text.into()).unwrap()
}

fn marker(millis: u64) -> Marker {
    Marker { at: at(millis), write: "0a-1".to_owned() }
}

/// Looks to the end; returns the keys and the number of pages.
async fn look(store: &BlobStore, now: Timestamp) -> (BTreeSet<Key>, usize) {
    let (mut keys, mut from) = (BTreeSet::new(), None);
    for page in 1..1_000 {
        let found = store.due(now, from.as_ref(), PAGE).await.unwrap();
        keys.extend(found.found.into_iter().map(|due| due.key));
        from = found.next;
        if from.is_none() {
            return (keys, page);
        }
    }
    panic!("the look does not end");
}

/// The blob of a document, of a build that knows markers or of one from before them.
fn put_document(server: &Fake, key: &Key, millis: u64, is_marked: bool) {
    let mut metadata = vec![("saysodue".to_owned(), millis.to_string())];
    if is_marked {
        metadata.push(("saysomark".to_owned(), "0a-1".to_owned()));
    }
    server.put(Names(Layout::Sayso).name(key).unwrap(), metadata);
}

fn put_marker(server: &Fake, key: &Key, marker: &Marker) {
    server.put(marker.name(key), vec![("saysokey".to_owned(), names::record(key))]);
}

#[tokio::test]
async fn the_few_that_are_due_are_found_among_a_million_idle_documents() {
    let server = Fake::default();
    let store = server.store(MINUTE);
    for number in 0..DUE {
        let key = key(format!("due/{number}"));
        put_document(&server, &key, NOW - number % 7, true);
        put_marker(&server, &key, &marker(NOW - number % 7));
    }
    // Nobody reads idle ones: theirs are markers alone.
    for number in 0..IDLE {
        server.put(marker(NOW + 1 + number).name(&key(format!("idle/{number}"))), Vec::new());
    }
    for sweep in 1..=2 {
        let began = Instant::now();
        let (keys, pages) = look(&store, at(NOW)).await;
        let (calls, took) = (server.calls(), began.elapsed());
        writeln!(std::io::stdout(), "look {sweep}: {pages} pages, {calls:?}, {took:.1?}").unwrap();
        assert_eq!(keys.len() as u64, DUE);
        // And one of the patrol.
        assert!(calls["LIST"] <= DUE / PAGE as u64 + 2, "{calls:?}");
        assert_eq!(calls["HEAD"], DUE, "one for each that is due");
        assert_eq!(calls.len(), 2, "{calls:?}");
    }
    let (keys, _) = look(&store, at(1)).await;
    let calls = server.calls();
    assert_eq!(keys.len(), 0);
    assert!(calls["LIST"] <= 2 && calls.len() == 1, "{calls:?}");
}

/// A build from before markers leaves documents behind; the patrol finds them, and no others twice.
#[tokio::test]
async fn documents_of_builds_before_markers_are_found() {
    let server = Fake::default();
    let store = server.store(MINUTE);
    for number in 0..500 {
        put_document(&server, &key(format!("old/{number}")), 5, false);
    }
    let mut looks = 0;
    while look(&store, at(9)).await.0.len() < 500 {
        looks += 1;
        assert!(looks < 10, "{} blobs", server.count());
    }
    assert_eq!(server.count(), 1_000, "each has a marker");
    let _so_far = server.calls();
    for _ in 0..40 {
        assert_eq!(look(&store, at(9)).await.0.len(), 500);
    }
    let calls = server.calls();
    assert_eq!((calls["LIST"], calls.get("PUT")), (42, None), "a patrol now and then: {calls:?}");
    assert!(calls["HEAD"] <= 40 * 500 + 2 * 200, "{calls:?}");
}

#[tokio::test]
async fn any_number_of_stray_markers_is_collected() {
    const STRAYS: u64 = 15_000;
    let (server, after) = (Fake::default(), Duration::from_secs(2));
    let store = server.store(after);
    for number in 0..STRAYS {
        put_marker(&server, &key(format!("stray/{number}")), &marker(1));
    }
    let mut looks = 0;
    while server.count() > 0 {
        assert_eq!(look(&store, at(9)).await.0.len(), 0);
        looks += 1;
        assert!(looks < 100, "{} are left", server.count());
        tokio::time::sleep(after).await;
    }
    let calls = server.calls();
    writeln!(std::io::stdout(), "{STRAYS} stray markers: {looks} looks, {calls:?}").unwrap();
    assert_eq!(calls["DELETE"], STRAYS);
}

async fn save(store: &BlobStore, expect: Expect, due: Option<u64>) -> Option<ETag> {
    let write = Write {
        key: key("c"),
        expect,
        body: "{}".into(),
        due: due.map(at),
        expires: None,
        participants: None,
    };
    match store.save(write).await.unwrap() {
        Saved::Committed(etag) => Some(etag),
        Saved::Conflict => None,
    }
}

/// Many save one document and others look: whatever they did, it is found from its time on.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_document_that_many_save_at_once_is_found_from_its_time_on() {
    for round in 0..30_u64 {
        let server = Fake::default();
        let stores = [server.store(Duration::from_millis(20)), server.store(MINUTE)];
        let work = (0..8_u64).map(|number| {
            let store = &stores[usize::try_from(number % 2).unwrap()];
            async move {
                // Each goes on from its own last version, and most meet a conflict.
                let mut expect = Expect::Absent;
                for step in 0..6 {
                    let due =
                        [None, Some(1), Some(5), Some(1)][((round + number + step) % 4) as usize];
                    if let Some(etag) = save(store, expect.clone(), due).await {
                        expect = Expect::At(etag);
                    }
                    drop(look(store, at(3)).await);
                }
            }
        });
        drop(join_all(work).await);
        let [store, _] = &stores;
        let name = Names(Layout::Sayso).name(&key("c")).unwrap();
        let label = store.container.look(&name).await.unwrap().unwrap();
        for now in [0, 1, 4, 5, NOW] {
            let found = look(store, at(now)).await.0.len();
            let is_due = label.due.is_some_and(|due| due <= at(now));
            assert_eq!(found, usize::from(is_due), "round {round}, at {now}: {:?}", label.due);
        }
    }
}
