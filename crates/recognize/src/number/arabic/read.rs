//! Whole and decimal numbers of Arabic: ones before tens, hundreds, and units from a thousand on.

use super::super::exact::{Exact, Sum};
use super::super::figures::digit;
use super::super::speech::{Piece, Token, from, token, word};
use super::words::Word;

/// Pieces of a text that can be parts of a number.
pub(super) type Run = [Piece<Word>];

/// A number without its surroundings.
#[derive(Clone, Copy, Debug)]
pub(super) struct Read {
    pub(super) value: Exact,
    /// The number of pieces that it takes.
    pub(super) pieces: usize,
    /// True if its last word names parts ("twentieths").
    pub(super) is_parts: bool,
    /// The unit of its last word, if that is a plural that names parts ("trillionths").
    pub(super) parts_unit: Option<u32>,
}

impl Read {
    const fn new(value: Exact, pieces: usize) -> Self {
        Self { value, pieces, is_parts: false, parts_unit: None }
    }

    fn whole(value: u32, pieces: usize) -> Self {
        Self::new(Exact::whole(i128::from(value)), pieces)
    }
}

/// The number that a run begins with.
pub(super) fn read(run: &Run) -> Option<Read> {
    let mut sum = Sum::default();
    let mut read = Read::new(Exact::ZERO, 0);
    loop {
        let above = sum.unit();
        let has_and = above.is_some() && word(run, read.pieces) == Some(Word::And);
        let start = read.pieces + usize::from(has_and);
        let section = section(from(run, start), above.map(|_| has_and));
        let unit_at = section.map_or(start, |section| start + section.pieces);
        let Some((coefficient, unit)) = counted(run, unit_at, section, above.is_none() || has_and)
        else {
            if let Some(section) = section
                && above.is_none_or(|unit| is_rest(section.value, unit))
            {
                read = Read { pieces: unit_at, ..section };
            }
            break;
        };
        if !sum.count_in(coefficient, unit) {
            break;
        }
        // Up to ten of a thing are named in the plural; more of them in the plural are parts.
        let is_plural = matches!(word(run, unit_at), Some(Word::Units(_)));
        let is_many = coefficient.is_none_or(|count| !count.is_below_ten_to(1));
        read.parts_unit = (is_plural && is_many).then_some(unit);
        read.pieces = unit_at + 1;
    }
    if read.pieces == 0 {
        return None;
    }
    let total = Read { value: sum.total(read.value)?, ..read };
    Some(decimals(run, &total).unwrap_or(total))
}

/// The unit that stands here and its coefficient. A unit alone has the coefficient one where a part
/// begins; elsewhere it multiplies the part before it.
fn counted(
    run: &Run,
    at: usize,
    section: Option<Read>,
    is_new: bool,
) -> Option<(Option<Exact>, u32)> {
    match (word(run, at)?, section) {
        (Word::Unit(unit) | Word::Units(unit), Some(section)) => Some((Some(section.value), unit)),
        (Word::Unit(unit) | Word::Units(unit), None) => Some((is_new.then_some(Exact::ONE), unit)),
        (Word::TwoUnits(unit), None) => Some((Some(Exact::whole(2)), unit)),
        _ => None,
    }
}

/// Reports whether this value can continue a number after a unit: above zero and below the unit.
fn is_rest(value: Exact, unit: u32) -> bool {
    value.is_below_ten_to(unit) && !value.is_zero()
}

/// Less than a thousand, or figures. After a unit (`Some`, with or without "and") words need the
/// "and" or a unit of their own.
fn section(run: &Run, after_unit: Option<bool>) -> Option<Read> {
    let section = hundreds(run)?;
    let Some(has_and) = after_unit else { return Some(section) };
    let has_unit = matches!(word(run, section.pieces), Some(Word::Unit(_) | Word::Units(_)));
    let is_free = has_and || has_unit || matches!(token(run, 0), Some(Token::Figures(_)));
    (is_free && (has_unit || !is_begun(run, &section))).then_some(section)
}

fn hundreds(run: &Run) -> Option<Read> {
    let first = small(run);
    let at = first.map_or(0, |first| first.pieces);
    let count = match (first, word(run, at)) {
        (Some(first), Some(Word::Hundred)) if !first.is_parts => first.value,
        (Some(first), _) => return Some(first),
        (None, Some(Word::Hundred)) => Exact::ONE,
        (None, Some(Word::Hundreds(count))) => Exact::whole(i128::from(count)),
        (None, _) => return None,
    };
    let value = count.times_ten_to(2)?;
    let start = at + 2;
    let has_and = word(run, at + 1) == Some(Word::And);
    let rest = has_and
        .then(|| small(from(run, start)))
        .flatten()
        .filter(|rest| is_rest(rest.value, 2) && !is_begun(from(run, start), rest));
    match rest {
        Some(rest) => {
            Some(Read { value: value.plus(rest.value)?, pieces: start + rest.pieces, ..rest })
        }
        None => Some(Read::new(value, at + 1)),
    }
}

/// Less than a hundred, or figures.
fn small(run: &Run) -> Option<Read> {
    let ones = match token(run, 0)? {
        Token::Figures(value) => return Some(Read::new(value, 1)),
        Token::Word(Word::Ones(ones) | Word::OnesOrPart(ones)) => ones,
        Token::Word(Word::Ten | Word::TenOrPart) => return Some(Read::whole(10, 1)),
        Token::Word(Word::Tens(tens)) => return Some(Read::whole(tens, 1)),
        Token::Word(Word::TensOfParts(tens)) => {
            return Some(Read { is_parts: true, ..Read::whole(tens, 1) });
        }
        _ => return None,
    };
    Some(match (word(run, 1), word(run, 2)) {
        (Some(Word::Ten | Word::TenOrPart), _) => Read::whole(ones + 10, 2),
        (Some(Word::And), Some(Word::Tens(tens))) => Read::whole(ones + tens, 3),
        (Some(Word::And), Some(Word::TensOfParts(tens))) => {
            Read { is_parts: true, ..Read::whole(ones + tens, 3) }
        }
        _ => Read::whole(ones, 1),
    })
}

/// Reports whether the number that was read rather belongs to a fraction or to dozens. "A hundred
/// and thirty-two fifths" is one fraction, "a hundred and two fifths" is a number and a fraction.
fn is_begun(run: &Run, read: &Read) -> bool {
    match word(run, read.pieces) {
        Some(Word::Part(parts)) => read.value.to_f64() < f64::from(parts),
        Some(Word::Dozen) => true,
        _ => false,
    }
}

/// The number with the decimals that follow it, if any do: digit by digit, or as one number.
fn decimals(run: &Run, read: &Read) -> Option<Read> {
    if word(run, read.pieces)? != Word::Point || !read.value.is_whole() {
        return None;
    }
    let mut decimal = Read::new(read.value, read.pieces + 1);
    while let Some(next) = hundreds(from(run, decimal.pieces)) {
        if !next.value.is_whole() {
            break;
        }
        let digits = next.value.number()?.to_string();
        decimal.value =
            digits.chars().filter_map(digit).try_fold(decimal.value, Exact::then_after_point)?;
        decimal.pieces += next.pieces;
    }
    (decimal.pieces > read.pieces + 1).then_some(decimal)
}
