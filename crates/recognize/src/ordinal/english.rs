//! English ordinals: of any size, and the ones that count from the end or from here.

use super::phrases::{Phrases, find as find_phrases, with_marks};
use super::position::{Anchor, Ordinal};
use crate::Found;
use crate::number::english_ordinals;

/// Phrases that count from elsewhere, in small letters with single spaces.
const OTHERS: &[(&str, Anchor, i64)] = &[
    ("antepenultimate", Anchor::End, -2),
    ("current", Anchor::Current, 0),
    ("current one", Anchor::Current, 0),
    ("following", Anchor::Current, 1),
    ("following one", Anchor::Current, 1),
    ("last", Anchor::End, 0),
    ("last but one", Anchor::End, -1),
    ("last but two", Anchor::End, -2),
    ("next", Anchor::Current, 1),
    ("next one", Anchor::Current, 1),
    ("next to last", Anchor::End, -1),
    ("one before the last", Anchor::End, -1),
    ("one before the last one", Anchor::End, -1),
    ("penultimate", Anchor::End, -1),
    ("previous", Anchor::Current, -1),
    ("previous one", Anchor::Current, -1),
    ("second last", Anchor::End, -1),
    ("second to last", Anchor::End, -1),
    ("the last but one", Anchor::End, -1),
    ("the last but two", Anchor::End, -2),
    ("the one after", Anchor::Current, 1),
    ("the one before", Anchor::Current, -1),
    ("the one before the last", Anchor::End, -1),
    ("the one before the last one", Anchor::End, -1),
    ("the second to last", Anchor::End, -1),
    ("the third to last", Anchor::End, -2),
    ("third last", Anchor::End, -2),
    ("third to last", Anchor::End, -2),
];

/// Every ordinal; they may overlap.
pub(super) fn find(text: &str) -> Vec<Found<Ordinal>> {
    let mut found = with_marks(text, &["st", "nd", "rd", "th"]);
    found.extend(find_phrases(text, &PHRASES));
    found.extend(english_ordinals(text).into_iter().filter_map(|ordinal| {
        let value = Ordinal::start(i64::try_from(ordinal.value).ok()?);
        Some(Found { value, start: ordinal.start, end: ordinal.end })
    }));
    found
}

const PHRASES: Phrases =
    Phrases { ranks: &[], endings: &[], others: OTHERS, marks: &[], is_unspaced: false };
