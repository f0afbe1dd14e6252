//! Reading a whole text: at each token the longest rule, then on after it.

use jiff::civil::DateTime;

use super::memo::Memo;
use super::place::{At, Read, Rule};
use super::token::Token;
use super::value::{Day, Hours, Period};
use super::{
    Dates, Found, Kind, between, clock, day, day_part, distance, hours, length, moment, open_range,
    period, recurrence, resolution, slice,
};

/// The rules; of two that read as much, the first wins.
const RULES: [Rule<Dates>; 13] = [
    moment::moment,
    open_range::open_range,
    recurrence::recurrence,
    days_between,
    distance::range,
    day_alone,
    slice_alone,
    period_alone,
    hours_alone,
    time_alone,
    approximate,
    part_alone,
    length::duration,
];

/// Finds every date and time of an English text.
pub(super) fn find(tokens: &[Token], now: DateTime) -> Vec<Found<Dates>> {
    let mut found = Vec::new();
    let memo = Memo::new(tokens.len());
    let mut at = At::first(tokens, now, &memo);
    while !at.is_end() {
        let Some((value, after)) = read(at) else {
            at = at.next();
            continue;
        };
        found.push(Found { value, start: at.start(), end: after.end() });
        at = after;
    }
    found
}

fn read(at: At<'_>) -> Read<'_, Dates> {
    if !at.may_begin() {
        return None;
    }
    let mut best: Read<'_, Dates> = None;
    for rule in RULES {
        let Some((value, after)) = rule(at).filter(|(_, after)| after.may_end()) else { continue };
        // A rule that read nothing would keep the reader where it is.
        let reach = best.as_ref().map_or(at, |(_, end)| *end).index();
        if after.index() > reach {
            best = Some((value, after));
        }
    }
    best
}

fn days_between(at: At<'_>) -> Read<'_, Dates> {
    resolution::read(between::between(at), |period: &Period| resolution::period(period))
}

pub(super) fn day_alone(at: At<'_>) -> Read<'_, Dates> {
    resolution::read(day::day(at), |day: &Day| resolution::day(day))
}

pub(super) fn slice_alone(at: At<'_>) -> Read<'_, Dates> {
    resolution::read(slice::slice(at), |period: &Period| resolution::period(period))
}

pub(super) fn period_alone(at: At<'_>) -> Read<'_, Dates> {
    resolution::read(period::period(at), |period: &Period| resolution::period(period))
}

fn hours_alone(at: At<'_>) -> Read<'_, Dates> {
    resolution::read(hours::hours(at), |hours: &Hours| resolution::hours(hours))
}

fn part_alone(at: At<'_>) -> Read<'_, Dates> {
    resolution::read(day_part::of_any_day(at), |part| resolution::hours(&part.hours()))
}

/// A time; a lone hour only after `at`, and not as the count of something.
fn time_alone(at: At<'_>) -> Read<'_, Dates> {
    let loose = || {
        let (clock, after) = clock::loose(at).filter(|_| at.behind(1) == "at")?;
        let is_count = after.is_word()
            && !matches!(
                after.word(),
                "and" | "or" | "for" | "with" | "on" | "please" | "to" | "but"
            );
        (!is_count).then_some((clock, after))
    };
    resolution::read(clock::settled(at).or_else(loose), |clock| resolution::clock(*clock))
}

/// `around 1pm`: a time that is told as a range without ends.
fn approximate(at: At<'_>) -> Read<'_, Dates> {
    let after = at.eat(&["around", "about", "circa", "approximately"])?;
    let (mut dates, after) = match moment::point(after) {
        Some(read) => read,
        None => resolution::read(clock::settled(after), |clock| resolution::clock(*clock))?,
    };
    let kind = if dates.kind == Kind::Time { Kind::TimeRange } else { Kind::DateTimeRange };
    for resolution in &mut dates.resolutions {
        resolution.kind = kind;
    }
    Some((dates, after))
}
