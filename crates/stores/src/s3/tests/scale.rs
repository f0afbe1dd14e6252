//! Many markers, and races about them, on a server in memory.

use std::{
    collections::{BTreeMap, BTreeSet},
    io::Write as _,
    time::{Duration, Instant, SystemTime, UNIX_EPOCH},
};

use futures_util::future::join_all;

use super::{
    super::{wait::Wait, *},
    Marker,
    fake::Fake,
};

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

/// Looks to the end; returns the keys and the number of pages.
async fn look(store: &S3Store, now: Timestamp) -> (BTreeSet<Key>, usize) {
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

/// A document as a save leaves it behind. Nobody reads idle ones, so theirs are markers alone.
fn fill(server: &Fake, names: &Names) {
    for number in 0..IDLE {
        let key = Key::new(format!("idle/{number}")).unwrap();
        let marker = Marker { at: at(NOW + 1 + number), write: "0a-1".to_owned() };
        server.put(names.marker(&key, &marker), Vec::new());
    }
    for number in 0..DUE {
        let key = Key::new(format!("due/{number}")).unwrap();
        let wait = Wait::new(at(NOW - number % 7), "0a-1", None, at(NOW));
        server.put(names.marker(&key, &wait.marker), Vec::new());
        let line = Line { key, write: "0a-1".to_owned(), wait: Some(wait), is_gone: false };
        server.put(names.document(&line.key), line.with_body("{}"));
    }
}

#[tokio::test]
async fn the_few_that_are_due_are_found_among_a_million_idle_documents() {
    let server = Fake::default();
    let store = server.store(MINUTE);
    fill(&server, &store.objects.names);
    for sweep in 1..=2 {
        let began = Instant::now();
        let (keys, pages) = look(&store, at(NOW)).await;
        let (calls, took) = (server.calls(), began.elapsed());
        writeln!(std::io::stdout(), "look {sweep}: {pages} pages, {calls:?}, {took:.1?}").unwrap();
        assert_eq!(keys.len() as u64, DUE);
        assert!(calls["LIST"] <= DUE / PAGE as u64 + 1, "{calls:?}");
        assert_eq!(calls["GET"], DUE, "one for each that is due");
        assert_eq!(calls.len(), 2, "{calls:?}");
    }
    let (keys, _) = look(&store, at(1)).await;
    assert_eq!((keys.len(), server.calls()), (0, BTreeMap::from([("LIST".to_owned(), 1)])));
}

/// However many there are: a collection goes on where its memory ended.
#[tokio::test]
async fn any_number_of_stray_markers_is_collected() {
    const STRAYS: usize = 15_000;
    let (server, after) = (Fake::default(), Duration::from_secs(2));
    let store = server.store(after);
    let waits = Write { due: Some(at(5)), ..write("waits") };
    assert!(matches!(store.save(waits).await, Ok(Saved::Committed(_))));
    for number in 0..STRAYS {
        let key = Key::new(format!("stray/{number}")).unwrap();
        let marker = Marker { at: at(1), write: "0a-1".to_owned() };
        server.put(store.objects.names.marker(&key, &marker), Vec::new());
    }
    let _calls = server.calls();
    let mut looks = 0;
    while server.names("due/").len() > 1 {
        let (keys, _) = look(&store, at(9)).await;
        assert_eq!(keys.len(), 1, "they hide nothing");
        looks += 1;
        assert!(looks < 100, "{} are left", server.names("due/").len());
        tokio::time::sleep(after).await;
    }
    let calls = server.calls();
    writeln!(std::io::stdout(), "{STRAYS} stray markers: {looks} looks, {calls:?}").unwrap();
    assert_eq!(calls["DELETE"], STRAYS as u64);
    assert_eq!(calls.get("PUT"), None, "{calls:?}");
}

fn write(key: &str) -> Write {
    let key = Key::new(key).unwrap();
    Write {
        key,
        expect: Expect::Absent,
        body: "{}".into(),
        due: None,
        expires: None,
        participants: None,
    }
}

fn wall_clock() -> Timestamp {
    Timestamp::START.after(SystemTime::now().duration_since(UNIX_EPOCH).unwrap())
}

async fn save_at(store: &S3Store, key: &str, due: Option<Timestamp>) -> bool {
    let stored = store.load(&Key::new(key).unwrap()).await.unwrap();
    let expect = stored.map_or(Expect::Absent, |stored| Expect::At(stored.etag));
    let saved = store.save(Write { due, expect, ..write(key) }).await.unwrap();
    matches!(saved, Saved::Committed(_))
}

/// Calls of turns far apart, by method: the commit, and the record of the hand-over.
async fn turn_costs(ttl: Option<Duration>, turns: u32) -> BTreeMap<String, u64> {
    let server = Fake::default();
    let store = server.store(MINUTE);
    let rests = |turn: u32| ttl.map(|ttl| wall_clock().after(ttl + MINUTE * turn));
    for turn in 0..=turns {
        if turn == 1 {
            settle(&store).await;
            let _first = server.calls();
        }
        for due in [Some(at(1)), rests(turn)] {
            assert!(save_at(&store, "c", due).await);
        }
    }
    settle(&store).await;
    server.calls()
}

/// Waits for the removals in the background.
async fn settle(store: &S3Store) {
    let most = u32::try_from(REMOVALS_MAX).unwrap();
    drop(store.objects.removals.acquire_many(most).await.unwrap());
}

#[tokio::test]
async fn a_turn_at_human_pace_is_three_puts_and_one_delete_also_with_a_ttl() {
    for ttl in [None, Some(Duration::from_secs(24 * 3600)), Some(30 * MINUTE)] {
        let calls = turn_costs(ttl, 10).await;
        // Each save loads its document here, which the engine has in memory.
        assert_eq!((calls["PUT"], calls["DELETE"], calls["GET"]), (30, 10, 20), "{ttl:?}");
    }
    let soon = turn_costs(Some(MINUTE), 10).await;
    assert_eq!((soon["PUT"], soon["DELETE"]), (40, 20), "what expires soon needs its own marker");
}

/// A conversation that ended. Its expiry was put off with each turn: a look moves the marker on,
/// and nothing is left when it has expired.
#[tokio::test]
async fn a_marker_that_is_met_too_early_is_moved_on_and_leaves_nothing_behind() {
    let server = Fake::default();
    let store = server.store(MINUTE);
    let now = wall_clock();
    // The first marker is near by the time of the delete, as if days had gone by.
    let (first, last) = (now.after(MINUTE), now.after(20 * MINUTE));
    let marker = Marker { at: first, write: "0a-1".to_owned() };
    let names = Arc::clone(&store.objects.names);
    let key = write("c").key;
    server.put(names.marker(&key, &marker), Vec::new());
    let wait = Some(Wait { due: last, marker, kept: None });
    let line = Line { key: key.clone(), write: "0a-2".to_owned(), wait, is_gone: false };
    server.put(names.document(&key), line.with_body("{}"));

    assert_eq!(look(&store, now).await.0.len(), 0);
    assert_eq!(look(&store, first).await.0.len(), 0, "too early");
    let moved = server.names("due/");
    assert_eq!(names.marked(&moved[0]).unwrap().marker.at, last);
    assert_eq!(moved.len(), 1);
    let _so_far = server.calls();
    assert_eq!(look(&store, first.after(MINUTE)).await.0.len(), 0);
    assert_eq!(server.calls(), BTreeMap::from([("LIST".to_owned(), 1)]), "it costs nothing more");
    assert_eq!(look(&store, last).await.0.len(), 1);
    let etag = store.load(&key).await.unwrap().unwrap().etag;
    assert!(matches!(store.delete(&key, &etag).await, Ok(Saved::Committed(_))));
    settle(&store).await;
    assert_eq!(server.names("due/"), Vec::<String>::new());
}

/// Writers and looks race about one document, at all kinds of times: whatever they did, it is found
/// from its time on and not before.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_document_that_many_save_at_once_is_found_from_its_time_on() {
    for round in 0..40_u64 {
        let server = Fake::default();
        let stores = [server.store(Duration::from_millis(20)), server.store(MINUTE)];
        let now = wall_clock();
        let due = |number: u64| match (round + number) % 7 {
            0 => None,
            1 | 2 => Some(at(1)),
            kind => Some(now.after(Duration::from_secs(220 * kind + number))),
        };
        let work = (0..24).map(|number| {
            let store = &stores[number as usize % 2];
            async move {
                if number % 4 == 3 {
                    // A clock may be somewhat ahead.
                    let now = now.after(Duration::from_secs(number * 20));
                    drop(look(store, now).await);
                } else {
                    let _saved = save_at(store, "c", due(number)).await;
                }
            }
        });
        drop(join_all(work).await);
        let [store, _] = &stores;
        settle(store).await;
        let version = store.objects.version(&write("c").key).await.unwrap().unwrap();
        let Some(wait) = version.wait else {
            assert_eq!(look(store, at(u64::MAX >> 1)).await.0.len(), 0, "round {round}");
            continue;
        };
        let found = async |now: u64| look(store, at(now)).await.0.len();
        assert_eq!(found(wait.due.as_millis() - 1).await, 0, "round {round}: {wait:?}");
        assert_eq!(found(wait.due.as_millis()).await, 1, "round {round}: {wait:?}");
    }
}
