//! Sealed bodies: nothing of them is to be seen, and nothing in them can be changed.

use std::{fs, sync::Arc};

use sayso_stores::SqliteStore;
use sayso_turn::{
    clock::Timestamp,
    store::{Error, Expect, MemoryStore, Saved, Store, Stored, Write},
};

use super::{A, B, body, create, hashed, key, over, replace, save};

/// A text that must be nowhere, and a user's id that must be nowhere with hashed names.
const SAID: &str = "c4n4ry-what-was-said-7f1e";
const USER: &str = "c4n4ry-user-93ab";

/// The reason of a refusal, which never has what is inside or a key.
fn refused<T: std::fmt::Debug>(result: Result<T, Error>) -> String {
    let error = result.unwrap_err();
    assert!(matches!(error, Error::Corrupt { .. }), "{error:?}");
    let shown = format!("{error} {error:?}");
    for secret in [SAID, "MDEyMzQ1", "YWJjZGVm"] {
        assert!(!shown.contains(secret), "{shown}");
    }
    error.to_string()
}

fn search(folder: &std::path::Path, text: &str) -> (usize, usize) {
    let (mut bytes, mut hits) = (0, 0);
    for file in fs::read_dir(folder).unwrap() {
        let content = fs::read(file.unwrap().path()).unwrap();
        bytes += content.len();
        hits += content.windows(text.len()).filter(|window| *window == text.as_bytes()).count();
    }
    (bytes, hits)
}

#[tokio::test]
async fn a_byte_search_of_the_files_finds_no_plaintext() {
    for (is_encrypted, has_hashed_names) in [(false, false), (true, false), (true, true)] {
        let folder = tempfile::tempdir().unwrap();
        let sqlite = Arc::new(SqliteStore::open(folder.path().join("bot.sqlite")).unwrap());
        let store: Arc<dyn Store> = match (is_encrypted, has_hashed_names) {
            (false, _) => Arc::clone(&sqlite) as _,
            (true, false) => Arc::new(over(&sqlite, &[A])),
            (true, true) => Arc::new(hashed(&sqlite, &[A])),
        };
        let name = format!("webchat/users/{USER}");
        let said = format!("{{\"text\":\"{SAID}\"}}");
        let mut etag = save(&*store, create(&name, &said)).await;
        for number in 0..20 {
            let text = format!("{{\"n\":{number},\"text\":\"{}\"}}", SAID.repeat(number));
            etag = save(&*store, replace(&name, &etag, &text)).await;
            // The write-ahead log, too.
            let (bytes, said) = search(folder.path(), SAID);
            assert!(bytes > 4096);
            assert_eq!(said == 0, is_encrypted, "{said} in {bytes} bytes");
            let (_, user) = search(folder.path(), USER);
            assert_eq!(user == 0, has_hashed_names);
        }
        assert!(body(&*store, &name).await.contains(SAID));
    }
}

#[tokio::test]
async fn a_document_under_another_key_is_refused_and_left_as_it_is() {
    let memory = Arc::new(MemoryStore::default());
    let plain = over(&memory, &[A]);
    let named = hashed(&memory, &[A]);
    let stores: [&dyn Store; 2] = [&plain, &named];
    for (store, keys) in stores.into_iter().zip([["ann", "bob"], ["cid", "dan"]]) {
        let mut raw = Vec::new();
        for name in keys {
            let before = memory.list("").collect_keys().await;
            let _etag = save(store, create(name, &format!("{{\"{SAID}\":\"{name}\"}}"))).await;
            let after = memory.list("").collect_keys().await;
            let own = after.into_iter().find(|key| !before.contains(key)).unwrap();
            raw.push((own.clone(), memory.load(&own).await.unwrap().unwrap()));
        }
        // Somebody who can write to the store swaps the two.
        for (to, from) in [(0, 1), (1, 0)] {
            let (key, Stored { etag, .. }) = &raw[to];
            let body = raw[from].1.body.clone();
            let expect = Expect::At(etag.clone());
            let write = Write::new(key.clone(), expect, body);
            assert!(matches!(memory.save(write).await, Ok(Saved::Committed(_))));
        }
        for name in keys {
            let stored = memory.list("").collect_keys().await;
            let said = refused(store.load(&key(name)).await);
            assert!(said.contains("does not decrypt"), "{said}");
            assert!(said.contains(name), "it says which: {said}");
            assert_eq!(memory.list("").collect_keys().await, stored);
        }
    }
}

