//! Write ids: unique names for writes, across stores and processes.

use std::{
    collections::hash_map::RandomState,
    fmt,
    hash::BuildHasher,
    sync::atomic::{AtomicU64, Ordering},
};

/// Spare capacity, for what a store may append to an id.
const MORE: usize = 24;

/// Generator of write ids: 128 random bits that this generator alone has, and a counter.
pub(crate) struct WriteIds {
    source: String,
    next: AtomicU64,
}

impl WriteIds {
    pub(crate) fn new() -> Self {
        // The keys of a hasher of the standard library come from the system's random source.
        let random = RandomState::new();
        let source = format!("{:016x}{:016x}", random.hash_one(0), random.hash_one(1));
        Self { source, next: AtomicU64::new(0) }
    }

    /// A new id, of hexadecimal digits and one hyphen.
    pub(crate) fn next(&self) -> String {
        let mut digits = itoa::Buffer::new();
        let number = digits.format(self.next.fetch_add(1, Ordering::Relaxed));
        let mut name = String::with_capacity(self.source.len() + 1 + number.len() + MORE);
        name.push_str(&self.source);
        name.push('-');
        name.push_str(number);
        name
    }
}

impl fmt::Debug for WriteIds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("WriteIds")
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn no_name_is_given_twice() {
        let (one, other) = (WriteIds::new(), WriteIds::new());
        let names: BTreeSet<_> = (0..1_000).flat_map(|_| [one.next(), other.next()]).collect();
        assert_eq!(names.len(), 2_000);
    }
}
