//! A text in terms, and what stands at a place of it.

use super::cardinal::{Cardinal, cardinal};
use super::grammar::{Grammar, Term};
use super::ratio::Ratio;
use super::token::Token;
use crate::Found;

/// A text in terms.
pub(super) struct Phrase<'a> {
    pub(super) text: &'a str,
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

    /// The number of decimal digits that a number fills; digits count as they are written.
    pub(super) fn digits(&self, at: usize, value: i128) -> usize {
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

    /// Reports whether a dash is a sign: before digits, and not between two numbers.
    pub(super) fn is_sign(&self, at: usize) -> bool {
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

    pub(super) fn is_excluded(&self, at: usize, end: usize) -> bool {
        let Some(token) = self.tokens.get(at).filter(|_| end == at + 1) else { return false };
        let before = self.text.get(..token.start).unwrap_or_default();
        (self.grammar.is_excluded)(
            before,
            self.text.get(token.start..token.end).unwrap_or_default(),
        )
    }

    pub(super) fn span<T>(&self, value: T, from: usize, until: usize) -> Option<Found<T>> {
        let start = self.tokens.get(from)?.start;
        let end = self.tokens.get(until.checked_sub(1)?)?.end;
        Some(Found { value, start, end })
    }
}
