//! Recurring times: `every monday`, `each two days`, `3pm daily`, `friday mornings`.

use super::length::{self, Length};
use super::meaning::Dates;
use super::place::{At, Read, longest};
use super::words::{self, Unit};
use super::{calendar_day, clock, day_part, number, resolution};

/// Something that comes again.
pub(super) fn recurrence(at: At<'_>) -> Read<'_, Dates> {
    let (timex, after) = longest(at, &[every, adverb, plural, clock_first, once])?;
    Some((resolution::set(&timex), after))
}

fn opener(at: At<'_>) -> Option<At<'_>> {
    at.eat(&["every", "each"])
}

fn every(at: At<'_>) -> Read<'_, String> {
    let Some(start) = opener(at) else {
        let (unit, after) = length::unit_of(at.eat(&["any"])?)?;
        let is_long = !matches!(unit, Unit::Second | Unit::Minute | Unit::Hour);
        return is_long.then(|| (Length::of(1.0, unit).timex(), after));
    };
    if let Some(after) = start.eat(&["other", "second"]) {
        if let Some(weekday) = words::weekday(after.word()) {
            return with_clock(format!("XXXX-WXX-{weekday}"), after.next());
        }
        let (unit, after) = length::unit_of(after)?;
        return Some((Length::of(2.0, unit).timex(), after));
    }
    longest(start, &[weekday, part_of_day, every_day, count, month, date])
}

/// Adds the time that may follow.
fn with_clock(timex: String, at: At<'_>) -> Read<'_, String> {
    let linked = at.skip(&[","]).eat(&["at"]);
    let found = match linked {
        Some(after) => clock::settled(after).or_else(|| clock::clock_or_loose(after)),
        None => clock::settled(at),
    };
    if let Some((clock, after)) = found {
        return Some((format!("{timex}{}", clock.timex()), after));
    }
    Some((timex, at))
}

fn weekday(at: At<'_>) -> Read<'_, String> {
    let weekday = words::weekday(at.word())?;
    let timex = format!("XXXX-WXX-{weekday}");
    if let Some((part, after)) = day_part::named(at.next()) {
        let linked = after.skip(&["at"]);
        return match clock::clock_or_loose(linked).filter(|_| linked.index() > after.index()) {
            Some((clock, after)) => Some((format!("{timex}{}", part.settle(clock).timex()), after)),
            None => Some((format!("{timex}{}", part.code), after)),
        };
    }
    with_clock(timex, at.next())
}

/// `every evening`, `every evening at 7:13 p.m.`.
fn part_of_day(at: At<'_>) -> Read<'_, String> {
    let (part, after) = day_part::named(at)?;
    let clock = after.eat(&["at"]).and_then(clock::clock_or_loose);
    Some(clock.map_or_else(
        || (part.code.to_owned(), after),
        |(clock, after)| (part.settle(clock).timex(), after),
    ))
}

/// `every day at 3pm` is a time.
fn every_day(at: At<'_>) -> Read<'_, String> {
    let after = at.eat(&["day"])?;
    let (timex, end) = with_clock(String::new(), after)?;
    if timex.is_empty() { Some(("P1D".to_owned(), after)) } else { Some((timex, end)) }
}

/// `each two days`, `every week`.
fn count(at: At<'_>) -> Read<'_, String> {
    if let Some((length, after)) = length::length(at) {
        return Some((length.timex(), after));
    }
    let (unit, after) = length::unit_of(at)?;
    Some((Length::of(1.0, unit).timex(), after))
}

fn month(at: At<'_>) -> Read<'_, String> {
    Some((format!("XXXX-{:02}", words::month(at.word())?), at.next()))
}

fn date(at: At<'_>) -> Read<'_, String> {
    let (day, after) =
        calendar_day::by_month(at).filter(|(day, _)| day.timex.starts_with("XXXX-"))?;
    with_clock(day.timex, after)
}

/// `daily`, `bi-monthly`, `semi-annually`, `everyday`.
fn adverb(at: At<'_>) -> Read<'_, String> {
    let prefix = at.word().strip_prefix("bi").map(|rest| (2.0, rest));
    let prefix = prefix.or_else(|| at.word().strip_prefix("semi").map(|rest| (0.5, rest)));
    let (factor, word, end) = match prefix {
        Some((factor, "")) => {
            let after = at.next().skip(&["-"]);
            (factor, after.word(), after.next())
        }
        Some((factor, rest)) => (factor, rest, at.next()),
        None => (1.0, at.word(), at.next()),
    };
    let unit = match word {
        "hourly" => Unit::Hour,
        "daily" | "everyday" => Unit::Day,
        "weekly" => Unit::Week,
        "fortnightly" => Unit::Fortnight,
        "monthly" => Unit::Month,
        "quarterly" => Unit::Quarter,
        "yearly" | "annually" | "annual" => Unit::Year,
        _ => return None,
    };
    let timex = Length::of(factor, unit).timex();
    if unit != Unit::Day {
        return Some((timex, end));
    }
    let (time, after) = with_clock(String::new(), end)?;
    if time.is_empty() { Some((timex, end)) } else { Some((time, after)) }
}

/// `thursdays at 17.30`, `friday mornings`.
fn plural(at: At<'_>) -> Read<'_, String> {
    if let Some(weekday) = words::weekdays(at.word()) {
        return with_clock(format!("XXXX-WXX-{weekday}"), at.next());
    }
    let weekday = words::weekday(at.word())?;
    let (part, after) = day_part::named(at.next()).filter(|(part, _)| part.is_plural)?;
    Some((format!("XXXX-WXX-{weekday}{}", part.code), after))
}

/// `3pm each day`, `6am everyday`.
fn clock_first(at: At<'_>) -> Read<'_, String> {
    let loose = || clock::loose(at).filter(|_| at.behind(1) == "at");
    let (clock, after) = clock::settled(at).or_else(loose)?;
    let after = after.skip(&[","]);
    if let Some(after) = after.eat(&["everyday", "daily"]) {
        return Some((clock.timex(), after));
    }
    let start = opener(after)?;
    if let Some(after) = start.eat(&["day"]) {
        return Some((clock.timex(), after));
    }
    if let Some((part, after)) = day_part::named(start) {
        return Some((part.settle(clock).timex(), after));
    }
    let weekday = words::weekday(start.word())?;
    Some((format!("XXXX-WXX-{weekday}{}", clock.timex()), start.next()))
}

/// `once a week`, `one a day`.
fn once(at: At<'_>) -> Read<'_, String> {
    let (count, after) = match at.eat(&["once"]) {
        Some(after) => (1, after),
        None => number::count(at)?,
    };
    let (unit, after) = length::unit_of(after.eat(&["a", "an"])?)?;
    (count == 1).then(|| (Length::of(1.0, unit).timex(), after))
}
