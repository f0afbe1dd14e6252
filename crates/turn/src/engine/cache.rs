//! Conversations that this instance wrote last, in memory, the most recent ones.
//!
//! A cached document may be stale at any time: another instance may have written since. That costs a
//! failed condition and a reload, never a wrong state, because every turn that runs also commits.

use std::sync::Arc;

use lru::LruCache;

use crate::{Key, document::Document, store::ETag};

/// Documents by key, the least recently used forgotten first.
#[derive(Debug)]
pub(super) struct Cache {
    documents: LruCache<Key, Cached>,
    bytes: usize,
    bytes_max: usize,
}

/// A document and the version under which this instance wrote or read it.
#[derive(Clone, Debug)]
pub(super) struct Cached {
    pub(super) document: Arc<Document>,
    pub(super) etag: ETag,
    pub(super) bytes: usize,
}

impl Cache {
    pub(super) fn new(bytes_max: usize) -> Self {
        Self { documents: LruCache::unbounded(), bytes: 0, bytes_max }
    }

    pub(super) fn get(&mut self, key: &Key) -> Option<Cached> {
        self.documents.get(key).cloned()
    }

    pub(super) fn put(&mut self, key: Key, cached: Cached) {
        self.bytes += cached.weight();
        if let Some(old) = self.documents.put(key, cached) {
            self.bytes -= old.weight();
        }
        while self.bytes > self.bytes_max {
            let Some((_, old)) = self.documents.pop_lru() else { break };
            self.bytes -= old.weight();
        }
    }

    /// Takes a document out.
    pub(super) fn take(&mut self, key: &Key) -> Option<Cached> {
        let cached = self.documents.pop(key);
        self.bytes -= cached.as_ref().map_or(0, Cached::weight);
        cached
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
        let cached =
            || Cached { document: Arc::default(), etag: ETag::new("1"), bytes: 1000 - 512 };
        let mut cache = Cache::new(2500);
        cache.put(key("a"), cached());
        cache.put(key("b"), cached());
        assert!(cache.get(&key("a")).is_some());
        cache.put(key("c"), cached());
        assert!(cache.get(&key("b")).is_none());
        assert!(cache.get(&key("a")).is_some());
        assert_eq!(cache.bytes, 2000);
        cache.forget(&key("a"));
        assert_eq!(cache.bytes, 1000);
    }
}
