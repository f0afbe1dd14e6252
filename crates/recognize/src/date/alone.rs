//! Mentions of a single value: a day, a period, hours or a time that nothing else belongs to.

use super::meaning::Dates;
use super::place::{At, Read};
use super::value::{Day, Hours, Period};
use super::{clock, day, day_part, hours, period, resolution, slice};

/// A day.
pub(super) fn day(at: At<'_>) -> Read<'_, Dates> {
    resolution::read(day::day(at), |day: &Day| resolution::day(day))
}

/// A slice of a period.
pub(super) fn slice(at: At<'_>) -> Read<'_, Dates> {
    resolution::read(slice::slice(at), |period: &Period| resolution::period(period))
}

/// A period of the calendar.
pub(super) fn period(at: At<'_>) -> Read<'_, Dates> {
    resolution::read(period::period(at), |period: &Period| resolution::period(period))
}

/// Hours of any day.
pub(super) fn hours(at: At<'_>) -> Read<'_, Dates> {
    resolution::read(hours::hours(at), |hours: &Hours| resolution::hours(hours))
}

/// A part of any day.
pub(super) fn part(at: At<'_>) -> Read<'_, Dates> {
    resolution::read(day_part::of_any_day(at), |part| resolution::hours(&part.hours()))
}

/// A time; a lone hour only after `at`, and not as the count of something.
pub(super) fn time(at: At<'_>) -> Read<'_, Dates> {
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

/// A time that is one without the words around it.
pub(super) fn clock(at: At<'_>) -> Read<'_, Dates> {
    resolution::read(clock::settled(at), |clock| resolution::clock(*clock))
}
