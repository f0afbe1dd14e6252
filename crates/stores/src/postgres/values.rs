//! Column values: keys, versions and times as the table stores them.

use std::{
    hash::{BuildHasher, RandomState},
    sync::atomic::{AtomicU64, Ordering},
};

use sayso_turn::{
    Key,
    clock::Timestamp,
    store::{ETag, Expect, Participants, Write},
};

use crate::lanes::Freight;

/// A write in the form of a row.
#[derive(Debug)]
pub(super) struct Row {
    pub(super) key: Key,
    /// The version that must be there; none when the document must not exist.
    pub(super) expected: Option<i64>,
    /// The version that it gets.
    pub(super) version: i64,
    pub(super) due: Option<i64>,
    pub(super) body: String,
    /// The participants as SQL takes them: the text of an array, empty where they are not known;
    /// none where they stay.
    pub(super) told: Option<String>,
}

impl Row {
    /// Converts a write; `None` when its condition names a version that no document of ours can
    /// have.
    pub(super) fn new(write: Write, versions: &Versions) -> Option<Self> {
        let expected = match &write.expect {
            Expect::Absent => None,
            Expect::At(etag) => Some(version_of(etag)?),
        };
        Some(Self {
            key: write.key,
            expected,
            version: versions.draw(),
            due: write.due.map(millis_of),
            body: write.body,
            told: write.participants.as_ref().map(told),
        })
    }

    pub(super) fn etag(&self) -> ETag {
        etag_of(self.version)
    }
}

impl Freight for Row {
    fn key(&self) -> &Key {
        &self.key
    }

    fn bytes(&self) -> usize {
        self.key.as_str().len() + self.body.len()
    }
}

fn told(participants: &Participants) -> String {
    let Participants::All(all) = participants else { return String::new() };
    let all: Vec<String> = all.iter().map(|one| one.as_i64().to_string()).collect();
    format!("{{{}}}", all.join(","))
}

/// Generates versions: random numbers, so that none comes back.
///
/// A counter would start over when a document is deleted and made anew, and would go back when a
/// server fails over to a copy that lacks the last writes or is restored from a backup. Then an
/// ETag that some instance still holds would name other content.
#[derive(Debug, Default)]
pub(super) struct Versions {
    // Keyed by the operating system, each store differently.
    random: RandomState,
    drawn: AtomicU64,
}

impl Versions {
    fn draw(&self) -> i64 {
        let drawn = self.drawn.fetch_add(1, Ordering::Relaxed);
        // One bit less, so that the number is not negative.
        (self.random.hash_one(drawn) >> 1).cast_signed()
    }
}

/// The version in an ETag; `None` for a foreign one.
pub(super) fn version_of(etag: &ETag) -> Option<i64> {
    let version: i64 = etag.as_str().parse().ok()?;
    (version.to_string() == etag.as_str()).then_some(version)
}

pub(super) fn etag_of(version: i64) -> ETag {
    ETag::new(version.to_string())
}

/// Milliseconds as a signed integer; the end of time is the largest.
pub(super) fn millis_of(time: Timestamp) -> i64 {
    i64::try_from(time.as_millis()).unwrap_or(i64::MAX)
}

/// The exclusive upper bound of the keys that begin with this text.
pub(super) fn end_of_prefix(prefix: &str) -> Vec<u8> {
    let mut bytes = prefix.as_bytes().to_vec();
    // UTF-8 never uses the largest byte: it comes after every key, and there is room for one more.
    match bytes.last_mut() {
        Some(last) => *last += 1,
        None => bytes.push(u8::MAX),
    }
    bytes
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn only_the_very_text_of_an_etag_names_its_version() {
        assert_eq!(version_of(&etag_of(17)), Some(17));
        for text in ["+17", "017", " 17", "17 ", "17.0", "0x11", "", "*"] {
            assert_eq!(version_of(&ETag::new(text)), None, "{text:?}");
        }
    }

    #[test]
    fn versions_are_drawn_without_repetition_by_every_store() {
        let stores = [Versions::default(), Versions::default()];
        let drawn: Vec<_> =
            stores.iter().flat_map(|store| (0..5_000).map(|_| store.draw())).collect();
        assert!(drawn.iter().all(|version| *version >= 0));
        assert_eq!(drawn.iter().collect::<HashSet<_>>().len(), 10_000);
    }

    #[test]
    fn the_end_of_time_is_still_a_time() {
        assert_eq!(millis_of(Timestamp::from_millis(u64::MAX)), i64::MAX);
        assert_eq!(millis_of(Timestamp::from_millis(5)), 5);
    }

    #[test]
    fn all_that_begin_with_a_prefix_come_before_its_end() {
        for (prefix, inside) in
            [("", "\u{10ffff}"), ("a", "a\u{10ffff}"), ("\u{10ffff}", "\u{10ffff}\u{10ffff}")]
        {
            assert!(inside.as_bytes() < end_of_prefix(prefix).as_slice(), "{prefix:?}");
        }
        assert_eq!(end_of_prefix("a/"), b"a0");
    }
}
