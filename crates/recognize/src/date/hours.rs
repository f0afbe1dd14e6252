//! Hours from one time to another: `from 4 to 6 pm`, `9:30-11`, `between 5 and 6 in the evening`.

use super::day_part::{self, Part};
use super::place::{At, Read, longest};
use super::value::{Clock, Hours};
use super::{clock, length};

/// One end of a range of hours.
#[derive(Clone, Copy, Debug)]
pub(super) struct Side {
    clock: Clock,
    /// True if it is a time without the help of the other end or a part of the day.
    is_sure: bool,
}

impl Side {
    /// A time by itself.
    pub(super) fn sure(clock: Clock) -> Self {
        Self { clock, is_sure: true }
    }

    /// Settled by a part of the day.
    pub(super) fn settle(self, part: Part) -> Self {
        Self::sure(part.settle(self.clock))
    }
}

/// Reads hours that need no part of the day to be clear.
pub(super) fn hours(at: At<'_>) -> Read<'_, Hours> {
    longest(at, &[sure, with_part, from_for, for_from])
}

/// Hours next to a day: `11-4` will do.
pub(super) fn by_day(at: At<'_>) -> Read<'_, Hours> {
    longest(at, &[hours, any])
}

fn any(at: At<'_>) -> Read<'_, Hours> {
    let ((from, to), after) = ends(at)?;
    Some((pair(from, to)?, after))
}

fn sure(at: At<'_>) -> Read<'_, Hours> {
    let ((from, to), after) = ends(at).filter(|((from, to), _)| from.is_sure || to.is_sure)?;
    Some((pair(from, to)?, after))
}

fn with_part(at: At<'_>) -> Read<'_, Hours> {
    let ((from, to), after) = ends(at)?;
    let (part, after) = day_part::shaded(after.eat(&["in", "at"])?.skip(&["the"]))?;
    Some((pair(from.settle(part), to.settle(part))?, after))
}

/// The two ends, with the words and marks around them.
pub(super) fn ends(at: At<'_>) -> Read<'_, (Side, Side)> {
    let opener = at.eat(&["from", "between", "at"]);
    let is_between = at.word() == "between";
    let start = opener.unwrap_or(at);
    let (from, after) = side(start, opener.is_some())?;
    let after = to(after, is_between)?;
    let (to, after) = side(after, opener.is_some())?;
    Some(((from, to), after))
}

/// Reads the word or dash between the ends of a range.
pub(super) fn to(at: At<'_>, is_between: bool) -> Option<At<'_>> {
    const TO: [&str; 9] = ["to", "till", "til", "until", "through", "thru", "-", "~", "untill"];
    at.eat(&TO).or_else(|| at.eat(&["and"]).filter(|_| is_between))
}

fn side(at: At<'_>, is_opened: bool) -> Read<'_, Side> {
    let sure = clock::settled(at).map(|(clock, after)| (Side::sure(clock), after));
    let military = || {
        let after = at.next();
        let (number, _) = at.digits(4).filter(|_| at.word().len() == 4 && is_opened)?;
        let is_one = at.word().starts_with('0') || at.behind(2).starts_with('0');
        let (hour, minute) = (i8::try_from(number / 100).ok()?, i8::try_from(number % 100).ok()?);
        let is_time = is_one && hour < 24 && minute < 60;
        let is_open = (1..=12).contains(&hour);
        let clock = Clock { minute: Some(minute), is_open, ..Clock::at(hour) };
        is_time.then_some((Side::sure(clock), after))
    };
    let dots = || clock::dots(at).map(|(clock, after)| (Side { clock, is_sure: false }, after));
    let loose = || clock::loose(at).map(|(clock, after)| (Side { clock, is_sure: false }, after));
    sure.or_else(military).or_else(dots).or_else(loose)
}

/// Settles which half of the day both ends are in: the end follows the beginning as soon as it can.
pub(super) fn pair(from: Side, to: Side) -> Option<Hours> {
    let is_mixed = from.clock.minute.is_some() != to.clock.minute.is_some();
    let (from, to) = (from.clock, to.clock);
    let (begins, ends) = (from.readings(), to.readings());
    let after = |begin: Clock, ends: &[Clock]| {
        let later = ends.iter().filter(|end| end.minutes() > begin.minutes());
        let next = later.min_by_key(|end| end.minutes());
        next.or_else(|| ends.iter().min_by_key(|end| end.minutes())).copied()
    };
    let first = *begins.first()?;
    let readings = match (from.is_open, to.is_open) {
        (true, false) => {
            let end = *ends.first()?;
            let before = begins.iter().filter(|begin| begin.minutes() < end.minutes());
            let begin = before.max_by_key(|begin| begin.minutes());
            let begin = begin.or_else(|| begins.iter().max_by_key(|begin| begin.minutes()));
            vec![(*begin?, end)]
        }
        (true, true) => {
            let end = after(first, &ends)?;
            let is_crossing = to.minutes() <= from.minutes();
            if is_crossing && is_mixed {
                vec![(first, end)]
            } else {
                vec![(first, end), (first.turned(), end.turned())]
            }
        }
        (false, _) => vec![(first, after(first, &ends)?)],
    };
    Some(Hours { part: None, readings })
}

/// `from 10 am for 3 hours 30 minutes`.
fn from_for(at: At<'_>) -> Read<'_, Hours> {
    let (from, after) = side(at.eat(&["from", "starting"])?.skip(&["at"]), false)?;
    let (length, after) = length::length(after.eat(&["for"])?)?;
    if !from.is_sure {
        return None;
    }
    Some((lasting(from.clock, length.minutes()?), after))
}

/// `for 2 hours from 2pm`.
fn for_from(at: At<'_>) -> Read<'_, Hours> {
    let (length, after) = length::length(at.skip(&["for"]))?;
    let (from, after) = clock::clock_or_loose(after.eat(&["from", "starting"])?.skip(&["at"]))?;
    // Said with a length, an hour is the next thing people mean: the one on the dial.
    Some((lasting(Clock { is_open: false, ..from }, length.minutes()?), after))
}

fn lasting(from: Clock, minutes: i64) -> Hours {
    let end = |from: Clock| {
        let end = (from.minutes() + minutes).rem_euclid(24 * 60);
        let part = |value: i64| i8::try_from(value).unwrap_or(0);
        let hour = part(end / 60);
        Clock { minute: Some(part(end % 60)), second: Some(0), ..Clock::at(hour) }
    };
    let readings = from.readings().into_iter().map(|from| (from, end(from))).collect();
    Hours { part: None, readings }
}
