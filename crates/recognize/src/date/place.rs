//! A place in a text, from which rules read on.

use jiff::civil::DateTime;

use super::memo::{Kept, Memo};
use super::token::{Shape, Token};

/// A place in a text, and the moment from which the text is seen.
#[derive(Clone, Copy, Debug)]
pub(super) struct At<'t> {
    tokens: &'t [Token],
    index: usize,
    /// The moment of the reference.
    pub(super) now: DateTime,
    /// The memo tables of this text.
    pub(super) memo: &'t Memo,
}

/// The value that a rule has read, and the place after it.
pub(super) type Read<'t, T> = Option<(T, At<'t>)>;

/// A rule of the grammar.
pub(super) type Rule<T> = for<'t> fn(At<'t>) -> Read<'t, T>;

impl<'t> At<'t> {
    /// The place before the first token.
    pub(super) fn first(tokens: &'t [Token], now: DateTime, memo: &'t Memo) -> Self {
        Self { tokens, index: 0, now, memo }
    }

    fn token(self, offset: usize) -> Option<&'t Token> {
        self.tokens.get(self.index + offset)
    }

    fn token_behind(self, count: usize) -> Option<&'t Token> {
        self.index.checked_sub(count).and_then(|index| self.tokens.get(index))
    }

    /// The text of the token here, empty at the end.
    pub(super) fn word(self) -> &'t str {
        self.ahead(0)
    }

    /// The text of the token `count` further on.
    pub(super) fn ahead(self, count: usize) -> &'t str {
        self.token(count).map_or("", |token| &token.text)
    }

    /// The text of the token `count` before this one; 1 is the one just before.
    pub(super) fn behind(self, count: usize) -> &'t str {
        self.token_behind(count).map_or("", |token| &token.text)
    }

    /// The place after the token here; the end stays the end.
    pub(super) fn next(self) -> Self {
        Self { index: (self.index + 1).min(self.tokens.len()), ..self }
    }

    /// The place before another token.
    pub(super) fn moved(self, index: usize) -> Self {
        Self { index: index.min(self.tokens.len()), ..self }
    }

    /// Returns what a rule reads here, from its memo table when it has read here before.
    pub(super) fn read_once<T: Clone>(self, table: &Kept<T>, rule: Rule<T>) -> Read<'t, T> {
        let read = || rule(self).map(|(value, after)| (value, after.index));
        table.read(self.index, read).map(|(value, end)| (value, self.moved(end)))
    }

    /// Reports whether no token is left.
    pub(super) fn is_end(self) -> bool {
        self.index >= self.tokens.len()
    }

    /// The number of tokens before this place.
    pub(super) fn index(self) -> usize {
        self.index
    }

    /// Reads one token that is one of `texts`.
    pub(super) fn eat(self, texts: &[&str]) -> Option<Self> {
        (!self.is_end() && texts.contains(&self.word())).then(|| self.next())
    }

    /// Reads one of `texts` when it is here.
    pub(super) fn skip(self, texts: &[&str]) -> Self {
        self.eat(texts).unwrap_or(self)
    }

    /// Reads a mark when it is here and touches the token before.
    pub(super) fn skip_glued(self, mark: &str) -> Self {
        if self.is_glued() { self.skip(&[mark]) } else { self }
    }

    /// Reads several tokens, written with blanks between them.
    pub(super) fn phrase(self, phrase: &str) -> Option<Self> {
        // Nearly all phrases that are tried are not here, and show it at once.
        if !phrase.starts_with(self.word()) {
            return None;
        }
        phrase.split(' ').try_fold(self, |at, part| at.eat(&[part]))
    }

    /// Reads the first of several phrases that is here.
    pub(super) fn phrases(self, phrases: &[&str]) -> Option<Self> {
        phrases.iter().find_map(|phrase| self.phrase(phrase))
    }

    /// Reports whether the token here follows the one before without a blank.
    pub(super) fn is_glued(self) -> bool {
        self.token(0).is_some_and(|token| !token.spaced) && self.index > 0
    }

    /// Reports whether the token here is digits.
    pub(super) fn is_digits(self) -> bool {
        self.token(0).is_some_and(|token| token.shape == Shape::Digits)
    }

    /// Reports whether the token here is a word.
    pub(super) fn is_word(self) -> bool {
        self.token(0).is_some_and(|token| token.shape == Shape::Word)
    }

    /// The number here, when it is digits and has at most `len_max` of them.
    pub(super) fn digits(self, len_max: usize) -> Read<'t, i64> {
        let is_short = self.is_digits() && self.word().len() <= len_max;
        is_short.then(|| self.word().parse().ok()).flatten().map(|number| (number, self.next()))
    }

    /// Reads a mark that touches both its neighbours.
    pub(super) fn glue(self, marks: &[&str]) -> Option<Self> {
        self.eat(marks).filter(|after| self.is_glued() && after.is_glued())
    }

    /// The byte at which the token here begins.
    pub(super) fn start(self) -> usize {
        self.token(0).map_or(0, |token| token.start)
    }

    /// The byte after the token before this place.
    pub(super) fn end(self) -> usize {
        self.token_behind(1).map_or(0, |token| token.end)
    }
}

