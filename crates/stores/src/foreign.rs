//! Rows whose key is no key: somebody else put them into the table. They are passed over, with one
//! warning per store, so that they do not hide what is ours.

use std::sync::atomic::{AtomicBool, Ordering};

use sayso_turn::{
    Key,
    clock::Timestamp,
    store::{Cursor, Due, DuePage, ETag},
};

/// Passes foreign rows over.
#[derive(Debug, Default)]
pub(crate) struct ForeignRows {
    is_told: AtomicBool,
}

/// Row of the index of due documents.
pub(crate) struct DueRow {
    pub(crate) key: Vec<u8>,
    pub(crate) etag: ETag,
    pub(crate) at: i64,
}

/// Page of a listing.
#[derive(Debug)]
pub(crate) struct KeyPage {
    pub(crate) keys: Vec<Key>,
    /// The last key of a full page, ours or not: the next page begins after it.
    pub(crate) next: Option<Vec<u8>>,
}

impl ForeignRows {
    /// Makes a page of due documents of rows, of which at most `limit` were asked for.
    pub(crate) fn due(&self, store: &str, rows: Vec<DueRow>, limit: usize) -> DuePage {
        let last = rows.last().filter(|_| rows.len() >= limit);
        let next = last.map(|row| Place { at: row.at, key: row.key.clone() }.cursor());
        let found = rows.into_iter().filter_map(|DueRow { key, etag, at }| {
            let at = Timestamp::from_millis(u64::try_from(at).unwrap_or(0));
            Some(Due { key: self.key(store, &key)?, etag, at })
        });
        DuePage { found: found.collect(), next }
    }

    /// Makes a page of a listing of raw keys, of which at most `limit` were asked for.
    pub(crate) fn list(&self, store: &str, rows: &[Vec<u8>], limit: usize) -> KeyPage {
        let next = rows.last().filter(|_| rows.len() >= limit).cloned();
        KeyPage { keys: rows.iter().filter_map(|row| self.key(store, row)).collect(), next }
    }

    /// The key of a row; `None` if it is none.
    fn key(&self, store: &str, bytes: &[u8]) -> Option<Key> {
        let key = str::from_utf8(bytes).ok().and_then(|text| Key::new(text).ok());
        if key.is_none() && !self.is_told.swap(true, Ordering::Relaxed) {
            // Not by its text: it may be anything.
            tracing::warn!(
                "{store} holds a row under something that is no key ({} bytes); such rows are \
                 passed over",
                bytes.len()
            );
        }
        key
    }
}

/// Position in an index by time and key, foreign ones included.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) at: i64,
    pub(crate) key: Vec<u8>,
}

impl Place {
    /// The position before all others.
    pub(crate) const BEGIN: Self = Self { at: -1, key: Vec::new() };

    /// Reads a cursor; the beginning when it cannot be read.
    pub(crate) fn of(from: Option<&Cursor>) -> Self {
        let place = from.and_then(|from| match from.as_str().strip_prefix('x') {
            Some(rest) => {
                let (at, key) = rest.split_once(' ')?;
                Some(Self { at: at.parse().ok()?, key: unhex(key)? })
            }
            None => {
                let (at, key) = from.place()?;
                let at = i64::try_from(at.as_millis()).unwrap_or(i64::MAX);
                Some(Self { at, key: key.as_bytes().to_vec() })
            }
        });
        place.unwrap_or(Self::BEGIN)
    }

    /// The cursor of what follows.
    pub(crate) fn cursor(&self) -> Cursor {
        match str::from_utf8(&self.key) {
            Ok(key) => Cursor::new(format!("{} {key}", self.at)),
            Err(_) => Cursor::new(format!("x{} {}", self.at, hex(&self.key))),
        }
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn unhex(text: &str) -> Option<Vec<u8>> {
    let digits = text.as_bytes().chunks(2);
    digits.map(|two| u8::from_str_radix(str::from_utf8(two).ok()?, 16).ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(at: i64, key: &[u8]) -> DueRow {
        DueRow { key: key.to_vec(), etag: ETag::new("1"), at }
    }

    #[test]
    fn foreign_rows_are_passed_over_and_a_page_goes_on_after_them() {
        let foreign = ForeignRows::default();
        let rows = || vec![row(1, b"a"), row(2, b""), row(3, b"\xff\x00")];
        let page = foreign.due("a store", rows(), 3);
        assert_eq!(page.found.len(), 1);
        let next = Place::of(page.next.as_ref());
        assert_eq!(next, Place { at: 3, key: b"\xff\x00".to_vec() });
        assert_eq!(foreign.due("a store", rows(), 4).next, None, "the page was not full");
        let page = foreign.list("a store", &[b"a".to_vec(), b"\xff".to_vec()], 2);
        assert_eq!((page.keys.len(), page.next), (1, Some(b"\xff".to_vec())));
    }

    #[test]
    fn a_cursor_is_read_as_it_was_written_and_a_strange_one_begins_anew() {
        for key in [&b"a b"[..], b"", b"x1 61", "\u{e9}".as_bytes(), b"\xff", b"a\xe9"] {
            let place = Place { at: 17, key: key.to_vec() };
            assert_eq!(Place::of(Some(&place.cursor())), place, "{key:?}");
        }
        for strange in ["", "x", "x1 zz", "a 1"] {
            assert_eq!(Place::of(Some(&Cursor::new(strange))), Place::BEGIN, "{strange}");
        }
        assert_eq!(Place::of(None), Place::BEGIN);
    }
}
