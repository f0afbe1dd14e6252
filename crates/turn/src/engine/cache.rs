//! Document cache: conversations that this instance read or wrote last, in least-recently-used
//! order.
//!
//! A cached document may be stale at any time: another instance may have written since. That costs
//! a failed condition and a reload, never a wrong state, because every turn that runs also commits.

use std::time::Duration;

use lru::LruCache;

use crate::{Key, by_key::Hashed, ledger::Document, store::ETag};

/// Documents by key, the least recently used forgotten first.
#[derive(Debug)]
pub(super) struct Cache {
    documents: LruCache<Key, Place, Hashed>,
    bytes: usize,
    bytes_max: usize,
}

/// A document and the version under which this instance wrote or read it.
#[derive(Debug)]
pub(super) struct Cached {
    pub(super) document: Box<Document>,
    pub(super) etag: ETag,
    pub(super) bytes: usize,
    pub(super) streak: Streak,
}

/// Commits of a conversation that this instance made in quick succession, while nobody else could
/// make one.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Streak {
    commits: u32,
    first: Duration,
    last: Duration,
}

/// Commits further apart than this leave room for those of others.
const APART: Duration = Duration::from_millis(100);

impl Streak {
    /// With one more commit, by the time at which it began.
    pub(super) fn with(self, began: Duration) -> Self {
        match began.saturating_sub(self.last) <= APART && self.commits > 0 {
            true => Self { commits: self.commits + 1, last: began, ..self },
            false => Self { commits: 1, first: began, last: began },
        }
    }

    /// The mean time of a commit, where there were so many of them.
    pub(super) fn mean(self, most: u32) -> Option<Duration> {
        let is_long = self.commits >= most.max(2);
        is_long.then(|| (self.last - self.first) / (self.commits - 1))
    }
}

/// A place in the cache. It keeps its place while the document is lent, and is replaced by what the
/// borrower puts; if that never happens, the document was never here.
#[derive(Debug)]
struct Place {
    cached: Option<Cached>,
    weight: usize,
}

impl Cache {
    pub(super) fn new(bytes_max: usize) -> Self {
        Self { documents: LruCache::unbounded_with_hasher(Hashed::default()), bytes: 0, bytes_max }
    }

    /// Lends a document: it is gone until it is put back, or another in its place.
    pub(super) fn lend(&mut self, key: &Key) -> Option<Cached> {
        // It moves to the front when it is put.
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

    /// Takes a document out, and its place with it.
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
    /// About what it takes in memory: the text, and what stands around it.
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
