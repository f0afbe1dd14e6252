//! Holidays: days with a name, many of them on another date each year.

use jiff::civil::{Date, DateTime};

use super::place::{At, Read};
use super::value::{Day, Grain, Period};
use super::{calendar, number, words};

/// The rule that gives the date of a holiday in a year.
#[derive(Clone, Copy, Debug)]
enum HolidayRule {
    /// A month and a day.
    Fixed(i8, i8),
    /// A month, a weekday and which of them.
    Nth(i8, i8, i8),
    /// The last such weekday of a month.
    Last(i8, i8),
    /// Days after Easter Sunday.
    Easter(i64),
}

/// The names, without apostrophes; longer names before their beginnings.
const HOLIDAYS: [(&str, HolidayRule); 42] = [
    ("christmas eve", HolidayRule::Fixed(12, 24)),
    ("christmas day", HolidayRule::Fixed(12, 25)),
    ("christmas", HolidayRule::Fixed(12, 25)),
    ("xmas", HolidayRule::Fixed(12, 25)),
    ("boxing day", HolidayRule::Fixed(12, 26)),
    ("new years eve", HolidayRule::Fixed(12, 31)),
    ("new year eve", HolidayRule::Fixed(12, 31)),
    ("new years day", HolidayRule::Fixed(1, 1)),
    ("new year day", HolidayRule::Fixed(1, 1)),
    ("new years", HolidayRule::Fixed(1, 1)),
    ("new year", HolidayRule::Fixed(1, 1)),
    ("valentines day", HolidayRule::Fixed(2, 14)),
    ("valentine day", HolidayRule::Fixed(2, 14)),
    ("groundhog day", HolidayRule::Fixed(2, 2)),
    ("saint patricks day", HolidayRule::Fixed(3, 17)),
    ("st patricks day", HolidayRule::Fixed(3, 17)),
    ("april fools day", HolidayRule::Fixed(4, 1)),
    ("april fools", HolidayRule::Fixed(4, 1)),
    ("earth day", HolidayRule::Fixed(4, 22)),
    ("international workers day", HolidayRule::Fixed(5, 1)),
    ("cinco de mayo", HolidayRule::Fixed(5, 5)),
    ("juneteenth", HolidayRule::Fixed(6, 19)),
    ("independence day", HolidayRule::Fixed(7, 4)),
    ("halloween", HolidayRule::Fixed(10, 31)),
    ("all saints day", HolidayRule::Fixed(11, 1)),
    ("veterans day", HolidayRule::Fixed(11, 11)),
    ("martin luther king jr day", HolidayRule::Nth(1, 1, 3)),
    ("martin luther king day", HolidayRule::Nth(1, 1, 3)),
    ("mlk day", HolidayRule::Nth(1, 1, 3)),
    ("presidents day", HolidayRule::Nth(2, 1, 3)),
    ("mothers day", HolidayRule::Nth(5, 7, 2)),
    ("memorial day", HolidayRule::Last(5, 1)),
    ("fathers day", HolidayRule::Nth(6, 7, 3)),
    ("labor day", HolidayRule::Nth(9, 1, 1)),
    ("labour day", HolidayRule::Nth(9, 1, 1)),
    ("columbus day", HolidayRule::Nth(10, 1, 2)),
    ("thanksgiving day", HolidayRule::Nth(11, 4, 4)),
    ("thanksgiving", HolidayRule::Nth(11, 4, 4)),
    ("black friday", HolidayRule::Nth(11, 5, 4)),
    ("good friday", HolidayRule::Easter(-2)),
    ("easter monday", HolidayRule::Easter(1)),
    ("easter", HolidayRule::Easter(0)),
];

impl HolidayRule {
    fn of(self, year: i16) -> Option<Date> {
        match self {
            Self::Fixed(month, day) => Date::new(year, month, day).ok(),
            Self::Nth(month, weekday, nth) => {
                calendar::nth_weekday(year, month, weekday, Some(nth))
            }
            Self::Last(month, weekday) => calendar::nth_weekday(year, month, weekday, None),
            Self::Easter(days) => calendar::days(calendar::easter(year)?, days),
        }
    }

