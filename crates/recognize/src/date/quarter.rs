//! Parts of a year: `q1`, `2019-h2`, `the first quarter of the year`, `second half of 2019`.

use jiff::civil::{Date, DateTime};

use super::place::{At, Read};
use super::value::{Days, Grain, Period};
use super::{calendar, number, words};

/// One of the equal parts of a year: the second quarter, the first half.
#[derive(Clone, Copy, Debug)]
pub(super) struct Share {
    nth: i64,
    parts: i64,
}

impl Share {
    /// One of four.
    pub(super) fn quarter(nth: i64) -> Option<Self> {
        Self { nth, parts: 4 }.checked()
    }

    fn checked(self) -> Option<Self> {
        (1..=self.parts).contains(&self.nth).then_some(self)
    }

    fn months(self) -> i64 {
        12 / self.parts
    }

    fn days(self, year: i64) -> Option<Days> {
        let from = calendar::months(calendar::year_start(year)?, (self.nth - 1) * self.months())?;
        Some((from, calendar::months(from, self.months())?))
    }

    /// The part of one year.
    pub(super) fn of(self, year: i64) -> Option<Period> {
        let (from, to) = self.days(year)?;
        let timex = format!("({from},{to},P{}M)", self.months());
        Some(Period::exact(timex, from, to, Grain::Month))
    }

    /// The part of any year: this year's is past once it has begun.
    fn of_any(self, now: DateTime) -> Option<Period> {
        let open = |date: Date| format!("XXXX-{:02}-{:02}", date.month(), date.day());
        let this = i64::from(now.year());
        let (from, to) = self.days(this)?;
        let past = if from < now.date() { this } else { this - 1 };
        let timex = format!("({},{},P{}M)", open(from), open(to), self.months());
        let (past, future) = (self.days(past), self.days(past + 1));
        Some(Period { timex, past, future, grain: Grain::Month })
    }
}

/// `q1`, `2017 q1`, `q1-2019`, `2019-h2`, `first quarter of 2019`, `the first quarter of the year`.
pub(super) fn quarter(at: At<'_>) -> Read<'_, Period> {
    if let Some((year, after)) = number::year(at) {
        let (share, after) = coded(after.skip(&["-", ","]))?;
        return Some((share.of(i64::from(year))?, after));
    }
    let code = coded(at);
    let is_coded = code.is_some();
    let (share, after) = code.or_else(|| spelled(at))?;
    let tail = after.skip(&["-", ",", "of", "in"]);
    if let Some((year, after)) = number::year(tail) {
        return Some((share.of(i64::from(year))?, after));
    }
    if let Some(years) = words::direction(tail.word())
        && let Some(after) = tail.next().eat(&["year"])
    {
        return Some((share.of(i64::from(at.now.year()) + years)?, after));
    }
    match tail.phrase("the year") {
        Some(after) => Some((share.of_any(at.now)?, after)),
        None => is_coded.then(|| share.of_any(at.now)).flatten().map(|period| (period, after)),
    }
}

/// `q1`, `h2`.
fn coded(at: At<'_>) -> Read<'_, Share> {
    let parts = match at.word() {
        "q" => 4,
        "h" => 2,
        _ => return None,
    };
    let (nth, after) = at.next().digits(1).filter(|_| at.next().is_glued())?;
    Some((Share { nth, parts }.checked()?, after))
}

/// `the first quarter`, `second half`.
fn spelled(at: At<'_>) -> Read<'_, Share> {
    let (nth, after) = number::ordinal(at.skip(&["the"]))?;
    let parts = if after.word() == "half" { 2 } else { 4 };
    Some((Share { nth, parts }.checked()?, after.eat(&["quarter", "half"])?))
}
