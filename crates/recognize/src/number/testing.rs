//! The check that the tables of cases share.

use super::numbers;
use crate::Language;

/// Checks the numbers of a text, as they are shown.
pub(super) fn check(language: Language, text: &str, expected: &[&str]) {
    let found = numbers(text, language);
    let shown: Vec<_> = found.iter().map(|found| found.value.to_string()).collect();
    assert_eq!(shown, expected, "{text}");
    for found in found {
        assert!(text.get(found.start..found.end).is_some_and(|text| !text.is_empty()), "{text}");
    }
}
