//! Days from one to another: `from 5/1 to 5/7`, `between 3 and 12 of Sept`, `2014-2018`.

use jiff::civil::Date;

use super::number::{self, Year};
use super::place::{At, Read, Rule, longest};
use super::slice::{self, Cut};
use super::value::{Day, Grain, Period};
use super::{calendar, calendar_day, clock, distance, hours, period, relative, words};

/// A range of days by its ends.
pub(super) fn between(at: At<'_>) -> Read<'_, Period> {
    longest(at, &[points, days_then_month, month_then_days])
}

/// One end of a range of days.
#[derive(Clone, Debug)]
struct Point {
    timex: String,
    past: Date,
    future: Date,
    grain: Grain,
}

impl Point {
    fn exact(date: Date, grain: Grain) -> Self {
        Self { timex: date.to_string(), past: date, future: date, grain }
    }

    /// Reports whether the year was said, too.
    fn is_exact(&self) -> bool {
        !self.timex.starts_with('X')
    }

    /// In the latest year in which it is not after `end`.
    fn before(&self, end: Date) -> Option<Self> {
        let in_year = |year: i16| self.future.with().year(year).build().ok();
        let this = in_year(end.year()).filter(|date| *date <= end);
        Some(Self::exact(this.or_else(|| in_year(end.year().checked_sub(1)?))?, self.grain))
    }
}

/// `from this May to Oct 2020`, `between now and November 15th`.
fn points(at: At<'_>) -> Read<'_, Period> {
    let opener = at.eat(&["from", "between"]);
    let year_opener = || at.eat(&["in"]).filter(|after| number::year(*after).is_some());
    let start = opener.or_else(year_opener).unwrap_or(at);
    let (from, after) = point(start)?;
    let after = hours::to(after, at.word() == "between")?;
    let (to, after) = point(after.skip(&["the"])).or_else(|| point(after))?;
    // `in 2014` opens a range of years only.
    if opener.is_none() && at.word() == "in" && to.grain != Grain::Year {
        return None;
    }
    Some((join(from, to)?, after))
}

fn point(at: At<'_>) -> Read<'_, Point> {
    longest(at, &[point_day, point_now, point_cut, point_period])
}

fn point_day(at: At<'_>) -> Read<'_, Point> {
    let rules: [Rule<Day>; 4] =
        [calendar_day::by_month, relative::relative, relative::weekday, distance::day];
    let (day, after) = longest(at, &rules)?;
    let point = Point { timex: day.timex, past: day.past?, future: day.future?, grain: Grain::Day };
    Some((point, after))
}

fn point_now(at: At<'_>) -> Read<'_, Point> {
    Some((Point::exact(at.now.date(), Grain::Day), at.eat(&["now"])?))
}

/// The beginning, middle or end of a period, as a day.
fn point_cut(at: At<'_>) -> Read<'_, Point> {
    let ((cut, period), after) = slice::cut_whole(at)?;
    let of = |(from, to): (Date, Date)| match (cut, period.grain) {
        (Cut::Start, _) => Some(from),
        (Cut::Middle, Grain::Year) => calendar::months(from, 6),
        (Cut::Middle, _) => calendar::days(from, 15),
        (Cut::End, _) => Some(to),
    };
    let (past, future) = (of(period.past?)?, of(period.future?)?);
    let timex = if period.timex.starts_with('X') {
        format!("XXXX-{:02}-{:02}", future.month(), future.day())
    } else {
        future.to_string()
    };
    Some((Point { timex, past, future, grain: Grain::Month }, after))
}

/// The first day of a month, a quarter or a year.
fn point_period(at: At<'_>) -> Read<'_, Point> {
    let (period, after) = period::period(at)?;
    if !matches!(period.grain, Grain::Month | Grain::Year) {
        return None;
    }
    let ((past, _), (future, _)) = (period.past?, period.future?);
    let timex = if period.timex.starts_with("XXXX") {
        format!("XXXX-{:02}-{:02}", future.month(), future.day())
    } else {
        future.to_string()
    };
    Some((Point { timex, past, future, grain: period.grain }, after))
}

/// The range of two ends. What one leaves open follows from the other.
fn join(from: Point, to: Point) -> Option<Period> {
    let is_dated = |point: &Point| !point.timex.starts_with("XXXX-W");
    let from = if to.is_exact() && !from.is_exact() && is_dated(&from) && from.past != from.future {
        from.before(to.future)?
    } else {
        from
    };
    let to = if from.is_exact() && !to.is_exact() {
        let end = if to.past >= from.past { to.past } else { to.future };
        Point { past: end, future: end, ..to }
    } else {
        to
    };
    let future = (if from.future > to.future { from.past } else { from.future }, to.future);
    let past = (from.past, if to.past < from.past { to.future } else { to.past });
    if future.0 > future.1 || past.0 > past.1 {
        return None;
    }
    let length = length(past, from.grain, to.grain);
    let timex = format!("({},{},{length})", from.timex, to.timex);
    Some(Period { timex, past: Some(past), future: Some(future), grain: Grain::Day })
}

fn length((from, to): (Date, Date), first: Grain, last: Grain) -> String {
    let years = i64::from(to.year()) - i64::from(from.year());
    match (first, last) {
        (Grain::Year, Grain::Year) => format!("P{years}Y"),
        (Grain::Month | Grain::Year, Grain::Month | Grain::Year) => {
            format!("P{}M", years * 12 + i64::from(to.month()) - i64::from(from.month()))
        }
        _ => format!("P{}D", calendar::days_between(from, to)),
    }
}

/// `between 3 and 12 of Sept`, `from the ninth to the seventeenth of april 2027`.
fn days_then_month(at: At<'_>) -> Read<'_, Period> {
    let start = at.eat(&["from", "between"]).unwrap_or(at);
    let (first, after) = number::month_day(start.skip(&["the"]))?;
    let after = hours::to(after, at.word() == "between")?;
    let (last, after) = number::month_day(after.skip(&["the"]))?;
    let after = after.skip(&["of", "in"]);
    if let Some((months, end)) = relative::months_away(after) {
        let day =
            |day: i8| calendar::month_start(at.now.date(), months)?.with().day(day).build().ok();
        let (from, to) =
            (Point::exact(day(first)?, Grain::Day), Point::exact(day(last)?, Grain::Day));
        return Some((join(from, to)?, end));
    }
    let month = words::month(after.word())?;
    let (year, after) = calendar_day::year_tail(after.next())?;
    Some((in_month(at, (first, last), month, year)?, after))
}

/// `November 19-20`, `april the ninth till the seventeenth`.
fn month_then_days(at: At<'_>) -> Read<'_, Period> {
    let start = at.eat(&["from", "between"]).unwrap_or(at);
    let month = words::month(start.word())?;
    let (first, after) = number::month_day(start.next().skip(&["the"]))?;
    let after = hours::to(after, at.word() == "between")?.skip(&["the"]);
    let (last, end) = number::month_day(after)?;
    if clock::clock(after).is_some() || calendar_day::by_month(after).is_some() {
        return None;
    }
    let (year, after) = calendar_day::year_tail(end)?;
    Some((in_month(at, (first, last), month, year)?, after))
}

fn in_month(at: At<'_>, days: (i8, i8), month: i8, year: Option<Year>) -> Option<Period> {
    let (first, last) = days;
    if first >= last {
        return None;
    }
    let from = calendar_day::of_year(at.now, year, month, first)?;
    let to = calendar_day::of_year(at.now, year, month, last)?;
    let of = |from: Option<Date>| Some((from?, from?.with().day(last).build().ok()?));
    let timex = format!("({},{},P{}D)", from.timex, to.timex, last - first);
    Some(Period { timex, past: of(from.past), future: of(from.future), grain: Grain::Day })
}
