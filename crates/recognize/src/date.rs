//! Dates and times in what people type, as the SDKs' date-time prompt resolves them.
//!
//! The text is cut into tokens, and at each token a small grammar is tried; the longest reading
//! wins. What is left open stays open: `friday` is the last one and the next one, `at 3` is in the
//! night and in the afternoon, and the bot chooses. A range ends before its `end`. A timex (TIMEX3)
//! says what was said, with `X` for what was not.

mod alone;
mod between;
mod calendar;
mod calendar_day;
mod clock;
mod day;
mod day_part;
mod decade;
mod distance;
mod grammar;
mod holiday;
mod hours;
mod length;
mod meaning;
mod memo;
mod moment;
mod number;
mod open_range;
mod other_languages;
mod period;
mod place;
mod quarter;
mod recurrence;
mod relative;
mod resolution;
mod slice;
mod token;
mod value;
mod words;

/// A civil date and time, in whatever zone the person is.
pub use jiff::civil::DateTime;
pub use meaning::{Dates, Kind, Resolution};

use super::{Found, Language};

/// The bytes of a text that are read; what follows them is not.
pub const DATE_TEXT_BYTES_MAX: usize = 2 * 1024;

/// Finds the dates and times in a text, seen from a moment, in the order of the text.
///
/// English is understood in many ways of saying; the other languages in plain numeric dates and,
/// for some, the words for today, tomorrow and yesterday.
///
/// # Limits
/// Only the first [`DATE_TEXT_BYTES_MAX`] bytes are read.
///
/// # Example
/// ```
/// use sayso_recognize::{DateKind, Language, dates};
///
/// let now = "2026-11-15T09:00".parse()?;
/// let found = dates("a table tomorrow at 7pm, please", Language::English, now);
/// assert_eq!(found[0].value.kind, DateKind::DateTime);
/// assert_eq!(found[0].value.resolutions[0].timex, "2026-11-16T19");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use]
pub fn dates(text: &str, language: Language, reference: DateTime) -> Vec<Found<Dates>> {
    let tokens = token::cut(text, DATE_TEXT_BYTES_MAX);
    // Fractions of a second are nobody's meaning, and would make `now` unequal to itself when told.
    let now = reference.with().subsec_nanosecond(0).build().unwrap_or(reference);
    match language {
        Language::English => grammar::find(&tokens, now),
        other => other_languages::find(&tokens, other, now),
    }
}

#[cfg(test)]
mod tests;
