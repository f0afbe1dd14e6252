//! Memory of the versions that this process has read and written, to notice one that comes back.
//!
//! A version is a number in a lineage. A save goes on with the lineage of the version that it
//! replaces, if that is remembered; else it begins one. Only numbers of one lineage are compared:
//! so nothing is reported that a deletion, another instance or a full memory may have caused.

use std::{fmt, num::NonZeroUsize, sync::Mutex};

use lru::LruCache;
use sayso_turn::{
    Key,
    store::{ETag, Expect},
};

use crate::sync::lock;

/// Limit on documents that are remembered, some 200 bytes each.
pub(super) const REMEMBERED_MAX: NonZeroUsize = NonZeroUsize::new(16_384).expect("not zero");

/// Version of a document, as it is sealed with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Version {
    /// Chosen at random when a lineage begins.
    pub(super) lineage: u64,
    pub(super) number: u64,
}

pub(super) struct Versions {
    last: Mutex<LruCache<Key, (ETag, Version)>>,
}

impl Default for Versions {
    fn default() -> Self {
        Self { last: Mutex::new(LruCache::new(REMEMBERED_MAX)) }
    }
}

impl Version {
    fn begin() -> Self {
        let mut lineage = [0; 8];
        // Without chance all lineages are one, which reports too much; the seal needs it, too, and
        // fails.
        if aws_lc_rs::rand::fill(&mut lineage).is_err() {
            tracing::warn!("the system gives no random bytes");
        }
        Self { lineage: u64::from_be_bytes(lineage), number: 1 }
    }

    fn is_before(self, other: Self) -> bool {
        self.lineage == other.lineage && self.number < other.number
    }
}

impl Versions {
    /// The last version that is known.
    pub(super) fn last(&self, key: &Key) -> Option<Version> {
        lock(&self.last).get(key).map(|(_, version)| *version)
    }

    /// The version that a save makes.
    pub(super) fn next(&self, key: &Key, expect: &Expect) -> Version {
        match lock(&self.last).get(key) {
            Some((etag, version)) if expect.is_at(etag) => {
                Version { number: version.number + 1, ..*version }
            }
            _ => Version::begin(),
        }
    }

    /// Remembers a version that was read. Reports whether it is older than the one that was known
    /// before it was asked for.
    pub(super) fn read(
        &self,
        key: &Key,
        etag: &ETag,
        before: Option<Version>,
        now: Version,
    ) -> bool {
        let is_older = before.is_some_and(|before| now.is_before(before));
        let mut last = lock(&self.last);
        let is_stale = last.get(key).is_some_and(|(_, known)| now.is_before(*known));
        // After a rollback the older one is the current one; else it is a load that came late.
        if is_older || !is_stale {
            last.put(key.clone(), (etag.clone(), now));
        }
        is_older
    }

    /// Remembers a version that was written.
    pub(super) fn wrote(&self, key: &Key, etag: &ETag, version: Version) {
        let mut last = lock(&self.last);
        if !last.get(key).is_some_and(|(_, known)| version.is_before(*known)) {
            last.put(key.clone(), (etag.clone(), version));
        }
    }
}

impl fmt::Debug for Versions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Versions").field("documents", &lock(&self.last).len()).finish()
    }
}
