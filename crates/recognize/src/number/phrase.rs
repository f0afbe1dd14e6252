//! Whole numbers, decimals and fractions in words, with their signs.

use super::cardinal::{Cardinal, cardinal};
use super::fraction;
use super::grammar::{Grammar, Term};
use super::ratio::{Ratio, power_of_ten};
use super::token::{Token, tokens};
use super::{Kind, Number};
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

/// A text in terms.
pub(super) struct Phrase<'a> {
    text: &'a str,
    pub(super) tokens: &'a [Token],
    pub(super) grammar: &'a Grammar,
}

impl Phrase<'_> {
    pub(super) fn term(&self, at: usize) -> Term {
        self.tokens.get(at).map_or(Term::Break, |token| token.term)
    }

    pub(super) fn cardinal(&self, from: usize, until: usize) -> Option<Cardinal> {
        cardinal(self.tokens, from, until, false, self.grammar)
    }

    /// The value of an ordinal that begins at `from` and ends right before `until`.
    pub(super) fn ordinal(&self, from: usize, until: usize) -> Option<Ratio> {
        let found = cardinal(self.tokens, from, until, true, self.grammar)?;
        (found.end == until).then_some(found.value)
    }

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

    /// The number of decimal digits that a number fills; digits count as they are written.
    fn digits(&self, at: usize, value: i128) -> usize {
        match self.tokens.get(at) {
            Some(Token { term: Term::Literal(_), start, end, .. }) => end - start,
            _ => value.checked_ilog10().map_or(1, |log| log as usize + 1),
        }
    }

    /// A value before a scale or a dozen: "half a million".
    pub(super) fn scaled(&self, value: Ratio, at: usize) -> Option<(Ratio, usize)> {
        let mut at = at;
        if matches!(self.term(at), Term::Of | Term::Dash { is_spaced: false }) {
            at += 1;
        }
        if matches!(self.term(at), Term::Article | Term::Small(1)) {
            at += 1;
        }
        let times = match self.term(at) {
            Term::Times(times @ 1000..) | Term::Many(times @ 1000..) => i128::from(times),
            Term::Dozen(times) => i128::from(times),
            _ => return None,
        };
        Some((value.times(Ratio::whole(times))?, at + 1))
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

    /// Reports whether a dash is a sign: before digits, and not between two numbers.
    fn is_sign(&self, at: usize) -> bool {
        let Some(token) = self.tokens.get(at) else { return false };
        let before = self.text.get(..token.start).unwrap_or_default();
        let is_free = !before.ends_with(|letter: char| letter.is_alphanumeric() || letter == '_');
        let is_range = before.trim_end().ends_with(|letter: char| letter.is_ascii_digit());
        matches!(self.term(at + 1), Term::Literal(_)) && is_free && !is_range
    }

    /// Reports whether the number in digits right before `end` is an amount of money, which lasts
    /// over some time: "$2000 over 3 years".
    pub(super) fn is_money(&self, end: usize) -> bool {
        let Some(token) = end.checked_sub(1).and_then(|last| self.tokens.get(last)) else {
            return false;
        };
        let is_sign = |letter: char| matches!(letter, '$' | '€' | '£' | '¥' | '₩' | '₽');
        let before = self.text.get(..token.start).unwrap_or_default();
        let after = self.text.get(token.end..).unwrap_or_default();
        before.trim_end().ends_with(is_sign) || after.trim_start().starts_with(is_sign)
    }

    fn is_excluded(&self, at: usize, end: usize) -> bool {
        let Some(token) = self.tokens.get(at).filter(|_| end == at + 1) else { return false };
        let before = self.text.get(..token.start).unwrap_or_default();
        (self.grammar.is_excluded)(
            before,
            self.text.get(token.start..token.end).unwrap_or_default(),
        )
    }

    fn span<T>(&self, value: T, from: usize, until: usize) -> Option<Found<T>> {
        let start = self.tokens.get(from)?.start;
        let end = self.tokens.get(until.checked_sub(1)?)?.end;
        Some(Found { value, start, end })
    }
}
