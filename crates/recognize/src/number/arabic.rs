//! Numbers in Arabic: in words, in Arabic or Latin digits, and mixed.
//!
//! Formulas are read as they look, too: in text that runs from right to left, people type `٢٥٠٠^-١`
//! from its other end.

mod part;
mod read;
mod reversed;
mod words;

use super::exact::Exact;
use super::figures::{self, Marks};
use super::speech::{self, Speech, fraction, from, word};
use super::value::Number;
use crate::Found;
use part::{Part, part};
use read::Run;
use words::Word;

/// Every number in a text.
pub(super) fn find(text: &str) -> Vec<Found<Number>> {
    speech::find::<Arabic>(text)
}

struct Arabic;

impl Speech for Arabic {
    type Word = Word;
    const MARKS: Marks = Marks {
        group: &['،', '٬', ',', '.'],
        decimal: &[',', '٫', '.'],
        cents: false,
        pairs: false,
    };
    const AND: Word = Word::And;
    const MINUS: Word = Word::Minus;

    fn is_letter(c: char) -> bool {
        matches!(c, '\u{620}'..='\u{65f}' | '\u{670}'..='\u{6d3}' | '\u{200c}' | '\u{200d}')
            || c.is_ascii_alphabetic()
    }

    fn word(word: &str) -> Option<(Word, usize)> {
        words::word(word)
    }

    fn special(
        text: &str,
        at: usize,
        plain: (Exact, usize),
        is_negative: bool,
    ) -> Option<(Number, usize)> {
        reversed::power::<Self>(text, plain, is_negative)
            .or_else(|| reversed::mixed::<Self>(text, at, plain, is_negative))
            .or_else(|| figures::special(text, at, plain, Self::MARKS, is_negative))
    }

    fn number(run: &Run) -> Option<(Number, usize)> {
        match part(run, false)? {
            Part::Fraction(size, pieces) => fraction(size, pieces),
            Part::Dozens(count, pieces) => count.number().zip(Some(pieces)),
            Part::Whole(whole, pieces) => {
                let more = word(run, pieces).filter(|word| *word == Word::And);
                match more.and_then(|_| part(from(run, pieces + 1), true)) {
                    Some(Part::Fraction(size, more)) => {
                        fraction(whole.to_f64() + size, pieces + 1 + more)
                    }
                    Some(Part::Dozens(count, more)) => {
                        whole.plus(count)?.number().zip(Some(pieces + 1 + more))
                    }
                    _ => whole.number().zip(Some(pieces)),
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::Language::Arabic;
    use crate::number::testing::check;

    #[test]
    fn numbers_in_words() {
        check(Arabic, "سبعة وأربعون", &["47"]);
        check(Arabic, "تسعمائة وثلاثة عشر", &["913"]);
        check(Arabic, "ألفان وخمسمئة", &["2500"]);
        check(Arabic, "أربعة ملايين ومئتا ألف وستون", &["4200060"]);
        check(Arabic, "ناقص ثمانية", &["-8"]);
        check(Arabic, "خمسة، ستة", &["5", "6"]);
        check(Arabic, "أحمد وثلاثة أولاد", &["3"]);
        check(Arabic, "ألف وصفر", &["1000", "0"]);
        check(Arabic, "ولد وبنت", &[]);
    }

    #[test]
    fn numbers_in_digits_of_both_scripts() {
        check(Arabic, "٧،٦٥٤،٣٢١", &["7654321"]);
        check(Arabic, "٦,٥٠ ريال", &["6.5"]);
        check(Arabic, "٣,٧٥٠", &["3.75"]);
        check(Arabic, "٥ آلاف و 20", &["5020"]);
        check(Arabic, "٣مل", &[]);
        check(Arabic, "8-3", &["8", "3"]);
    }

    #[test]
    fn formulas_are_read_from_both_ends() {
        check(Arabic, "٢^٥", &["32"]);
        check(Arabic, "٢-^٤", &["0.0625"]);
        check(Arabic, "١/٢ ٧", &["7.5"]);
        check(Arabic, "٧ ١/٢", &["7.5"]);
    }

    #[test]
    fn fractions_and_dozens() {
        check(Arabic, "خمسة أسداس", &["0.833333333333333"]);
        check(Arabic, "سبعة وثلاثة أرباع", &["7.75"]);
        check(Arabic, "تسعة وثلث", &["9.33333333333333"]);
        check(Arabic, "سبعة على ثمانية", &["0.875"]);
        check(Arabic, "جزء من ألف", &["0.001"]);
        check(Arabic, "خمس الكعكة", &["0.2"]);
        check(Arabic, "خمس سيارات", &["5"]);
        check(Arabic, "أربع دزينات", &["48"]);
        check(Arabic, "مئة ودزينة", &["112"]);
        check(Arabic, "سبعة على صفر", &["7", "0"]);
        check(Arabic, "ستة فاصلة خمسة وعشرون", &["6.25"]);
        check(Arabic, "ستة فاصلة صفر خمسة", &["6.05"]);
    }
}
