//! Whole numbers, decimals and fractions in words, with their signs.

use super::cardinal::Cardinal;
use super::fraction;
use super::grammar::{Grammar, Term};
use super::phrase::Phrase;
use super::ratio::{Ratio, power_of_ten};
use super::token::{Token, tokens};
use super::value::{Kind, Number};
use crate::Found;

/// Digits that are read after a point in words.
const PLACES_MAX: usize = 18;

/// Every number in a text, by the grammar of a language.
pub(super) fn find(text: &str, grammar: &Grammar) -> Vec<Found<Number>> {
    let phrase = Phrase { text, tokens: &tokens(text, grammar), grammar };
    let mut found = Vec::new();
    let mut at = 0;
    while at < phrase.tokens.len() {
        at = match phrase.number(at) {
            Some((value, end)) => {
                found.extend(phrase.span(value, at, end));
                end
            }
            None => phrase.ordinal_end(at).unwrap_or(at + 1),
        };
    }
    found
}

/// Every ordinal in words, by the grammar of a language in which ordinals are also the parts of
/// fractions.
pub(super) fn find_ordinals(text: &str, grammar: &Grammar) -> Vec<Found<i128>> {
    let phrase = Phrase { text, tokens: &tokens(text, grammar), grammar };
    let mut found = Vec::new();
    let mut at = 0;
    while at < phrase.tokens.len() {
        let Some(last) = fraction::ordinal_after(&phrase, at) else {
            at += 1;
            continue;
        };
        // The longest ordinal that ends here.
        let is_first = |from: usize| phrase.tokens.get(from).is_some_and(|token| token.is_first);
        let whole = (at..=last).filter(|from| is_first(*from)).find_map(|from| {
            let value = phrase.ordinal(from, last + 1)?.integer()?;
            phrase.span(value, from, last + 1)
        });
        found.extend(whole);
        at = last + 1;
    }
    found
}

impl Phrase<'_> {
    /// The number that begins at `at`, and the token after it.
    fn number(&self, at: usize) -> Option<(Number, usize)> {
        let token = self.tokens.get(at).filter(|token| token.is_first)?;
        let is_negative = match token.term {
            Term::Minus => true,
            Term::Dash { .. } if self.is_sign(at) => true,
            Term::Break | Term::Dash { .. } => return None,
            _ => false,
        };
        let from = at + usize::from(is_negative);
        if let Term::Literal(literal) = self.term(from)
            && self.stands_alone(from)
        {
            let value = if is_negative { literal.number.negated() } else { literal.number };
            return Some((value, from + 1));
        }
        // So does a word of its own, which is quicker said here than found below.
        if let (Term::Small(small), Term::Break) = (self.term(from), self.term(from + 1)) {
            let value = i128::from(small);
            let value = Number::whole(if is_negative { -value } else { value });
            return (!self.is_excluded(from, from + 1)).then_some((value, from + 1));
        }
        let (value, kind, end) = self.body(from)?;
        let value = if is_negative { value.negative()? } else { value };
        Some((value.number(kind)?, end))
    }

    /// Fast path: reports whether nothing follows a number in digits that could belong to it, as in
    /// most texts.
    fn stands_alone(&self, at: usize) -> bool {
        let is_exact = matches!(self.term(at), Term::Literal(literal) if literal.ratio.is_some());
        !is_exact || matches!(self.term(at + 1), Term::Break | Term::Literal(_) | Term::Dash { .. })
    }

    fn body(&self, at: usize) -> Option<(Ratio, Kind, usize)> {
        let plain = self.cardinal(at, self.tokens.len());
        let fraction = fraction::read(self, at, plain);
        let decimal = plain.and_then(|plain| self.decimal(plain));
        let end = plain.map_or(at, |plain| plain.end);
        let longer = [fraction.map(|(value, end)| (value, Kind::Fraction, end)), decimal]
            .into_iter()
            .flatten()
            .filter(|(_, _, longer)| *longer > end)
            .max_by_key(|(_, _, end)| *end);
        if longer.is_some() {
            return longer;
        }
        let plain = plain?;
        if self.is_excluded(at, end) || self.ordinal_end(at).is_some() {
            return None;
        }
        let kind = if plain.value.integer().is_some() { Kind::Integer } else { Kind::Decimal };
        Some((plain.value, kind, end))
    }

    /// "two point seventy-one", "nine point nought four", "two point five million".
    fn decimal(&self, whole: Cardinal) -> Option<(Ratio, Kind, usize)> {
        let is_with = matches!(self.term(whole.end), Term::With);
        if !is_with && !matches!(self.term(whole.end), Term::Point) {
            return None;
        }
        let (mut over, mut places) = (0_i128, 0_usize);
        let mut at = whole.end + 1;
        if is_with && matches!(self.term(at), Term::And) {
            at += 1;
        }
        // What multiplies is not part of the decimals.
        let after = self.tokens.get(at..)?;
        let is_scale =
            |token: &Token| matches!(token.term, Term::Times(1000..) | Term::Many(1000..));
        let until = at + after.iter().position(is_scale).unwrap_or(after.len());
        while let Some(part) = self.cardinal(at, until) {
            let digits = part.value.integer()?;
            let length = self.digits(at, digits);
            if places + length > PLACES_MAX {
                break;
            }
            over = over.checked_mul(power_of_ten(length)?)?.checked_add(digits)?;
            (places, at) = (places + length, part.end);
            if is_with {
                break;
            }
        }
        let decimals = Ratio::new(over, power_of_ten(places)?)?;
        let value = whole.value.plus(decimals)?;
        let (value, end) = self.scaled(value, at).unwrap_or((value, at));
        (places > 0).then_some((value, Kind::Decimal, end))
    }

    /// The token after an ordinal that begins with a cardinal, "twenty-first", which is no number.
    fn ordinal_end(&self, at: usize) -> Option<usize> {
        let token = self.tokens.get(at).filter(|token| token.is_first)?;
        if matches!(token.term, Term::Break | Term::Literal(_) | Term::Ordinal(..)) {
            return None;
        }
        let end = fraction::ordinal_after(self, at)? + 1;
        self.ordinal(at, end).map(|_| end)
    }
}