#[tokio::test]
async fn every_changed_byte_is_noticed() {
    let memory = Arc::new(MemoryStore::default());
    let store = over(&memory, &[A, B]);
    let mut etag = save(&store, create("k", &format!("{{\"text\":\"{SAID}\"}}"))).await;
    let sealed = memory.load(&key("k")).await.unwrap().unwrap().body;
    let mut noticed = 0;
    for at in 0..sealed.len() {
        let mut bytes = sealed.clone().into_bytes();
        bytes[at] = if bytes[at] == b'b' { b'c' } else { b'b' };
        let changed = String::from_utf8(bytes).unwrap();
        etag = save(&*memory, replace("k", &etag, &changed)).await;
        // The last character of Base64 may have bits that mean nothing; they must be zero.
        let _reason = refused(store.load(&key("k")).await);
        noticed += 1;
    }
    for length in [0, 1, 46, 47, 60, sealed.len() - 3, sealed.len() - 1] {
        etag = save(&*memory, replace("k", &etag, &sealed[..length])).await;
        let _reason = refused(store.load(&key("k")).await);
        noticed += 1;
    }
    assert_eq!(store.counters().unreadable, noticed);
    let _etag = save(&*memory, replace("k", &etag, &sealed)).await;
    assert!(body(&store, "k").await.contains(SAID), "and nothing was done to it");
}

#[tokio::test]
async fn a_missing_key_is_named_and_a_wrong_one_does_not_open() {
    let memory = Arc::new(MemoryStore::default());
    let _etag = save(&over(&memory, &[A]), create("k", &format!("\"{SAID}\""))).await;
    let said = refused(over(&memory, &[B]).load(&key("k")).await);
    assert!(said.contains("the key `a`, which is not among the keys"), "{said}");
    let other = B.replace("b:", "a:");
    let said = refused(over(&memory, &[&other]).load(&key("k")).await);
    assert!(said.contains("the encryption key of this id is another one"), "{said}");
    assert_eq!(body(&over(&memory, &[B, A]), "k").await, format!("\"{SAID}\""));
}

#[tokio::test]
async fn a_document_in_clear_is_refused_unless_the_ring_accepts_it() {
    let memory = Arc::new(MemoryStore::default());
    let etag = save(&*memory, create("k", "{\"n\":1}")).await;
    let strict = over(&memory, &[A]);
    let said = refused(strict.load(&key("k")).await);
    assert!(said.contains("not encrypted"), "{said}");
    let lenient = over(&memory, &[A, "clear"]);
    assert_eq!(body(&lenient, "k").await, "{\"n\":1}");
    assert_eq!(lenient.key_id(&key("k")).await.unwrap().unwrap(), "clear");
    // The next save encrypts it.
    let _etag = save(&lenient, replace("k", &etag, "{\"n\":2}")).await;
    assert_eq!(lenient.key_id(&key("k")).await.unwrap().unwrap(), "a");
    assert_eq!(body(&strict, "k").await, "{\"n\":2}");
    // And with `clear` in front the way leads back.
    let back = over(&memory, &["clear", A]);
    let etag = back.load(&key("k")).await.unwrap().unwrap().etag;
    let _etag = save(&back, replace("k", &etag, "{\"n\":3}")).await;
    assert_eq!(body(&*memory, "k").await, "{\"n\":3}");
}

