//! Numbers in Arabic: in words, in Arabic or Latin digits, and mixed.
//!
//! Formulas are read as they look, too: in text that runs from right to left, people type `٢٥٠٠^-١` from its other end.

mod read;
mod words;

use super::exact::Exact;
use super::figures::{self, Marks, digit, is_minus};
use super::text::{head, skip, spaces};
use super::{Kind, Number};
use crate::recognize::Found;
use read::{Read, Token, is_letter, next, read, token, word_end};
use words::Word;

const MARKS: Marks = Marks {
    group: &['،', '٬', ',', '.'],
    decimal: &[',', '٫', '.'],
    cents: false,
    pairs: false,
};

/// Every number in a text.
pub(super) fn find(text: &str) -> Vec<Found<Number>> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(c) = head(text, at) {
        let is_figure = digit(c).is_some() || MARKS.decimal.contains(&c);
        let is_start = is_figure || is_minus(c) || is_letter(c);
        match is_start.then(|| number(text, at)).flatten() {
            Some((value, end)) => {
                found.push(Found { value, start: at, end });
                at = end;
            }
            None if is_figure => {
                // What is glued to digits is part of a measure, or of a name.
                let end = figures::row_end(text, at, MARKS);
                at = word_end(text, end).max(at + c.len_utf8());
            }
            // "And" is written together with the number after it, but is no part of it.
            None if has_and(text, at) => at += c.len_utf8(),
            None => at = word_end(text, at).max(at + c.len_utf8()),
        }
    }
    found
}

/// The number that begins here, and where it ends.
fn number(text: &str, at: usize) -> Option<(Number, usize)> {
    let (is_negative, from) = minus(text, at)?;
    if let Some(plain) = figures::plain(text, from, MARKS) {
        let special = reversed_power(text, plain, is_negative)
            .or_else(|| reversed_mixed(text, from, plain, is_negative))
            .or_else(|| figures::special(text, from, plain, MARKS, is_negative));
        if special.is_some() {
            return special;
        }
    }
    if has_and(text, from) {
        return None;
    }
    let (number, end) = phrase(text, from)?;
    let number = if is_negative { negated(number)? } else { number };
    Some((number, end))
}

fn negated(number: Number) -> Option<Number> {
    match number.integer() {
        Some(whole) => Some(Number::whole(-i128::from(whole)).with_kind(number.kind())),
        None => Number::new(-number.value(), number.kind()),
    }
}

/// `-١-^٢٥٠٠`, which looks like -2500 to the power of -1.
fn reversed_power(
    text: &str,
    (exponent, end): (Exact, usize),
    is_negative: bool,
) -> Option<(Number, usize)> {
    let (is_small, signs_end) = figures::signs(text, end);
    let base_at = skip(text, signs_end, |c| c == '^');
    if signs_end == end || base_at == signs_end {
        return None;
    }
    let (base, end) = figures::plain(text, base_at, MARKS)?;
    let number = figures::raised(base.negated_if(is_negative), exponent.negated_if(is_small))?;
    Some((number, end))
}

/// `١/٤ ٢`, which looks like two and a quarter.
fn reversed_mixed(
    text: &str,
    at: usize,
    over: (Exact, usize),
    is_negative: bool,
) -> Option<(Number, usize)> {
    let (part, part_end) = figures::special(text, at, over, MARKS, false)?;
    let from = spaces(text, part_end);
    let (whole, end) = figures::plain(text, from, MARKS)?;
    let is_part = part.kind() == Kind::Fraction && part.value() < 1.0 && from > part_end;
    let is_whole = whole.is_whole() && !head(text, end).is_some_and(|c| is_letter(c) || c == '/');
    if !is_part || !is_whole || matches!(next(text, end), Some((Token::Word(Word::Unit(_), _), _))) {
        return None;
    }
    let size = whole.to_f64() + part.value();
    Number::new(if is_negative { -size } else { size }, Kind::Fraction).zip(Some(end))
}

fn has_and(text: &str, at: usize) -> bool {
    matches!(token(text, at), Some((Token::Word(_, true) | Token::Figures(_, true), _)))
}

/// Whether a minus stands here, and where the number itself begins.
fn minus(text: &str, at: usize) -> Option<(bool, usize)> {
    if let Some((Token::Word(Word::Minus, false), end)) = token(text, at) {
        return Some((true, spaces(text, end)));
    }
    let Some(c) = head(text, at).filter(|c| is_minus(*c)) else { return Some((false, at)) };
    let left = text.get(..at)?.trim_end();
    let is_dash = left.chars().next_back().is_some_and(|c| digit(c).is_some());
    (!is_dash).then(|| (true, spaces(text, at + c.len_utf8())))
}

