//! Times of day: `3pm`, `half past seven`, `17:20`, `nine thirty`, `noon`.

use super::day_part::{self, Part};
use super::number;
use super::place::{At, Read, longest};
use super::value::Clock;
use super::words;

/// The half of the day that was said.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Half {
    Morning,
    Afternoon,
    /// Said to be either: `7ampm`.
    Either,
}

/// A time that is a time by itself.
pub(super) fn clock(at: At<'_>) -> Read<'_, Clock> {
    longest(at, &[colon, with_half, dotted, o_clock, about, in_words, past, named])
}

/// A time with the part of the day that settles it: `7 in the morning`, `in the morning at 7`.
pub(super) fn settled(at: At<'_>) -> Read<'_, Clock> {
    at.read_once(&at.memo.clock, |at| longest(at, &[then_part, part_then, clock]))
}

/// A bare hour, `3`; the caller checks by context that it is a time.
pub(super) fn loose(at: At<'_>) -> Read<'_, Clock> {
    let (hour, after) = hour(at)?;
    if !after.may_end_number() || after.is_glued() && matches!(after.word(), "%" | "°") {
        return None;
    }
    Some((make(hour, None, None, None)?, after))
}

/// A time after a word such as `at`: an hour will do.
pub(super) fn clock_or_loose(at: At<'_>) -> Read<'_, Clock> {
    longest(at, &[clock, dots, loose])
}

fn then_part(at: At<'_>) -> Read<'_, Clock> {
    let (clock, after, is_sure) = match clock(at) {
        Some((clock, after)) => (clock, after, true),
        None => loose(at).map(|(clock, after)| (clock, after, false))?,
    };
    let linked = after.eat(&["in", "at"]);
    let start = linked.unwrap_or(after).skip(&["the"]);
    if linked.is_none() && !is_sure {
        return None;
    }
    let (part, after) = day_part::shaded(start)?;
    Some((part.settle(clock), after))
}

fn part_then(at: At<'_>) -> Read<'_, Clock> {
    let start = at.eat(&["in"]).map_or(at, |after| after.skip(&["the"]));
    let (part, after) = day_part::shaded(start)?;
    let (clock, after) = match after.eat(&["at", "around", "about"]) {
        Some(after) => clock_or_loose(after)?,
        None => clock(after.skip(&[","]))?,
    };
    Some((part.settle(clock), after))
}

/// An hour in digits or in a word.
fn hour(at: At<'_>) -> Read<'_, i64> {
    let word =
        || Some((words::cardinal(at.word()).filter(|hour| (1..=12).contains(hour))?, at.next()));
    at.digits(2).or_else(word).filter(|(hour, _)| (0..=24).contains(hour))
}

fn half(at: At<'_>) -> Read<'_, Half> {
    let side = |word: &str| if word == "a" { Half::Morning } else { Half::Afternoon };
    match at.word() {
        "am" => Some((Half::Morning, at.next())),
        "pm" => Some((Half::Afternoon, at.next())),
        "ampm" => Some((Half::Either, at.next())),
        word @ ("a" | "p") => {
            let dotted = at.next().eat(&["."]).and_then(|after| after.eat(&["m"]));
            match dotted {
                Some(after) => Some((side(word), after.skip_glued("."))),
                None => at.is_glued().then(|| (side(word), at.next())),
            }
        }
        _ => None,
    }
}

fn make(hour: i64, minute: Option<i64>, second: Option<i64>, half: Option<Half>) -> Option<Clock> {
    let hour = i8::try_from(hour).ok().filter(|hour| (0..=24).contains(hour))?;
    let small = |part: Option<i64>| match part {
        Some(part) => i8::try_from(part).ok().filter(|part| (0..60).contains(part)).map(Some),
        None => Some(None),
    };
    let hour = match (half, hour) {
        (Some(Half::Morning), 12) | (_, 24) => 0,
        (Some(Half::Afternoon), 1..12) => hour + 12,
        _ => hour,
    };
    let is_open = matches!(half, None | Some(Half::Either)) && (1..=12).contains(&hour);
    Some(Clock { hour, minute: small(minute)?, second: small(second)?, is_open })
}

/// Makes the clock with the half that may follow.
fn finish<'t>(at: At<'t>, hour: i64, minute: Option<i64>, second: Option<i64>) -> Read<'t, Clock> {
    let (half, after) = half(at).map_or((None, at), |(half, after)| (Some(half), after));
    Some((make(hour, minute, second, half)?, after))
}

fn two_digits(at: At<'_>) -> Read<'_, i64> {
    at.digits(2).filter(|_| at.word().len() == 2)
}

/// `8:00am`, `17:20`, `14:55:30`.
fn colon(at: At<'_>) -> Read<'_, Clock> {
    let (hour, after) = at.digits(2)?;
    let (minute, after) = two_digits(after.glue(&[":"])?)?;
    let seconds = after.glue(&[":"]).and_then(two_digits);
    let (second, after) = seconds.map_or((None, after), |(second, end)| (Some(second), end));
    let after = fraction(after);
    finish(after, hour, Some(minute), second)
}

/// Passes over the fraction of a second and the `Z` of a full ISO time.
fn fraction(at: At<'_>) -> At<'_> {
    let after = at.glue(&["."]).and_then(|after| Some(after.digits(9)?.1)).unwrap_or(at);
    if after.is_glued() { after.skip(&["z"]) } else { after }
}

/// `3pm`, `six p.m.`, `1140 a.m.`.
fn with_half(at: At<'_>) -> Read<'_, Clock> {
    let (hour, minute, after) = match hour(at) {
        Some((hour, after)) => (hour, None, after),
        None => {
            let (number, after) = at.digits(4).filter(|_| at.word().len() >= 3)?;
            (number / 100, Some(number % 100), after)
        }
    };
    let (half, after) = half(after)?;
    if !(1..=12).contains(&hour) && half != Half::Afternoon {
        return None;
    }
    Some((make(hour, minute, None, Some(half))?, after))
}

/// `2.30`, which needs something else to be a time.
pub(super) fn dots(at: At<'_>) -> Read<'_, Clock> {
    let (hour, after) = at.digits(2)?;
    let (minute, after) = two_digits(after.glue(&["."])?)?;
    finish(after, hour, Some(minute), None).filter(|(_, after)| after.may_end_number())
}

/// `2.30pm`; or `at 2.30`, with the `at`.
fn dotted(at: At<'_>) -> Read<'_, Clock> {
    if let Some(after) = at.eat(&["at"]) {
        return dots(after);
    }
    let (clock, after) = dots(at)?;
    half(at.next().next().next())?;
    Some((clock, after))
}

/// `seven o'clock`.
fn o_clock(at: At<'_>) -> Read<'_, Clock> {
    let (hour, after) = hour(at)?;
    let after = after.eat(&["o'clock", "oclock"])?;
    finish(after, hour, None, None)
}

/// `5ish`, `7-ish`.
fn about(at: At<'_>) -> Read<'_, Clock> {
    let (hour, after) = hour(at)?;
    let after = after.skip(&["-"]);
    let end = after.eat(&["ish"]).filter(|_| after.is_glued())?;
    Some((make(hour, None, None, None)?, end))
}

/// `nine thirty`, `five-thirty`, `six forty-three minutes`.
fn in_words(at: At<'_>) -> Read<'_, Clock> {
    let hour = words::cardinal(at.word()).filter(|hour| (1..=12).contains(hour))?;
    let after = at.next().skip(&["-"]);
    let oh = after.eat(&["oh", "o"]).and_then(number::below_hundred);
    let (minute, after) = match oh.filter(|(minute, _)| *minute < 10) {
        Some(read) => read,
        None => number::below_hundred(after).filter(|(minute, _)| (10..60).contains(minute))?,
    };
    finish(after.skip(&["minutes", "mins"]), hour, Some(minute), None)
}

/// `half past seven o'clock`, `quarter to five`, `20 min past eight`.
fn past(at: At<'_>) -> Read<'_, Clock> {
    let start = at.skip(&["a"]);
    let (minutes, after, is_counted) = match start.word() {
        "half" => (30, start.next(), true),
        "quarter" => (15, start.next(), true),
        _ => {
            let (minutes, after) =
                number::count(at).filter(|(minutes, _)| (1..60).contains(minutes))?;
            let unit = after.eat(&["min", "mins", "minute", "minutes"]);
            (minutes, unit.unwrap_or(after), unit.is_some())
        }
    };
    let (is_past, after) = match after.word() {
        "past" => (true, after.next()),
        // `five to seven` is rather two hours than five minutes.
        "to" | "till" if is_counted => (false, after.next()),
        _ => return None,
    };
    let (hour, after) = hour(after)?;
    let hour = if is_past {
        hour
    } else if hour == 1 {
        12
    } else {
        hour - 1
    };
    let minute = if is_past { minutes } else { 60 - minutes };
    finish(after.skip(&["o'clock", "oclock"]), hour, Some(minute), None)
}

/// `noon`, `midnight`.
fn named(at: At<'_>) -> Read<'_, Clock> {
    const NAMES: [(&str, i8); 18] = [
        ("midmorning", 10),
        ("mid morning", 10),
        ("mid - morning", 10),
        ("midafternoon", 14),
        ("mid afternoon", 14),
        ("mid - afternoon", 14),
        ("12 noon", 12),
        ("noon", 12),
        ("noonish", 12),
        ("noontime", 12),
        ("midday", 12),
        ("mid day", 12),
        ("mid - day", 12),
        ("12 midnight", 0),
        ("midnight", 0),
        ("mid night", 0),
        ("mid - night", 0),
        ("twelve noon", 12),
    ];
    let found = NAMES.iter().find_map(|(name, hour)| Some((*hour, at.phrase(name)?)));
    found.map(|(hour, after)| (Clock::at(hour), after))
}

impl Part {
    /// Settles whether a time is before or after noon.
    pub(super) fn settle(self, clock: Clock) -> Clock {
        let known = Clock { is_open: false, ..clock };
        let is_late = match self.code {
            "TAF" | "TEV" | "TMED" => clock.hour < 12,
            "TNI" => (6..=12).contains(&clock.hour),
            _ => false,
        };
        if clock.is_open && is_late { known.turned() } else { known }
    }
}
