//! Slices of periods: `end of the year`, `mid-November`, `the last week of July`,
//! `rest of the week`.

use jiff::civil::Date;

use super::place::{At, Read, longest};
use super::value::{Days, Grain, Period};
use super::words::{self, Unit};
use super::{calendar, day, length, number, period};

/// The part of a period that is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Cut {
    Start,
    Middle,
    End,
}

/// Any slice of a period.
pub(super) fn slice(at: At<'_>) -> Read<'_, Period> {
    longest(at, &[cut_period, later_this, nth_of, some_of, rest, week_of])
}

/// The words for a slice.
pub(super) fn cut(at: At<'_>) -> Read<'_, Cut> {
    const STARTS: [&str; 6] =
        ["early in", "early", "beginning of", "start of", "the beginning of", "the start of"];
    const MIDDLES: [&str; 5] = ["mid -", "mid", "middle of", "the middle of", "midway through"];
    const ENDS: [&str; 4] = ["late in", "late", "end of", "the end of"];
    let found = |phrases: &[&str], cut: Cut| at.phrases(phrases).map(|after| (cut, after));
    found(&STARTS, Cut::Start)
        .or_else(|| found(&MIDDLES, Cut::Middle))
        .or_else(|| found(&ENDS, Cut::End))
}

/// The whole period and the slice that was said of it.
pub(super) fn cut_whole(at: At<'_>) -> Read<'_, (Cut, Period)> {
    let (cut, after) = cut(at)?;
    let (period, after) = period::period(after)
        .or_else(|| period::period(after.skip(&["the"])))
        .or_else(|| bare_unit(after.skip(&["the"])))?;
    Some(((cut, period), after))
}

/// `month` in `end of month`.
fn bare_unit(at: At<'_>) -> Read<'_, Period> {
    let unit = words::unit(at.word())?;
    let is_unit = matches!(unit, Unit::Week | Unit::Month | Unit::Year | Unit::Quarter);
    Some((period::unit(at.now, unit, 0).filter(|_| is_unit)?, at.next()))
}

fn cut_period(at: At<'_>) -> Read<'_, Period> {
    let ((cut, period), after) = cut_whole(at).filter(|_| at.word() != "the")?;
    let grain = period.grain;
    period.past?;
    Some((period.cut(|days| self::days(days, grain, cut)), after))
}

/// A slice in days: a third of a year, a half or the middle of a month, a half of a week.
pub(super) fn days((from, to): Days, grain: Grain, cut: Cut) -> Option<Days> {
    let (first, second) = match grain {
        Grain::Year => (calendar::months(from, 4)?, calendar::months(from, 8)?),
        Grain::Month => match cut {
            Cut::Middle => return Some((calendar::days(from, 9)?, calendar::days(from, 20)?)),
            _ => (calendar::days(from, 15)?, calendar::days(from, 15)?),
        },
        Grain::Week | Grain::Day => match cut {
            Cut::Middle => return Some((calendar::days(from, 2)?, calendar::days(from, 5)?)),
            _ => (calendar::days(from, 3)?, calendar::days(from, 3)?),
        },
    };
    Some(match cut {
        Cut::Start => (from, first),
        Cut::Middle => (first, second),
        Cut::End => (second, to),
    })
}

/// `later this week`, `earlier in the year`: a half, and only what of it is still to come or over.
fn later_this(at: At<'_>) -> Read<'_, Period> {
    let is_later = match at.word() {
        "later" => true,
        "earlier" => false,
        _ => return None,
    };
    let (period, after) = period::period(at.next().skip(&["in"]))?;
    let today = at.now.date();
    let grain = period.grain;
    let cut = |(from, to): Days| {
        let middle = match grain {
            Grain::Year => calendar::months(from, 6)?,
            Grain::Month => calendar::days(from, 15)?,
            Grain::Week | Grain::Day => calendar::days(from, 3)?,
        };
        let is_now = from <= today && today < to;
        Some(match (is_later, is_now) {
            (true, true) => (middle.max(today), to),
            (true, false) => (middle, to),
            (false, true) => (from, middle.min(today.max(from))),
            (false, false) => (from, middle),
        })
    };
    (grain != Grain::Day).then(|| (period.cut(cut), after))
}

/// Reads the period that a part is taken of: a month, a year, a unit near now.
fn whole(at: At<'_>) -> Read<'_, Period> {
    period::period(at).filter(|(period, _)| matches!(period.grain, Grain::Month | Grain::Year))
}

/// `the last week of July`, `first week of 2021`, `the 9th month of next year`.
fn nth_of(at: At<'_>) -> Read<'_, Period> {
    let start = at.skip(&["the"]);
    let last = start.eat(&["last"]).map(|after| (None, after));
    let (nth, after) =
        last.or_else(|| number::ordinal(start).map(|(nth, end)| (Some(nth), end)))?;
    let unit = after.word();
    let (period, after) = whole(after.next().eat(&["of", "in"])?)?;
    match (unit, period.grain) {
        ("month", Grain::Year) => {
            let (from, _) = period.future?;
            let nth = nth.unwrap_or(12);
            let start = calendar::months(from, nth - 1).filter(|_| (1..=12).contains(&nth))?;
            let timex = format!("{:04}-{:02}", start.year(), start.month());
            let to = calendar::months(start, 1)?;
            Some((Period::exact(timex, start, to, Grain::Month), after))
        }
        ("week", Grain::Year) => {
            let (from, _) = week_in(period.future?, nth)?;
            let timex = calendar::week_timex(from);
            Some((Period::exact(timex, from, calendar::weeks(from, 1)?, Grain::Week), after))
        }
        ("week", Grain::Month) => {
            let timex = format!("{}-W{:02}", period.timex, nth.unwrap_or(5));
            let cut = period.cut(|days| week_in(days, nth));
            Some((Period { timex, grain: Grain::Week, ..cut }, after))
        }
        _ => None,
    }
}

/// A week of a month or a year, which has the weeks whose Thursday it has.
fn week_in((from, to): Days, nth: Option<i64>) -> Option<Days> {
    let monday = match nth {
        Some(nth) => calendar::weeks(calendar::first_week(from)?, nth - 1)?,
        None => calendar::weeks(calendar::first_week(to)?, -1)?,
    };
    Some((monday, calendar::weeks(monday, 1)?))
}

/// `the last 3 weeks of this year`, `first ten days of last year`.
fn some_of(at: At<'_>) -> Read<'_, Period> {
    let start = at.skip(&["the"]);
    let is_first = match start.word() {
        "first" => true,
        "last" => false,
        _ => return None,
    };
    let (length, after) = length::length(start.next())?;
    let (period, after) = whole(after.eat(&["of", "in"])?)?;
    let is_weeks = matches!(length.single(), Some((_, Unit::Week)));
    let (from, to) = period.future?;
    let (from, to) = if is_weeks {
        (calendar::first_week(from)?, calendar::first_week(to)?)
    } else {
        (from, to)
    };
    let (from, to) = if is_first {
        (from, length.shift_date(from, 1)?)
    } else {
        (length.shift_date(to, -1)?, to)
    };
    let timex = format!("({from},{to},{})", length.timex());
    Some((Period::exact(timex, from, to, Grain::Day), after))
}

/// `rest of the week`: from today to its last day.
fn rest(at: At<'_>) -> Read<'_, Period> {
    let after = at.eat(&["rest", "remaining", "remainder"])?.skip(&["of"]);
    let after = after.skip(&["the", "this", "my", "current"]);
    let unit = words::unit(after.word())?;
    let (_, end) = period::unit(at.now, unit, 0)?.future?;
    let (from, to) = (at.now.date(), calendar::days(end, -1)?);
    let timex = format!("({from},{to},P{}D)", calendar::days_between(from, to));
    Some((Period::exact(timex, from, to, Grain::Day), after.next()))
}

/// `the week of Feb 4`, `w/c Feb 4`, `the week starting on February 4`.
fn week_of(at: At<'_>) -> Read<'_, Period> {
    const OPENERS: [&str; 7] = [
        "the week of",
        "week of",
        "w / c",
        "the week starting",
        "week starting",
        "the week beginning",
        "week commencing",
    ];
    let after = at.phrases(&OPENERS)?;
    let (day, after) = day::day(after.skip(&["on"]))?;
    let week = |date: Date| {
        let monday = calendar::in_week(date, 1)?;
        Some((monday, calendar::weeks(monday, 1)?))
    };
    let (past, future) = (day.past.and_then(week), day.future.and_then(week));
    Some((Period { timex: day.timex, past, future, grain: Grain::Week }, after))
}
