//! Objects in the bucket: documents, tombstones, markers, and foreign ones.

use std::{slice, time::Duration};

use futures_util::{TryStreamExt, future::join_all};
use sayso_stores::{S3Store, s3::DOCUMENT_BYTES_MAX};
use sayso_turn::{
    Key,
    clock::Timestamp,
    store::{ETag, Error, Expect, Saved, Store, Write},
};

use super::{Objects, create, key, open, url};

async fn scene() -> (S3Store, Objects) {
    let url = url("SAYSO_TEST_S3", "s3");
    (open(&url).await, Objects::of(&url))
}

async fn save(store: &S3Store, write: Write) -> ETag {
    match store.save(write).await.unwrap() {
        Saved::Committed(etag) => etag,
        Saved::Conflict => panic!("nobody else writes"),
    }
}

fn due(at: u64) -> Option<Timestamp> {
    Some(Timestamp::from_millis(at))
}

fn assert_corrupt<T: std::fmt::Debug>(result: &Result<T, Error>) {
    assert!(matches!(result, Err(Error::Corrupt { .. })), "{result:?}");
}

/// Markers are removed in the background.
async fn markers(objects: &Objects, count: usize) -> Vec<String> {
    for _ in 0..200 {
        let names = objects.names("due").await;
        if names.len() == count {
            return names;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    panic!("not {count} markers: {:?}", objects.names("due").await);
}

#[tokio::test]
async fn a_document_is_a_line_and_its_body() {
    let (store, objects) = scene().await;
    let etag = save(&store, create("webchat/c1", "{\"a\":1}")).await;
    let object = objects.get("d/webchat.2fc1").await;
    let (line, body) = object.split_once('\n').unwrap();
    assert_eq!(body, "{\"a\":1}");
    let write = etag.as_str().split('/').next().unwrap();
    assert_eq!(line.trim_end(), format!("sayso1 here {write} - webchat.2fc1"));
}

#[tokio::test]
async fn a_foreign_document_is_reported_and_left_as_it_is() {
    let (store, objects) = scene().await;
    let other = save(&store, create("other", "{}")).await;
    let stranger = objects.get("d/other").await;
    for content in ["", "{}", "somebody's", &stranger] {
        objects.put("d/k", content).await;
        assert_corrupt(&store.load(&key("k")).await);
        assert_corrupt(&store.save(create("k", "{}")).await);
        let expect = Expect::At(other.clone());
        if content != stranger {
            assert_corrupt(&store.save(Write { expect, ..create("k", "{}") }).await);
            assert_corrupt(&store.delete(&key("k"), &other).await);
        }
        assert_eq!(objects.get("d/k").await, content);
    }
}

#[tokio::test]
async fn a_deleted_document_leaves_a_tombstone_that_nobody_sees() {
    let (store, objects) = scene().await;
    for round in 0..3 {
        let etag = save(&store, create("k", "{}")).await;
        assert!(matches!(store.delete(&key("k"), &etag).await, Ok(Saved::Committed(_))));
        assert!(objects.get("d/k").await.starts_with("sayso1 gone "), "round {round}");
        assert_eq!(store.load(&key("k")).await.unwrap(), None);
        assert_eq!(store.list("").try_collect::<Vec<Key>>().await.unwrap(), []);
        assert_eq!(store.delete(&key("k"), &etag).await.unwrap(), Saved::Conflict);
        let at = Write { expect: Expect::At(etag), ..create("k", "{}") };
        assert_eq!(store.save(at).await.unwrap(), Saved::Conflict);
    }
}

#[tokio::test]
async fn of_many_that_create_over_a_tombstone_one_wins() {
    let (store, _) = scene().await;
    for _ in 0..3 {
        let etag = save(&store, create("k", "{}")).await;
        assert!(matches!(store.delete(&key("k"), &etag).await, Ok(Saved::Committed(_))));
        let creates = (0..16).map(|number| store.save(create("k", &number.to_string())));
        let saved: Vec<_> = join_all(creates).await.into_iter().map(Result::unwrap).collect();
        let winners: Vec<_> =
            saved.iter().enumerate().filter(|(_, saved)| **saved != Saved::Conflict).collect();
        assert_eq!(winners.len(), 1, "{winners:?}");
        let stored = store.load(&key("k")).await.unwrap().unwrap();
        assert_eq!(stored.body, winners[0].0.to_string());
        assert!(matches!(store.delete(&key("k"), &stored.etag).await, Ok(Saved::Committed(_))));
    }
}

/// A marker is there while a document is due, one for each due time, and gone afterwards.
#[tokio::test]
async fn markers_come_and_go_with_the_waits() {
    let (store, objects) = scene().await;
    let first = save(&store, Write { due: due(5), ..create("k", "1") }).await;
    let marked = markers(&objects, 1).await;
    assert!(marked[0].starts_with("due/0000000000000005/6b/"), "{marked:?}");

    let expect = Expect::At(first.clone());
    let second = save(&store, Write { due: due(5), expect, ..create("k", "2") }).await;
    assert_eq!(markers(&objects, 1).await, marked, "the same time needs no other marker");

    let stale = Write { due: due(9), expect: Expect::At(first), ..create("k", "3") };
    assert_eq!(store.save(stale).await.unwrap(), Saved::Conflict);
    assert_eq!(markers(&objects, 1).await, marked, "a conflict leaves none");

    let expect = Expect::At(second);
    let third = save(&store, Write { due: due(9), expect, ..create("k", "3") }).await;
    let moved = markers(&objects, 1).await;
    assert!(moved[0].starts_with("due/0000000000000009/6b/"), "{moved:?}");

    let expect = Expect::At(third);
    let fourth = save(&store, Write { expect, ..create("k", "4") }).await;
    assert_eq!(markers(&objects, 0).await, Vec::<String>::new());

    let expect = Expect::At(fourth);
    let fifth = save(&store, Write { due: due(1), expect, ..create("k", "5") }).await;
    drop(markers(&objects, 1).await);
    assert!(matches!(store.delete(&key("k"), &fifth).await, Ok(Saved::Committed(_))));
    assert_eq!(markers(&objects, 0).await, Vec::<String>::new());
}

/// A marker alone means nothing, and one that somebody else made hides nothing.
#[tokio::test]
async fn only_documents_count() {
    let (store, objects) = scene().await;
    drop(save(&store, create("rests", "{}")).await);
    let waits = save(&store, Write { due: due(5), ..create("waits", "{}") }).await;
    let marker = |text: &str| format!("due/{:016x}/{}/0a-1", 1, hex(text));
    for stray in [marker("rests"), marker("gone"), "due/0".to_owned()] {
        objects.put(&stray, "x").await;
    }
    objects.put("d/bad", "somebody's").await;
    objects.put(&marker("bad"), "bad").await;
    let named = store.due(Timestamp::from_millis(5), None, 9).await.unwrap().found;
    assert_eq!(named.iter().map(|due| &due.etag).collect::<Vec<_>>(), [&waits]);
    assert_eq!(markers(&objects, 5).await.len(), 5, "a save may be under way: none is removed yet");
}

fn hex(text: &str) -> String {
    text.bytes().map(|byte| format!("{byte:02x}")).collect()
}

/// More idle documents than a listing shows at once: the first one that is not due ends the look.
#[tokio::test]
async fn what_is_not_due_costs_nothing() {
    let (store, objects) = scene().await;
    let idle = |number: u64| format!("due/{:016x}/{}/0a-1", 1_000 + number, hex("idle"));
    for numbers in (0..1_100).collect::<Vec<u64>>().chunks(50) {
        let (objects, idle) = (&objects, &idle);
        join_all(numbers.iter().map(|number| async move {
            objects.put(&idle(*number), "idle").await;
        }))
        .await;
    }
    let mut waits: Vec<ETag> = Vec::new();
    for name in ["a", "b", "c"] {
        waits.push(save(&store, Write { due: due(5), ..create(name, "{}") }).await);
    }
    let page = store.due(Timestamp::from_millis(999), None, 500).await.unwrap();
    assert_eq!(page.next, None, "one listing of one page");
    assert_eq!(page.found.into_iter().map(|due| due.etag).collect::<Vec<_>>(), waits);
}

/// The names of their markers do not tell long keys.
#[tokio::test]
async fn long_keys_are_due_page_by_page() {
    let (store, _) = scene().await;
    let long = |rest: &str| format!("{}{rest}", "k".repeat(150));
    let mut keys = vec![key(&"k".repeat(100)), key("k"), key(&long("")), key(&"l".repeat(300))];
    keys.extend((0..10).map(|number| key(&long(&number.to_string()))));
    for key in &keys {
        drop(save(&store, Write { due: due(5), ..create(key.as_str(), "{}") }).await);
    }
    keys.sort();
    for limit in [1, 3, 5, 100] {
        let (mut named, mut from) = (Vec::new(), None);
        for _ in 0..=keys.len() {
            let page = store.due(Timestamp::from_millis(5), from.as_ref(), limit).await.unwrap();
            assert!(page.found.len() <= limit);
            named.extend(page.found.into_iter().map(|due| due.key));
            from = page.next;
            if from.is_none() {
                break;
            }
        }
        named.sort();
        assert_eq!(named, keys, "in pages of {limit}");
    }
}

#[tokio::test]
async fn a_list_skips_foreign_entries() {
    let (store, objects) = scene().await;
    drop(save(&store, create("k", "{}")).await);
    for stray in ["d/.2F", "d/a/b", "d/k~00", "dd/k", "e"] {
        objects.put(stray, "xx").await;
    }
    let listed: Vec<Key> = store.list("").try_collect().await.unwrap();
    assert_eq!(listed, slice::from_ref(&key("k")));
}

#[tokio::test]
async fn a_document_beyond_the_limit_is_refused_before_it_is_sent() {
    let (store, _) = scene().await;
    let error = store.save(create("k", &"x".repeat(DOCUMENT_BYTES_MAX + 1))).await.unwrap_err();
    assert!(matches!(error, Error::TooLarge { bytes_max: DOCUMENT_BYTES_MAX, .. }), "{error}");
}
