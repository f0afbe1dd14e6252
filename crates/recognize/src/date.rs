//! Dates and times in what people type, as the SDKs' date-time prompt resolves them.
//!
//! The text is cut into tokens, and at each token a small grammar is tried; the longest reading
//! wins. What is left open stays open: `friday` is the last one and the next one, `at 3` is in the
//! night and in the afternoon, and the bot chooses. A range ends before its `end`. A timex (TIMEX3)
//! says what was said, with `X` for what was not.

mod between;
mod calendar;
mod clock;
mod day;
mod day_part;
mod decade;
mod distance;
mod grammar;
mod holiday;
mod hours;
mod length;
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

use jiff::civil;
use serde::{Deserialize, Serialize};

use super::{Found, Language};

/// A civil date and time, in whatever zone the person is.
pub use jiff::civil::DateTime;

/// The bytes of a text that are read; what follows them is not.
pub const DATE_TEXT_BYTES_MAX: usize = 2 * 1024;

/// The possible meanings of a mention of a date or time.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Dates {
    /// The kind of the mention.
    pub kind: Kind,
    /// All possible meanings, the past before the future and the morning before the afternoon.
    pub resolutions: Vec<Resolution>,
}

/// The kinds of dates and times.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// A day.
    Date,
    /// A time of the day.
    Time,
    /// A time of a day.
    DateTime,
    /// Several days, such as a week.
    DateRange,
    /// Several hours of any day.
    TimeRange,
    /// Several hours of one day, or from a time of one day to a time of another.
    DateTimeRange,
    /// A length of time; its value is in seconds.
    Duration,
    /// Something that comes again, such as every Monday.
    Set,
}

/// One meaning. A point or a duration has a `value`; a range has a `start`, an `end` or both.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Resolution {
    /// The expression in TIMEX3.
    pub timex: String,
    /// The kind of this meaning.
    #[serde(rename = "type")]
    pub kind: Kind,
    /// The point or the duration; [`Resolution::NOT_RESOLVED`] when there is no such day.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<String>,
    /// The first day or moment of the range.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start: Option<String>,
    /// The day or moment before which the range ends.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub end: Option<String>,
}

impl Resolution {
    /// The value of what was understood and names no moment, such as the 30th of February.
    pub const NOT_RESOLVED: &str = "not resolved";

    /// The day of the value, or the day on which the range starts.
    ///
    /// # Example
    /// ```
    /// use sayso_recognize::{Language, dates};
    ///
    /// let found = dates("back tomorrow", Language::English, "2026-11-15T09:00".parse()?);
    /// let day = found[0].value.resolutions[0].date();
    /// assert_eq!(day, Some("2026-11-16".parse()?));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn date(&self) -> Option<civil::Date> {
        let text = self.value.as_deref().or(self.start.as_deref())?;
        text.get(..10)?.parse().ok()
    }
}

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
