//! Plain dates in other languages: `15.11.2026`, `15/11`, ISO, and the words for the days near
//! today.

use jiff::civil::DateTime;

use super::meaning::Dates;
use super::memo::Memo;
use super::number::{self, Year};
use super::place::{At, Read};
use super::token::Token;
use super::value::Day;
use super::{Found, Language, calendar, calendar_day, resolution};

/// Finds the plain dates of a text.
pub(super) fn find(tokens: &[Token], language: Language, now: DateTime) -> Vec<Found<Dates>> {
    let mut found = Vec::new();
    let memo = Memo::new(tokens.len());
    let mut at = At::first(tokens, now, &memo);
    while !at.is_end() {
        let read = read(at, language).filter(|(_, after)| after.may_end());
        let Some((day, after)) = read.filter(|_| at.may_begin()) else {
            at = at.next();
            continue;
        };
        found.push(Found { value: resolution::day(&day), start: at.start(), end: after.end() });
        at = after;
    }
    found
}

fn read(at: At<'_>, language: Language) -> Read<'_, Day> {
    near(at, language)
        .or_else(|| calendar_day::year_first(at))
        .or_else(|| ideographs(at))
        .or_else(|| day_first(at, language))
}

/// The words for days near today, and how many days away they are.
fn words(language: Language) -> &'static [(&'static str, i64)] {
    match language {
        Language::German => {
            &[("heute", 0), ("morgen", 1), ("gestern", -1), ("übermorgen", 2), ("vorgestern", -2)]
        }
        Language::French => &[
            ("aujourd'hui", 0),
            ("demain", 1),
            ("hier", -1),
            ("après - demain", 2),
            ("avant - hier", -2),
        ],
        Language::Spanish => &[
            ("hoy", 0),
            ("mañana", 1),
            ("ayer", -1),
            ("pasado mañana", 2),
            ("anteayer", -2),
            ("antes de ayer", -2),
        ],
        Language::Portuguese => {
            &[("hoje", 0), ("amanhã", 1), ("ontem", -1), ("depois de amanhã", 2), ("anteontem", -2)]
        }
        Language::Italian => &[("oggi", 0), ("domani", 1), ("ieri", -1), ("dopodomani", 2)],
        Language::Dutch => &[
            ("vandaag", 0),
            ("morgen", 1),
            ("gisteren", -1),
            ("overmorgen", 2),
            ("eergisteren", -2),
        ],
        Language::Russian => {
            &[("сегодня", 0), ("завтра", 1), ("вчера", -1), ("послезавтра", 2), ("позавчера", -2)]
        }
        Language::Chinese => {
            &[("今 天", 0), ("明 天", 1), ("昨 天", -1), ("后 天", 2), ("前 天", -2)]
        }
        Language::Japanese => &[("今 日", 0), ("明 日", 1), ("昨 日", -1)],
        _ => &[],
    }
}

fn near(at: At<'_>, language: Language) -> Read<'_, Day> {
    // In three languages the word for tomorrow is that for the morning, too.
    let is_morning = match at.word() {
        "morgen" => matches!(at.behind(1), "guten" | "goede" | "am" | "heute" | "jeden" | "diesen"),
        "mañana" => matches!(at.behind(1), "la" | "esta" | "cada"),
        _ => false,
    };
    if is_morning {
        return None;
    }
    let found = words(language).iter().filter_map(|(word, days)| Some((at.phrase(word)?, *days)));
    let (after, days) = found.max_by_key(|(after, _)| after.index())?;
    Some((Day::exact(calendar::days(at.now.date(), days)?), after))
}

/// `2026年11月15日`, `11月15日`.
fn ideographs(at: At<'_>) -> Read<'_, Day> {
    let said = number::year(at).and_then(|(year, after)| Some((year, after.eat(&["年"])?)));
    let (year, at_month) = said.map_or((None, at), |(year, after)| (Some(Year::Full(year)), after));
    let (month, after) = at_month.digits(2)?;
    let (day, after) = after.eat(&["月"])?.digits(2)?;
    let after = after.eat(&["日", "号", "號"])?;
    Some((
        calendar_day::of_year(at.now, year, i8::try_from(month).ok()?, i8::try_from(day).ok()?)?,
        after,
    ))
}

/// The separators of a day-first date, the usual one first; empty for year-first languages.
fn marks(language: Language) -> &'static [&'static str] {
    match language {
        Language::Chinese | Language::Japanese | Language::Korean | Language::Swedish => &[],
        Language::German | Language::Russian | Language::Bulgarian | Language::Turkish => {
            &[".", "/", "-"]
        }
        _ => &["/", ".", "-"],
    }
}

/// `15.11.2026`, `15/11/2026`, and without a year `15/11` or `15.11.`.
fn day_first(at: At<'_>, language: Language) -> Read<'_, Day> {
    let marks = marks(language);
    let (first, after) = at.digits(2)?;
    let second = after.glue(marks)?;
    let (last, end) = second.digits(2)?;
    let (first, last) = (i8::try_from(first).ok()?, i8::try_from(last).ok()?);
    let (day, month) = if last <= 12 { (first, last) } else { (last, first) };
    if let Some(third) = end.glue(&[after.word()]) {
        let full = number::year(third).map(|(year, after)| (Year::Full(year), after));
        let (year, after) = full.or_else(|| number::short_year(third))?;
        return Some((calendar_day::of_year(at.now, Some(year), month, day)?, after));
    }
    // Without a year it is the first mark of the language, and a dot is written after the month,
    // too.
    let end = match after.word() {
        "." => end.eat(&["."]).filter(|_| end.is_glued())?,
        _ => end,
    };
    let is_custom = marks.first() == Some(&after.word());
    is_custom
        .then(|| calendar_day::of_year(at.now, None, month, day))
        .flatten()
        .map(|day| (day, end))
}
