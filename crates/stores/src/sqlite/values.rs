//! Column values: versions and times as the file stores them.

use sayso_turn::{
    clock::Timestamp,
    store::{ETag, Expect},
};

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

/// The condition of a write as SQL sees it: no version when the document must not exist.
pub(super) fn expected_version(expect: &Expect) -> Option<Option<i64>> {
    match expect {
        Expect::Absent => Some(None),
        Expect::At(etag) => version_of(etag).map(Some),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_very_text_of_an_etag_names_its_version() {
        assert_eq!(version_of(&etag_of(17)), Some(17));
        for text in ["+17", "017", " 17", "17 ", "17.0", "0x11", "", "*"] {
            assert_eq!(version_of(&ETag::new(text)), None, "{text:?}");
        }
    }

    #[test]
    fn the_end_of_time_is_still_a_time() {
        assert_eq!(millis_of(Timestamp::from_millis(u64::MAX)), i64::MAX);
        assert_eq!(millis_of(Timestamp::START), 0);
    }
}
