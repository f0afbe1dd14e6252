//! Numbers as dates need them: counts, ordinals, years and amounts with fractions.

use super::place::{At, Read};
use super::words::{cardinal, ordinal as ordinal_word};

/// The maximum number of digits in a count of days, weeks, months or years.
const COUNT_DIGITS_MAX: usize = 6;
/// The years that a bare number names.
const YEARS: std::ops::RangeInclusive<i64> = 1500..=2099;

/// A year as it was said.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Year {
    /// All of it.
    Full(i16),
    /// Two digits that fit two centuries.
    Short(i16),
}

/// A whole number in digits or words.
pub(super) fn count(at: At<'_>) -> Read<'_, i64> {
    at.digits(COUNT_DIGITS_MAX).or_else(|| {
        let (low, after) = below_hundred(at)?;
        let Some(after) = after.eat(&["hundred"]) else { return Some((low, after)) };
        let rest = below_hundred(after.skip(&["and"]));
        Some(rest.map_or((low * 100, after), |(rest, after)| (low * 100 + rest, after)))
    })
}

/// A number below a hundred in words: `six`, `twenty-six`, `twenty six`.
pub(super) fn below_hundred(at: At<'_>) -> Read<'_, i64> {
    let first = cardinal(at.word())?;
    let after = at.next();
    if first < 20 {
        return Some((first, after));
    }
    let unit = cardinal(after.skip(&["-"]).word()).filter(|unit| (1..10).contains(unit));
    Some(unit.map_or((first, after), |unit| (first + unit, after.skip(&["-"]).next())))
}

/// An ordinal up to the 99th: `5th`, `fifth`, `twenty-fifth`.
pub(super) fn ordinal(at: At<'_>) -> Read<'_, i64> {
    if let Some((number, after)) = at.digits(2) {
        let suffix = after.eat(&["st", "nd", "rd", "th"]).filter(|_| after.is_glued())?;
        return Some((number, suffix));
    }
    if let Some(number) = ordinal_word(at.word()) {
        return Some((number, at.next()));
    }
    let tens = cardinal(at.word()).filter(|tens| *tens >= 20)?;
    let after = at.next().skip(&["-"]);
    let unit = ordinal_word(after.word()).filter(|unit| *unit < 10)?;
    Some((tens + unit, after.next()))
}

/// A day of the month: an ordinal, or a number in digits or words.
pub(super) fn month_day(at: At<'_>) -> Read<'_, i8> {
    let read = ordinal(at).or_else(|| at.digits(2)).or_else(|| below_hundred(at));
    let (day, after) = read.filter(|(day, _)| (1..=31).contains(day))?;
    Some((i8::try_from(day).ok()?, after))
}

/// A year in four digits or in words.
pub(super) fn year(at: At<'_>) -> Read<'_, i16> {
    let read =
        if at.is_digits() { at.digits(4).filter(|_| at.word().len() == 4) } else { year_words(at) };
    let (year, after) = read.filter(|(year, _)| YEARS.contains(year))?;
    Some((i16::try_from(year).ok()?, after))
}

/// `nineteen ninety six`, `two thousand and fifteen`.
fn year_words(at: At<'_>) -> Read<'_, i64> {
    if let Some(after) = at.phrase("two thousand") {
        let rest = below_hundred(after.skip(&["and"]));
        return Some(rest.map_or((2000, after), |(rest, after)| (2000 + rest, after)));
    }
    let century = cardinal(at.word()).filter(|century| (17..=20).contains(century))?;
    let (rest, after) = below_hundred(at.next()).filter(|(rest, _)| *rest >= 10)?;
    Some((century * 100 + rest, after))
}

/// A year of two digits; which century it is in is a matter of custom.
pub(super) fn short_year(at: At<'_>) -> Read<'_, Year> {
    let (year, after) = at.digits(2).filter(|_| at.word().len() == 2)?;
    let year = i16::try_from(year).ok()?;
    let said = match year {
        0..30 => Year::Full(2000 + year),
        30..40 => Year::Short(year),
        _ => Year::Full(1900 + year),
    };
    Some((said, after))
}

/// An amount that a unit follows: `3`, `2.5`, `a`, `half an`, `one and a half`, `a few`.
pub(super) fn amount(at: At<'_>) -> Read<'_, f64> {
    const VAGUE: [(&str, f64); 11] = [
        ("a couple of", 2.0),
        ("a couple", 2.0),
        ("couple of", 2.0),
        ("couple", 2.0),
        ("a few", 3.0),
        ("few", 3.0),
        ("several", 3.0),
        ("some", 3.0),
        ("half an", 0.5),
        ("half a", 0.5),
        ("half", 0.5),
    ];
    for (phrase, value) in VAGUE {
        if let Some(after) = at.phrase(phrase) {
            return Some((value, after));
        }
    }
    if let Some(after) = at.eat(&["a", "an", "another"]) {
        return Some((1.0, after));
    }
    if let Some((part, after)) = fraction(at).or_else(|| ratio(at)) {
        return Some((part, after));
    }
    let (whole, after) = count(at)?;
    let whole = i32::try_from(whole).map(f64::from).ok()?;
    if let Some((tenths, end)) = after.glue(&["."]).and_then(|at| decimals(at)) {
        return Some((whole + tenths, end));
    }
    if let Some(after) = after.phrase("and a half").or_else(|| after.phrase("and half")) {
        return Some((whole + 0.5, after));
    }
    Some(fraction(after).map_or((whole, after), |(part, after)| (whole + part, after)))
}

fn fraction(at: At<'_>) -> Read<'_, f64> {
    let value = match at.word() {
        "½" => 0.5,
        "¼" => 0.25,
        "¾" => 0.75,
        _ => return None,
    };
    Some((value, at.next()))
}

/// `1/2`, `3/4`.
fn ratio(at: At<'_>) -> Read<'_, f64> {
    let (over, after) = at.digits(1)?;
    let (under, after) = after.glue(&["/"])?.digits(1)?;
    let is_part = (1..under).contains(&over);
    let part = |part: i64| i32::try_from(part).map(f64::from).ok();
    is_part.then_some((part(over)? / part(under)?, after))
}

fn decimals(at: At<'_>) -> Read<'_, f64> {
    let (digits, after) = at.digits(3)?;
    let places = i32::try_from(at.word().len()).ok()?;
    Some((i32::try_from(digits).map(f64::from).ok()? / 10f64.powi(places), after))
}
