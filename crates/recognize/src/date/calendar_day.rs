//! Days of the calendar: `January 5th 2027`, `5/1`, `2026-11-15`, `the 5th of May`.

use jiff::civil::{Date, DateTime};

use super::number::{self, Year};
use super::place::{At, Read, longest};
use super::value::Day;
use super::{clock, words};

/// A day by its month.
pub(super) fn by_month(at: At<'_>) -> Read<'_, Day> {
    longest(at, &[month_first, day_first, year_first, slashes, month_and_day])
}

/// The day of a month, of a year when one was said.
pub(super) fn of_year(now: DateTime, year: Option<Year>, month: i8, day: i8) -> Option<Day> {
    let date = |year: i16| Date::new(year, month, day).ok();
    if !(1..=12).contains(&month) || !(1..=31).contains(&day) {
        return None;
    }
    Some(match year {
        None => Day::yearless(now, month, day),
        Some(Year::Full(year)) => {
            let timex = format!("{year:04}-{month:02}-{day:02}");
            Day::open(timex, date(year), date(year))
        }
        Some(Year::Short(year)) => {
            let timex = format!("XX{year:02}-{month:02}-{day:02}");
            Day::open(timex, date(1900 + year), date(2000 + year))
        }
    })
}

/// A year after a day: `, 2016`, `of 1995`, `in 2019`, `'87`.
pub(super) fn year_tail(at: At<'_>) -> Read<'_, Option<Year>> {
    let after = at.skip(&[",", "-", "/"]).skip(&["of", "in"]);
    if let Some((year, after)) = number::year(after).filter(|(_, end)| end.may_end()) {
        return Some((Some(Year::Full(year)), after));
    }
    let short = at.eat(&["'"]).and_then(number::short_year);
    Some(short.map_or((None, at), |(year, after)| (Some(year), after)))
}

/// `January 5th, 2027`, `dec31`, `may/22`, `april the ninth`.
fn month_first(at: At<'_>) -> Read<'_, Day> {
    let month = words::month(at.word())?;
    let after = at.next();
    let after = after.skip(&["."]);
    let after = after.eat(&["/", "-", "the"]).unwrap_or(after);
    let (day, end) = number::month_day(after)?;
    // `april 3 pm` and `april 3:30` are no third of April.
    if clock::clock(after).is_some() {
        return None;
    }
    let (year, after) = year_tail(end)?;
    Some((of_year(at.now, year, month, day)?, after))
}

/// `the 5th of May`, `5 January 2027`, `second of Aug`.
fn day_first(at: At<'_>) -> Read<'_, Day> {
    let start = if number::ordinal(at.next()).is_some() { at.skip(&["the"]) } else { at };
    let (day, after) = number::month_day(start)?;
    let is_ordinal = number::ordinal(start).is_some();
    let after =
        if is_ordinal && start.index() == at.index() { after.skip(&["day"]) } else { after };
    let linked = after.eat(&["of", "/", "-"]);
    let at_month = linked.unwrap_or(after).skip(&["the"]);
    let month = words::month(at_month.word())?;
    let after = at_month.next();
    let goes_on = after.is_word()
        && !matches!(after.word(), "at" | "from" | "to" | "and" | "or" | "in" | "for" | "between");
    if month == 5 && linked.is_none() && !is_ordinal && goes_on && number::year(after).is_none() {
        return None;
    }
    let (year, after) = year_tail(after)?;
    Some((of_year(at.now, year, month, day)?, after))
}

/// `2018-7-6`, `2019/aug/01`, `2020/23/Sep`, `2016 10 16`.
pub(super) fn year_first(at: At<'_>) -> Read<'_, Day> {
    let (year, after) = number::year(at).filter(|_| at.is_digits())?;
    let year = Some(Year::Full(year));
    if let Some(second) = after.glue(&["-", "/", "."]) {
        let third = second.next().glue(&["-", "/", "."])?;
        if let Some(month) = words::month(second.word()) {
            let (day, after) = number::month_day(third)?;
            return Some((of_year(at.now, year, month, day)?, after));
        }
        let (middle, _) = second.digits(2)?;
        let middle = i8::try_from(middle).ok()?;
        if let Some(month) = words::month(third.word()) {
            return Some((of_year(at.now, year, month, middle)?, third.next()));
        }
        let (day, after) = third.digits(2)?;
        return Some((of_year(at.now, year, middle, i8::try_from(day).ok()?)?, after));
    }
    let is_pair = |at: At<'_>| at.is_digits() && at.word().len() == 2;
    if !is_pair(after) || !is_pair(after.next()) {
        return None;
    }
    let (month, after) = after.digits(2)?;
    let (day, after) = after.digits(2)?;
    Some((of_year(at.now, year, i8::try_from(month).ok()?, i8::try_from(day).ok()?)?, after))
}

/// `11/15/2026`, `15/11/2026`, `15.11.2026`, `22/Jan/2019`, `10-1-2018`.
fn slashes(at: At<'_>) -> Read<'_, Day> {
    let (first, after) = at.digits(2)?;
    let second = after.glue(&["/", "-", "."])?;
    let third = second.next().glue(&[after.word()])?;
    let full = number::year(third).map(|(year, after)| (Year::Full(year), after));
    let (year, after) = full.or_else(|| number::short_year(third))?;
    let first = i8::try_from(first).ok()?;
    if let Some(month) = words::month(second.word()) {
        return Some((of_year(at.now, Some(year), month, first)?, after));
    }
    let second = i8::try_from(second.digits(2)?.0).ok()?;
    let (month, day) = if first <= 12 { (first, second) } else { (second, first) };
    Some((of_year(at.now, Some(year), month, day)?, after))
}

/// `5/1`, `22/04`; and the year of `5/7, 2020`.
fn month_and_day(at: At<'_>) -> Read<'_, Day> {
    let (day, after) = numbers(at, "/")?;
    // Round the clock is no day in July.
    if at.word() == "24" && at.ahead(2) == "7" {
        return None;
    }
    let (first, second) = day;
    let (month, day) = if first <= 12 { (first, second) } else { (second, first) };
    let with_year = after.eat(&[","]).and_then(number::year);
    let (year, after) =
        with_year.map_or((None, after), |(year, end)| (Some(Year::Full(year)), end));
    Some((of_year(at.now, year, month, day)?, after))
}

/// Two small numbers with a mark between them.
pub(super) fn numbers<'t>(at: At<'t>, mark: &str) -> Read<'t, (i8, i8)> {
    let (first, after) = at.digits(2)?;
    let (second, after) = after.glue(&[mark])?.digits(2)?;
    let pair = (i8::try_from(first).ok()?, i8::try_from(second).ok()?);
    after.may_end_number().then_some((pair, after))
}
