//! Decades and centuries: `1990s`, `the nineties`, `15th century`.

use super::place::{At, Read};
use super::value::{Grain, Period};
use super::{calendar, number};

/// Some years from the first one.
pub(super) fn years(first: i64, count: i64) -> Option<Period> {
    let (from, to) = (calendar::year_start(first)?, calendar::year_start(first + count)?);
    Some(Period::exact(format!("({from},{to},P{count}Y)"), from, to, Grain::Year))
}

/// `1990s`, `1990 s`.
pub(super) fn decade(at: At<'_>) -> Read<'_, Period> {
    if let Some((tens, after)) = tens(at) {
        let of = |first: i64| years(first, 10)?.future;
        let timex = format!("(XX{tens:02}-01-01,XX{:02}-01-01,P10Y)", (tens + 10) % 100);
        let (past, future) = (of(1900 + tens), of(2000 + tens));
        return Some((Period { timex, past, future, grain: Grain::Year }, after));
    }
    let (year, after) = number::year(at).filter(|(year, _)| year % 10 == 0)?;
    Some((years(i64::from(year), 10)?, after.skip(&["'"]).eat(&["s"])?))
}

/// `70s`, `'70s`, `the nineties`: the century is open.
fn tens(at: At<'_>) -> Read<'_, i64> {
    const NAMES: [(&str, i64); 8] = [
        ("twenties", 20),
        ("thirties", 30),
        ("forties", 40),
        ("fifties", 50),
        ("sixties", 60),
        ("seventies", 70),
        ("eighties", 80),
        ("nineties", 90),
    ];
    if let Some((_, tens)) = NAMES.iter().find(|(name, _)| *name == at.word()) {
        return Some((*tens, at.next()));
    }
    let start = at.skip(&["'"]);
    let (tens, after) = start.digits(2).filter(|(tens, _)| tens % 10 == 0 && *tens >= 20)?;
    let is_decade = start.index() > at.index() || matches!(at.behind(1), "the" | "in");
    let after = after.skip(&["'"]).eat(&["s"])?;
    is_decade.then_some((tens, after))
}

/// `15th century`.
pub(super) fn century(at: At<'_>) -> Read<'_, Period> {
    let (nth, after) = number::ordinal(at).filter(|(nth, _)| (1..=99).contains(nth))?;
    Some((years((nth - 1) * 100, 100)?, after.eat(&["century"])?))
}
