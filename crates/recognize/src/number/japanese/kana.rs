//! Japanese numbers spelled in hiragana, sound shifts included ("さんびゃく", "はっせん").
//!
//! Kana number words are also parts of other words, so a number is one only if it fills what stands
//! between spaces and other scripts, up to a particle; and a word for a digit that is also a
//! particle is one only if it is all the text.

use super::super::exact::{Exact, Sum};
use super::super::text::any_of;
use super::super::value::Number;
use crate::Found;

/// The contribution of a word: a digit, or a unit as a power of ten.
#[derive(Clone, Copy)]
enum Word {
    Digit(i128),
    Unit(u32),
}

/// Longer words stand before those that they begin with.
const WORDS: &[(&str, Word)] = &[
    ("ゼロ", Word::Digit(0)),
    ("れい", Word::Digit(0)),
    ("いち", Word::Digit(1)),
    ("いっ", Word::Digit(1)),
    ("さん", Word::Digit(3)),
    ("よん", Word::Digit(4)),
    ("ろく", Word::Digit(6)),
    ("ろっ", Word::Digit(6)),
    ("しち", Word::Digit(7)),
    ("なな", Word::Digit(7)),
    ("はち", Word::Digit(8)),
    ("はっ", Word::Digit(8)),
    ("きゅう", Word::Digit(9)),
    ("じゅう", Word::Unit(1)),
    ("じゅっ", Word::Unit(1)),
    ("ひゃく", Word::Unit(2)),
    ("びゃく", Word::Unit(2)),
    ("ぴゃく", Word::Unit(2)),
    ("せん", Word::Unit(3)),
    ("ぜん", Word::Unit(3)),
    ("まん", Word::Unit(4)),
    ("おく", Word::Unit(8)),
    ("ちょう", Word::Unit(12)),
    ("に", Word::Digit(2)),
    ("し", Word::Digit(4)),
    ("よ", Word::Digit(4)),
    ("ご", Word::Digit(5)),
    ("く", Word::Digit(9)),
];

/// Particles that may follow a number in kana without a space.
const PARTICLES: &[&str] =
    &["です", "でした", "だ", "は", "が", "を", "と", "の", "も", "つ", "えん", "にん", "こ"];

/// Words for one digit that are seldom anything else.
const CLEAR: &[&str] =
    &["ゼロ", "いち", "よん", "ろく", "しち", "なな", "はち", "きゅう", "じゅう", "ひゃく"];

/// Every number in kana.
pub(super) fn find(text: &str) -> Vec<Found<Number>> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(rest) = text.get(at..).filter(|rest| !rest.is_empty()) {
        let start = at + rest.find(is_kana).unwrap_or(rest.len());
        let run = text.get(start..).unwrap_or_default();
        let end = start + run.find(|c| !is_kana(c)).unwrap_or(run.len());
        if let Some((value, length)) = number(text, start, end) {
            found.push(Found { value, start, end: start + length });
        }
        at = end.max(at + 1);
        while !text.is_char_boundary(at) {
            at += 1;
        }
    }
    found
}

fn is_kana(c: char) -> bool {
    matches!(c, 'ぁ'..='ん' | 'ゼ' | 'ロ' | 'ー')
}

/// The number that a row of kana is, and its length.
fn number(text: &str, start: usize, end: usize) -> Option<(Number, usize)> {
    let row = text.get(start..end).filter(|row| !row.is_empty())?;
    let (mut sum, mut section, mut digit) = (Sum::default(), Sum::default(), None);
    let (mut at, mut words) = (0, 0);
    while let Some((word, length)) = word(row.get(at..)?) {
        match word {
            Word::Digit(_) if digit.is_some() => break,
            Word::Digit(value) => digit = Some(Exact::whole(value)),
            Word::Unit(unit @ 1..=3) => {
                let is_next = section.unit().is_none_or(|last| unit < last);
                if !is_next || !section.count_in(digit.take().or(Some(Exact::ONE)), unit) {
                    return None;
                }
            }
            Word::Unit(unit) => {
                let count = section.total(digit.take().unwrap_or(Exact::ZERO))?;
                section = Sum::default();
                if count.is_zero() || !sum.count_in(Some(count), unit) {
                    return None;
                }
            }
        }
        at += length;
        words += 1;
    }
    let is_end = at == row.len() || (words > 1 && any_of(row, at, PARTICLES) == Some(row.len()));
    let is_clear =
        words > 1 || text.trim() == row || row.get(..at).is_some_and(|w| CLEAR.contains(&w));
    if words == 0 || !is_end || !is_clear {
        return None;
    }
    let rest = section.total(digit.unwrap_or(Exact::ZERO))?;
    sum.total(rest)?.number().zip(Some(at))
}

fn word(rest: &str) -> Option<(Word, usize)> {
    WORDS.iter().find(|(word, _)| rest.starts_with(word)).map(|(word, value)| (*value, word.len()))
}
