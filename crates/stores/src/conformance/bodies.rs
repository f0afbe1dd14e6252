//! Bodies: a load returns what was saved, whole and unchanged, with its own ETag.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
};

use sayso_turn::store::{Store, Stored};
use tokio::task::JoinSet;

use super::scene::{Scene, body_of};

/// Writes made while others read.
const WRITES: i64 = 100;
const READERS: usize = 4;

/// Loading a document that was never saved gives none, and no error.
pub async fn a_missing_document_is_none(store: Arc<dyn Store>) {
    let scene = Scene::new(store);
    assert_eq!(scene.load(&scene.key("missing")).await, None);
}

/// A body is text that the store does not look into: white space, member order, escapes, big
/// numbers and all of Unicode stay as they are.
pub async fn a_body_comes_back_as_it_was_saved(store: Arc<dyn Store>) {
    let scene = Scene::new(store);
    let bodies = [
        "{}",
        "[]",
        "null",
        "\"\"",
        "{ \"b\" : 1,\n\t\"a\" : 2, \"b\" : 3 }",
        "{\"big\":123456789012345678901234567890.10,\"e\":1E400,\"minus\":-0}",
        "{\"escape\":\"\\u0000\\ud83d\\ude00\\/\\\\\"}",
        "{\"text\":\"žluťoučký 日本語 العربية 👩‍👩‍👧 e\u{301} \u{feff} \u{2028}\"}",
        "{\"$type\":\"System.Object\",\"_etag\":\"*\",\"id\":\"x\",\"eTag\":\"1\"}",
        "{\"sql\":\"'; DROP TABLE document; --\"}",
    ];
    for (number, body) in bodies.into_iter().enumerate() {
        let key = scene.key(&format!("new/{number}"));
        let etag = scene.create(&key, body).await;
        assert_eq!(scene.read(&key).await, Stored { body: body.to_owned(), etag });
    }
    let key = scene.key("replaced");
    let mut etag = scene.create(&key, "{\"first\":true}").await;
    for body in bodies {
        etag = scene.replace(&key, &etag, body).await;
        assert_eq!(scene.read(&key).await, Stored { body: body.to_owned(), etag: etag.clone() });
    }
}

/// A document of one mebibyte, the size the engine above allows by default, is created and
/// replaced.
pub async fn a_document_of_one_mebibyte_is_kept(store: Arc<dyn Store>) {
    let scene = Scene::new(store);
    let key = scene.key("large");
    let body = |fill: &str| format!("{{\"text\":\"{}\"}}", fill.repeat((1 << 20) / fill.len()));
    let first = body("pizza");
    let etag = scene.create(&key, &first).await;
    assert!(scene.read(&key).await.body == first, "a mebibyte is read as it was created");
    let second = body("šéf!");
    let etag = scene.replace(&key, &etag, &second).await;
    let stored = scene.read(&key).await;
    assert!(stored.body == second, "a mebibyte is read as it was replaced");
    assert_eq!(stored.etag, etag);
}

/// While one writes and others read, an ETag always comes with the body it was given for.
pub async fn body_and_etag_are_of_one_answer(store: Arc<dyn Store>) {
    let scene = Scene::new(store);
    let key = scene.key("raced");
    let mut etag = scene.create(&key, &body_of(0)).await;
    let mut written = BTreeMap::from([(etag.clone(), body_of(0))]);
    let is_over = Arc::new(AtomicBool::new(false));
    let reads = Arc::new(AtomicU64::new(0));

    let mut readers = JoinSet::new();
    for _ in 0..READERS {
        let (scene, key) = (scene.clone(), key.clone());
        let (is_over, reads) = (Arc::clone(&is_over), Arc::clone(&reads));
        let _task = readers.spawn(async move {
            let mut seen = Vec::new();
            while !is_over.load(Ordering::SeqCst) {
                seen.push(scene.read(&key).await);
                let _before = reads.fetch_add(1, Ordering::SeqCst);
                tokio::task::yield_now().await;
            }
            seen
        });
    }
    for number in 1..=WRITES {
        // A read between any two writes, so that the readers see many versions.
        let before = reads.load(Ordering::SeqCst);
        while reads.load(Ordering::SeqCst) == before {
            tokio::task::yield_now().await;
        }
        etag = scene.replace(&key, &etag, &body_of(number)).await;
        assert_eq!(written.insert(etag.clone(), body_of(number)), None, "a new ETag each time");
    }
    is_over.store(true, Ordering::SeqCst);

    let mut versions = BTreeSet::new();
    for stored in readers.join_all().await.into_iter().flatten() {
        let body = written.get(&stored.etag);
        assert_eq!(body, Some(&stored.body), "the ETag belongs to another body");
        let _is_new = versions.insert(stored.etag);
    }
    assert!(versions.len() > 10, "only {} versions were seen: no race", versions.len());
}
