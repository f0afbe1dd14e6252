//! Numbers with what belongs to them: signs, fractions, dozens; and the way through a text.

use super::super::figures::{self, digit, is_minus};
use super::super::text::{any_of, before, head, spaces};
use super::super::value::{Kind, Number};
use super::read::{over, read};
use super::script::{Read, Script, Sign};
use super::section::sign_at;
use crate::Found;

/// Every number in a text.
pub(in super::super) fn find<S: Script>(text: &str) -> Vec<Found<Number>> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(c) = head(text, at) {
        if !may_begin::<S>(text, at, c) {
            at += c.len_utf8();
            continue;
        }
        match number::<S>(text, at) {
            Some((value, end)) => {
                found.push(Found { value, start: at, end });
                at = end;
            }
            None => at = after_nothing::<S>(text, at, c),
        }
    }
    found
}

/// A quick look at the first character, because most characters begin no number.
fn may_begin<S: Script>(text: &str, at: usize, c: char) -> bool {
    if c.is_ascii() {
        return c.is_ascii_digit() || is_minus(c) || S::MARKS.decimal.contains(&c);
    }
    if digit(c).is_some() || is_minus(c) || S::MARKS.decimal.contains(&c) {
        return true;
    }
    let is_word = sign_at::<S>(text, at).is_some()
        || text.get(at..).is_some_and(|rest| S::word(rest).is_some())
        || [S::MINUS, S::HALF, S::DOZEN].iter().any(|words| any_of(text, at, words).is_some());
    is_word && S::may_begin(text, at)
}

/// The place to go on from when no number begins here: a row of digits is passed as one.
fn after_nothing<S: Script>(text: &str, at: usize, c: char) -> usize {
    let next = at + c.len_utf8();
    if digit(c).is_some() {
        return figures::row_end(text, at, S::MARKS).max(next);
    }
    if S::MARKS.decimal.contains(&c) && !is_minus(c) {
        return figures::plain(text, at, S::MARKS).map_or(next, |(_, end)| end);
    }
    let Some((Sign::Digit(_), mut end)) = sign_at::<S>(text, at) else { return next };
    let mut last = at;
    while let Some((Sign::Digit(_), after)) = sign_at::<S>(text, end) {
        (last, end) = (end, after);
    }
    // The last digit of the row may have a unit, and then begins a number.
    let has_unit = matches!(sign_at::<S>(text, end), Some((Sign::Small(_), _)));
    if has_unit && last > at { last } else { end }
}

/// The number that begins here, and where it ends.
fn number<S: Script>(text: &str, at: usize) -> Option<(Number, usize)> {
    let (is_negative, from) = minus::<S>(text, at)?;
    if let Some(end) = any_of(text, from, S::HALF) {
        return half::<S>(text, at, end, is_negative);
    }
    if S::IS_DOZEN_A_NUMBER
        && let Some(end) = any_of(text, from, S::DOZEN)
    {
        return Some((Number::whole(if is_negative { -12 } else { 12 }), end));
    }
    if S::is_percent(text.get(from..)?) {
        return None;
    }
    if head(text, from).is_some_and(|c| digit(c).is_some())
        && let Some(plain) = figures::plain(text, from, S::MARKS)
        && let Some(special) = figures::special(text, from, plain, S::MARKS, is_negative)
    {
        return Some(special);
    }
    let first = read::<S>(text, from)?;
    fraction::<S>(text, &first, is_negative)
        .or_else(|| mixed::<S>(text, &first, is_negative))
        .or_else(|| dozens::<S>(text, &first, is_negative))
        .or_else(|| {
            let end = S::stands(text, from, &first)?;
            first.value.negated_if(is_negative).number().zip(Some(end))
        })
}

/// Reads a minus: whether one stands here, and the place where the number itself begins.
fn minus<S: Script>(text: &str, at: usize) -> Option<(bool, usize)> {
    if let Some(end) = any_of(text, at, S::MINUS) {
        return Some((true, spaces(text, end)));
    }
    let c = head(text, at)?;
    if !is_minus(c) {
        return Some((false, at));
    }
    // In "7-5" and "7 - 5" it is a dash.
    let left = text.get(..at)?.trim_end();
    let is_dash = left.chars().next_back().is_some_and(|c| digit(c).is_some());
    (!is_dash).then(|| (true, spaces(text, at + c.len_utf8())))
}

fn half<S: Script>(
    text: &str,
    at: usize,
    end: usize,
    is_negative: bool,
) -> Option<(Number, usize)> {
    if let Some(dozen_end) = any_of(text, spaces(text, end), S::DOZEN) {
        return Some((Number::whole(if is_negative { -6 } else { 6 }), dozen_end));
    }
    let read = Read { end, words: 1, ..Read::default() };
    let end = S::stands(text, at, &read)?;
    Number::new(if is_negative { -0.5 } else { 0.5 }, Kind::Fraction).zip(Some(end))
}

/// A fraction, of which the lower part was read.
fn fraction<S: Script>(text: &str, under: &Read, is_negative: bool) -> Option<(Number, usize)> {
    let (size, end) = part_over::<S>(text, under)?;
    Number::new(if is_negative { -size } else { size }, Kind::Fraction).zip(Some(end))
}

/// Reads the upper part of a fraction and divides it by the number that was read.
fn part_over<S: Script>(text: &str, under: &Read) -> Option<(f64, usize)> {
    let from = spaces(text, over::<S>(text, under.end)?);
    let (is_negative, from) = minus::<S>(text, from)?;
    let upper = read::<S>(text, from)?;
    if under.value.is_zero() {
        return None;
    }
    let size = upper.value.negated_if(is_negative).to_f64() / under.value.to_f64();
    Some((size, upper.end))
}

/// A whole number and a fraction, or one and dozens.
fn mixed<S: Script>(text: &str, whole: &Read, is_negative: bool) -> Option<(Number, usize)> {
    let from = spaces(text, any_of(text, spaces(text, whole.end), S::AND)?);
    let more = read::<S>(text, from)?;
    if let Some(end) = any_of(text, spaces(text, more.end), S::DOZEN) {
        let sum = whole.value.plus(more.value.times(12)?)?;
        return sum.negated_if(is_negative).number().zip(Some(end));
    }
    let (part, end) = part_over::<S>(text, &more)?;
    let size = whole.value.to_f64() + part;
    Number::new(if is_negative { -size } else { size }, Kind::Fraction).zip(Some(end))
}

fn dozens<S: Script>(text: &str, count: &Read, is_negative: bool) -> Option<(Number, usize)> {
    let end = any_of(text, spaces(text, count.end), S::DOZEN)?;
    count.value.times(12)?.negated_if(is_negative).number().zip(Some(end))
}

/// Reports whether the number in figures that ends here is glued to letters: then it is a name or a
/// measure.
pub(in super::super) fn is_glued(text: &str, start: usize, end: usize) -> bool {
    head(text, end).is_some_and(|c| c.is_ascii_alphabetic())
        || before(text, start).is_some_and(|c| c.is_ascii_alphabetic())
}
