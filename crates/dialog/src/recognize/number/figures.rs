//! Numbers in digits of any script: with separators, decimals, powers, slashes and `k`.
//!
//! Digits are read one way in all scripts (`٣`, `३`, `３` and `3` are three); only the marks between them depend on
//! the language.

use super::exact::Exact;
use super::text::{before, head, skip, spaces};
use super::{Kind, Number};

/// The largest exponent that is worked out.
const EXPONENT_MAX: f64 = 400.0;

/// The most groups of digits in one number.
const GROUPS_MAX: usize = 12;

/// The marks between digits, as a language writes them.
#[derive(Clone, Copy, Debug)]
pub(super) struct Marks {
    /// Marks between groups of three digits.
    pub(super) group: &'static [char],
    /// Marks before decimals.
    pub(super) decimal: &'static [char],
    /// Whether a grouping mark before two last digits is a decimal mark (`5,00`).
    pub(super) cents: bool,
    /// Whether groups before the last may have two digits (`12,34,567`).
    pub(super) pairs: bool,
}

/// The digit that a character is, in any of the scripts.
pub(super) fn digit(c: char) -> Option<u32> {
    let zero = match c {
        '0'..='9' => '0',
        '０'..='９' => '０',
        '०'..='९' => '०',
        '٠'..='٩' => '٠',
        '۰'..='۹' => '۰',
        _ => return None,
    };
    Some(u32::from(c) - u32::from(zero))
}

/// Where a row of digits that begins here ends, and how many there are.
fn row(text: &str, at: usize) -> (usize, usize) {
    let mut end = at;
    let mut count = 0;
    while let Some(c) = head(text, end).filter(|c| digit(*c).is_some()) {
        end += c.len_utf8();
        count += 1;
    }
    (end, count)
}

/// Where the digits, marks and all, from here on end: what to skip when they are no number.
pub(super) fn row_end(text: &str, at: usize, marks: Marks) -> usize {
    plain(text, at, marks).map_or_else(|| row(text, at).0, |(_, end)| end).max(row(text, at).0)
}

/// The number in plain digits that begins here, and where it ends.
///
/// Digits that belong to a longer chain, as in `192.168.1.2`, stand each for themselves.
pub(super) fn plain(text: &str, at: usize, marks: Marks) -> Option<(Exact, usize)> {
    let (first_end, count) = row(text, at);
    if is_linked(text, at, marks) {
        return (count > 0).then(|| value(text, at, first_end)).flatten().zip(Some(first_end));
    }
    let whole_end = if count == 0 { at } else { grouped(text, first_end, count, marks) };
    let end = with_decimals(text, whole_end, count > 0, marks).unwrap_or(whole_end);
    if end == at {
        return None;
    }
    let whole = value(text, at, whole_end)?;
    let read = digits(text, whole_end, end).try_fold(whole, Exact::then_after_point)?;
    Some((read, end))
}

/// Whether a digit and a mark stand right before, so that these digits go on with something.
fn is_linked(text: &str, at: usize, marks: Marks) -> bool {
    let Some(mark) = before(text, at) else { return false };
    let is_mark = marks.decimal.contains(&mark) || mark == '.';
    is_mark && before(text, at - mark.len_utf8()).is_some_and(|c| digit(c).is_some())
}

