//! ETags: an ETag names a write, and the time from which the document is due.
//!
//! So whoever holds the ETag of a document knows whether the index names it. A save that neither
//! ends nor begins a wait, which is most of them, leaves the index alone.

use sayso_turn::{
    clock::Timestamp,
    store::{Expect, Write},
};

/// The ETag of a write: `<write>` or `<write>@<milliseconds>`.
pub(super) fn etag_of(write: String, due: Option<Timestamp>) -> String {
    let mut etag = write;
    if let Some(at) = due {
        etag.push('@');
        etag.push_str(itoa::Buffer::new().format(at.as_millis()));
    }
    etag
}

/// The time in an ETag.
pub(super) fn due_in(etag: &str) -> Option<Timestamp> {
    let (_, millis) = etag.rsplit_once('@')?;
    millis.parse().ok().map(Timestamp::from_millis)
}

/// The value that the scripts compare a document's ETag with, empty for "no document". `None` when
/// it can never match: the store never gives an empty ETag.
pub(super) fn condition(expect: &Expect) -> Option<&str> {
    match expect {
        Expect::Absent => Some(""),
        Expect::At(etag) => Some(etag.as_str()).filter(|etag| !etag.is_empty()),
    }
}

/// True if a write changes the index: it adds, removes or moves a due time.
pub(super) fn changes_index(write: &Write) -> bool {
    let due = match &write.expect {
        Expect::Absent => None,
        Expect::At(etag) => match due_in(etag.as_str()) {
            // A foreign ETag: the script decides.
            None if etag.as_str().contains('@') => return true,
            due => due,
        },
    };
    due != write.due
}

#[cfg(test)]
mod tests {
    use sayso_turn::{Key, store::ETag};

    use super::*;

    #[test]
    fn an_etag_tells_the_time() {
        for due in [None, Some(0), Some(1_900_000_000_000), Some(u64::MAX)] {
            let due = due.map(Timestamp::from_millis);
            let etag = etag_of("0a-1".to_owned(), due);
            assert_eq!(due_in(&etag), due);
            let (key, expect) = (Key::new("k").unwrap(), Expect::At(ETag::new(etag)));
            let write = Write::new(key, expect, String::new());
            assert_eq!(changes_index(&write), due.is_some());
            assert!(!changes_index(&Write { due, ..write.clone() }));
            let other = Some(Timestamp::from_millis(17));
            assert!(changes_index(&Write { due: other, ..write }));
        }
        for strange in ["", "@", "a@", "a@-1", "a@1x", "a@18446744073709551616"] {
            assert_eq!(due_in(strange), None);
        }
    }

    #[test]
    fn no_etag_looks_like_the_lack_of_one() {
        assert_eq!(condition(&Expect::Absent), Some(""));
        assert_eq!(condition(&Expect::At(ETag::new(""))), None);
        assert_eq!(condition(&Expect::At(ETag::new("e"))), Some("e"));
    }
}
