//! Lengths of time: `3 days`, `one and a half hours`, `2 years 1 month`.

use jiff::civil::{Date, DateTime};
use jiff::{SignedDuration, Span};

use super::meaning::{Dates, Kind};
use super::place::{At, Read, longest};
use super::words::{Unit, unit};
use super::{calendar, number, resolution};

/// The pieces of one length.
const PIECES_MAX: usize = 6;

/// A length of time as it was said.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Length {
    pieces: Vec<(f64, Unit)>,
}

/// The letter of a unit in a timex, how many of it one unit is, and its length in seconds.
fn written(unit: Unit) -> (&'static str, f64, f64) {
    const DAY: f64 = 86_400.0;
    match unit {
        Unit::Second => ("S", 1.0, 1.0),
        Unit::Minute => ("M", 1.0, 60.0),
        Unit::Hour => ("H", 1.0, 3600.0),
        Unit::Day => ("D", 1.0, DAY),
        Unit::BusinessDay => ("BD", 1.0, DAY),
        Unit::Week => ("W", 1.0, 7.0 * DAY),
        Unit::Weekend => ("WE", 1.0, 2.0 * DAY),
        Unit::Fortnight => ("W", 2.0, 14.0 * DAY),
        Unit::Month => ("M", 1.0, 30.0 * DAY),
        Unit::Quarter => ("M", 3.0, 90.0 * DAY),
        Unit::Year => ("Y", 1.0, 365.0 * DAY),
        Unit::Decade => ("Y", 10.0, 3650.0 * DAY),
        Unit::Century => ("Y", 100.0, 36_500.0 * DAY),
    }
}

fn is_clock(unit: Unit) -> bool {
    matches!(unit, Unit::Second | Unit::Minute | Unit::Hour)
}

impl Length {
    /// One length of a unit.
    pub(super) fn of(count: f64, unit: Unit) -> Self {
        Self { pieces: vec![(count, unit)] }
    }

    /// Its timex.
    pub(super) fn timex(&self) -> String {
        let mut timex = "P".to_owned();
        for (count, unit) in &self.pieces {
            let (letter, times, _) = written(*unit);
            if is_clock(*unit) && !timex.contains('T') {
                timex.push('T');
            }
            timex.push_str(&format!("{}{letter}", count * times));
        }
        timex
    }

    /// Its seconds, by months of 30 days and years of 365.
    pub(super) fn seconds(&self) -> f64 {
        self.pieces.iter().map(|(count, unit)| count * written(*unit).2).sum()
    }

    /// Its minutes, when it is shorter than a day.
    pub(super) fn minutes(&self) -> Option<i64> {
        let is_short = self.is_clock() && self.seconds() < 86_400.0;
        is_short.then(|| whole(self.seconds() / 60.0)).flatten()
    }

    /// Reports whether it is counted in hours or smaller units.
    pub(super) fn is_clock(&self) -> bool {
        self.pieces.iter().any(|(_, unit)| is_clock(*unit))
    }

    /// The only piece, when there is one.
    pub(super) fn single(&self) -> Option<(f64, Unit)> {
        match self.pieces.as_slice() {
            [piece] => Some(*piece),
            _ => None,
        }
    }

    /// The moment that is so long after (`sign` 1) or before (-1) another.
    pub(super) fn shift(&self, from: DateTime, sign: i64) -> Option<DateTime> {
        self.pieces.iter().try_fold(from, |moment, (count, unit)| {
            let count = *count * if sign < 0 { -1.0 } else { 1.0 };
            match unit {
                unit if is_clock(*unit) => {
                    let seconds = whole(count * written(*unit).2)?;
                    moment.checked_add(SignedDuration::from_secs(seconds)).ok()
                }
                Unit::BusinessDay => {
                    let date = business(moment.date(), whole(count)?)?;
                    Some(date.to_datetime(moment.time()))
                }
                Unit::Month | Unit::Quarter | Unit::Year | Unit::Decade | Unit::Century => {
                    let factor = if written(*unit).0 == "Y" { 12.0 } else { 1.0 };
                    let months = whole(count * written(*unit).1 * factor)?;
                    moment.checked_add(Span::new().try_months(months).ok()?).ok()
                }
                _ => {
                    let days = whole(count * written(*unit).2 / 86_400.0)?;
                    moment.checked_add(Span::new().try_days(days).ok()?).ok()
                }
            }
        })
    }

    /// The day that is so long after or before another.
    pub(super) fn shift_date(&self, from: Date, sign: i64) -> Option<Date> {
        Some(self.shift(from.at(0, 0, 0, 0), sign)?.date())
    }
}

