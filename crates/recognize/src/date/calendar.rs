//! Steps in the calendar. All of them end with `None` where the calendar ends.

use jiff::civil::Date;
use jiff::{Span, ToSpan};

/// A date some days away.
pub(super) fn days(date: Date, count: i64) -> Option<Date> {
    date.checked_add(Span::new().try_days(count).ok()?).ok()
}

/// A date some weeks away.
pub(super) fn weeks(date: Date, count: i64) -> Option<Date> {
    days(date, count.checked_mul(7)?)
}

/// A date some months away, the last of the month where the day is missing.
pub(super) fn months(date: Date, count: i64) -> Option<Date> {
    date.checked_add(Span::new().try_months(count).ok()?).ok()
}

/// The day of the week, Monday being 1.
pub(super) fn weekday(date: Date) -> i8 {
    date.weekday().to_monday_one_offset()
}

/// The day of the week that `date` is in; Monday is the first.
pub(super) fn in_week(date: Date, day: i8) -> Option<Date> {
    days(date, i64::from(day) - i64::from(weekday(date)))
}

/// The first day of the month some months away.
pub(super) fn month_start(date: Date, count: i64) -> Option<Date> {
    months(date.first_of_month(), count)
}

/// The first day of a year.
pub(super) fn year_start(year: i64) -> Option<Date> {
    Date::new(i16::try_from(year).ok()?, 1, 1).ok()
}

/// The whole days from one date to another.
pub(super) fn days_between(from: Date, to: Date) -> i64 {
    from.duration_until(to).as_hours() / 24
}

/// The timex of the week that `date` is in.
pub(super) fn week_timex(date: Date) -> String {
    let week = date.iso_week_date();
    format!("{:04}-W{:02}", week.year(), week.week())
}

/// The Monday of the first week of a month or a year: the one that holds its first Thursday.
pub(super) fn first_week(start: Date) -> Option<Date> {
    let monday = in_week(start, 1)?;
    if weekday(start) <= 4 { Some(monday) } else { weeks(monday, 1) }
}

/// The `nth` such day of the week in a month, or the last one for `None`.
pub(super) fn nth_weekday(year: i16, month: i8, day: i8, nth: Option<i8>) -> Option<Date> {
    let first = Date::new(year, month, 1).ok()?;
    let to_first = (i64::from(day) - i64::from(weekday(first))).rem_euclid(7);
    let nth_day = |nth: i8| {
        let found = days(first, to_first + 7 * (i64::from(nth) - 1))?;
        (found.month() == month).then_some(found)
    };
    match nth {
        Some(nth) => nth_day(nth),
        None => nth_day(5).or_else(|| nth_day(4)),
    }
}

/// Easter Sunday of the Gregorian calendar, by the rule of 1816.
pub(super) fn easter(year: i16) -> Option<Date> {
    let y = i32::from(year);
    let (a, b, c) = (y % 19, y / 100, y % 100);
    let h = (19 * a + b - b / 4 - (b - (b + 8) / 25 + 1) / 3 + 15) % 30;
    let l = (32 + 2 * (b % 4) + 2 * (c / 4) - h - c % 4) % 7;
    let m = (a + 11 * h + 22 * l) / 451;
    let day = h + l - 7 * m + 114;
    Date::new(year, i8::try_from(day / 31).ok()?, i8::try_from(day % 31 + 1).ok()?).ok()
}

/// The day after.
pub(super) fn tomorrow(date: Date) -> Option<Date> {
    date.checked_add(1.day()).ok()
}
