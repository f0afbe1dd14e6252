//! Periods of the calendar: `next week`, `April 2017`, `2014`, `Q1`, `this weekend`, `the 1990s`.

use jiff::civil::{Date, DateTime};

use super::number::{self, Year};
use super::place::{At, Read, Rule, longest};
use super::value::{Grain, Period};
use super::words::{self, Unit};
use super::{calendar, calendar_day, decade, holiday, quarter};

/// Any period that is one by itself.
pub(super) fn period(at: At<'_>) -> Read<'_, Period> {
    const RULES: [Rule<Period>; 11] = [
        year,
        month,
        month_number,
        pointed,
        the_unit,
        week,
        quarter::quarter,
        season,
        decade::decade,
        decade::century,
        holiday::weekend,
    ];
    at.read_once(&at.memo.period, |at| longest(at, &RULES))
}

/// A year of the calendar.
pub(super) fn of_year(year: i64) -> Option<Period> {
    let (from, to) = (calendar::year_start(year)?, calendar::year_start(year + 1)?);
    Some(Period::exact(format!("{year:04}"), from, to, Grain::Year))
}

/// A month of a year.
fn of_month(start: Date) -> Option<Period> {
    let timex = format!("{:04}-{:02}", start.year(), start.month());
    Some(Period::exact(timex, start, calendar::months(start, 1)?, Grain::Month))
}

/// A month of any year: this year's is to come until it is over.
fn of_any_year(now: DateTime, month: i8) -> Option<Period> {
    let of = |year: i16| {
        let start = Date::new(year, month, 1).ok()?;
        Some((start, calendar::months(start, 1)?))
    };
    let this = now.year();
    let (past, future) = if month < now.month() {
        (this, this.checked_add(1)?)
    } else {
        (this.checked_sub(1)?, this)
    };
    let timex = format!("XXXX-{month:02}");
    Some(Period { timex, past: of(past), future: of(future), grain: Grain::Month })
}

/// `2014`, `year 2014`, `cy 2008`, `fiscal year 2019`.
fn year(at: At<'_>) -> Read<'_, Period> {
    let start = at.eat(&["year", "cy"]).or_else(|| at.phrase("calendar year")).unwrap_or(at);
    let special = match at.word() {
        "fiscal" | "fy" => Some("FY"),
        "school" | "sy" => Some("SY"),
        _ => None,
    };
    if let Some(code) = special {
        let after = at.next();
        let after = if at.word().len() == 2 { after } else { after.eat(&["year"])? };
        let (name, after) = match number::year(after) {
            Some((year, after)) => (format!("{code}{year:04}"), after),
            None if at.word().len() == 2 => return None,
            None => (format!("{code}XXXX"), after),
        };
        return Some((Period::named(name), after));
    }
    let short = || match number::short_year(start)? {
        (Year::Full(year), after) if at.word() == "cy" => Some((year, after)),
        _ => None,
    };
    let (year, after) = number::year(start).or_else(short)?;
    if let Some(code) = season_code(after.word()) {
        return Some((Period::named(format!("{year:04}-{code}")), after.next()));
    }
    // `2018, feb` is a month.
    let at_month = after.skip(&[",", "-"]);
    if let Some(month) = words::month(at_month.word()).filter(|month| *month != 5)
        && number::month_day(at_month.next()).is_none()
    {
        return Some((of_month(Date::new(year, month, 1).ok()?)?, at_month.next()));
    }
    Some((of_year(i64::from(year))?, after))
}

/// `April`, `April 2017`, `dec-2018`, `April of 87`. May is a month in some places only.
fn month(at: At<'_>) -> Read<'_, Period> {
    let month = words::month(at.word())?;
    let after = at.next();
    let glued = after.eat(&["-", "/"]);
    let tail = glued.unwrap_or_else(|| after.skip_glued(".").skip(&[","]).skip(&["of", "in"]));
    if let Some((year, after)) = number::year(tail) {
        return Some((of_month(Date::new(year, month, 1).ok()?)?, after));
    }
    let short = after.eat(&["of"]).map(|after| after.skip(&["'"])).or_else(|| after.eat(&["'"]));
    if let Some((Year::Full(year), after)) = short.and_then(number::short_year) {
        return Some((of_month(Date::new(year, month, 1).ok()?)?, after));
    }
    if month == 5 && !is_may(at) {
        return None;
    }
    Some((of_any_year(at.now, month)?, after))
}

/// Reports whether the `may` here is a month rather than a verb, by the words before and after it.
fn is_may(at: At<'_>) -> bool {
    const BEFORE: [&str; 21] = [
        "in", "this", "next", "last", "of", "since", "until", "till", "by", "during", "before",
        "after", "from", "to", "mid", "early", "late", "between", "previous", "-", "through",
    ];
    const VERB: [&str; 9] = ["or", "not", "be", "have", "also", "well", "take", "need", "i"];
    let is_second = at.behind(1) == "and" && words::month(at.behind(2)).is_some();
    (is_second || BEFORE.contains(&at.behind(1))) && !VERB.contains(&at.next().word())
}

/// `12-2015`, `12/2015`, `2015-12`.
fn month_number(at: At<'_>) -> Read<'_, Period> {
    let (first, after) = at.digits(4)?;
    let second = after.glue(&["-", "/"])?;
    let (year, month, after) = if let Some((year, after)) = number::year(second) {
        (year, first, after)
    } else {
        let (month, after) = second.digits(2)?;
        (number::year(at)?.0, month, after)
    };
    let start = Date::new(year, i8::try_from(month).ok()?, 1).ok()?;
    Some((of_month(start)?, after))
}

/// `next week`, `last month`, `this summer`, `this may`, `next year's first quarter`.
fn pointed(at: At<'_>) -> Read<'_, Period> {
    let direction = match at.word() {
        "same" | "that" => return undefined(at),
        word => words::direction(word)?,
    };
    let after = at.next().skip(&["calendar"]);
    if let Some(month) = words::month(after.word()).filter(|month| *month != 5 || is_may(after)) {
        let year = i64::from(at.now.year()) + direction;
        return Some((
            of_month(calendar::year_start(year)?.with().month(month).build().ok()?)?,
            after.next(),
        ));
    }
    if let Some(code) = season_code(after.word()) {
        let year = i64::from(at.now.year()) + direction;
        return Some((Period::named(format!("{year:04}-{code}")), after.next()));
    }
    if let Some(school) = after.eat(&["school", "fiscal"]).and_then(|after| after.eat(&["year"])) {
        let year = i64::from(at.now.year()) + direction;
        let code = if after.word() == "school" { "SY" } else { "FY" };
        return Some((Period::named(format!("{code}{year:04}")), school));
    }
    if let Some(end) = after.phrases(&["working week", "work week", "business week", "workweek"]) {
        let monday = calendar::weeks(calendar::in_week(at.now.date(), 1)?, direction)?;
        let timex = calendar::week_timex(monday);
        return Some((Period::exact(timex, monday, calendar::days(monday, 5)?, Grain::Week), end));
    }
    if let Some(end) = after.eat(&["year's"]) {
        let year = i64::from(at.now.year()) + direction;
        let (nth, after) = number::ordinal(end)?;
        return Some((quarter::Share::quarter(nth)?.of(year)?, after.eat(&["quarter"])?));
    }
    Some((unit(at.now, words::unit(after.word())?, direction)?, after.next()))
}

/// A unit of the calendar so many away.
pub(super) fn unit(now: DateTime, unit: Unit, away: i64) -> Option<Period> {
    let today = now.date();
    let monday = calendar::in_week(today, 1)?;
    Some(match unit {
        Unit::Week => {
            let from = calendar::weeks(monday, away)?;
            let timex = calendar::week_timex(from);
            Period::exact(timex, from, calendar::weeks(from, 1)?, Grain::Week)
        }
        Unit::Weekend => {
            let from = calendar::weeks(calendar::in_week(today, 6)?, away)?;
            let timex = format!("{}-WE", calendar::week_timex(from));
            Period::exact(timex, from, calendar::days(from, 2)?, Grain::Week)
        }
        Unit::Fortnight => {
            let from = calendar::weeks(monday, away.checked_mul(2)?)?;
            let to = calendar::weeks(from, 2)?;
            Period::exact(format!("({from},{to},P2W)"), from, to, Grain::Week)
        }
        Unit::Month => of_month(calendar::month_start(today, away)?)?,
        Unit::Quarter => {
            let back = (i64::from(today.month()) - 1) % 3;
            let from = calendar::month_start(today, away * 3 - back)?;
            let to = calendar::months(from, 3)?;
            Period::exact(format!("({from},{to},P3M)"), from, to, Grain::Month)
        }
        Unit::Year => of_year(i64::from(now.year()) + away)?,
        Unit::Decade => decade::years((i64::from(now.year()) / 10 + away) * 10, 10)?,
        Unit::Century => decade::years((i64::from(now.year()) / 100 + away) * 100, 100)?,
        _ => return None,
    })
}

/// `that weekend`, `the same week`: which one was said elsewhere, so this one is shown.
fn undefined(at: At<'_>) -> Read<'_, Period> {
    let unit = words::unit(at.next().word())?;
    let timex = match unit {
        Unit::Week => "XXXX-WXX",
        Unit::Weekend => "XXXX-WXX-WE",
        Unit::Month => "XXXX-XX",
        Unit::Year => "XXXX",
        _ => return None,
    };
    let period = self::unit(at.now, unit, 0)?;
    Some((Period { timex: timex.to_owned(), ..period }, at.next().next()))
}

/// `the week`, `the month`, `weekend`, `the next decade`, `the week after next`, `year to date`.
fn the_unit(at: At<'_>) -> Read<'_, Period> {
    let article = at.eat(&["the"]);
    let start = article.unwrap_or(at);
    if let Some(unit) = words::unit(start.word()).filter(|unit| *unit != Unit::Quarter) {
        if let Some(after) = start.next().phrase("to date") {
            let whole = self::unit(at.now, unit, 0)?;
            let today = at.now.date();
            return article.is_none().then(|| (whole.cut(|(from, _)| Some((from, today))), after));
        }
        if let Some(after) = start.next().phrase("after next") {
            return Some((self::unit(at.now, unit, 2)?, after));
        }
        if let Some(after) = start.next().phrase("before last") {
            return Some((self::unit(at.now, unit, -2)?, after));
        }
        let is_alone = unit == Unit::Weekend && !start.word().ends_with('s');
        let after = start.next();
        let is_named = matches!(after.word(), "of" | "starting" | "beginning")
            || number::count(after).is_some();
        if article.is_none() && !is_alone || is_named {
            return None;
        }
        return Some((self::unit(at.now, unit, 0)?, start.next()));
    }
    article?;
    let away = words::direction(start.word())?;
    let unit = words::unit(start.next().word()).filter(|unit| *unit == Unit::Decade)?;
    Some((self::unit(at.now, unit, away)?, start.next().next()))
}

/// `week 10`, `week 3 of 2027`.
fn week(at: At<'_>) -> Read<'_, Period> {
    let (number, after) =
        at.eat(&["week"])?.digits(2).filter(|(number, _)| (1..=53).contains(number))?;
    let told = number::year(after.skip(&["of", ","]));
    let (year, after) = told.unwrap_or_else(|| (at.now.year(), after));
    let monday = calendar::first_week(calendar::year_start(i64::from(year))?)?;
    let from = calendar::weeks(monday, number - 1)?;
    let timex = format!("{year:04}-W{number:02}");
    Some((Period::exact(timex, from, calendar::weeks(from, 1)?, Grain::Week), after))
}

fn season_code(word: &str) -> Option<&'static str> {
    Some(match word {
        "spring" => "SP",
        "summer" => "SU",
        "autumn" | "fall" => "FA",
        "winter" => "WI",
        _ => return None,
    })
}

/// `summer`, `summer of 2017`. They begin where people live, so they have no days.
fn season(at: At<'_>) -> Read<'_, Period> {
    let code = season_code(at.word())?;
    if let (Some(Year::Full(year)), after) = calendar_day::year_tail(at.next())? {
        return Some((Period::named(format!("{year:04}-{code}")), after));
    }
    // People and prices fall, too.
    let is_season = !matches!(at.word(), "fall" | "spring") || matches!(at.behind(1), "the" | "in");
    is_season.then(|| (Period::named(code.to_owned()), at.next()))
}