/// The boundaries of readings: places where one may begin or end.
impl At<'_> {
    /// Reports whether a reading may begin here: not inside a number, an amount of money or a part
    /// number.
    pub(super) fn may_begin(self) -> bool {
        let Some(token) = self.token(0) else { return false };
        if token.shape == Shape::Mark && !matches!(self.word(), "<" | ">" | "'" | "½" | "¼" | "¾")
        {
            return false;
        }
        let Some(last) = self.token_behind(1) else { return true };
        match (last.shape, token.shape) {
            (Shape::Syllable, _) | (_, Shape::Syllable) => true,
            (Shape::Word | Shape::Digits, _) => token.spaced,
            (Shape::Mark, Shape::Digits) => {
                let after_digits = self.shape_behind(2) == Some(Shape::Digits);
                match last.text.as_str() {
                    "$" | "€" | "£" => token.spaced,
                    "-" => !after_digits,
                    "." | "," | ":" | "/" => token.spaced || !after_digits,
                    _ => true,
                }
            }
            (Shape::Mark, _) => token.spaced || last.text != "$",
        }
    }

    /// Reports whether a reading may end here: the last token does not go on as a number or a word.
    pub(super) fn may_end(self) -> bool {
        let Some(token) = self.token(0).filter(|token| !token.spaced) else { return true };
        let last = self.shape_behind(1);
        match token.text.as_str() {
            "%" => false,
            "-" => last != Some(Shape::Digits) || !self.goes_on_in_digits(),
            "." | "/" | ":" => last != Some(Shape::Digits) || self.may_end_number(),
            _ => {
                matches!(token.shape, Shape::Mark | Shape::Syllable)
                    || last == Some(Shape::Syllable)
            }
        }
    }

    /// Reports whether a number that ends here is whole, and not the head of a longer one.
    pub(super) fn may_end_number(self) -> bool {
        let is_mark = self.is_glued() && matches!(self.word(), "." | "," | "/" | ":");
        !(is_mark && self.goes_on_in_digits())
    }

    /// Reports whether digits follow the mark here, without a blank.
    fn goes_on_in_digits(self) -> bool {
        self.next().is_digits() && self.next().is_glued()
    }

    fn shape_behind(self, count: usize) -> Option<Shape> {
        self.token_behind(count).map(|token| token.shape)
    }
}

/// The longest of what several rules read here; the first of equals.
pub(super) fn longest<'t, T>(at: At<'t>, rules: &[Rule<T>]) -> Read<'t, T> {
    let mut best: Read<'t, T> = None;
    for rule in rules {
        let Some((value, after)) = rule(at) else { continue };
        if best.as_ref().is_none_or(|(_, end)| after.index() > end.index()) {
            best = Some((value, after));
        }
    }
    best
}
