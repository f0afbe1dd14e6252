//! Group commit: saves in flight together share scripts, and nothing else.

use futures_util::future::join_all;
use sayso_stores::RedisStore;
use sayso_turn::{
    clock::Timestamp,
    store::{ETag, Error, Expect, Saved, Store, Write},
};

use super::{create, key, server::tell, url};

/// Each is saved, refused or damaged independently, and only what was saved is due.
#[tokio::test]
async fn each_has_its_own_verdict() {
    let url = url();
    let store = RedisStore::open_url(&url).await.unwrap();
    let (server, prefix) = url.rsplit_once("?prefix=").unwrap();
    // What others keep under our names: no hash, a hash that is no document, and no set for an
    // index.
    let () = tell(server, &["SET", &format!("{prefix}:{{s6}}:d:k"), "somebody's"]).await;
    let () = tell(server, &["HSET", &format!("{prefix}:{{s6}}:d:k1"), "field", "x"]).await;
    let stale = Expect::At(ETag::new("stale@7"));
    let due = Some(Timestamp::from_millis(7));
    let mut writes: Vec<_> =
        (0..20).map(|number| create(&format!("new{number:02}"), "{}")).collect();
    writes.iter_mut().step_by(2).for_each(|write| write.due = due);
    writes.insert(5, create("k", "{}"));
    writes.insert(9, Write { due, ..create("k1", "{}") });
    writes.insert(12, Write { expect: stale, due, ..create("absent", "{}") });
    let saved = join_all(writes.iter().map(|write| store.save(write.clone()))).await;
    let mut etags = Vec::new();
    for (write, saved) in writes.iter().zip(saved) {
        match (write.key.as_str(), saved) {
            (text @ ("k" | "k1"), Err(Error::Corrupt { key: named, .. })) => {
                assert_eq!(named, key(text));
            }
            ("absent", Ok(Saved::Conflict)) => {}
            (text, Ok(Saved::Committed(etag))) if text.starts_with("new") => {
                let stored = store.load(&write.key).await.unwrap().unwrap();
                assert_eq!((&stored.etag, stored.body), (&etag, "{}".to_owned()));
                etags.push((write.clone(), etag));
            }
            (text, other) => panic!("{text}: {other:?}"),
        }
    }
    assert_eq!(store.load(&key("absent")).await.unwrap(), None);
    let named = store.due(Timestamp::from_millis(7), None, 99).await.unwrap().found;
    let named: Vec<_> = named.iter().map(|due| due.key.as_str()).collect();
    assert_eq!(named.len(), 10);
    assert!(named.iter().all(|text| text.starts_with("new")), "{named:?}");
    let stats = store.stats();
    assert_eq!(stats.writes, 20);
    assert!(stats.commits < 10, "{stats:?}");

    // All at once again: what waited waits no more, and the other way round.
    let again = etags.iter().map(|(write, etag)| {
        let is_due = write.due.is_none();
        let due = is_due.then_some(Timestamp::from_millis(7));
        store.save(Write { expect: Expect::At(etag.clone()), due, ..write.clone() })
    });
    for saved in join_all(again).await {
        assert!(matches!(saved, Ok(Saved::Committed(_))), "{saved:?}");
    }
    let named_now = store.due(Timestamp::from_millis(7), None, 99).await.unwrap().found;
    assert_eq!(named_now.len(), 10);
    assert!(named_now.iter().all(|due| !named.contains(&due.key.as_str())), "{named_now:?}");
}

/// A blocked index only fails the saves that need it.
#[tokio::test]
async fn one_that_cannot_be_indexed_keeps_no_other_back() {
    let url = url();
    let store = RedisStore::open_url(&url).await.unwrap();
    let (server, prefix) = url.rsplit_once("?prefix=").unwrap();
    let () = tell(server, &["SET", &format!("{prefix}:{{s6}}:waiting"), "somebody's"]).await;
    let mut writes: Vec<_> = (0..9).map(|number| create(&format!("new{number}"), "{}")).collect();
    writes.insert(4, Write { due: Some(Timestamp::START), ..create("k", "{}") });
    let saved = join_all(writes.iter().map(|write| store.save(write.clone()))).await;
    for (write, saved) in writes.iter().zip(saved) {
        let is_hindered = write.key == key("k");
        assert_eq!(saved.is_err(), is_hindered, "{}", write.key);
        assert_eq!(store.load(&write.key).await.unwrap().is_none(), is_hindered);
    }
}
