//! Numbers in Hindi: in words, in Devanagari or Latin digits, and mixed ("4 हजार 3 सौ और 21").

mod read;
mod words;

use super::exact::Exact;
use super::figures::Marks;
use super::speech::{self, Speech, fraction, from};
use super::value::Number;
use crate::Found;
use read::{Run, read, word_at};
use words::{Meaning, Word};

/// Every number in a text.
pub(super) fn find(text: &str) -> Vec<Found<Number>> {
    speech::find::<Hindi>(text)
}

struct Hindi;

impl Speech for Hindi {
    type Word = Meaning;
    const MARKS: Marks = Marks { group: &[','], decimal: &['.'], cents: false, pairs: true };
    const AND: Meaning = Meaning { word: Word::And, is_ordinal: false };
    const MINUS: Meaning = Meaning { word: Word::Minus, is_ordinal: false };

    /// Neither digits nor the full stop of Devanagari.
    fn is_letter(c: char) -> bool {
        matches!(c, '\u{900}'..='\u{963}' | '\u{970}'..='\u{97f}' | '\u{200c}' | '\u{200d}')
            || c.is_ascii_alphabetic()
    }

    fn word(word: &str) -> Option<(Meaning, usize)> {
        words::meaning(word).zip(Some(0))
    }

    fn number(run: &Run) -> Option<(Number, usize)> {
        match part(run)? {
            Part::Fraction(size, pieces) => fraction(size, pieces),
            Part::Dozens(count, pieces) => count.number().zip(Some(pieces)),
            Part::Whole(whole, pieces) => {
                let more = word_at(run, pieces).filter(|word| *word == Word::And);
                match more.and_then(|_| part(from(run, pieces + 1))) {
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

/// The first reading of a run, and how many pieces it takes.
enum Part {
    Whole(Exact, usize),
    Fraction(f64, usize),
    Dozens(Exact, usize),
}

/// "आधा", "तीन चौथाई", "पांच बटा आठ", "एक का सौवां", "तीन में से एक", "दो दर्जन", or just a number.
fn part(run: &Run) -> Option<Part> {
    match word_at(run, 0) {
        Some(Word::Half) if word_at(run, 1) == Some(Word::Dozen) => {
            return Some(Part::Dozens(Exact::whole(6), 2));
        }
        Some(Word::Half) => return Some(Part::Fraction(0.5, 1)),
        Some(Word::Part(parts)) => return Some(Part::Fraction(1.0 / f64::from(parts), 1)),
        Some(Word::Dozen) => return Some(Part::Dozens(Exact::whole(12), 1)),
        _ => {}
    }
    let first = read(run).filter(|first| !first.is_ordinal)?;
    let at = first.pieces;
    if word_at(run, at) == Some(Word::Dozen) {
        return Some(Part::Dozens(first.value.times(12)?, at + 1));
    }
    if let Some(Word::Part(parts)) = word_at(run, at) {
        return Some(Part::Fraction(first.value.to_f64() / f64::from(parts), at + 1));
    }
    Some(match divided(run, first.value, at) {
        Some((size, pieces)) => Part::Fraction(size, pieces),
        None => Part::Whole(first.value, at),
    })
}

/// The number that was read, divided by what follows it.
fn divided(run: &Run, first: Exact, at: usize) -> Option<(f64, usize)> {
    let word = word_at(run, at)?;
    let is_of_all = word == Word::In && word_at(run, at + 1) == Some(Word::From);
    let next_at = match word {
        Word::In if is_of_all => at + 2,
        Word::Over | Word::Of | Word::In => at + 1,
        // "दो पांचवां" is two fifths.
        Word::Number(_) => at,
        _ => return None,
    };
    let next = read(from(run, next_at))?;
    let (over, under) = if is_of_all { (next.value, first) } else { (first, next.value) };
    let is_clear = word == Word::Over || next.is_ordinal != is_of_all;
    (is_clear && !under.is_zero()).then(|| (over.to_f64() / under.to_f64(), next_at + next.pieces))
}

#[cfg(test)]
mod tests {
    use crate::Language::Hindi;
    use crate::number::testing::check;

    #[test]
    fn numbers_in_words() {
        check(Hindi, "सात सौ उनतालीस", &["739"]);
        check(Hindi, "नौ करोड़ बारह लाख छह हज़ार", &["91206000"]);
        check(Hindi, "दस हजार करोड़ का बजट", &["100000000000"]);
        check(Hindi, "थर्टी सेवन", &["37"]);
        check(Hindi, "ऋण छियासी", &["-86"]);
        check(Hindi, "पचास, साठ और सत्तर", &["50", "60", "70"]);
        check(Hindi, "तीन सौ और शून्य", &["300", "0"]);
    }

    #[test]
    fn numbers_in_digits_of_both_scripts() {
        check(Hindi, "७,६५,४३२ रुपए", &["765432"]);
        check(Hindi, "५ लाख 20 हजार", &["520000"]);
        check(Hindi, "2^३ और १/८", &["8", "0.125"]);
        check(Hindi, "10.5किलो", &[]);
        check(Hindi, "7-5 - 3", &["7", "5", "3"]);
    }

    #[test]
    fn quarters_and_halves() {
        check(Hindi, "साढ़े चार हजार", &["4500"]);
        check(Hindi, "पौने तीन", &["2.75"]);
        check(Hindi, "सवा सात", &["7.25"]);
        check(Hindi, "ढाई करोड़", &["25000000"]);
        check(Hindi, "आधा दर्जन केले", &["6"]);
        check(Hindi, "चार सौ और तीन दर्जन", &["436"]);
    }

    #[test]
    fn fractions_and_decimals() {
        check(Hindi, "सात बटा दो", &["3.5"]);
        check(Hindi, "छह का चौथा हिस्सा", &["1.5"]);
        check(Hindi, "आठ में से दो", &["0.25"]);
        check(Hindi, "नौ और तीन चौथाई", &["9.75"]);
        check(Hindi, "बारह दशमलव शून्य पांच", &["12.05"]);
        check(Hindi, "पांच बटा शून्य", &["5", "0"]);
        check(Hindi, "पांचवां आदमी", &[]);
    }
}
