//! Document cache with LRU eviction: conversations that this instance has read or written.
//!
//! A cached document may be stale: another instance may have written since. That costs a conflict
//! and a reload, never a wrong state, because every turn that runs also commits conditionally.

use std::time::Duration;

use lru::LruCache;

use crate::{Key, by_key::KeyHasher, ledger::Document, store::ETag};

/// LRU cache of documents, bounded in bytes.
#[derive(Debug)]
pub(super) struct Cache {
    documents: LruCache<Key, Place, KeyHasher>,
    bytes: usize,
    bytes_max: usize,
}

/// A cached document and the version under which this instance read or wrote it.
#[derive(Debug)]
pub(super) struct Cached {
    pub(super) document: Box<Document>,
    pub(super) etag: ETag,
    pub(super) bytes: usize,
    pub(super) streak: Streak,
}

/// Streak: commits of a conversation that this instance made in quick succession, so that other
/// instances could hardly make one.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Streak {
    commits: u32,
    first: Duration,
    last: Duration,
}

/// A gap longer than this between commits ends a streak.
const APART: Duration = Duration::from_millis(100);

impl Streak {
    /// Adds a commit that began at this time.
    pub(super) fn with(self, began: Duration) -> Self {
        match began.saturating_sub(self.last) <= APART && self.commits > 0 {
            true => Self { commits: self.commits + 1, last: began, ..self },
            false => Self { commits: 1, first: began, last: began },
        }
    }

    /// Returns the mean time per commit if the streak has at least `most` of them.
    pub(super) fn mean(self, most: u32) -> Option<Duration> {
        let is_long = self.commits >= most.max(2);
        is_long.then(|| (self.last - self.first) / (self.commits - 1))
    }
}

/// An entry of the cache. It stays in LRU order while its document is lent out, and is replaced
/// when the borrower puts a document back; until then it counts as a miss.
#[derive(Debug)]
struct Place {
    cached: Option<Cached>,
    weight: usize,
}

impl Cache {
    pub(super) fn new(bytes_max: usize) -> Self {
        Self {
            documents: LruCache::unbounded_with_hasher(KeyHasher::default()),
            bytes: 0,
            bytes_max,
        }
    }

    /// Lends a document: the entry is empty until a document is put back.
    pub(super) fn lend(&mut self, key: &Key) -> Option<Cached> {
        // The entry becomes the most recently used when a document is put.
        self.documents.peek_mut(key)?.cached.take()
    }

    pub(super) fn put(&mut self, key: &Key, cached: Cached) {
        let weight = cached.weight();
        let place = Place { cached: Some(cached), weight };
        self.bytes += weight;
        match self.documents.get_mut(key) {
            Some(old) => self.bytes -= std::mem::replace(old, place).weight,
            None => drop(self.documents.put(key.clone(), place)),
        }
        while self.bytes > self.bytes_max {
            let Some((_, old)) = self.documents.pop_lru() else { break };
            self.bytes -= old.weight;
        }
    }

    /// Removes a document and its entry.
    pub(super) fn take(&mut self, key: &Key) -> Option<Cached> {
        let place = self.documents.pop(key)?;
        self.bytes -= place.weight;
        place.cached
    }

    pub(super) fn forget(&mut self, key: &Key) {
        drop(self.take(key));
    }
}

impl Cached {
    /// Approximate size in memory: the text and the overhead around it.
    fn weight(&self) -> usize {
        self.bytes + 512
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_least_recently_used_goes_first_and_the_bound_holds() {
        let key = |name: &str| Key::new(name).unwrap();
        let cached = || Cached {
            document: Box::default(),
            etag: ETag::new("1"),
            bytes: 1000 - 512,
            streak: Streak::default(),
        };
        let mut cache = Cache::new(2500);
        cache.put(&key("a"), cached());
        cache.put(&key("b"), cached());
        let lent = cache.lend(&key("a")).unwrap();
        cache.put(&key("a"), lent);
        cache.put(&key("c"), cached());
        assert!(cache.lend(&key("b")).is_none());
        assert!(cache.lend(&key("a")).is_some());
        assert_eq!(cache.bytes, 2000);
        cache.forget(&key("a"));
        assert_eq!(cache.bytes, 1000);
    }

    #[test]
    fn what_is_lent_is_gone_until_it_is_put() {
        let key = Key::new("a").unwrap();
        let cached = |etag, bytes| Cached {
            document: Box::default(),
            etag: ETag::new(etag),
            bytes,
            streak: Streak::default(),
        };
        let mut cache = Cache::new(10_000);
        cache.put(&key, cached("1", 1000));
        assert_eq!(cache.lend(&key).unwrap().etag, ETag::new("1"));
        assert!(cache.lend(&key).is_none());
        cache.put(&key, cached("2", 2000));
        assert_eq!(cache.bytes, 2512);
        assert_eq!(cache.lend(&key).unwrap().etag, ETag::new("2"));
        cache.forget(&key);
        assert!(cache.lend(&key).is_none());
        assert_eq!(cache.bytes, 0);
        cache.put(&key, cached("3", 1000));
        assert_eq!(cache.take(&key).unwrap().etag, ETag::new("3"));
        assert_eq!(cache.bytes, 0);
    }
}
