//! Keys on the server: names of documents, and foreign keys in their place.

use std::slice;

use futures_util::TryStreamExt;
use sayso_stores::{RedisStore, redis::DOCUMENT_BYTES_MAX};
use sayso_turn::{
    clock::Timestamp,
    store::{ETag, Error, Expect, Saved, Store, Write},
};

use super::{create, key, server::tell, url};

/// The store, a URL for commands past it, and the name under which it keeps the document `k`.
async fn scene() -> (RedisStore, String, String) {
    let url = url();
    let store = RedisStore::open_url(&url).await.unwrap();
    let (server, prefix) = url.rsplit_once("?prefix=").unwrap();
    (store, server.to_owned(), format!("{prefix}:{{s6}}:d:k"))
}

fn assert_corrupt<T: std::fmt::Debug>(result: Result<T, Error>) {
    match result {
        Err(error @ Error::Corrupt { .. }) => {
            let text = error.to_string();
            assert!(text.starts_with("the document k is damaged and was left as it is"), "{text}");
        }
        other => panic!("{other:?}"),
    }
}

async fn assert_all_calls_say_corrupt(store: &RedisStore) {
    let at = Write { expect: Expect::At(ETag::new("e")), ..create("k", "{}") };
    assert_corrupt(store.load(&key("k")).await);
    assert_corrupt(store.save(create("k", "{}")).await);
    assert_corrupt(store.save(at.clone()).await);
    assert_corrupt(store.delete(&key("k"), &ETag::new("e")).await);
    let both = vec![create("k", "{}"), create("other", "{}")];
    let transactions = store.transactions().unwrap();
    assert_corrupt(transactions.save_all(both).await);
    assert_eq!(store.load(&key("other")).await.unwrap(), None, "nothing of it was written");
}

#[tokio::test]
async fn a_document_is_a_hash_that_an_operator_can_read() {
    let (store, server, name) = scene().await;
    let due = Some(Timestamp::from_millis(7));
    let saved = store.save(Write { due, ..create("k", "{\"a\":1}") }).await.unwrap();
    let Saved::Committed(etag) = saved else { panic!("{saved:?}") };
    let fields: Vec<(String, String)> = tell(&server, &["HGETALL", &name]).await;
    let expected = [("etag", etag.as_str()), ("body", "{\"a\":1}")];
    assert!(etag.as_str().ends_with("@7"), "{etag:?} tells the time");
    assert_eq!(fields, expected.map(|(name, value)| (name.to_owned(), value.to_owned())));
}

#[tokio::test]
async fn a_foreign_document_is_reported_and_left_as_it_is() {
    let (store, server, name) = scene().await;
    let () = tell(&server, &["SET", &name, "somebody's"]).await;
    assert_all_calls_say_corrupt(&store).await;
    let text: String = tell(&server, &["GET", &name]).await;
    assert_eq!(text, "somebody's");

    let () = tell(&server, &["DEL", &name]).await;
    let () = tell(&server, &["HSET", &name, "field", "somebody's"]).await;
    assert_all_calls_say_corrupt(&store).await;
    let fields: Vec<String> = tell(&server, &["HGETALL", &name]).await;
    assert_eq!(fields, ["field", "somebody's"]);
}

#[tokio::test]
async fn a_document_that_lost_a_part_is_reported() {
    let (store, server, name) = scene().await;
    assert!(matches!(store.save(create("k", "{}")).await, Ok(Saved::Committed(_))));
    let () = tell(&server, &["HDEL", &name, "body"]).await;
    assert_corrupt(store.load(&key("k")).await);
    let () =
        tell(&server, &["EVAL", "redis.call('HSET', KEYS[1], 'body', '\\255')", "1", &name]).await;
    assert_corrupt(store.load(&key("k")).await);
}

/// A document that cannot be read waits for an operator; the others must not wait with it.
#[tokio::test]
async fn a_foreign_document_hides_no_due_document() {
    let (store, server, name) = scene().await;
    let due = Some(Timestamp::from_millis(7));
    // The three share a shard with each other, so that one call finds them.
    for text in ["k", "k1", "k103"] {
        assert!(matches!(
            store.save(Write { due, ..create(text, "{}") }).await,
            Ok(Saved::Committed(_))
        ));
    }
    let () = tell(&server, &["SET", &name, "somebody's"]).await;
    let named = store.due(Timestamp::from_millis(7), None, 9).await.unwrap().found;
    let mut named: Vec<_> = named.iter().map(|due| due.key.as_str()).collect();
    named.sort_unstable();
    assert_eq!(named, ["k1", "k103"]);
}

