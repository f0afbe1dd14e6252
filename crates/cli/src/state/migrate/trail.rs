//! Memory of a migration: the versions of each document, hashed, to tell what has changed.

use std::{
    collections::HashMap,
    hash::{BuildHasher as _, RandomState},
};

use sayso::turn::{Key, store::ETag};

/// The documents met so far. Keys are kept as 128 bits of hash: a store may have many millions.
#[derive(Debug, Default)]
pub(super) struct Trail {
    hashers: [RandomState; 2],
    traces: HashMap<u128, Trace>,
}

/// Memory of one document.
#[derive(Clone, Copy, Debug)]
struct Trace {
    /// The pass that met it last in the source, counted from 1.
    pass: u32,
    /// Its versions when both were last the same.
    versions: Option<(u64, u64)>,
    is_written: bool,
}

impl Trail {
    /// Records that a pass met the document in the source; `false` if it had met it before.
    pub(super) fn meet(&mut self, key: &Key, pass: u32) -> bool {
        let new = Trace { pass: 0, versions: None, is_written: false };
        let trace = self.traces.entry(self.name(key)).or_insert(new);
        std::mem::replace(&mut trace.pass, pass) != pass
    }

    /// Records that source and target were the same at these versions, perhaps because this run
    /// wrote the target.
    pub(super) fn agree(&mut self, key: &Key, source: &ETag, target: &ETag, is_written: bool) {
        let versions = (self.version(source), self.version(target));
        if let Some(trace) = self.traces.get_mut(&self.name(key)) {
            trace.versions = Some(versions);
            trace.is_written |= is_written;
        }
    }

    /// Reports whether this pass has met the document in the source.
    pub(super) fn is_met(&self, key: &Key, pass: u32) -> bool {
        self.traces.get(&self.name(key)).is_some_and(|trace| trace.pass == pass)
    }

    /// Reports whether both were the same when the source was at this version.
    pub(super) fn is_source(&self, key: &Key, etag: &ETag) -> bool {
        self.versions(key).is_some_and(|(source, _)| source == self.version(etag))
    }

    /// Reports whether both were the same when the target was at this version: the target is then
    /// an older copy of the source, or the same.
    pub(super) fn is_target(&self, key: &Key, etag: &ETag) -> bool {
        self.versions(key).is_some_and(|(_, target)| target == self.version(etag))
    }

    /// Reports whether both have been the same before in this run.
    pub(super) fn is_known(&self, key: &Key) -> bool {
        self.versions(key).is_some()
    }

    /// Reports whether this run wrote that version of the target.
    pub(super) fn is_written(&self, key: &Key, etag: &ETag) -> bool {
        let is_written = |trace: &Trace| trace.is_written;
        self.traces.get(&self.name(key)).is_some_and(is_written) && self.is_target(key, etag)
    }

    fn versions(&self, key: &Key) -> Option<(u64, u64)> {
        self.traces.get(&self.name(key))?.versions
    }

    fn name(&self, key: &Key) -> u128 {
        let [one, two] = &self.hashers;
        u128::from(one.hash_one(key.as_str())) << 64 | u128::from(two.hash_one(key.as_str()))
    }

    fn version(&self, etag: &ETag) -> u64 {
        let [one, _] = &self.hashers;
        one.hash_one(etag.as_str())
    }
}
