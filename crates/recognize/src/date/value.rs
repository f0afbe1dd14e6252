//! Values that rules build from words: days, times of day, hours and periods.

use jiff::civil::{Date, DateTime};

use super::calendar;

/// A day. The past and the future reading are the same when all of it was said; both are missing
/// when there is no such day.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Day {
    pub(super) timex: String,
    pub(super) past: Option<Date>,
    pub(super) future: Option<Date>,
    /// True for a holiday; holidays are not joined with a time.
    pub(super) is_holiday: bool,
}

/// The search range, in years around the reference, for a day that not every year has.
const YEARS_AROUND: i16 = 8;

impl Day {
    /// A day of which all is known.
    pub(super) fn exact(date: Date) -> Self {
        Self { timex: date.to_string(), past: Some(date), future: Some(date), is_holiday: false }
    }

    /// A day of which `timex` leaves something open.
    pub(super) fn open(timex: String, past: Option<Date>, future: Option<Date>) -> Self {
        Self { timex, past, future, is_holiday: false }
    }

    /// A day of any year: the last one before the reference and the first one not before it.
    pub(super) fn of_any_year(
        now: DateTime,
        timex: String,
        of: impl Fn(i16) -> Option<Date>,
    ) -> Self {
        // A day counts from its midnight, so today is past as soon as the day has begun.
        let is_past = |date: &Date| date.at(0, 0, 0, 0) < now;
        let year = now.year();
        let past = (0..=YEARS_AROUND).filter_map(|back| of(year.checked_sub(back)?)).find(is_past);
        let future = (0..=YEARS_AROUND)
            .filter_map(|on| of(year.checked_add(on)?))
            .find(|date| !is_past(date));
        Self::open(timex, past, future)
    }

    /// A day of a month of any year.
    pub(super) fn yearless(now: DateTime, month: i8, day: i8) -> Self {
        let timex = format!("XXXX-{month:02}-{day:02}");
        Self::of_any_year(now, timex, |year| Date::new(year, month, day).ok())
    }

    /// A day of the week: the last one before today and the next one from today on.
    pub(super) fn weekday(now: DateTime, weekday: i8) -> Option<Self> {
        let today = now.date();
        let ahead = (i64::from(weekday) - i64::from(calendar::weekday(today))).rem_euclid(7);
        let future = calendar::days(today, ahead)?;
        let past = calendar::weeks(future, -1)?;
        Some(Self::open(format!("XXXX-WXX-{weekday}"), Some(past), Some(future)))
    }

    /// The day after it.
    pub(super) fn tomorrow(&self) -> Option<Self> {
        let next = |date: Option<Date>| date.and_then(calendar::tomorrow);
        let (past, future) = (next(self.past), next(self.future));
        let timex = match self.timex.strip_prefix("XXXX-WXX-") {
            Some(day) => format!("XXXX-WXX-{}", day.parse::<u8>().ok()? % 7 + 1),
            None if self.timex.starts_with("XXXX-XX-") => format!("XXXX-XX-{:02}", future?.day()),
            None if self.timex.starts_with("XXXX-") => {
                format!("XXXX-{:02}-{:02}", future?.month(), future?.day())
            }
            None => future?.to_string(),
        };
        Some(Self { timex, past, future, is_holiday: self.is_holiday })
    }
}

/// A time of day.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Clock {
    pub(super) hour: i8,
    pub(super) minute: Option<i8>,
    pub(super) second: Option<i8>,
    /// True if it can be before or after noon.
    pub(super) is_open: bool,
}

impl Clock {
    /// A full hour of which the half of the day is known.
    pub(super) const fn at(hour: i8) -> Self {
        Self { hour, minute: None, second: None, is_open: false }
    }

    /// The minute of the day.
    pub(super) fn minutes(self) -> i64 {
        i64::from(self.hour) * 60 + i64::from(self.minute.unwrap_or(0))
    }

    /// In the other half of the day.
    pub(super) fn turned(self) -> Self {
        Self { hour: (self.hour + 12) % 24, ..self }
    }

    /// The times it can be.
    pub(super) fn readings(self) -> Vec<Self> {
        let known = Self { is_open: false, ..self };
        if self.is_open { vec![known, known.turned()] } else { vec![known] }
    }

    /// Its timex, with as much as was said.
    pub(super) fn timex(self) -> String {
        let part = |part: Option<i8>| part.map(|part| format!(":{part:02}")).unwrap_or_default();
        format!("T{:02}{}{}", self.hour, part(self.minute), part(self.second))
    }

    /// All of it.
    pub(super) fn value(self) -> String {
        let (minute, second) = (self.minute.unwrap_or(0), self.second.unwrap_or(0));
        format!("{:02}:{minute:02}:{second:02}", self.hour)
    }
}

/// Hours of a day, as one or two readings.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Hours {
    /// The timex of a part of the day such as the morning; `None` for hours from the clock.
    pub(super) part: Option<&'static str>,
    pub(super) readings: Vec<(Clock, Clock)>,
}

impl Hours {
    /// The length of one reading, over midnight when it ends before it begins.
    pub(super) fn length(from: Clock, to: Clock) -> String {
        let minutes = (to.minutes() - from.minutes()).rem_euclid(24 * 60);
        let (hours, minutes) = (minutes / 60, minutes % 60);
        match (hours, minutes) {
            (hours, 0) => format!("PT{hours}H"),
            (0, minutes) => format!("PT{minutes}M"),
            (hours, minutes) => format!("PT{hours}H{minutes}M"),
        }
    }
}

/// Several days, from the first to the one after the last.
pub(super) type Days = (Date, Date);

/// A period of days in a past and a future reading; both missing when it has no fixed days.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Period {
    pub(super) timex: String,
    pub(super) past: Option<Days>,
    pub(super) future: Option<Days>,
    pub(super) grain: Grain,
}

/// The unit that a period is counted in, which is also that of a range of two of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Grain {
    Day,
    Week,
    Month,
    Year,
}

impl Period {
    /// A period of which all is known.
    pub(super) fn exact(timex: String, from: Date, to: Date, grain: Grain) -> Self {
        Self { timex, past: Some((from, to)), future: Some((from, to)), grain }
    }

    /// A period that is known by name only.
    pub(super) fn named(timex: String) -> Self {
        Self { timex, past: None, future: None, grain: Grain::Month }
    }

    /// Cuts both readings in the same way.
    pub(super) fn cut(self, cut: impl Fn(Days) -> Option<Days>) -> Self {
        Self { past: self.past.and_then(&cut), future: self.future.and_then(&cut), ..self }
    }
}
