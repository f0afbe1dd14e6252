//! Things by key, in a hash table whose order nobody can see.
//!
//! Keys share long beginnings, so a tree compares much and misses the cache at every level. The
//! order of a hash table is chance, and chance must not reach the engine unseeded: whoever wants to
//! see all keys gets them sorted.

use std::{
    fmt,
    hash::{BuildHasherDefault, Hasher},
};

use crate::Key;

#[expect(clippy::disallowed_types, reason = "its order stays in this file")]
type Table<V> = std::collections::HashMap<Key, V, Hashed>;

/// For tables by key: a key brings its hash along.
pub(crate) type Hashed = BuildHasherDefault<AsItIs>;

/// Gives the hash that it is given.
#[derive(Debug, Default)]
pub(crate) struct AsItIs(u64);

impl Hasher for AsItIs {
    fn write(&mut self, bytes: &[u8]) {
        // Nobody's key comes here: a key is hashed as one number.
        self.0 = bytes.iter().fold(self.0, |hash, byte| hash.rotate_left(8) ^ u64::from(*byte));
    }

    fn write_u64(&mut self, hash: u64) {
        self.0 = hash;
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

/// Values by key.
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

    /// All keys and values, by key.
    pub(crate) fn sorted(&self) -> Vec<(&Key, &V)> {
        self.sorted_if(|_, _| true)
    }

    /// Some keys and values, by key.
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
