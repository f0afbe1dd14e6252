//! Feasts: days with a name, many of them on another date each year.

use jiff::civil::{Date, DateTime};

use super::place::{At, Read};
use super::value::{Day, Grain, Period};
use super::{calendar, number, words};

/// When a feast is.
#[derive(Clone, Copy, Debug)]
enum When {
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
const FEASTS: [(&str, When); 42] = [
    ("christmas eve", When::Fixed(12, 24)),
    ("christmas day", When::Fixed(12, 25)),
    ("christmas", When::Fixed(12, 25)),
    ("xmas", When::Fixed(12, 25)),
    ("boxing day", When::Fixed(12, 26)),
    ("new years eve", When::Fixed(12, 31)),
    ("new year eve", When::Fixed(12, 31)),
    ("new years day", When::Fixed(1, 1)),
    ("new year day", When::Fixed(1, 1)),
    ("new years", When::Fixed(1, 1)),
    ("new year", When::Fixed(1, 1)),
    ("valentines day", When::Fixed(2, 14)),
    ("valentine day", When::Fixed(2, 14)),
    ("groundhog day", When::Fixed(2, 2)),
    ("saint patricks day", When::Fixed(3, 17)),
    ("st patricks day", When::Fixed(3, 17)),
    ("april fools day", When::Fixed(4, 1)),
    ("april fools", When::Fixed(4, 1)),
    ("earth day", When::Fixed(4, 22)),
    ("international workers day", When::Fixed(5, 1)),
    ("cinco de mayo", When::Fixed(5, 5)),
    ("juneteenth", When::Fixed(6, 19)),
    ("independence day", When::Fixed(7, 4)),
    ("halloween", When::Fixed(10, 31)),
    ("all saints day", When::Fixed(11, 1)),
    ("veterans day", When::Fixed(11, 11)),
    ("martin luther king jr day", When::Nth(1, 1, 3)),
    ("martin luther king day", When::Nth(1, 1, 3)),
    ("mlk day", When::Nth(1, 1, 3)),
    ("presidents day", When::Nth(2, 1, 3)),
    ("mothers day", When::Nth(5, 7, 2)),
    ("memorial day", When::Last(5, 1)),
    ("fathers day", When::Nth(6, 7, 3)),
    ("labor day", When::Nth(9, 1, 1)),
    ("labour day", When::Nth(9, 1, 1)),
    ("columbus day", When::Nth(10, 1, 2)),
    ("thanksgiving day", When::Nth(11, 4, 4)),
    ("thanksgiving", When::Nth(11, 4, 4)),
    ("black friday", When::Nth(11, 5, 4)),
    ("good friday", When::Easter(-2)),
    ("easter monday", When::Easter(1)),
    ("easter", When::Easter(0)),
];

impl When {
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
            // No timex of any year says when a feast is that the moon decides; this year's does.
            Self::Easter(_) => self.of(now.year()).map_or_else(String::new, |date| {
                format!("XXXX-{:02}-{:02}", date.month(), date.day())
            }),
        };
        Day::of_any_year(now, timex, |year| self.of(year))
    }
}

fn name(at: At<'_>) -> Read<'_, When> {
    // Names are written with an apostrophe, in front of or behind the s, or without.
    let read = |name: &str| {
        name.split(' ').try_fold(at, |at, part| {
            let is_part = at.word().chars().filter(|char| *char != '\'').eq(part.chars());
            let after = at.next().skip_glued("'");
            (is_part && !at.is_end()).then(|| if part == "st" { after.skip(&["."]) } else { after })
        })
    };
    FEASTS.iter().find_map(|(name, when)| Some((*when, read(name)?)))
}

/// A feast, of a year when one was said: `easter 2018`, `last easter`, `christmas of this year`.
pub(super) fn feast(at: At<'_>) -> Read<'_, Day> {
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
    Some((Day { is_feast: true, ..when.any(at.now) }, after))
}

fn feast_on(date: Date) -> Day {
    Day { is_feast: true, ..Day::exact(date) }
}

/// The weekend of a feast, with the feast when it touches the weekend.
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
