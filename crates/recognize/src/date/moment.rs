//! Times of days: `tomorrow at 9`, `monday from 2 to 4`, `tonight`, `now`.

use super::day_part::{self, Part};
use super::distance::{self, moment_timex, moment_value};
use super::hours::Side;
use super::meaning::{Dates, Kind, Resolution};
use super::place::{At, Read, longest};
use super::value::{Clock, Day};
use super::{calendar, clock, day, hours, resolution, words};

/// Anything that joins a day and a time.
pub(super) fn moment(at: At<'_>) -> Read<'_, Dates> {
    longest(at, &[now, at_distance, point, hours_of_day, part_of_day, half_of_day, between])
}

/// A time of a day.
pub(super) fn point(at: At<'_>) -> Read<'_, Dates> {
    resolution::read(timed(at), |(day, clock)| resolution::moment(day, *clock))
}

/// A day and a time, in either order.
pub(super) fn timed(at: At<'_>) -> Read<'_, (Day, Clock)> {
    longest(at, &[day_clock, clock_day, part_clock, clock_part, day_end])
}

fn now(at: At<'_>) -> Read<'_, Dates> {
    const NOW: [&str; 7] = [
        "now",
        "right now",
        "at present",
        "at this time",
        "at the moment",
        "at this moment",
        "just now",
    ];
    const SOON: [&str; 2] = ["asap", "as soon as possible"];
    const LATELY: [&str; 3] = ["recently", "previously", "lately"];
    let lists: [(&[&str], &str); 3] =
        [(&NOW, "PRESENT_REF"), (&SOON, "FUTURE_REF"), (&LATELY, "PAST_REF")];
    let found = lists.into_iter().find_map(|(list, timex)| Some((timex, at.phrases(list)?)));
    let (timex, after) = found?;
    Some((one(resolution::value(Kind::DateTime, timex.to_owned(), moment_value(at.now))), after))
}

fn at_distance(at: At<'_>) -> Read<'_, Dates> {
    let (moment, after) = distance::moment(at)?;
    let resolution = resolution::value(Kind::DateTime, moment_timex(moment), moment_value(moment));
    Some((one(resolution), after))
}

fn one(resolution: Resolution) -> Dates {
    Dates { kind: resolution.kind, resolutions: vec![resolution] }
}

/// A day that a time can be joined to.
fn plain_day(at: At<'_>) -> Read<'_, Day> {
    day::day(at).filter(|(day, _)| !day.is_holiday)
}

/// `tomorrow at 9`, `23.04.2022 14:55`, `2026-11-15T09:00`.
fn day_clock(at: At<'_>) -> Read<'_, (Day, Clock)> {
    let (day, after) = plain_day(at)?;
    let after = after.skip(&[","]);
    let linked = after.eat(&["at", "around", "about", "circa", "@"]);
    let (clock, after) = match linked {
        Some(after) => clock::settled(after).or_else(|| clock::clock_or_loose(after))?,
        None => {
            let joined = after.eat(&["t"]).filter(|end| after.is_glued() && end.is_glued());
            let (clock, end) =
                clock::settled(joined.or_else(|| after.eat(&["-"])).unwrap_or(after))?;
            // With a T between, it is ISO, which knows no halves of the day.
            (Clock { is_open: clock.is_open && joined.is_none(), ..clock }, end)
        }
    };
    Some(((day, clock), after))
}

/// `3pm today`, `9:30 on monday`; `3 tomorrow` after `at`.
fn clock_day(at: At<'_>) -> Read<'_, (Day, Clock)> {
    const OPENERS: [&str; 6] = ["at", "after", "before", "by", "until", "till"];
    let loose = || clock::loose(at).filter(|_| OPENERS.contains(&at.behind(1)));
    let (clock, after) = clock::settled(at).or_else(loose)?;
    let after = after.skip(&[",", "-"]).skip(&["on", "of"]);
    let (day, after) = plain_day(after)?;
    Some(((day, clock), after))
}

/// `tonight at 7`, `sunday late evening at 10:00`, `this morning, 8am`.
fn part_clock(at: At<'_>) -> Read<'_, (Day, Clock)> {
    let ((day, part), after) = day_part(at)?;
    let after = after.skip(&[","]);
    let (clock, after) = match after.eat(&["at", "around", "about", "circa", "@"]) {
        Some(after) => clock::clock_or_loose(after)?,
        None => clock::clock(after)?,
    };
    Some(((day, part.settle(clock)), after))
}

/// `8am this morning`, `five-thirty tomorrow evening`; `7 tonight` after `at`.
fn clock_part(at: At<'_>) -> Read<'_, (Day, Clock)> {
    let loose = || clock::loose(at).filter(|_| at.behind(1) == "at");
    let (clock, after) = clock::clock(at).or_else(loose)?;
    let ((day, part), after) = day_part(after.skip(&[","]))?;
    Some(((day, part.settle(clock)), after))
}

/// `end of the day`, `eod`, `end of tomorrow`: its last second.
fn day_end(at: At<'_>) -> Read<'_, (Day, Clock)> {
    let last = Clock { minute: Some(59), second: Some(59), ..Clock::at(23) };
    let today = Day::exact(at.now.date());
    const DAY_ENDS: [&str; 5] =
        ["the eod", "eod", "the end of day", "end of day", "end of the day"];
    if let Some(after) = at.phrases(&DAY_ENDS) {
        return Some(((today, last), after));
    }
    if let Some((day, after)) = plain_day(at) {
        return Some(((day, last), after.phrases(&["eod", "end of day", "by eod"])?));
    }
    let after = at.phrases(&["the end of", "end of"])?;
    let (day, after) = plain_day(after.skip(&["the"])).or_else(|| plain_day(after))?;
    Some(((day, last), after))
}

/// A part of a day: `tonight`, `this morning`, `tuesday afternoon`, `wednesday evening next week`.
fn day_part(at: At<'_>) -> Read<'_, (Day, Part)> {
    longest(at, &[tonight, pointed_part, day_then_part, part_then_day])
}

fn tonight(at: At<'_>) -> Read<'_, (Day, Part)> {
    let start = at.skip(&["late", "early"]);
    let after = start.eat(&["tonight", "tonite"])?;
    Some(((Day::exact(at.now.date()), day_part::night()), after))
}

fn pointed_part(at: At<'_>) -> Read<'_, (Day, Part)> {
    let shade = at.eat(&["early", "late"]);
    let start = shade.unwrap_or(at);
    let days = words::direction(start.word())?;
    let (part, after) = day_part::shaded(start.next()).filter(|(part, _)| !part.is_plural)?;
    let part = if shade.is_some() { part.shade(at.word() == "early") } else { part };
    Some(((Day::exact(calendar::days(at.now.date(), days)?), part), after))
}

fn day_then_part(at: At<'_>) -> Read<'_, (Day, Part)> {
    let (day, after) = plain_day(at)?;
    let after = after.skip(&[","]).skip(&["in", "at"]).skip(&["the"]);
    let (part, after) = day_part::shaded(after).filter(|(part, _)| !part.is_plural)?;
    let weeks = || {
        let weeks = words::direction(after.word())?;
        Some((weeks, after.next().eat(&["week"])?))
    };
    if let Some(weekday) = words::weekday(at.word())
        && let Some((weeks, end)) = weeks()
    {
        let date = calendar::weeks(calendar::in_week(at.now.date(), weekday)?, weeks)?;
        return Some(((Day::exact(date), part), end));
    }
    Some(((day, part), after))
}

fn part_then_day(at: At<'_>) -> Read<'_, (Day, Part)> {
    let start = at.eat(&["in"]).map_or(at, |after| after.skip(&["the"]));
    let (part, after) = day_part::shaded(start).filter(|(part, _)| !part.is_plural)?;
    let (day, after) = plain_day(after.eat(&["of", "on"])?)?;
    Some(((day, part), after))
}

fn part_of_day(at: At<'_>) -> Read<'_, Dates> {
    let ((day, part), after) = day_part(at)?;
    Some((resolution::day_hours(&day, &part.hours())?, after))
}

/// `later in today`, `early in the day wednesday`: before or after noon of the day to come.
fn half_of_day(at: At<'_>) -> Read<'_, Dates> {
    let is_early = match at.word() {
        "early" | "earlier" => true,
        "late" | "later" => false,
        _ => return None,
    };
    let after = at.next().skip(&["in", "on"]);
    let told = after.phrase("the day").map(|after| after.skip(&[","])).and_then(plain_day);
    let (day, after) = told.or_else(|| plain_day(after))?;
    let date = day.future?;
    let noon = Some(format!("{date} 12:00:00"));
    let (start, end) = if is_early {
        (Some(format!("{date} 00:00:00")), noon)
    } else {
        (noon, Some(format!("{} 00:00:00", calendar::tomorrow(date)?)))
    };
    Some((one(resolution::range(Kind::DateTimeRange, day.timex, start, end)), after))
}

/// `monday 11-4`, `3:00 to 4:00 tomorrow`, `yesterday afternoon from 3-8pm`.
fn hours_of_day(at: At<'_>) -> Read<'_, Dates> {
    longest(at, &[day_hours, hours_day, part_hours, hours_part])
}

fn day_hours(at: At<'_>) -> Read<'_, Dates> {
    let (day, after) = plain_day(at)?;
    let (hours, after) = hours::by_day(after.skip(&[","]))?;
    Some((resolution::day_hours(&day, &hours)?, after))
}

fn hours_day(at: At<'_>) -> Read<'_, Dates> {
    let (hours, after) = hours::by_day(at)?;
    let (day, after) = plain_day(after.skip(&[","]).skip(&["on", "of"]))?;
    Some((resolution::day_hours(&day, &hours)?, after))
}

fn part_hours(at: At<'_>) -> Read<'_, Dates> {
    let ((day, part), after) = day_part(at)?;
    let ((from, to), after) = hours::ends(after.skip(&[","]))?;
    let hours = hours::pair(from.settle(part), to.settle(part))?;
    Some((resolution::day_hours(&day, &hours)?, after))
}

fn hours_part(at: At<'_>) -> Read<'_, Dates> {
    let ((from, to), after) = hours::ends(at)?;
    let ((day, part), after) = day_part(after.skip(&[","]))?;
    let hours = hours::pair(from.settle(part), to.settle(part))?;
    Some((resolution::day_hours(&day, &hours)?, after))
}

/// `between 2:00 tomorrow and 4:00`, `from now until 5pm`, `from monday 3pm to friday 5pm`.
fn between(at: At<'_>) -> Read<'_, Dates> {
    longest(at, &[from_now, same_day, two_moments])
}

fn from_now(at: At<'_>) -> Read<'_, Dates> {
    let after = at.eat(&["from", "between"])?.eat(&["now"])?;
    let after = hours::to(after, at.word() == "between")?;
    let (timex, until, after) = match distance::moment(after) {
        Some((moment, after)) => (moment_timex(moment), moment, after),
        None => {
            let (clock, after) = clock::settled(after)?;
            let of = |clock: Clock| {
                let minute = clock.minute.unwrap_or(0);
                at.now.date().at(clock.hour, minute, clock.second.unwrap_or(0), 0)
            };
            let readings = clock.readings();
            let next = readings.iter().find(|clock| of(**clock) > at.now).copied()?;
            (format!("{}{}", at.now.date(), next.timex()), of(next), after)
        }
    };
    let minutes = at.now.duration_until(until).as_mins();
    let length = match (minutes / 60, minutes % 60) {
        (hours, 0) => format!("PT{hours}H"),
        (0, minutes) => format!("PT{minutes}M"),
        (hours, minutes) => format!("PT{hours}H{minutes}M"),
    };
    let (start, end) = (Some(moment_value(at.now)), Some(moment_value(until)));
    let timex = format!("(PRESENT_REF,{timex},{length})");
    Some((one(resolution::range(Kind::DateTimeRange, timex, start, end)), after))
}

/// The day is said with one of the times only.
fn same_day(at: At<'_>) -> Read<'_, Dates> {
    let after = at.eat(&["from", "between"])?;
    let ((day, from), after) = timed(after)?;
    let after = hours::to(after, at.word() == "between")?;
    let (to, after) = clock::settled(after)?;
    let hours = hours::pair(Side::sure(from), Side::sure(to))?;
    Some((resolution::day_hours(&day, &hours)?, after))
}

fn two_moments(at: At<'_>) -> Read<'_, Dates> {
    let start = at.eat(&["from", "between"]).unwrap_or(at);
    let ((first, from), after) = timed(start)?;
    let after = hours::to(after, at.word() == "between")?;
    let ((last, to), after) = timed(after)?;
    let (from, to) = (*from.readings().first()?, *to.readings().first()?);
    let mut resolutions = Vec::new();
    let days = (
        resolution::readings(first.past, first.future),
        resolution::readings(last.past, last.future),
    );
    for (begin, end) in days.0.into_iter().zip(days.1) {
        let minutes = calendar::days_between(begin, end) * 24 * 60 + to.minutes() - from.minutes();
        let length = if minutes % 60 == 0 {
            format!("PT{}H", minutes / 60)
        } else {
            format!("PT{}H{}M", minutes / 60, minutes % 60)
        };
        let ends =
            (format!("{}{}", first.timex, from.timex()), format!("{}{}", last.timex, to.timex()));
        let timex = format!("({},{},{length})", ends.0, ends.1);
        let (start, end) = (format!("{begin} {}", from.value()), format!("{end} {}", to.value()));
        if minutes > 0 {
            resolutions.push(resolution::range(Kind::DateTimeRange, timex, Some(start), Some(end)));
        }
    }
    (!resolutions.is_empty()).then_some((Dates { kind: Kind::DateTimeRange, resolutions }, after))
}