    fn any(self, now: DateTime) -> Day {
        let timex = match self {
            Self::Fixed(month, day) => format!("XXXX-{month:02}-{day:02}"),
            Self::Nth(month, weekday, nth) => format!("XXXX-{month:02}-WXX-{weekday}-{nth}"),
            Self::Last(month, weekday) => format!("XXXX-{month:02}-WXX-{weekday}-4"),
            // No timex of any year says when a holiday is that the moon decides; this year's does.
            Self::Easter(_) => self.of(now.year()).map_or_else(String::new, |date| {
                format!("XXXX-{:02}-{:02}", date.month(), date.day())
            }),
        };
        Day::of_any_year(now, timex, |year| self.of(year))
    }
}

fn name(at: At<'_>) -> Read<'_, HolidayRule> {
    // Names are written with an apostrophe, in front of or behind the s, or without.
    let read = |name: &str| {
        name.split(' ').try_fold(at, |at, part| {
            let is_part = at.word().chars().filter(|char| *char != '\'').eq(part.chars());
            let after = at.next().skip_glued("'");
            (is_part && !at.is_end()).then(|| if part == "st" { after.skip(&["."]) } else { after })
        })
    };
    HOLIDAYS.iter().find_map(|(name, when)| Some((*when, read(name)?)))
}

/// A holiday, of a year when one was said: `easter 2018`, `last easter`, `christmas of this year`.
pub(super) fn holiday(at: At<'_>) -> Read<'_, Day> {
    let year_now = at.now.year();
    if let Some(direction) = words::direction(at.word()) {
        let (when, after) = name(at.next())?;
        let any = when.any(at.now);
        let date = match direction {
            0 => when.of(year_now)?,
            1 => any.future?,
            _ => any.past?,
        };
        return Some((feast_on(date), after));
    }
    let (when, after) = name(at)?;
    let tail = after.skip(&[",", "of", "in"]);
    if let Some((year, after)) = number::year(tail) {
        return Some((feast_on(when.of(year)?), after));
    }
    if let Some(years) = words::direction(tail.word())
        && let Some(after) = tail.next().eat(&["year"])
    {
        let year = year_now.checked_add(i16::try_from(years).ok()?)?;
        return Some((feast_on(when.of(year)?), after));
    }
    Some((Day { is_holiday: true, ..when.any(at.now) }, after))
}

fn feast_on(date: Date) -> Day {
    Day { is_holiday: true, ..Day::exact(date) }
}

/// The weekend of a holiday, with the holiday when it touches the weekend.
pub(super) fn weekend(at: At<'_>) -> Read<'_, Period> {
    let (when, after) = name(at)?;
    let told = number::year(after);
    let (year, after) = told.map_or((None, after), |(year, after)| (Some(year), after));
    let after = after.eat(&["weekend"])?;
    let (year, after) = match year {
        Some(year) => (Some(year), after),
        None => number::year(after.skip(&["of"])).map_or((None, after), |(y, end)| (Some(y), end)),
    };
    let days = |date: Date| {
        let near = if calendar::weekday(date) == 1 { calendar::days(date, -1)? } else { date };
        let saturday = calendar::in_week(near, 6)?;
        let from = if calendar::weekday(date) == 5 { date } else { saturday };
        let length = if calendar::weekday(date) == 1 { 3 } else { 2 };
        Some((from, calendar::days(saturday, length)?))
    };
    let timex = |date: Date| Some(format!("{}-WE", calendar::week_timex(days(date)?.0)));
    if let Some(year) = year {
        let date = when.of(year)?;
        let (from, to) = days(date)?;
        return Some((Period::exact(timex(date)?, from, to, Grain::Week), after));
    }
    let any = when.any(at.now);
    let (past, future) = (any.past.and_then(days), any.future.and_then(days));
    let timex = "XXXX-WXX-WE".to_owned();
    Some((Period { timex, past, future, grain: Grain::Week }, after))
}
