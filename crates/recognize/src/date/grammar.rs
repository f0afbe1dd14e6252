//! Reading a whole text: at each token the longest rule, then on after it.

use jiff::civil::DateTime;

use super::meaning::{Dates, Kind};
use super::memo::Memo;
use super::place::{At, Read, Rule};
use super::token::Token;
use super::value::Period;
use super::{Found, alone, between, distance, length, moment, open_range, recurrence, resolution};

/// The rules; of two that read as much, the first wins.
const RULES: [Rule<Dates>; 13] = [
    moment::moment,
    open_range::open_range,
    recurrence::recurrence,
    days_between,
    distance::range,
    alone::day,
    alone::slice,
    alone::period,
    alone::hours,
    alone::time,
    approximate,
    alone::part,
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

/// `around 1pm`: a time that is told as a range without ends.
fn approximate(at: At<'_>) -> Read<'_, Dates> {
    let after = at.eat(&["around", "about", "circa", "approximately"])?;
    let (mut dates, after) = match moment::point(after) {
        Some(read) => read,
        None => alone::clock(after)?,
    };
    let kind = if dates.kind == Kind::Time { Kind::TimeRange } else { Kind::DateTimeRange };
    for resolution in &mut dates.resolutions {
        resolution.kind = kind;
    }
    Some((dates, after))
}
