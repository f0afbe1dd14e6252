//! Whole and decimal numbers of Arabic: ones before tens, hundreds, and units from a thousand on.

use super::super::exact::{Exact, Sum};
use super::super::figures::{self, digit};
use super::super::text::{head, skip, spaces};
use super::MARKS;
use super::words::{Word, word};

/// A number without its surroundings.
#[derive(Clone, Copy, Debug)]
pub(super) struct Read {
    pub(super) value: Exact,
    pub(super) end: usize,
    /// Whether its last word names parts ("twentieths").
    pub(super) is_parts: bool,
    /// The unit of its last word, if that is a plural that names parts.
    pub(super) parts_unit: Option<u32>,
}

impl Read {
    const fn new(value: Exact, end: usize) -> Self {
        Self { value, end, is_parts: false, parts_unit: None }
    }

    fn whole(value: u32, end: usize) -> Self {
        Self::new(Exact::whole(i128::from(value)), end)
    }
}

/// A word that has a meaning in numbers, or figures.
#[derive(Clone, Copy, Debug)]
pub(super) enum Token {
    /// And whether "and" stands before it.
    Word(Word, bool),
    Figures(Exact, bool),
}

/// Letters and the marks on them.
pub(super) fn is_letter(c: char) -> bool {
    matches!(c, '\u{620}'..='\u{65f}' | '\u{670}'..='\u{6d3}' | '\u{200c}' | '\u{200d}')
        || c.is_ascii_alphabetic()
}

pub(super) fn word_end(text: &str, at: usize) -> usize {
    skip(text, at, is_letter)
}

/// What stands here, and where it ends. "And" is part of what it stands before, with or without a space.
pub(super) fn token(text: &str, at: usize) -> Option<(Token, usize)> {
    let first = head(text, at)?;
    if digit(first).is_some() || MARKS.decimal.contains(&first) {
        return figures_at(text, at, false);
    }
    let end = word_end(text, at);
    match word(text.get(at..end)?)? {
        (Word::And, _) => {
            let from = spaces(text, end);
            if head(text, from).is_some_and(|c| digit(c).is_some()) {
                return figures_at(text, from, true);
            }
            let end = word_end(text, from);
            let (word, _) = word(text.get(from..end)?)?;
            Some((Token::Word(word, true), end))
        }
        (word, has_and) => Some((Token::Word(word, has_and), end)),
    }
}

fn figures_at(text: &str, at: usize, has_and: bool) -> Option<(Token, usize)> {
    let (value, end) = figures::plain(text, at, MARKS)?;
    let is_glued = head(text, end).is_some_and(is_letter);
    (!is_glued).then_some((Token::Figures(value, has_and), end))
}

/// What stands after the spaces.
pub(super) fn next(text: &str, at: usize) -> Option<(Token, usize)> {
    token(text, spaces(text, at))
}

/// The number that begins here.
pub(super) fn read(text: &str, at: usize) -> Option<Read> {
    let mut sum = Sum::default();
    let mut read = Read::new(Exact::ZERO, at);
    loop {
        let above = sum.unit();
        let from = if above.is_some() { spaces(text, read.end) } else { at };
        let section = section(text, from, above.is_some());
        let end = section.map_or(read.end, |section| section.end);
        let (coefficient, unit, unit_end) = match next(text, end) {
            Some((Token::Word(Word::Unit(unit) | Word::Units(unit), has_and), unit_end))
                if !(has_and && section.is_some()) =>
            {
                let one = section.is_none() && (above.is_none() || has_and);
                (section.map(|s| s.value).or(one.then_some(Exact::ONE)), unit, unit_end)
            }
            Some((Token::Word(Word::TwoUnits(unit), _), unit_end)) if section.is_none() => {
                (Some(Exact::whole(2)), unit, unit_end)
            }
            _ => {
                if let Some(section) = section
                    && above.is_none_or(|unit| is_rest(section.value, unit))
                {
                    read = section;
                }
                break;
            }
        };
        if !sum.count_in(coefficient, unit) {
            break;
        }
        let is_plural = matches!(next(text, end), Some((Token::Word(Word::Units(_), _), _)));
        let is_many = coefficient.is_none_or(|count| !count.is_below_ten_to(1));
        read.parts_unit = (is_plural && is_many).then_some(unit);
        read.end = unit_end;
    }
    if read.end == at {
        return None;
    }
    let total = Read { value: sum.total(read.value)?, ..read };
    Some(decimals(text, &total).unwrap_or(total))
}

