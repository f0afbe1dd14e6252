//! The meanings of a mention of a date or time, as a bot gets them.

use jiff::civil;
use serde::{Deserialize, Serialize};

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
