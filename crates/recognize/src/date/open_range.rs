//! Ranges with one end: `before 5pm`, `after 2018`, `since August`, `1/1/2016 or later`.

use super::meaning::{Dates, Kind, Resolution};
use super::place::{At, Read, longest};
use super::slice::{self, Cut};
use super::{alone, clock, day, day_part, moment, resolution};

/// The end of an open range that is said.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Edge {
    /// It ends where what follows begins.
    Before,
    /// It begins where what follows ends.
    After,
    /// It begins with what follows.
    Since,
    /// It ends with what follows.
    Until,
}

/// Any range with one end.
pub(super) fn open_range(at: At<'_>) -> Read<'_, Dates> {
    longest(at, &[opened, closed, inside, to_date])
}

fn word(at: At<'_>) -> Read<'_, Edge> {
    const BEFORE: [&str; 12] = [
        "no later than",
        "not later than",
        "earlier than",
        "sooner than",
        "prior to",
        "before",
        "until",
        "till",
        "til",
        "by",
        "ahead of",
        "<",
    ];
    const AFTER: [&str; 3] = ["later than", "after", ">"];
    const SINCE: [&str; 12] = [
        "as early as",
        "no earlier than",
        "on or after",
        "since",
        "starting on",
        "starting from",
        "starting in",
        "starting",
        "beginning on",
        "beginning from",
        "> =",
        "after or on",
    ];
    const UNTIL: [&str; 4] = ["as late as", "on or before", "< =", "before or on"];
    let lists: [(&[&str], Edge); 4] = [
        (&UNTIL, Edge::Until),
        (&SINCE, Edge::Since),
        (&BEFORE, Edge::Before),
        (&AFTER, Edge::After),
    ];
    lists.into_iter().find_map(|(phrases, edge)| Some((edge, at.phrases(phrases)?)))
}

/// A range whose edge word comes first: `before 5pm`, `since August`.
fn opened(at: At<'_>) -> Read<'_, Dates> {
    let (edge, after) = word(at)?;
    let after = after.skip(&["around", "about"]);
    if let Some(read) = of_slice(edge, after) {
        return Some(read);
    }
    let (dates, after) = match target(after) {
        Some(read) => read,
        None => target(after.skip(&["the"]))?,
    };
    Some((apply(edge, dates)?, after))
}

/// Reads the date, time or period that a range begins or ends with.
fn target(at: At<'_>) -> Read<'_, Dates> {
    longest(
        at,
        &[moment::point, alone::day, alone::clock, alone::period, alone::slice, part_of_day],
    )
}

/// A part of the day, or a meal: `before lunch`.
fn part_of_day(at: At<'_>) -> Read<'_, Dates> {
    let meal = || Some((day_part::meal(at.word())?, at.next()));
    let (part, after) = day_part::shaded(at.skip(&["the"])).or_else(meal)?;
    Some((resolution::hours(&part.hours()), after))
}

/// `before end of this year`, `after the beginning of March`: the slice is passed over whole.
fn of_slice(edge: Edge, at: At<'_>) -> Read<'_, Dates> {
    let ((cut, period), after) = slice::cut_whole(at)?;
    let edge = match (edge, cut) {
        (Edge::Before, Cut::End) => Edge::Until,
        (Edge::After, Cut::Start) => Edge::Since,
        _ => {
            let grain = period.grain;
            let sliced = period.cut(|days| slice::days(days, grain, cut));
            return Some((apply(edge, resolution::period(&sliced))?, after));
        }
    };
    Some((apply(edge, resolution::period(&period))?, after))
}

/// The edge words last: `year 2012 or later`, `3 pm or later on monday`.
fn closed(at: At<'_>) -> Read<'_, Dates> {
    const LATER: [&str; 8] = [
        "or later",
        "and later",
        "or after",
        "and onwards",
        "onwards",
        "onward",
        "or newer",
        "and onward",
    ];
    const EARLIER: [&str; 4] = ["or earlier", "and earlier", "or before", "and before"];
    let (dates, after) = target(at)?;
    let later = after.phrases(&LATER).map(|after| (Edge::Since, after));
    let (edge, after) =
        later.or_else(|| after.phrases(&EARLIER).map(|after| (Edge::Until, after)))?;
    if let Some((clock, _)) = clock::settled(at)
        && let Some((day, after)) = after.eat(&["on"]).and_then(day::day)
    {
        return Some((apply(edge, resolution::moment(&day, clock))?, after));
    }
    // `and after my work is done` is another sentence.
    Some((apply(edge, dates)?, after))
}

/// `today before 4pm`, `tuesday after 1pm`.
fn inside(at: At<'_>) -> Read<'_, Dates> {
    let (day, after) = day::day(at).filter(|(day, _)| !day.is_holiday)?;
    let (edge, after) = word(after.skip(&[","]))?;
    let (clock, after) = clock::settled(after).or_else(|| clock::loose(after))?;
    Some((apply(edge, resolution::moment(&day, clock))?, after))
}

/// `to date`: all until now. `up to date` is not about time.
fn to_date(at: At<'_>) -> Read<'_, Dates> {
    let after = at.phrase("to date").filter(|after| after.is_end() || !after.is_word())?;
    if matches!(at.behind(1), "up" | "equal" | "equals") {
        return None;
    }
    let end = Some(at.now.date().to_string());
    let resolution = resolution::range(Kind::DateRange, "PRESENT_REF".to_owned(), None, end);
    Some((Dates { kind: Kind::DateRange, resolutions: vec![resolution] }, after))
}

/// Makes a range of each meaning.
fn apply(edge: Edge, dates: Dates) -> Option<Dates> {
    let kind = match dates.kind {
        Kind::Date | Kind::DateRange => Kind::DateRange,
        Kind::Time | Kind::TimeRange => Kind::TimeRange,
        Kind::DateTime | Kind::DateTimeRange => Kind::DateTimeRange,
        Kind::Duration | Kind::Set => return None,
    };
    let one = |old: Resolution| {
        let point = old.value.filter(|value| value != Resolution::NOT_RESOLVED);
        let (start, end) = match edge {
            Edge::Before => (None, point.or(old.start)),
            Edge::Until => (None, point.or(old.end)),
            Edge::After => (point.or(old.end), None),
            Edge::Since => (point.or(old.start), None),
        };
        let is_known = start.is_some() || end.is_some();
        is_known.then(|| resolution::range(kind, old.timex, start, end))
    };
    let resolutions: Vec<Resolution> = dates.resolutions.into_iter().filter_map(one).collect();
    (!resolutions.is_empty()).then_some(Dates { kind, resolutions })
}