/// Where the whole part ends, with groups of digits if they are groups.
fn grouped(text: &str, first_end: usize, count: usize, marks: Marks) -> usize {
    if count > 3 {
        return first_end;
    }
    let Some(mark) = head(text, skip_bidi(text, first_end)) else { return first_end };
    let is_space = matches!(mark, ' ' | '\u{a0}' | '\u{202f}' | '\u{3000}');
    if !is_space && !marks.group.contains(&mark) {
        return first_end;
    }
    let (mut end, mut last, mut groups) = (first_end, 3, 0);
    while groups <= GROUPS_MAX {
        let next = skip_bidi(text, end);
        if head(text, next) != Some(mark) {
            break;
        }
        let (group_end, digits) = row(text, next + mark.len_utf8());
        if digits == 3 || (marks.pairs && digits == 2 && !is_space) {
            (end, last, groups) = (group_end, digits, groups + 1);
        } else if digits == 0 && (is_space || end > first_end) {
            break;
        } else {
            return first_end;
        }
    }
    // `2 345/6` is two and a fraction, not a group.
    let is_fraction = is_space && head(text, end).is_some_and(is_slash);
    // A mark that is for decimals too must come twice: `4,800` is less than five then.
    let groups_min = if marks.decimal.contains(&mark) { 2 } else { 1 };
    let is_group = last == 3 && (groups_min..=GROUPS_MAX).contains(&groups);
    if is_group && !is_fraction { end } else { first_end }
}

/// Where decimals that follow end.
fn with_decimals(text: &str, at: usize, has_whole: bool, marks: Marks) -> Option<usize> {
    let marked = skip_bidi(text, at);
    let mark = head(text, marked)?;
    let (end, count) = row(text, marked + mark.len_utf8());
    if !has_whole && before(text, at).is_some_and(|c| c == mark || digit(c).is_some()) {
        return None;
    }
    let is_cents = marks.cents && marks.group.contains(&mark) && count == 2 && has_whole;
    let is_decimal = marks.decimal.contains(&mark) || is_cents;
    let goes_on = head(text, end).is_some_and(|next| {
        (next == mark || marks.decimal.contains(&next)) && row(text, end + next.len_utf8()).1 > 0
    });
    (is_decimal && count > 0 && !goes_on).then_some(end)
}

/// The digits of a stretch of text, marks left out.
fn digits(text: &str, from: usize, to: usize) -> impl Iterator<Item = u32> {
    text.get(from..to).unwrap_or_default().chars().filter_map(digit)
}

fn value(text: &str, from: usize, to: usize) -> Option<Exact> {
    digits(text, from, to).try_fold(Exact::ZERO, Exact::then)
}

/// Marks of writing direction, which Arabic text has between digits.
fn skip_bidi(text: &str, at: usize) -> usize {
    skip(text, at, |c| {
        matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
    })
}

fn is_slash(c: char) -> bool {
    matches!(c, '/' | '／' | '⁄')
}

pub(super) fn is_minus(c: char) -> bool {
    matches!(c, '-' | '−' | '－' | '–')
}

/// A number in digits with more than digits to it: a power, a fraction, a multiple. `base` was read up to `end`.
pub(super) fn special(
    text: &str,
    at: usize,
    (base, end): (Exact, usize),
    marks: Marks,
    is_negative: bool,
) -> Option<(Number, usize)> {
    let signed = base.negated_if(is_negative);
    power(text, end, signed, marks)
        .or_else(|| scientific(text, end, signed))
        .or_else(|| fraction(text, at, (signed, end)))
        .or_else(|| mixed(text, (base, end), is_negative))
        .or_else(|| multiple(text, end, signed))
}

/// `2^10`, with any signs before the exponent.
fn power(text: &str, at: usize, base: Exact, marks: Marks) -> Option<(Number, usize)> {
    let from = skip_char(text, at, |c| c == '^' || c == '＾')?;
    let (is_negative, from) = signs(text, from);
    let (exponent, end) = plain(text, from, marks)?;
    raised(base, exponent.negated_if(is_negative)).zip(Some(end))
}

/// A number to the power of another.
pub(super) fn raised(base: Exact, exponent: Exact) -> Option<Number> {
    let exponent = exponent.to_f64();
    (exponent.abs() <= EXPONENT_MAX)
        .then(|| Number::new(base.to_f64().powf(exponent), Kind::Power))
        .flatten()
}

/// Signs in a row, and whether they make the number after them negative.
pub(super) fn signs(text: &str, at: usize) -> (bool, usize) {
    let end = skip(text, at, |c| is_minus(c) || c == '+');
    let minus = text.get(at..end).unwrap_or_default().chars().filter(|c| is_minus(*c)).count();
    (minus % 2 == 1, end)
}