#[tokio::test]
async fn an_older_version_that_comes_back_is_reported_where_it_was_known() {
    let memory = Arc::new(MemoryStore::default());
    let store = over(&memory, &[A]);
    let first = save(&store, create("k", "{\"n\":1}")).await;
    let old = memory.load(&key("k")).await.unwrap().unwrap().body;
    let second = save(&store, replace("k", &first, "{\"n\":2}")).await;
    assert_eq!((body(&store, "k").await, store.counters().rollbacks), ("{\"n\":2}".into(), 0));

    // Somebody puts the old text back.
    let third = save(&*memory, replace("k", &second, &old)).await;
    assert_eq!((body(&store, "k").await, store.counters().rollbacks), ("{\"n\":1}".into(), 1));
    assert_eq!((body(&store, "k").await, store.counters().rollbacks), ("{\"n\":1}".into(), 1));
    // A process that did not know the newer one cannot notice.
    let stranger = over(&memory, &[A]);
    assert_eq!(
        (body(&stranger, "k").await, stranger.counters().rollbacks),
        ("{\"n\":1}".into(), 0)
    );

    // Neither is a document that was deleted and made anew, nor one that others have changed.
    assert!(matches!(store.delete(&key("k"), &third).await, Ok(Saved::Committed(_))));
    let mut etag = save(&stranger, create("k", "{}")).await;
    for _ in 0..3 {
        assert_eq!(store.load(&key("k")).await.unwrap().unwrap().etag, etag);
        etag = save(&stranger, replace("k", &etag, "{}")).await;
    }
    assert_eq!(store.counters().rollbacks, 1);
}

#[tokio::test]
async fn the_same_body_is_never_the_same_text_twice() {
    let memory = Arc::new(MemoryStore::default());
    let store = over(&memory, &[A]);
    let mut etag = save(&store, create("k", "{}")).await;
    let mut texts = std::collections::BTreeSet::new();
    for _ in 0..100 {
        assert!(texts.insert(body(&*memory, "k").await));
        etag = save(&store, replace("k", &etag, "{}")).await;
    }
}

#[tokio::test]
async fn a_body_that_is_too_large_encrypted_is_refused_with_the_limit_for_clear_ones() {
    let folder = tempfile::tempdir().unwrap();
    let sqlite = Arc::new(SqliteStore::open(folder.path().join("bot.sqlite")).unwrap());
    let store = over(&sqlite, &[A]);
    let write = create("k", &"x".repeat((64 << 20) - 10));
    let Err(Error::TooLarge { bytes, bytes_max, key, .. }) = store.save(write).await else {
        panic!("four thirds of 64 MiB are too large")
    };
    assert_eq!((bytes, key.as_str()), ((64 << 20) - 10, "k"));
    assert!((48 << 20) - 200 < bytes_max && bytes_max < 48 << 20, "{bytes_max}");
    let _etag = save(&store, create("k", &"x".repeat(bytes_max))).await;
}

#[tokio::test]
async fn times_stay_with_the_engine() {
    let memory = Arc::new(MemoryStore::default());
    let store = over(&memory, &[A]);
    let due = Some(Timestamp::from_millis(7));
    let _etag = save(&store, Write { due, ..create("k", "{}") }).await;
    for store in [&store as &dyn Store, &*memory] {
        let page = store.due(Timestamp::from_millis(7), None, 9).await.unwrap();
        assert_eq!(page.found[0].key, key("k"));
    }
}

#[test]
fn debug_and_display_show_no_key() {
    let store = hashed(&Arc::new(MemoryStore::default()), &[A, B]);
    let shown = format!("{store} {store:?}");
    assert!(shown.starts_with("the memory store, encrypted Encrypting {"), "{shown}");
    assert!(!shown.contains("MDEyMzQ1") && !shown.contains("012345"), "{shown}");
}

/// Collects the keys of a list.
trait CollectKeys {
    async fn collect_keys(self) -> Vec<sayso_turn::Key>;
}

impl<S> CollectKeys for S
where
    S: futures_util::Stream<Item = Result<sayso_turn::Key, Error>> + Unpin,
{
    async fn collect_keys(self) -> Vec<sayso_turn::Key> {
        futures_util::TryStreamExt::try_collect(self).await.unwrap()
    }
}