/// A number with its fraction or its dozens.
fn phrase(text: &str, at: usize) -> Option<(Number, usize)> {
    if let Some((size, end)) = fraction(text, at, false) {
        return Number::new(size, Kind::Fraction).zip(Some(end));
    }
    if let Some((count, end)) = dozens(text, at) {
        return count.number().zip(Some(end));
    }
    let whole = read(text, at)?;
    let from = spaces(text, whole.end);
    if has_and(text, from) {
        if let Some((size, end)) = fraction(text, from, true) {
            return Number::new(whole.value.to_f64() + size, Kind::Fraction).zip(Some(end));
        }
        if let Some((count, end)) = dozens(text, from) {
            return whole.value.plus(count)?.number().zip(Some(end));
        }
    }
    whole.value.number().zip(Some(whole.end))
}

/// "ربع", "ثلاثة اخماس", "واحد على ثلاثة", "جزء من مئة". After "and", what can be a part is one.
fn fraction(text: &str, at: usize, is_after_and: bool) -> Option<(f64, usize)> {
    let (first, end) = token(text, at)?;
    match first {
        Token::Word(Word::Part(parts), _) => {
            let is_half_dozen = matches!(next(text, end), Some((Token::Word(Word::Dozen, false), _)));
            return (!is_half_dozen).then_some((1.0 / f64::from(parts), end));
        }
        Token::Word(Word::TwoThirds, _) => return Some((2.0 / 3.0, end)),
        Token::Word(Word::Piece, _) => return of(text, Exact::ONE, end),
        Token::Word(Word::OnesOrPart(parts), _) if is_part(text, end, is_after_and) => {
            return Some((1.0 / f64::from(parts), end));
        }
        Token::Word(Word::EighthOrPrice, _) => {
            return is_part(text, end, is_after_and).then_some((0.125, end));
        }
        Token::Word(Word::TenOrPart, _) if is_part(text, end, is_after_and) => {
            return Some((0.1, end));
        }
        _ => {}
    }
    let over = read(text, at)?;
    let size = over.value.to_f64();
    let (after, end) = next(text, over.end)?;
    match after {
        Token::Word(Word::Part(parts) | Word::OnesOrPart(parts), false) => {
            Some((size / f64::from(parts), end))
        }
        Token::Word(Word::EighthOrPrice, false) => Some((size / 8.0, end)),
        Token::Word(Word::Over, false) => {
            let under = read(text, spaces(text, end))?;
            divided(size, under.value.to_f64(), under.end)
        }
        Token::Word(Word::Of, false) => of_number(text, over.value, end),
        Token::Word(Word::Piece, false) => of(text, over.value, end),
        _ => {
            let under = read(text, spaces(text, over.end)).filter(|under| under.is_parts)?;
            divided(size, under.value.to_f64(), under.end)
        }
    }
}

/// Whether "خمس" and the like are a part here: after "and", or before the one thing that is parted.
fn is_part(text: &str, end: usize, is_after_and: bool) -> bool {
    let rest = text.get(spaces(text, end)..).unwrap_or_default();
    let is_number = matches!(
        next(text, end),
        Some((
            Token::Word(
                Word::Ten
                    | Word::TenOrPart
                    | Word::Tens(_)
                    | Word::TensOfParts(_)
                    | Word::Hundred
                    | Word::Unit(_)
                    | Word::Units(_)
                    | Word::Point
                    | Word::Part(_),
                _
            ),
            _
        ))
    );
    !is_number && (is_after_and || rest.is_empty() || rest.starts_with("ال"))
}

/// What stands after "parts": "of" and the number of all parts.
fn of(text: &str, over: Exact, at: usize) -> Option<(f64, usize)> {
    match next(text, at)? {
        (Token::Word(Word::Of, false), end) => of_number(text, over, end),
        _ => None,
    }
}

fn of_number(text: &str, over: Exact, at: usize) -> Option<(f64, usize)> {
    let under: Read = read(text, spaces(text, at))?;
    match under.parts_unit.and_then(|unit| i32::try_from(unit).ok()) {
        // "One of a hundred trillionths": the plural names the parts, the number before it counts them.
        Some(unit) => Some((under.value.to_f64() / 10_f64.powi(2 * unit), under.end)),
        None => divided(over.to_f64(), under.value.to_f64(), under.end),
    }
}

fn divided(over: f64, under: f64, end: usize) -> Option<(f64, usize)> {
    (under != 0.0).then(|| (over / under, end))
}

fn dozens(text: &str, at: usize) -> Option<(Exact, usize)> {
    let (first, end) = token(text, at)?;
    match first {
        Token::Word(Word::Dozen, _) => return Some((Exact::whole(12), end)),
        Token::Word(Word::TwoDozens, _) => return Some((Exact::whole(24), end)),
        _ => {}
    }
    let (count, count_end) = match first {
        Token::Word(Word::Part(2), _) => (Exact::whole(6), end),
        _ => read(text, at).and_then(|count| Some((count.value.times(12)?, count.end)))?,
    };
    match next(text, count_end)? {
        (Token::Word(Word::Dozen, false), end) => Some((count, end)),
        _ => None,
    }
}
