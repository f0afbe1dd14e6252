//! Lost and wrong answers: the store's errors, and the stored objects.

use std::time::Duration;

use sayso_stores::S3Store;
use sayso_turn::{
    clock::Timestamp,
    store::{ETag, Error, Expect, Saved, Store, Write},
};

use super::{
    config, create, endpoint, key,
    proxy::{Fault, Proxy, answer},
    url,
};

/// A store whose requests go through a proxy.
async fn scene() -> (S3Store, Proxy) {
    let url = url("SAYSO_TEST_S3", "s3");
    let proxy = Proxy::start(endpoint(&url).unwrap());
    let through = url.replace(endpoint(&url).unwrap(), &proxy.endpoint);
    let config = config(&through).with_timeout(Duration::from_secs(5));
    (S3Store::open(config).await.unwrap(), proxy)
}

fn replace(etag: &ETag, body: &str) -> Write {
    Write { expect: Expect::At(etag.clone()), ..create("k", body) }
}

async fn save(store: &S3Store, write: Write) -> ETag {
    match store.save(write).await.unwrap() {
        Saved::Committed(etag) => etag,
        Saved::Conflict => panic!("nobody else writes"),
    }
}

async fn load(store: &S3Store) -> Option<(String, ETag)> {
    store.load(&key("k")).await.unwrap().map(|stored| (stored.body, stored.etag))
}

#[tokio::test]
async fn a_write_whose_answer_is_lost_is_in_doubt_and_never_sent_twice() {
    let (store, proxy) = scene().await;
    proxy.next("PUT", Fault::LoseAnswer);
    let created = store.save(create("k", "0")).await;
    assert!(matches!(created, Err(Error::Unknown { .. })), "{created:?}");
    for number in 1..5 {
        let (_, etag) = load(&store).await.expect("it landed");
        proxy.next("PUT", Fault::LoseAnswer);
        let saved = store.save(replace(&etag, &number.to_string())).await;
        assert!(matches!(saved, Err(Error::Unknown { .. })), "{saved:?}");
        assert_eq!(load(&store).await.unwrap().0, number.to_string());
    }
    let (_, etag) = load(&store).await.unwrap();
    proxy.next("PUT", Fault::LoseAnswer);
    let deleted = store.delete(&key("k"), &etag).await;
    assert!(matches!(deleted, Err(Error::Unknown { .. })), "{deleted:?}");
    assert_eq!(load(&store).await, None);
    proxy.next("GET", Fault::LoseAnswer);
    assert_eq!(load(&store).await, None, "a read is simply made again");
    assert_eq!(proxy.count(), 7);
}

/// A client or a proxy that sends a write twice gets a conflict with the first. The stored object
/// tells that it is our own.
#[tokio::test]
async fn a_conflict_with_our_own_write_counts_as_saved() {
    let (store, proxy) = scene().await;
    proxy
        .next("PUT", Fault::AnswerInstead(answer("412 Precondition Failed", "PreconditionFailed")));
    let etag = save(&store, create("k", "1")).await;
    assert_eq!(load(&store).await, Some(("1".to_owned(), etag.clone())));
    proxy
        .next("PUT", Fault::AnswerInstead(answer("412 Precondition Failed", "PreconditionFailed")));
    let etag = save(&store, replace(&etag, "2")).await;
    assert_eq!(load(&store).await, Some(("2".to_owned(), etag)));
    assert_eq!(proxy.count(), 2);
}

/// Spurious conflict: Amazon answers 409 when two conditional writes meet, even if neither has
/// happened.
#[tokio::test]
async fn a_spurious_conflict_is_retried() {
    let (store, proxy) = scene().await;
    for status in ["409 Conflict", "412 Precondition Failed"] {
        let refuse = || Fault::Refuse(answer(status, "ConditionalRequestConflict"));
        proxy.next("PUT", refuse());
        let etag = save(&store, create("k", "1")).await;
        proxy.next("PUT", refuse());
        let etag = save(&store, replace(&etag, "2")).await;
        assert_eq!(load(&store).await.unwrap().0, "2");
        proxy.next("PUT", refuse());
        assert!(matches!(store.delete(&key("k"), &etag).await, Ok(Saved::Committed(_))));
    }
    assert_eq!(proxy.count(), 6);
}

#[tokio::test]
async fn a_conflict_that_cannot_be_looked_into_leaves_the_write_in_doubt() {
    let (store, proxy) = scene().await;
    let first = save(&store, create("k", "1")).await;
    let second = save(&store, replace(&first, "2")).await;
    proxy.next("GET", Fault::Refuse(answer("500 Internal Server Error", "InternalError")));
    let saved = store.save(replace(&first, "3")).await;
    assert!(matches!(saved, Err(Error::Unknown { .. })), "{saved:?}");
    assert_eq!(load(&store).await, Some(("2".to_owned(), second)));
}

#[tokio::test]
async fn what_the_server_refuses_is_sorted() {
    let (store, proxy) = scene().await;
    let etag = save(&store, create("k", "1")).await;
    for (status, code, expected) in [
        ("503 Slow Down", "SlowDown", "Throttled"),
        ("503 Service Unavailable", "ServiceUnavailable", "Unknown"),
        ("500 Internal Server Error", "InternalError", "Unknown"),
        ("403 Forbidden", "AccessDenied", "Unavailable"),
        ("400 Bad Request", "EntityTooLarge", "Invalid"),
    ] {
        proxy.next("PUT", Fault::Refuse(answer(status, code)));
        let error = store.save(replace(&etag, "2")).await.unwrap_err();
        let text = format!("{error:?}");
        assert!(text.starts_with(expected), "{status}: {text}");
        assert!(!text.contains("pizza"), "nothing of the server's words: {text}");
    }
    assert_eq!(load(&store).await, Some(("1".to_owned(), etag)));
}

/// The marker is written first. When that fails the document is untouched, so nothing is in doubt.
#[tokio::test]
async fn a_marker_that_cannot_be_written_leaves_nothing_in_doubt() {
    let (store, proxy) = scene().await;
    let write = Write { due: Some(Timestamp::START), ..create("k", "1") };
    for fault in [Fault::LoseAnswer, Fault::Refuse(answer("500 X", "InternalError"))] {
        proxy.next("PUT", fault);
        let saved = store.save(write.clone()).await;
        assert!(matches!(saved, Err(Error::Unavailable { .. })), "{saved:?}");
        assert_eq!(load(&store).await, None);
        assert_eq!(store.due(Timestamp::START, None, 9).await.unwrap().found, []);
    }
    drop(save(&store, write).await);
    assert_eq!(store.due(Timestamp::START, None, 9).await.unwrap().found.len(), 1);
}

/// The removal of a marker may fail: what waits no more is not named all the same.
#[tokio::test]
async fn a_marker_that_stays_behind_names_nothing() {
    let (store, proxy) = scene().await;
    let etag = save(&store, Write { due: Some(Timestamp::START), ..create("k", "1") }).await;
    proxy.next("DELETE", Fault::Refuse(answer("500 X", "InternalError")));
    drop(save(&store, replace(&etag, "2")).await);
    for _ in 0..200 {
        if proxy.count() == 1 {
            break;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    assert_eq!(proxy.count(), 1, "the removal failed");
    assert_eq!(store.due(Timestamp::START, None, 9).await.unwrap().found, []);
}
