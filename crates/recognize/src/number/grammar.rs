//! Number grammar of a language: the meaning of its words, and how they may be joined.

use super::digits::{Literal, Separators};

/// The meaning of a word, or of a part of a long word.
#[derive(Clone, Copy, Debug)]
pub(super) enum Term {
    /// Anything that is not part of a number.
    Break,
    /// A number in digits.
    Literal(Literal),
    /// Zero to ninety-nine.
    Small(u8),
    /// A word that is hundreds by itself: `doscientos`.
    Hundreds(u16),
    /// Hundred, thousand, million: multiplies the number before it; alone it counts once.
    Times(u64),
    /// The same in plural, which is a number only after another: "millions".
    Many(u64),
    /// A dozen or a gross.
    Dozen(u16),
    /// An ordinal word, also the lower part of a fraction: "fifth", "hundredth".
    Ordinal(u64, Plural),
    /// Makes an ordinal of the number before it: `avos`.
    Part,
    /// A half, which needs no number before it.
    Half,
    /// A quarter: a part that is no ordinal.
    Quarter,
    /// "and a half" in one word, added to what stands before it: `buçuk`, `einhalb`.
    AndHalf,
    /// A fraction in one word: `anderthalb`, `driekwart`.
    Mixed(u8, u8),
    /// Between a number and its lower part: "over".
    Over,
    /// The same, where the upper part cannot be the larger: "out of".
    OutOf,
    /// The same, where the upper part is one: "in".
    OneIn,
    /// The lower part of a fraction that comes first: `üçte bir`. The value is that of the part.
    Among(u64),
    And,
    /// Between a number and its decimals or its fraction: `con`.
    With,
    /// The decimal point in words.
    Point,
    Minus,
    /// A word that is one before a hundred, a dozen or a part, and else is no number: "a".
    Article,
    /// Between a fraction and what it is of: "quarter of a million".
    Of,
    Dash {
        is_spaced: bool,
    },
    Slash,
}

/// True for an ordinal word in the plural: "fifths".
pub(super) type Plural = bool;

/// Joins two small numbers with nothing larger between them: twenty and one. `None` when they are
/// two numbers.
pub(super) type Join = fn(first: u8, second: u8, with_and: bool) -> Option<u8>;

/// The way to tell the lower part of a fraction from the upper.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Split {
    /// "one hundred thirty fifths" is 100/35, and "a fifth" needs its article.
    English,
    /// The lower part is the last word alone if the rest is a number: `ciento treinta quintos` is
    /// 130/5.
    LastWord,
    /// The same, and of several words before it only the last is the upper part:
    /// `tweehonderd drie vijfde` is 200 3/5.
    TwoWords,
}

/// A language.
#[derive(Debug)]
pub(super) struct Grammar {
    pub(super) separators: Separators,
    /// Words in folded form, sorted.
    pub(super) words: &'static [(&'static str, Term)],
    /// Ordinal words in folded form without their endings, sorted.
    pub(super) ordinals: &'static [(&'static str, u64)],
    /// The endings of ordinals; plural or not.
    pub(super) endings: &'static [(&'static str, Plural)],
    /// Pairs of words that are one term.
    pub(super) phrases: &'static [(&'static str, &'static str, Term)],
    pub(super) join: Join,
    /// True if numbers are written as one long word.
    pub(super) is_compound: bool,
    /// True if "and" may follow hundreds and thousands.
    pub(super) has_and: bool,
    /// True if digits may go on after a hundred in words: "3 hundred and 21".
    pub(super) has_digits_after_words: bool,
    /// True if a thousand after a million needs no "one": `millón mil`.
    pub(super) has_bare_thousands: bool,
    /// True if the last "and" stands between the whole number and the fraction.
    pub(super) has_and_before_fraction: bool,
    pub(super) split: Split,
    /// Reports whether a number at a place is not one after all: "this one".
    pub(super) is_excluded: fn(before: &str, word: &str) -> bool,
}

impl Grammar {
    /// The defaults that most languages share.
    pub(super) const PLAIN: Self = Self {
        separators: Separators::COMMA,
        words: &[],
        ordinals: &[],
        endings: &[("", false)],
        phrases: &[],
        join: tens_and_units,
        is_compound: false,
        has_and: true,
        has_digits_after_words: true,
        has_bare_thousands: true,
        has_and_before_fraction: true,
        split: Split::LastWord,
        is_excluded: never,
    };
}

/// Twenty-one; with "and" only where a language says so.
pub(super) fn tens_and_units(first: u8, second: u8, with_and: bool) -> Option<u8> {
    let fits = first >= 20 && first.is_multiple_of(10) && (1..10).contains(&second);
    (fits && !with_and).then(|| first + second)
}

/// Thirty and one, as in `treinta y uno`, also without "and".
pub(super) fn tens_perhaps_and_units(first: u8, second: u8, _with_and: bool) -> Option<u8> {
    tens_and_units(first, second, false)
}

/// One and twenty, as in `einundzwanzig`.
pub(super) fn units_and_tens(first: u8, second: u8, with_and: bool) -> Option<u8> {
    if with_and {
        return tens_and_units(second, first, false);
    }
    None
}

fn never(_before: &str, _word: &str) -> bool {
    false
}

/// Reports whether a text ends with a word, in letters of any size.
pub(super) fn ends_with_word(text: &str, word: &str) -> bool {
    let last = text.trim_end().rsplit(|letter: char| !letter.is_alphabetic()).next();
    last.is_some_and(|last| last.eq_ignore_ascii_case(word))
}