/// The whole part of a number that fits the calendar.
fn whole(value: f64) -> Option<i64> {
    // All moments of the calendar are less than this many seconds apart.
    (value.abs() < 1e12).then_some(value as i64)
}

/// Some working days on.
pub(super) fn business(from: Date, count: i64) -> Option<Date> {
    let (step, mut left, mut date) = (count.signum(), count.abs().min(10_000), from);
    while left > 0 {
        date = calendar::days(date, step)?;
        left -= i64::from(calendar::weekday(date) < 6);
    }
    Some(date)
}

/// A unit, `business days` among them.
pub(super) fn unit_of(at: At<'_>) -> Read<'_, Unit> {
    let working = at.eat(&["business", "working", "work"]);
    if let Some(after) = working.and_then(|after| after.eat(&["day", "days"])) {
        return Some((Unit::BusinessDay, after));
    }
    // A lone letter is a unit right behind its number only, and most of them only after a word.
    let is_letter = at.word().len() == 1;
    if is_letter && !at.is_glued() {
        return None;
    }
    let is_led = is_letter && matches!(at.behind(2), "for" | "in" | "within" | "last" | "next");
    let unit = match at.word() {
        "s" if is_led => Unit::Second,
        "d" if is_led => Unit::Day,
        "w" if is_led => Unit::Week,
        word => unit(word)?,
    };
    Some((unit, at.next()))
}

/// A length of one or more pieces.
pub(super) fn length(at: At<'_>) -> Read<'_, Length> {
    let (first, mut at) = piece(at)?;
    let mut pieces = vec![first];
    // In `1h30m` the m is for minutes, as in no other place.
    if first.1 == Unit::Hour
        && let Some((minutes, after)) = at.digits(2).filter(|_| at.is_glued())
        && let Some(after) = after.eat(&["m"]).filter(|_| after.is_glued())
    {
        pieces.push((f64::from(i32::try_from(minutes).ok()?), Unit::Minute));
        return Some((Length { pieces }, after));
    }
    while pieces.len() < PIECES_MAX {
        let joined = at.eat(&[","]).map_or(at, |after| after).skip(&["and"]);
        let Some((next, after)) = piece(joined) else { break };
        let is_smaller = pieces.last().is_some_and(|last| written(next.1).2 < written(last.1).2);
        if !is_smaller || joined.word() == "a" {
            break;
        }
        pieces.push(next);
        at = after;
    }
    Some((Length { pieces }, at))
}

fn piece(at: At<'_>) -> Read<'_, (f64, Unit)> {
    let (count, after) = number::amount(at)?;
    let (unit, after) = unit_of(after.skip(&["-"]))?;
    for (tail, more) in
        [("and a half", 0.5), ("and half", 0.5), ("and a quarter", 0.25), ("and quarter", 0.25)]
    {
        let end = after.phrase(tail).filter(|end| unit_of(*end).is_none());
        if let Some(end) = end.filter(|end| !matches!(end.word(), "a" | "an")) {
            return Some(((count + more, unit), end));
        }
    }
    Some(((count, unit), after))
}

/// A duration: a length that is all there is.
pub(super) fn duration(at: At<'_>) -> Read<'_, Dates> {
    let (length, after) = longest(at, &[compared, whole_unit, plain])?;
    // Whole seconds print as such, and fractions as short as they can.
    let seconds = length.seconds().to_string();
    let resolution = resolution::value(Kind::Duration, length.timex(), seconds);
    Some((Dates { kind: Kind::Duration, resolutions: vec![resolution] }, after))
}

/// `more than 4 days`, `at least 2 hours`.
fn compared(at: At<'_>) -> Read<'_, Length> {
    const THAN: [&str; 9] = [
        "more than",
        "less than",
        "longer than",
        "shorter than",
        "at least",
        "at most",
        "up to",
        "fewer than",
        "no more than",
    ];
    plain(at.phrases(&THAN)?)
}

/// `all day`, `the whole week`.
fn whole_unit(at: At<'_>) -> Read<'_, Length> {
    let after = at.eat(&["all", "whole", "full", "entire"])?;
    let (unit, after) = unit_of(after)?;
    (!after.behind(1).ends_with('s')).then(|| (Length::of(1.0, unit), after))
}

fn plain(at: At<'_>) -> Read<'_, Length> {
    // `twice a day` says how often, not how long.
    let is_rate = matches!(at.word(), "a" | "an")
        && matches!(at.behind(1), "once" | "twice" | "one" | "two" | "three" | "times" | "half");
    if is_rate || at.word() == "another" {
        return None;
    }
    length(at)
}
