//! Scene: the store under test and a key prefix that nobody else uses.
//!
//! Its helpers panic where a check could not go on.

use std::sync::Arc;

use futures_util::TryStreamExt;
use sayso_turn::{
    Key,
    clock::Timestamp,
    store::{Due, ETag, Expect, Saved, Store, Stored, Write},
};

/// The limit on retries of a check's optimistic loop.
pub(super) const ROUNDS_MAX: u32 = 10_000;

/// The limit on pages of a look.
const PAGES_MAX: usize = 100_000;

#[derive(Clone, Debug)]
pub(super) struct Scene {
    pub(super) store: Arc<dyn Store>,
    prefix: Arc<str>,
}

impl Scene {
    pub(super) fn new(store: Arc<dyn Store>) -> Self {
        Self { store, prefix: format!("conformance/{:016x}/", fastrand::u64(..)).into() }
    }

    pub(super) fn prefix(&self) -> &str {
        &self.prefix
    }

    pub(super) fn key(&self, rest: &str) -> Key {
        Key::new(format!("{}{rest}", self.prefix)).expect("a key of a check is valid")
    }

    pub(super) async fn load(&self, key: &Key) -> Option<Stored> {
        self.store.load(key).await.expect("load works")
    }

    /// Loads a document that must be there.
    pub(super) async fn read(&self, key: &Key) -> Stored {
        self.load(key).await.expect("the document is there")
    }

    pub(super) async fn save(&self, write: Write) -> Saved {
        self.store.save(write).await.expect("save works")
    }

    pub(super) async fn create(&self, key: &Key, body: &str) -> ETag {
        committed(self.save(create(key, body)).await)
    }

    pub(super) async fn replace(&self, key: &Key, etag: &ETag, body: &str) -> ETag {
        committed(self.save(replace(key, etag, body)).await)
    }

    pub(super) async fn delete(&self, key: &Key, etag: &ETag) -> Saved {
        self.store.delete(key, etag).await.expect("delete works")
    }

    /// Creates a document that waits from a time on.
    pub(super) async fn create_due(&self, key: &Key, at: u64) -> ETag {
        let due = Some(Timestamp::from_millis(at));
        committed(self.save(Write { due, ..create(key, "{}") }).await)
    }

    /// This scene's documents that a look names, in pages of some documents, in the order of keys.
    pub(super) async fn due(&self, now: u64, limit: usize) -> Vec<Due> {
        let (mut named, mut from) = (Vec::new(), None);
        for _ in 0..PAGES_MAX {
            let now = Timestamp::from_millis(now);
            let page = self.store.due(now, from.as_ref(), limit).await.expect("due works");
            assert!(page.found.len() <= limit, "due keeps its limit");
            let found = page.found.into_iter();
            named.extend(found.filter(|due| due.key.as_str().starts_with(self.prefix())));
            from = page.next;
            if from.is_none() {
                break;
            }
        }
        assert_eq!(from, None, "a look ends");
        named.sort_by(|one, other| one.key.cmp(&other.key));
        named
    }

    /// The keys that begin with a prefix, in order.
    pub(super) async fn list(&self, prefix: &str) -> Vec<Key> {
        let mut keys: Vec<Key> = self.store.list(prefix).try_collect().await.expect("list works");
        keys.sort();
        keys
    }
}

pub(super) fn create(key: &Key, body: &str) -> Write {
    Write::new(key.clone(), Expect::Absent, body)
}

pub(super) fn replace(key: &Key, etag: &ETag, body: &str) -> Write {
    let expect = Expect::At(etag.clone());
    Write::new(key.clone(), expect, body)
}

pub(super) fn committed<T>(saved: Saved<T>) -> T {
    match saved {
        Saved::Committed(etag) => Some(etag),
        Saved::Conflict => None,
    }
    .expect("the write is committed")
}

/// A document with a number in it.
pub(super) fn body_of(number: i64) -> String {
    format!("{{\"number\":{number}}}")
}

/// The number in a document; the whole text must be as it was written.
pub(super) fn number_in(body: &str) -> i64 {
    let number = body.strip_prefix("{\"number\":").and_then(|rest| rest.strip_suffix('}'));
    number.and_then(|number| number.parse().ok()).expect("a whole document with a number")
}
