//! Formulas that were typed from right to left, and so stand in the text the other way round.

use super::super::exact::Exact;
use super::super::figures::{self, digit};
use super::super::speech::Speech;
use super::super::text::{head, skip, spaces};
use super::super::value::{Kind, Number};

/// `-١-^٢٥٠٠`, which looks like -2500 to the power of -1.
pub(super) fn power<S: Speech>(
    text: &str,
    (exponent, end): (Exact, usize),
    is_negative: bool,
) -> Option<(Number, usize)> {
    let (is_small, signs_end) = figures::signs(text, end);
    let base_at = skip(text, signs_end, |c| c == '^');
    if signs_end == end || base_at == signs_end {
        return None;
    }
    let (base, end) = figures::plain(text, base_at, S::MARKS)?;
    let number = figures::raised(base.negated_if(is_negative), exponent.negated_if(is_small))?;
    Some((number, end))
}

/// `١/٤ ٢`, which looks like two and a quarter.
pub(super) fn mixed<S: Speech>(
    text: &str,
    at: usize,
    over: (Exact, usize),
    is_negative: bool,
) -> Option<(Number, usize)> {
    let (part, part_end) = figures::fraction(text, at, over)?;
    let whole_at = spaces(text, part_end);
    let (whole, end) = figures::plain(text, whole_at, S::MARKS)?;
    // What comes next must not need the whole number itself: `١/٤ ٢ ألف`, `١/٤ ٣/٤`.
    let next = head(text, spaces(text, end));
    let is_free = next.is_none_or(|c| !S::is_letter(c) && !"/^".contains(c) && digit(c).is_none());
    if part.value() >= 1.0 || whole_at == part_end || !whole.is_whole() || !is_free {
        return None;
    }
    let size = whole.to_f64() + part.value();
    Number::new(if is_negative { -size } else { size }, Kind::Fraction).zip(Some(end))
}
