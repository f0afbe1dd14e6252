//! Powers, fractions and multiples of numbers in digits: `2^10`, `3/4`, `40k`.

use super::super::exact::Exact;
use super::super::text::{any_of, before, head, skip, spaces};
use super::super::value::{Kind, Number};
use super::{Marks, digit, digits, is_minus, is_slash, plain, row, value};

/// The largest exponent that is worked out.
const EXPONENT_MAX: f64 = 400.0;

/// A power, a fraction or a multiple of the number `base`, which was read up to `end`.
pub(in super::super) fn special(
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
pub(in super::super) fn raised(base: Exact, exponent: Exact) -> Option<Number> {
    let exponent = exponent.to_f64();
    (exponent.abs() <= EXPONENT_MAX)
        .then(|| Number::new(base.to_f64().powf(exponent), Kind::Power))
        .flatten()
}

/// Signs in a row, and whether they make the number after them negative.
pub(in super::super) fn signs(text: &str, at: usize) -> (bool, usize) {
    let end = skip(text, at, |c| is_minus(c) || c == '+');
    let minus = text.get(at..end).unwrap_or_default().chars().filter(|c| is_minus(*c)).count();
    (minus % 2 == 1, end)
}

/// `1.5e-3`, `1.5x10^-3`.
fn scientific(text: &str, at: usize, base: Exact) -> Option<(Number, usize)> {
    let from = skip_char(text, at, |c| matches!(c, 'e' | 'E' | 'ｅ' | 'Ｅ'))
        .or_else(|| any_of(text, at, &["x10^", "×10^", "*10^"]))?;
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
pub(in super::super) fn fraction(
    text: &str,
    at: usize,
    (over, end): (Exact, usize),
) -> Option<(Number, usize)> {
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

/// `40k`, `2.5M`. Thousands and millions may stand apart.
fn multiple(text: &str, at: usize, base: Exact) -> Option<(Number, usize)> {
    let from = spaces(text, at);
    let letter = head(text, from)?;
    let exponent = match letter {
        'k' | 'K' | 'ｋ' | 'Ｋ' => 3,
        'M' | 'Ｍ' => 6,
        'G' | 'B' | 'b' | 'Ｇ' | 'Ｂ' if from == at => 9,
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