/// Whether a number goes on with this one after a unit. Nothing goes on with nothing.
fn is_rest(value: Exact, unit: u32) -> bool {
    value.is_below_ten_to(unit) && !value.is_zero()
}

/// Less than a thousand, or figures. After a unit, it begins with "and" unless a unit of its own follows.
fn section(text: &str, at: usize, is_after_unit: bool) -> Option<Read> {
    let (first, _) = token(text, at)?;
    let has_and = matches!(first, Token::Word(_, true) | Token::Figures(_, true));
    let section = hundreds(text, at)?;
    let has_unit = matches!(
        next(text, section.end),
        Some((Token::Word(Word::Unit(_) | Word::Units(_), false), _))
    );
    let is_free = has_and || has_unit || matches!(first, Token::Figures(..));
    let fits = is_free && (has_unit || !is_begun(text, &section));
    (!is_after_unit || fits).then_some(section)
}

fn hundreds(text: &str, at: usize) -> Option<Read> {
    let first = small(text, at);
    let hundred = match first {
        Some(first) if first.is_parts => None,
        Some(first) => next(text, first.end),
        None => token(text, at),
    };
    let (count, end) = match (first, hundred) {
        (Some(first), Some((Token::Word(Word::Hundred, false), end))) => (first.value, end),
        (Some(first), _) => return Some(first),
        (None, Some((Token::Word(Word::Hundred, _), end))) => (Exact::ONE, end),
        (None, Some((Token::Word(Word::Hundreds(count), _), end))) => {
            (Exact::whole(i128::from(count)), end)
        }
        (None, _) => return None,
    };
    let value = count.times_ten_to(2)?;
    let rest_at = spaces(text, end);
    let rest = match token(text, rest_at) {
        Some((Token::Word(_, true) | Token::Figures(_, true), _)) => small(text, rest_at),
        _ => None,
    };
    let rest = rest.filter(|rest| {
        rest.value.is_below_ten_to(2) && !rest.value.is_zero() && !is_begun(text, rest)
    });
    match rest {
        Some(rest) => Some(Read { value: value.plus(rest.value)?, ..rest }),
        None => Some(Read::new(value, end)),
    }
}

/// Less than a hundred, or figures.
fn small(text: &str, at: usize) -> Option<Read> {
    let (token, end) = token(text, at)?;
    let ones = match token {
        Token::Figures(value, _) => return Some(Read::new(value, end)),
        Token::Word(Word::Ones(ones) | Word::OnesOrPart(ones), _) => ones,
        Token::Word(Word::Ten | Word::TenOrPart, _) => return Some(Read::whole(10, end)),
        Token::Word(Word::Tens(tens), _) => return Some(Read::whole(tens, end)),
        Token::Word(Word::TensOfParts(tens), _) => {
            return Some(Read { is_parts: true, ..Read::whole(tens, end) });
        }
        Token::Word(..) => return None,
    };
    Some(match next(text, end) {
        Some((Token::Word(Word::Ten | Word::TenOrPart, false), end)) => Read::whole(ones + 10, end),
        Some((Token::Word(Word::Tens(tens), true), end)) => Read::whole(ones + tens, end),
        Some((Token::Word(Word::TensOfParts(tens), true), end)) => {
            Read { is_parts: true, ..Read::whole(ones + tens, end) }
        }
        _ => Read::whole(ones, end),
    })
}

/// Whether the number that was read rather belongs to a fraction or to dozens. "A hundred and thirty-two fifths" is
/// one fraction, "a hundred and two fifths" is a number and a fraction.
fn is_begun(text: &str, read: &Read) -> bool {
    match next(text, read.end) {
        Some((Token::Word(Word::Part(parts), false), _)) => read.value.to_f64() < f64::from(parts),
        Some((Token::Word(Word::Dozen, false), _)) => true,
        _ => false,
    }
}

/// The number with the decimals that follow it, if any do.
fn decimals(text: &str, read: &Read) -> Option<Read> {
    let (Token::Word(Word::Point, false), point_end) = next(text, read.end)? else { return None };
    let after = hundreds(text, spaces(text, point_end))?;
    if !read.value.is_whole() || !after.value.is_whole() {
        return None;
    }
    let digits = after.value.number()?.to_string();
    let value = digits.chars().filter_map(digit).try_fold(read.value, Exact::then_after_point)?;
    Some(Read::new(value, after.end))
}
