//! Days and moments by their distance: `in 2 weeks`, `two years ago`, `next 3 days`.

use jiff::civil::{Date, DateTime};

use super::length::{self, Length};
use super::meaning::{Dates, Kind};
use super::place::{At, Read, Rule, longest};
use super::value::{Day, Grain, Period};
use super::words::{self, Unit};
use super::{calendar, calendar_day, holiday, number, period, relative, resolution};

/// A day at a distance.
pub(super) fn day(at: At<'_>) -> Read<'_, Day> {
    let named = words::weekday(at.word()).map(|weekday| (weekday, at.next()));
    let start = named.map_or(at, |(_, after)| after);
    let (distance, after) = distance(start).filter(|(distance, _)| !distance.length.is_clock())?;
    let from = distance.from.unwrap_or_else(|| at.now.date());
    let date = distance.length.shift_date(from, distance.sign)?;
    let tail =
        after.eat(&["on"]).and_then(|after| Some((words::weekday(after.word())?, after.next())));
    let (weekday, after) = match (named, tail) {
        (Some((weekday, _)), _) => (Some(weekday), after),
        (None, Some((weekday, after))) => (Some(weekday), after),
        (None, None) => (None, after),
    };
    let date = match weekday {
        Some(weekday) => near(date, weekday, &distance.length)?,
        None => date,
    };
    Some((Day::exact(date), after))
}

/// A moment at a distance from now.
pub(super) fn moment(at: At<'_>) -> Read<'_, DateTime> {
    let (distance, after) = distance(at)?;
    if !distance.length.is_clock() || distance.from.is_some() {
        return None;
    }
    Some((distance.length.shift(at.now, distance.sign)?, after))
}

/// A length, its direction and where it begins when that is not now.
struct Distance {
    length: Length,
    sign: i64,
    from: Option<Date>,
}

fn distance(at: At<'_>) -> Read<'_, Distance> {
    let ahead = at.eat(&["in"]);
    let (length, after) = length::length(ahead.unwrap_or(at))?;
    let make = |sign, from| Distance { length: length.clone(), sign, from };
    if let Some(end) = after.phrases(&["from now", "later", "hence", "after now"]) {
        return Some((make(1, None), end));
    }
    if let Some(end) = after.phrases(&["ago", "earlier", "before now", "back"]) {
        return Some((make(-1, None), end));
    }
    let sign = match after.word() {
        "from" | "after" | "since" => Some(1),
        "before" | "prior" => Some(-1),
        _ => None,
    };
    let anchored = sign.and_then(|sign| {
        let (from, end) = anchor(after.next().skip(&["to"]))?;
        Some((make(sign, Some(from)), end))
    });
    match (anchored, ahead) {
        (Some(found), _) => Some(found),
        (None, Some(_)) => Some((make(1, None), after)),
        (None, None) => None,
    }
}

/// The day from which a distance is counted: the next one when more than one can be meant.
fn anchor(at: At<'_>) -> Read<'_, Date> {
    let rules: [Rule<Day>; 4] =
        [calendar_day::by_month, relative::relative, relative::weekday, holiday::holiday];
    if let Some((day, after)) = longest(at, &rules) {
        return Some((day.future?, after));
    }
    let (period, after) = period::period(at.skip(&["the"]))?;
    Some((period.future?.0, after))
}

/// The weekday near a date: in its week, which people begin on Sunday here; after months, the next.
fn near(date: Date, weekday: i8, length: &Length) -> Option<Date> {
    let steps = i64::from(weekday % 7) - i64::from(calendar::weekday(date) % 7);
    let is_long = matches!(length.single(), Some((_, Unit::Month | Unit::Year)));
    calendar::days(date, if is_long { steps.rem_euclid(7) } else { steps })
}

/// A range by its length: `within 2 hours`, `last 3 months`, `3 days starting from monday`.
pub(super) fn range(at: At<'_>) -> Read<'_, Dates> {
    longest(at, &[within, pointed, starting, compared])
}

fn within(at: At<'_>) -> Read<'_, Dates> {
    let after = at.eat(&["within"])?;
    let after = after.skip(&["the"]).skip(&["next"]);
    let (length, after) = length::length(after)?;
    Some((ahead(at.now, &length)?, after))
}

/// `next 3 days`, `past 5 minutes`, `5 upcoming years`, `next hour`.
fn pointed(at: At<'_>) -> Read<'_, Dates> {
    // `the course will last three weeks`.
    if at.word() == "last"
        && matches!(at.behind(1), "will" | "would" | "to" | "can" | "should" | "not")
    {
        return None;
    }
    if let Some(direction) = words::direction(at.word()).filter(|direction| *direction != 0) {
        let (length, after) = match length::length(at.next()) {
            Some(read) => read,
            None => {
                let (unit, after) = length::unit_of(at.next())?;
                let length = Length::of(1.0, unit);
                // The next week is a week of the calendar; the next hour begins now.
                length.is_clock().then_some((length, after))?
            }
        };
        return Some((stretch(at.now, &length, direction)?, after));
    }
    let (count, after) = number::count(at)?;
    let direction = words::direction(after.word()).filter(|direction| *direction != 0)?;
    let (unit, after) = length::unit_of(after.next())?;
    // `I counted 13 last minute`.
    if count > 1 && !after.behind(1).ends_with('s') {
        return None;
    }
    let count = i32::try_from(count).map(f64::from).ok()?;
    Some((stretch(at.now, &Length::of(count, unit), direction)?, after))
}

fn stretch(now: DateTime, length: &Length, direction: i64) -> Option<Dates> {
    if length.is_clock() {
        let other = length.shift(now, direction)?;
        let (from, to) = if direction > 0 { (now, other) } else { (other, now) };
        return Some(moments(from, to, length));
    }
    let today = now.date();
    if let Some((count, unit @ (Unit::Quarter | Unit::Decade))) = length.single() {
        // These are whole ones of the calendar.
        let (this, next) = period::unit(now, unit, 0)?.future?;
        let whole = Length::of(count, unit);
        let (from, to) = if direction > 0 {
            (next, whole.shift_date(next, 1)?)
        } else {
            (whole.shift_date(this, -1)?, this)
        };
        return Some(days(from, to, length));
    }
    if matches!(length.single(), Some((_, Unit::Weekend))) {
        return None;
    }
    let is_business = matches!(length.single(), Some((_, Unit::BusinessDay)));
    let (from, to) = match (direction > 0, is_business) {
        (true, false) => {
            let from = calendar::tomorrow(today)?;
            (from, length.shift_date(from, 1)?)
        }
        // Working days are counted one by one, and the last of them is part of the range.
        (true, true) => {
            let last = length.shift_date(today, 1)?;
            (length::business(today, 1)?, calendar::tomorrow(last)?)
        }
        (false, _) => (length.shift_date(today, -1)?, today),
    };
    Some(days(from, to, length))
}

fn ahead(now: DateTime, length: &Length) -> Option<Dates> {
    let to = length.shift(now, 1)?;
    if length.is_clock() { Some(moments(now, to, length)) } else { stretch(now, length, 1) }
}

fn days(from: Date, to: Date, length: &Length) -> Dates {
    let timex = format!("({from},{to},{})", length.timex());
    resolution::period(&Period::exact(timex, from, to, Grain::Day))
}

/// A range of moments that begins or ends now.
pub(super) fn moments(from: DateTime, to: DateTime, length: &Length) -> Dates {
    let timex = format!("({},{},{})", moment_timex(from), moment_timex(to), length.timex());
    let (start, end) = (Some(moment_value(from)), Some(moment_value(to)));
    let resolution = resolution::range(Kind::DateTimeRange, timex, start, end);
    Dates { kind: Kind::DateTimeRange, resolutions: vec![resolution] }
}

/// A moment in a timex.
pub(super) fn moment_timex(moment: DateTime) -> String {
    moment.strftime("%Y-%m-%dT%H:%M:%S").to_string()
}

/// A moment in a resolution.
pub(super) fn moment_value(moment: DateTime) -> String {
    moment.strftime("%Y-%m-%d %H:%M:%S").to_string()
}

/// `3 days starting from next monday`, `for 3 days, from today`.
fn starting(at: At<'_>) -> Read<'_, Dates> {
    let opener = at.eat(&["for"]);
    let (length, after) = length::length(opener.unwrap_or(at))?;
    let after = match after.eat(&["starting", "beginning"]) {
        Some(_) if opener.is_some() => return None,
        Some(after) => after.skip(&["from", "on", "in"]),
        None => opener.and_then(|_| after.skip(&[","]).eat(&["from"]))?,
    };
    let rules: [Rule<Day>; 3] = [calendar_day::by_month, relative::relative, relative::weekday];
    let (day, after) = longest(after, &rules)?;
    if length.is_clock() {
        return None;
    }
    // A day that may be past or to come is the one of this year.
    let this_year = |date: &Date| date.year() == at.now.year();
    let from = day.past.filter(this_year).or(day.future)?;
    Some((days(from, length.shift_date(from, 1)?, &length), after))
}

/// `more than 2 weeks before today`, `less than 3 days after tomorrow`, `more than 2 days ago`.
fn compared(at: At<'_>) -> Read<'_, Dates> {
    let (is_more, after) = match at.phrase("more than") {
        Some(after) => (true, after),
        None => (false, at.phrase("less than")?),
    };
    let (distance, after) = distance(after).filter(|(distance, _)| !distance.length.is_clock())?;
    let from = distance.from.unwrap_or_else(|| at.now.date());
    let to = distance.length.shift_date(from, distance.sign)?;
    if !is_more {
        return Some((days(from.min(to), from.max(to), &distance.length), after));
    }
    let text = Some(to.to_string());
    let (start, end) = if distance.sign > 0 { (text, None) } else { (None, text) };
    let resolution = resolution::range(Kind::DateRange, to.to_string(), start, end);
    Some((Dates { kind: Kind::DateRange, resolutions: vec![resolution] }, after))
}
