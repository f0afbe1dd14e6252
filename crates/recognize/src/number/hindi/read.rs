//! Whole and decimal numbers of Hindi: sections below a thousand, each counted in a unit.

use super::super::exact::{Exact, Sum};
use super::super::figures::digit;
use super::super::speech::{Piece, Token, from, token, word};
use super::words::{Meaning, Word};

/// Pieces of a text that can be parts of a number.
pub(super) type Run = [Piece<Meaning>];

/// A number without its surroundings.
#[derive(Clone, Copy, Debug)]
pub(super) struct Read {
    pub(super) value: Exact,
    /// The number of pieces that it takes.
    pub(super) pieces: usize,
    /// True if its last word is an ordinal.
    pub(super) is_ordinal: bool,
}

/// The word at a place of a run.
pub(super) fn word_at(run: &Run, at: usize) -> Option<Word> {
    word(run, at).map(|meaning| meaning.word)
}

/// The number that a run begins with.
pub(super) fn read(run: &Run) -> Option<Read> {
    let mut sum = Sum::default();
    let mut read = Read { value: Exact::ZERO, pieces: 0, is_ordinal: false };
    while !read.is_ordinal {
        let above = sum.unit();
        let start = if above.is_some() { after_and(run, read.pieces) } else { 0 };
        let section = section(from(run, start), above.is_some());
        let unit_at = section.map_or(read.pieces, |section| start + section.pieces);
        let is_open = section.is_none_or(|section| !section.is_ordinal);
        if let Some((unit, is_ordinal)) = unit(run, unit_at).filter(|_| is_open) {
            // "हजार" alone is a thousand, "लाख करोड़" a lakh of them.
            let one = above.is_none().then_some(Exact::ONE);
            if !sum.count_in(section.map(|section| section.value).or(one), unit) {
                break;
            }
            read = Read { pieces: unit_at + 1, is_ordinal, ..read };
            continue;
        }
        // Nothing goes on with nothing: "सौ और शून्य" are two numbers.
        let is_rest = |value: Exact, unit| value.is_below_ten_to(unit) && !value.is_zero();
        if let Some(section) = section
            && above.is_none_or(|unit| is_rest(section.value, unit))
        {
            read = Read { pieces: unit_at, ..section };
        }
        break;
    }
    if read.pieces == 0 {
        return None;
    }
    let total = Read { value: sum.total(read.value)?, ..read };
    Some(decimals(run, &total).unwrap_or(total))
}

fn unit(run: &Run, at: usize) -> Option<(u32, bool)> {
    match token(run, at)? {
        Token::Word(Meaning { word: Word::Unit(unit), is_ordinal }) => Some((unit, is_ordinal)),
        _ => None,
    }
}

/// Less than a thousand: a number, hundreds, or both. After a unit it must not be the beginning of
/// something else.
fn section(run: &Run, is_after_unit: bool) -> Option<Read> {
    let first = coefficient(run);
    let at = first.map_or(0, |first| first.pieces);
    let is_ordinal = match token(run, at) {
        Some(Token::Word(Meaning { word: Word::Hundred, is_ordinal }))
            if first.is_none_or(|first| !first.is_ordinal) =>
        {
            is_ordinal
        }
        _ => return first.filter(|first| !is_after_unit || !is_begun(run, first.pieces, true)),
    };
    let value = first.map_or(Exact::ONE, |first| first.value).times_ten_to(2)?;
    let hundreds = Read { value, pieces: at + 1, is_ordinal };
    // Nothing more after "2.12 सौ".
    if is_ordinal || first.is_some_and(|first| !first.value.is_whole()) {
        return Some(hundreds);
    }
    let start = after_and(run, at + 1);
    let rest = coefficient(from(run, start)).filter(|rest| {
        let end = start + rest.pieces;
        rest.value.is_below_ten_to(2)
            && !rest.value.is_zero()
            && word_at(run, end) != Some(Word::Hundred)
            && !is_begun(run, end, start > at + 1)
    });
    match rest {
        Some(rest) => {
            Some(Read { value: value.plus(rest.value)?, pieces: start + rest.pieces, ..rest })
        }
        None => Some(hundreds),
    }
}

/// Reports whether the number that ends here rather belongs to a fraction or to dozens: "सौ और एक
/// तिहाई".
fn is_begun(run: &Run, at: usize, is_after_and: bool) -> bool {
    match word_at(run, at) {
        Some(Word::Part(_) | Word::Dozen) => true,
        Some(Word::Over) => is_after_and,
        _ => false,
    }
}

/// A number below a hundred, figures, or quarters.
fn coefficient(run: &Run) -> Option<Read> {
    let (word, is_ordinal) = match token(run, 0)? {
        Token::Figures(value) => return Some(Read { value, pieces: 1, is_ordinal: false }),
        Token::Word(Meaning { word, is_ordinal }) => (word, is_ordinal),
        Token::Special(_) | Token::Minus => return None,
    };
    let more = match word {
        Word::Number(value) | Word::Ordinal(value) => {
            return Some(Read { value: Exact::whole(i128::from(value)), pieces: 1, is_ordinal });
        }
        Word::Tens(tens) => return Some(tens_and_ones(run, tens)),
        Word::Quarters(quarters) => {
            let value = Exact::new(i128::from(quarters) * 25, 2);
            // "सवा दो" is two and a quarter.
            let is_more = quarters == 5 && number_after(run).is_some();
            if !is_more {
                return Some(Read { value, pieces: 1, is_ordinal: false });
            }
            Exact::new(25, 2)
        }
        Word::More(quarters) => Exact::new(i128::from(quarters) * 25, 2),
        Word::Less => Exact::new(-25, 2),
        _ => return None,
    };
    Some(Read { value: number_after(run)?.plus(more)?, pieces: 2, is_ordinal: false })
}

/// A plain number right after the first piece.
fn number_after(run: &Run) -> Option<Exact> {
    match token(run, 1)? {
        Token::Figures(value) => Some(value),
        Token::Word(Meaning { word: Word::Number(value), is_ordinal: false }) => {
            Some(Exact::whole(i128::from(value)))
        }
        _ => None,
    }
}

fn tens_and_ones(run: &Run, tens: u32) -> Read {
    let (value, pieces, is_ordinal) = match token(run, 1) {
        Some(Token::Word(Meaning { word: Word::Number(ones @ 1..=9), is_ordinal })) => {
            (tens + ones, 2, is_ordinal)
        }
        _ => (tens, 1, false),
    };
    Read { value: Exact::whole(i128::from(value)), pieces, is_ordinal }
}

/// The place where the next part of a number may begin, with or without "and".
fn after_and(run: &Run, at: usize) -> usize {
    at + usize::from(word_at(run, at) == Some(Word::And))
}

/// The number with the decimals that follow it, if any do: digit by digit, or as one number.
fn decimals(run: &Run, read: &Read) -> Option<Read> {
    if word_at(run, read.pieces)? != Word::Point || !read.value.is_whole() || read.is_ordinal {
        return None;
    }
    let mut decimal = Read { pieces: read.pieces + 1, ..*read };
    while let Some(next) = coefficient(from(run, decimal.pieces)) {
        if next.is_ordinal || !next.value.is_whole() {
            break;
        }
        let digits = next.value.number()?.to_string();
        decimal.value =
            digits.chars().filter_map(digit).try_fold(decimal.value, Exact::then_after_point)?;
        decimal.pieces += next.pieces;
    }
    (decimal.pieces > read.pieces + 1).then_some(decimal)
}