/// `1.5e-3`.
fn scientific(text: &str, at: usize, base: Exact) -> Option<(Number, usize)> {
    let from = skip_char(text, at, |c| matches!(c, 'e' | 'E' | 'ｅ' | 'Ｅ'))?;
    let signed = skip_char(text, from, |c| is_minus(c) || c == '+').unwrap_or(from);
    let (end, count) = row(text, signed);
    if count == 0 || count > 3 || head(text, end).is_some_and(char::is_alphabetic) {
        return None;
    }
    let exponent = digits(text, signed, end).fold(0, |sum, digit| sum * 10 + digit);
    let is_small = head(text, from).is_some_and(is_minus);
    let exact = if is_small { base.over_ten_to(exponent) } else { base.times_ten_to(exponent) };
    let number = match exact.and_then(Exact::number) {
        Some(number) => number.with_kind(Kind::Power),
        None => {
            let exponent = i32::try_from(exponent).ok()?;
            let factor = 10_f64.powi(if is_small { -exponent } else { exponent });
            Number::new(base.to_f64() * factor, Kind::Power)?
        }
    };
    Some((number, end))
}

/// `3/4`, but not the parts of `5/17/2018`, nor of `222-2222/33`.
fn fraction(text: &str, at: usize, (over, end): (Exact, usize)) -> Option<(Number, usize)> {
    let is_linked = before(text, at).is_some_and(|c| {
        (is_slash(c) || is_minus(c))
            && before(text, at - c.len_utf8()).is_some_and(|c| digit(c).is_some())
    });
    if is_linked || !over.is_whole() {
        return None;
    }
    let (under, end) = denominator(text, end)?;
    Number::new(over.to_f64() / under, Kind::Fraction).zip(Some(end))
}

/// The slash and the number under it.
fn denominator(text: &str, at: usize) -> Option<(f64, usize)> {
    let from = skip_char(text, at, is_slash)?;
    let (end, count) = row(text, from);
    let goes_on = skip_char(text, end, is_slash).is_some_and(|next| row(text, next).1 > 0);
    if count == 0 || goes_on {
        return None;
    }
    let under = value(text, from, end)?;
    (!under.is_zero()).then(|| (under.to_f64(), end))
}

/// `2 1/4`.
fn mixed(text: &str, (whole, end): (Exact, usize), is_negative: bool) -> Option<(Number, usize)> {
    let from = spaces(text, end);
    let (over_end, count) = row(text, from);
    if from == end || count == 0 || !whole.is_whole() {
        return None;
    }
    let (under, fraction_end) = denominator(text, over_end)?;
    let size = whole.to_f64() + value(text, from, over_end)?.to_f64() / under;
    let signed = if is_negative { -size } else { size };
    Number::new(signed, Kind::Fraction).zip(Some(fraction_end))
}

/// `40k`, `2.5M`. Only `k` may stand apart.
fn multiple(text: &str, at: usize, base: Exact) -> Option<(Number, usize)> {
    let from = spaces(text, at);
    let letter = head(text, from)?;
    let exponent = match letter {
        'k' | 'K' | 'ｋ' | 'Ｋ' => 3,
        'M' | 'Ｍ' if from == at => 6,
        'G' | 'B' | 'Ｇ' | 'Ｂ' if from == at => 9,
        'T' | 'Ｔ' if from == at => 12,
        _ => return None,
    };
    let end = from + letter.len_utf8();
    if head(text, end).is_some_and(|c| c.is_ascii_alphanumeric()) {
        return None;
    }
    base.times_ten_to(exponent)?.number().zip(Some(end))
}

fn skip_char(text: &str, at: usize, wanted: impl Fn(char) -> bool) -> Option<usize> {
    head(text, at).filter(|c| wanted(*c)).map(|c| at + c.len_utf8())
}
