//! Numbers in words that are apart by spaces, as in Hindi and Arabic: the way through a text.
//!
//! A text is cut once into runs of words and figures that can be parts of numbers; the grammar of a
//! language then reads numbers from a run. A word that has nothing to do with numbers, or a
//! punctuation mark, ends a run.

use super::exact::Exact;
use super::figures::{self, Marks, digit, is_minus};
use super::text::{before, head, skip, spaces};
use super::value::{Kind, Number};
use crate::Found;

/// The spoken numbers of a language.
pub(super) trait Speech {
    type Word: Copy + PartialEq;
    const MARKS: Marks;
    /// "And", which may be written together with the word after it.
    const AND: Self::Word;
    const MINUS: Self::Word;

    /// Letters and the marks that belong to them.
    fn is_letter(c: char) -> bool;

    /// The meaning of a word, and how many of its first bytes are an "and".
    fn word(word: &str) -> Option<(Self::Word, usize)>;

    /// A number in figures with more than digits to it; `plain` are the digits that begin at `at`.
    fn special(
        text: &str,
        at: usize,
        plain: (Exact, usize),
        is_negative: bool,
    ) -> Option<(Number, usize)> {
        figures::special(text, at, plain, Self::MARKS, is_negative)
    }

    /// The number that a run begins with, signs aside, and how many pieces it takes.
    fn number(run: &[Piece<Self::Word>]) -> Option<(Number, usize)>;
}

/// A part of a run, and where it stands in the text.
#[derive(Clone, Copy, Debug)]
pub(super) struct Piece<W> {
    pub(super) token: Token<W>,
    start: usize,
    end: usize,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Token<W> {
    Word(W),
    /// Plain digits.
    Figures(Exact),
    /// A number that is complete: a power, a fraction.
    Special(Number),
    Minus,
}

/// The token at a place in a run.
pub(super) fn token<W: Copy>(run: &[Piece<W>], at: usize) -> Option<Token<W>> {
    run.get(at).map(|piece| piece.token)
}

/// The word that stands at a place in a run.
pub(super) fn word<W: Copy>(run: &[Piece<W>], at: usize) -> Option<W> {
    match token(run, at)? {
        Token::Word(word) => Some(word),
        _ => None,
    }
}

/// The rest of a run from a place on.
pub(super) fn from<W>(run: &[Piece<W>], at: usize) -> &[Piece<W>] {
    run.get(at..).unwrap_or_default()
}

/// Every number in a text.
pub(super) fn find<S: Speech>(text: &str) -> Vec<Found<Number>> {
    let mut found = Vec::new();
    let mut run = Vec::new();
    let mut at = 0;
    while let Some(c) = head(text, at) {
        if c.is_whitespace() {
            at += c.len_utf8();
            continue;
        }
        at = match piece::<S>(text, at, c) {
            Ok((piece, and_length)) => {
                if and_length > 0 {
                    let end = piece.start;
                    let token = Token::Word(S::AND);
                    run.push(Piece { token, start: end - and_length, end });
                }
                run.push(piece);
                piece.end
            }
            Err(end) => {
                read_run::<S>(&run, &mut found);
                run.clear();
                end.max(at + c.len_utf8())
            }
        };
    }
    read_run::<S>(&run, &mut found);
    found
}

/// The piece that begins here and the length of an "and" before it; or where to go on, if there is
/// none.
fn piece<S: Speech>(text: &str, at: usize, c: char) -> Result<(Piece<S::Word>, usize), usize> {
    if is_minus(c) {
        return minus::<S>(text, at, c).map(|piece| (piece, 0)).ok_or(at);
    }
    if digit(c).is_some() || S::MARKS.decimal.contains(&c) {
        let row_end = figures::row_end(text, at, S::MARKS);
        let piece = figures_at::<S>(text, at);
        // What is glued to digits is part of a measure, or of a name.
        return piece.map(|piece| (piece, 0)).ok_or_else(|| skip(text, row_end, S::is_letter));
    }
    let end = skip(text, at, S::is_letter);
    let (word, and_length) = text.get(at..end).and_then(S::word).ok_or(end)?;
    Ok((Piece { token: Token::Word(word), start: at + and_length, end }, and_length))
}

fn minus<S: Speech>(text: &str, at: usize, c: char) -> Option<Piece<S::Word>> {
    // In "7-5" and "7 - 5" it is a dash.
    let left = text.get(..at)?.trim_end();
    if left.chars().next_back().is_some_and(|c| digit(c).is_some()) {
        return None;
    }
    let end = at + c.len_utf8();
    let number_at = spaces(text, end);
    let special = figures::plain(text, number_at, S::MARKS)
        .and_then(|plain| S::special(text, number_at, plain, true));
    Some(match special {
        Some((number, end)) => Piece { token: Token::Special(number), start: at, end },
        None => Piece { token: Token::Minus, start: at, end },
    })
}

fn figures_at<S: Speech>(text: &str, at: usize) -> Option<Piece<S::Word>> {
    let plain = figures::plain(text, at, S::MARKS)?;
    if let Some((number, end)) = S::special(text, at, plain, false) {
        return Some(Piece { token: Token::Special(number), start: at, end });
    }
    let (value, end) = plain;
    let is_glued = head(text, end).is_some_and(S::is_letter)
        || before(text, at).is_some_and(|c| c.is_ascii_alphabetic());
    (!is_glued).then_some(Piece { token: Token::Figures(value), start: at, end })
}

/// Reads the numbers of a run.
fn read_run<S: Speech>(run: &[Piece<S::Word>], found: &mut Vec<Found<Number>>) {
    let mut at = 0;
    while let Some(first) = run.get(at) {
        let is_negative = first.token == Token::Minus || first.token == Token::Word(S::MINUS);
        let number_at = at + usize::from(is_negative);
        let number = match token(run, number_at) {
            Some(Token::Special(number)) => Some((number, 1)),
            Some(Token::Word(word)) if word == S::AND => None,
            _ => S::number(from(run, number_at)),
        };
        let signed = number.and_then(|(number, pieces)| {
            let value = if is_negative { negated(number)? } else { number };
            let last = run.get(number_at + pieces.checked_sub(1)?)?;
            Some((Found { value, start: first.start, end: last.end }, pieces))
        });
        at = match signed {
            Some((number, pieces)) => {
                found.push(number);
                number_at + pieces
            }
            None => at + 1,
        };
    }
}

fn negated(number: Number) -> Option<Number> {
    match number.integer() {
        Some(whole) => Some(Number::whole(-i128::from(whole)).with_kind(number.kind())),
        None => Number::new(-number.value(), number.kind()),
    }
}

/// A fraction as found.
pub(super) fn fraction(size: f64, pieces: usize) -> Option<(Number, usize)> {
    Number::new(size, Kind::Fraction).zip(Some(pieces))
}
