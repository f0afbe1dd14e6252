//! The numerals of a language: its signs, its words and its marks.

use super::super::exact::Exact;
use super::super::figures::Marks;

/// The meaning of a sign in a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super) enum Sign {
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
pub(in super::super) trait Script {
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
pub(in super::super) struct Read {
    pub(in super::super) value: Exact,
    pub(in super::super) end: usize,
    /// The number of signs read.
    pub(in super::super) signs: usize,
    /// The number of rows of figures read.
    pub(in super::super) figures: usize,
    /// The number of words of the language's own kind read.
    pub(in super::super) words: usize,
    /// True if it has a unit of any size.
    pub(in super::super) has_unit: bool,
    /// True if it is part of a fraction, a decimal or a dozen, which leave no doubt.
    pub(in super::super) is_certain: bool,
}
