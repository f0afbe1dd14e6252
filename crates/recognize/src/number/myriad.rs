//! Numbers that are counted in tens of thousands, as in Chinese, Japanese and Korean.
//!
//! A number is a row of sections, each counted in a large unit (万, 億, 兆); a section is a row of
//! digits, each counted in a small unit (十, 百, 千). Digits may be signs (三), figures (3) or both,
//! and there may be spaces between them. The languages differ in their signs and in the words
//! around numbers: that is their [`Script`].

mod phrase;
mod section;

pub(super) use phrase::{find, is_glued};

use super::exact::{Exact, Sum};
use super::figures::Marks;
use super::text::{any_of, spaces};
use section::{Section, sign_at};

/// The meaning of a sign in a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sign {
    /// A digit.
    Digit(u32),
    /// Ten, a hundred or a thousand, as a power of ten.
    Small(u32),
    /// Ten thousand and more, as a power of ten.
    Large(u32),
    /// "Some" or "more than", between a number and a large unit.
    About,
}

/// The numerals of a language that groups by ten thousands.
pub(super) trait Script {
    const MARKS: Marks;
    /// Words that make the number after them negative.
    const MINUS: &'static [&'static str];
    /// The words between the lower and the upper part of a fraction; spaces may stand between the
    /// two.
    const OVER: [&'static str; 2];
    /// The words between a whole number and a fraction.
    const AND: &'static [&'static str];
    /// The words between the parts of a whole number.
    const JOIN: &'static [&'static str] = &[];
    /// The word for the decimal point.
    const POINT: &'static [&'static str];
    /// The word for twelve of a thing.
    const DOZEN: &'static [&'static str];
    /// True if that word is twelve without a number before it.
    const IS_DOZEN_A_NUMBER: bool = true;
    /// Words for a half.
    const HALF: &'static [&'static str];
    /// True if a last digit counts in a tenth of the unit before it ("四百五" is 450).
    const TENTHS: bool = false;
    /// True if tens may stand between decimals ("・八十九" is .89).
    const TENS_AFTER_POINT: bool = false;
    /// True if digits in a row are one number only if there are more than two, and never after a
    /// unit.
    const SHORT_ROWS: bool = false;
    /// True if a space may stand between a unit and figures that have none.
    const SPACED_FIGURES: bool = false;
    /// True if spaces may stand before the decimal point.
    const SPACE_BEFORE_POINT: bool = true;

    /// The sign that a text begins with, and its length.
    fn sign(rest: &str) -> Option<(Sign, usize)>;

    /// Reports whether a number in signs or words may begin here.
    fn may_begin(_text: &str, _at: usize) -> bool {
        true
    }

    /// Reports whether a digit may stand after the point.
    fn is_decimal(_rest: &str) -> bool {
        true
    }

    /// A number below a hundred in words that take no unit, and its length.
    fn word(_rest: &str) -> Option<(u32, usize)> {
        None
    }

    /// Reports whether a large unit alone, before the rest of the text, is one of it.
    fn is_one(unit: u32, rest: &str) -> bool;

    /// Reports whether a text begins with "per cent", which is left out.
    fn is_percent(_rest: &str) -> bool {
        false
    }

    /// Returns the end of the number if the signs that were read are one where they stand. It may
    /// include a word more.
    fn stands(text: &str, start: usize, read: &Read) -> Option<usize>;
}

/// A number without its surroundings.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Read {
    pub(super) value: Exact,
    pub(super) end: usize,
    /// The number of signs read.
    pub(super) signs: usize,
    /// The number of rows of figures read.
    pub(super) figures: usize,
    /// The number of words of the language's own kind read.
    pub(super) words: usize,
    /// True if it has a unit of any size.
    pub(super) has_unit: bool,
    /// True if it is part of a fraction, a decimal or a dozen, which leave no doubt.
    pub(super) is_certain: bool,
}

impl Read {
    fn add(&mut self, section: &Section) {
        self.signs += section.signs;
        self.figures += section.figures;
        self.words += section.words;
        self.has_unit |= section.has_unit;
        self.end = section.end;
    }
}

/// The whole or decimal number that begins here.
fn read<S: Script>(text: &str, at: usize) -> Option<Read> {
    let mut sum = Sum::default();
    let mut read = Read { end: at, ..Read::default() };
    let mut rest = Exact::ZERO;
    loop {
        let above = sum.unit();
        let from = joined::<S>(text, read.end, above).unwrap_or(read.end);
        let section = section::read::<S>(text, from, above);
        let section_end = section.map_or(read.end, |section| section.end);
        let unit_at = spaces(text, section_end);
        let takes_unit = section.is_none_or(|section| section.words == 0);
        match (section, sign_at::<S>(text, unit_at)) {
            (section, Some((Sign::Large(unit), end))) if takes_unit => {
                let rest = text.get(end..).unwrap_or_default();
                let is_one = section.is_none() && above.is_none() && S::is_one(unit, rest);
                let one = is_one.then_some(Exact::ONE);
                if !sum.count_in(section.map(|section| section.value).or(one), unit) {
                    break;
                }
                if let Some(section) = section {
                    read.add(&section);
                }
                read.signs += 1;
                read.has_unit = true;
                read.end = end;
            }
            (Some(section), _) => {
                rest = section.tenth.unwrap_or(section.value);
                read.add(&section);
                break;
            }
            (None, _) => break,
        }
    }
    read.value = sum.total(rest)?;
    if read.end == at {
        return None;
    }
    Some(decimals::<S>(text, &read).unwrap_or(read))
}

/// The place where the next part begins, after a word that joins it to the number so far.
fn joined<S: Script>(text: &str, at: usize, above: Option<u32>) -> Option<usize> {
    let from = spaces(text, any_of(text, at, S::JOIN)?);
    let part = section::read::<S>(text, from, None)?;
    let is_rest = part.figures == 0 && !part.value.is_zero() && part.value.is_below_ten_to(above?);
    (is_rest && over::<S>(text, part.end).is_none()).then_some(from)
}

/// The number with the decimals that follow it, if any do.
fn decimals<S: Script>(text: &str, read: &Read) -> Option<Read> {
    let from = if S::SPACE_BEFORE_POINT { spaces(text, read.end) } else { read.end };
    let mut pos = spaces(text, any_of(text, from, S::POINT)?);
    let mut decimal = Read { is_certain: true, ..*read };
    let mut count = 0;
    while let Some((sign, end)) = sign_at::<S>(text, pos) {
        match sign {
            Sign::Digit(digit) if S::is_decimal(text.get(pos..)?) => {
                decimal.value = decimal.value.then_after_point(digit)?;
                (decimal.end, count) = (end, count + 1);
            }
            Sign::Small(1) if S::TENS_AFTER_POINT && count > 0 => {}
            _ => break,
        }
        pos = end;
    }
    // "三点五十分" is a time.
    let is_time = matches!(sign_at::<S>(text, decimal.end), Some((Sign::Small(1), _)));
    if count == 0 || is_time || !read.value.is_whole() {
        return None;
    }
    while let Some((Sign::Large(unit), end)) = sign_at::<S>(text, spaces(text, decimal.end)) {
        decimal.value = decimal.value.times_ten_to(unit)?;
        decimal.end = end;
    }
    Some(decimal)
}

/// The end of the mark between the parts of a fraction.
fn over<S: Script>(text: &str, at: usize) -> Option<usize> {
    let [first, second] = S::OVER;
    let first = any_of(text, spaces(text, at), &[first])?;
    any_of(text, spaces(text, first), &[second])
}