/// A set of somebody else's where the index should be: the save fails before the document changes.
#[tokio::test]
async fn a_save_that_cannot_be_indexed_changes_nothing() {
    let (store, server, name) = scene().await;
    let waiting = name.replace(":d:k", ":waiting");
    let () = tell(&server, &["SET", &waiting, "somebody's"]).await;
    let write = Write { due: Some(Timestamp::START), ..create("k", "{}") };
    assert!(store.save(write.clone()).await.is_err());
    assert_eq!(store.load(&write.key).await.unwrap(), None);
    let transactions = store.transactions().unwrap();
    assert!(transactions.save_all(vec![create("other", "{}"), write.clone()]).await.is_err());
    assert_eq!(store.load(&key("other")).await.unwrap(), None);
}

/// The two indexes hold what waits and nothing else, whatever has happened to the documents.
#[tokio::test]
async fn the_indexes_do_not_grow() {
    let (store, server, name) = scene().await;
    let waiting = name.replace(":d:k", ":waiting");
    let ready = name.replace(":d:k", ":ready");
    let due = |at| Some(Timestamp::from_millis(at));
    let (mut saved, now) = (Expect::Absent, Timestamp::from_millis(9));
    for at in [due(5), due(20), None, due(5), due(9), None] {
        let write = Write { expect: saved.clone(), due: at, ..create("k", "{}") };
        let Saved::Committed(etag) = store.save(write).await.unwrap() else { panic!("conflict") };
        saved = Expect::At(etag);
        let expected: Vec<_> = at.into_iter().filter(|at| *at <= now).collect();
        let named = store.due(now, None, 9).await.unwrap().found;
        assert_eq!(named.iter().map(|due| due.at).collect::<Vec<_>>(), expected);
        let sizes: [u64; 2] =
            [tell(&server, &["ZCARD", &waiting]).await, tell(&server, &["ZCARD", &ready]).await];
        let is_later = at.is_some_and(|at| at > now);
        assert_eq!(sizes, [u64::from(is_later), u64::from(at.is_some() && !is_later)], "{at:?}");
    }
    // Seen by a clock that is behind, it waits again.
    let Expect::At(etag) = saved else { panic!("saved before") };
    let write = Write { expect: Expect::At(etag), due: due(5), ..create("k", "{}") };
    let Saved::Committed(etag) = store.save(write).await.unwrap() else { panic!("conflict") };
    assert_eq!(store.due(now, None, 9).await.unwrap().found.len(), 1);
    assert_eq!(store.due(Timestamp::from_millis(4), None, 9).await.unwrap().found, []);
    assert_eq!(store.due(now, None, 9).await.unwrap().found.len(), 1);
    assert!(matches!(store.delete(&key("k"), &etag).await, Ok(Saved::Committed(_))));
    assert_eq!(store.due(now, None, 9).await.unwrap().found, []);
    let left: Vec<String> = tell(&server, &["KEYS", &name.replace("{s6}:d:k", "*")]).await;
    assert_eq!(left, Vec::<String>::new(), "nothing is left of a deleted document");
}

#[tokio::test]
async fn a_list_skips_foreign_entries() {
    let (store, server, name) = scene().await;
    assert!(matches!(store.save(create("k", "{}")).await, Ok(Saved::Committed(_))));
    let stray = [name.replace("{s6}", "{s7}"), name.replace("{s6}", "{sx}"), format!("x{name}")];
    for stray in &stray {
        let () = tell(&server, &["SET", stray, "x"]).await;
    }
    let listed: Vec<_> = store.list("").try_collect().await.unwrap();
    assert_eq!(listed, slice::from_ref(&key("k")));
    let () = tell(&server, &["DEL", &stray[2]]).await;
}

#[tokio::test]
async fn a_document_beyond_the_limit_is_refused_before_it_is_sent() {
    let (store, ..) = scene().await;
    let large = "x".repeat(DOCUMENT_BYTES_MAX + 1);
    let error = store.save(create("k", &large)).await.unwrap_err();
    assert!(matches!(error, Error::TooLarge { bytes_max: DOCUMENT_BYTES_MAX, .. }), "{error}");
    assert!(!error.to_string().contains("xx"), "no text of a user");
}
