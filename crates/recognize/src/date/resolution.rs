//! Resolutions of a recognised date or time: point, range or duration, for past and future.

use jiff::civil::Date;

use super::meaning::{Dates, Kind, Resolution};
use super::place::{At, Read};
use super::value::{Clock, Day, Days, Hours, Period};

/// A point, a duration or something that names no moment.
pub(super) fn value(kind: Kind, timex: String, value: impl Into<String>) -> Resolution {
    Resolution { timex, kind, value: Some(value.into()), start: None, end: None }
}

/// A range, open at one side perhaps.
pub(super) fn range(
    kind: Kind,
    timex: String,
    start: Option<String>,
    end: Option<String>,
) -> Resolution {
    Resolution { timex, kind, value: None, start, end }
}

/// The past and the future reading, once when they are the same.
pub(super) fn readings<T: PartialEq>(past: Option<T>, future: Option<T>) -> Vec<T> {
    if past == future {
        past.into_iter().collect()
    } else {
        past.into_iter().chain(future).collect()
    }
}

/// A mention, said to have no moment when nothing resolved it.
pub(super) fn mention(kind: Kind, timex: &str, resolutions: Vec<Resolution>) -> Dates {
    if resolutions.is_empty() {
        return Dates { kind, resolutions: vec![unresolved(kind, timex)] };
    }
    Dates { kind, resolutions }
}

fn unresolved(kind: Kind, timex: &str) -> Resolution {
    value(kind, timex.to_owned(), Resolution::NOT_RESOLVED)
}

/// Something that comes again.
pub(super) fn set(timex: &str) -> Dates {
    mention(Kind::Set, timex, Vec::new())
}

/// A day.
pub(super) fn day(day: &Day) -> Dates {
    let one = |date: Date| value(Kind::Date, day.timex.clone(), date.to_string());
    let resolutions = readings(day.past, day.future).into_iter().map(one).collect();
    mention(Kind::Date, &day.timex, resolutions)
}

/// A time of day.
pub(super) fn clock(clock: Clock) -> Dates {
    let one = |clock: Clock| value(Kind::Time, clock.timex(), clock.value());
    mention(Kind::Time, "", clock.readings().into_iter().map(one).collect())
}

/// A time of a day.
pub(super) fn moment(day: &Day, clock: Clock) -> Dates {
    let mut resolutions = Vec::new();
    for clock in clock.readings() {
        let timex = format!("{}{}", day.timex, clock.timex());
        for date in readings(day.past, day.future) {
            let text = format!("{date} {}", clock.value());
            resolutions.push(value(Kind::DateTime, timex.clone(), text));
        }
    }
    mention(Kind::DateTime, &format!("{}{}", day.timex, clock.timex()), resolutions)
}

/// Several days.
pub(super) fn period(period: &Period) -> Dates {
    let one = |(from, to): Days| {
        let (start, end) = (Some(from.to_string()), Some(to.to_string()));
        range(Kind::DateRange, period.timex.clone(), start, end)
    };
    let resolutions = readings(period.past, period.future).into_iter().map(one).collect();
    mention(Kind::DateRange, &period.timex, resolutions)
}

/// Hours of any day.
pub(super) fn hours(hours: &Hours) -> Dates {
    let one = |(from, to): &(Clock, Clock)| {
        let length = Hours::length(*from, *to);
        let between = || format!("({},{},{length})", from.timex(), to.timex());
        let timex = hours.part.map_or_else(between, str::to_owned);
        range(Kind::TimeRange, timex, Some(from.value()), Some(to.value()))
    };
    mention(Kind::TimeRange, "", hours.readings.iter().map(one).collect())
}

/// Hours of a day.
pub(super) fn day_hours(day: &Day, hours: &Hours) -> Option<Dates> {
    let mut resolutions = Vec::new();
    for (from, to) in &hours.readings {
        let is_over = to.minutes() <= from.minutes();
        let last = if is_over { day.tomorrow()? } else { day.clone() };
        let length = Hours::length(*from, *to);
        let (begin, end) = (from.timex(), to.timex());
        let between = || format!("({}{begin},{}{end},{length})", day.timex, last.timex);
        let timex = hours.part.map_or_else(between, |part| format!("{}{part}", day.timex));
        let ends = (readings(day.past, day.future), readings(last.past, last.future));
        for (first, last) in ends.0.into_iter().zip(ends.1) {
            let start = format!("{first} {}", from.value());
            let end = format!("{last} {}", to.value());
            resolutions.push(range(Kind::DateTimeRange, timex.clone(), Some(start), Some(end)));
        }
    }
    Some(mention(Kind::DateTimeRange, &day.timex, resolutions))
}

/// Tells what a rule read.
pub(super) fn read<T>(read: Read<'_, T>, tell: impl Fn(&T) -> Dates) -> Option<(Dates, At<'_>)> {
    read.map(|(value, after)| (tell(&value), after))
}
