//! Hash map by document key whose iteration order is hidden, so that the engine stays
//! deterministic.
//!
//! Keys share long prefixes, so a tree would compare many bytes and miss the cache at every level.
//! The order of a hash table is random, and unseeded randomness must not reach the engine:
//! iteration returns the keys sorted.

use std::{
    fmt,
    hash::{BuildHasherDefault, Hasher},
};

use crate::Key;

#[expect(clippy::disallowed_types, reason = "its order never leaves this file")]
type Table<V> = std::collections::HashMap<Key, V, KeyHasher>;

/// Hasher for tables by key: a key carries its own hash.
pub(crate) type KeyHasher = BuildHasherDefault<IdentityHasher>;

/// Identity hasher: returns the hash that it is given.
#[derive(Debug, Default)]
pub(crate) struct IdentityHasher(u64);

impl Hasher for IdentityHasher {
    fn write(&mut self, bytes: &[u8]) {
        // Not reached by keys, which hash as one number.
        self.0 = bytes.iter().fold(self.0, |hash, byte| hash.rotate_left(8) ^ u64::from(*byte));
    }

    fn write_u64(&mut self, hash: u64) {
        self.0 = hash;
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

/// Map from document keys to values.
pub(crate) struct ByKey<V> {
    table: Table<V>,
}

impl<V> ByKey<V> {
    pub(crate) fn len(&self) -> usize {
        self.table.len()
    }

    pub(crate) fn get(&self, key: &Key) -> Option<&V> {
        self.table.get(key)
    }

    pub(crate) fn get_mut(&mut self, key: &Key) -> Option<&mut V> {
        self.table.get_mut(key)
    }

    pub(crate) fn insert(&mut self, key: Key, value: V) {
        drop(self.table.insert(key, value));
    }

    pub(crate) fn get_or_insert_with(&mut self, key: Key, make: impl FnOnce(&Key) -> V) -> &mut V {
        self.table.entry(key).or_insert_with_key(make)
    }

    pub(crate) fn remove(&mut self, key: &Key) -> Option<V> {
        self.table.remove(key)
    }

    /// Returns all entries, sorted by key.
    pub(crate) fn sorted(&self) -> Vec<(&Key, &V)> {
        self.sorted_if(|_, _| true)
    }

    /// Returns the entries that match, sorted by key.
    pub(crate) fn sorted_if(&self, is_wanted: impl Fn(&Key, &V) -> bool) -> Vec<(&Key, &V)> {
        let some = self.table.iter().filter(|(key, value)| is_wanted(key, value));
        let mut some: Vec<_> = some.collect();
        some.sort_unstable_by_key(|(key, _)| *key);
        some
    }
}

impl<V> Default for ByKey<V> {
    fn default() -> Self {
        Self { table: Table::default() }
    }
}

impl<V> fmt::Debug for ByKey<V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.sorted().iter().map(|(key, _)| key)).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whoever_looks_at_all_of_them_sees_them_in_order() {
        let mut by_key = ByKey::default();
        for number in (0..100).rev() {
            by_key.insert(Key::new(format!("{number:03}")).unwrap(), number);
        }
        let seen: Vec<i32> = by_key.sorted().into_iter().map(|(_, number)| *number).collect();
        assert_eq!(seen, (0..100).collect::<Vec<_>>());
        assert!(format!("{by_key:?}").starts_with("[Key(000), Key(001)"));
    }
}
