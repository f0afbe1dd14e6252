//! A day, however it is named: by the calendar, seen from today, by its distance, by a holiday.

use super::place::{At, Read, longest};
use super::value::Day;
use super::{calendar_day, distance, holiday, relative};

/// Any way to name a day.
pub(super) fn day(at: At<'_>) -> Read<'_, Day> {
    at.read_once(&at.memo.day, |at| {
        longest(
            at,
            &[
                calendar_day::by_month,
                relative::relative,
                relative::weekday,
                distance::day,
                holiday::holiday,
            ],
        )
    })
}
