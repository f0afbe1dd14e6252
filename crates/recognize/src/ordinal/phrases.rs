//! Ordinals by list: words with their endings, digits with their endings.

use super::position::{Anchor, Ordinal};
use crate::Found;
use crate::number::fold::{fold, is_letter};

/// Digits of an ordinal; more name no place in a list.
const DIGITS_MAX: usize = 9;

/// The ordinals of a language, in folded form.
pub(super) struct Phrases {
    /// Words without their endings, and what they count to from the start. Words of a phrase have
    /// single spaces.
    pub(super) ranks: &'static [(&'static str, i64)],
    /// The endings of these.
    pub(super) endings: &'static [&'static str],
    /// Whole phrases that count from elsewhere.
    pub(super) others: &'static [(&'static str, Anchor, i64)],
    /// The marks after digits: `2e`, `2º`.
    pub(super) marks: &'static [&'static str],
    /// True if nothing is written between words.
    pub(super) is_unspaced: bool,
}

/// A word of the text: where it stands, and where its folded form stands.
struct Word {
    start: usize,
    end: usize,
    folded: usize,
}

/// Every ordinal of the lists.
pub(super) fn find(text: &str, phrases: &Phrases) -> Vec<Found<Ordinal>> {
    let mut found = with_marks(text, phrases.marks);
    let (words, folded) = words(text, phrases.is_unspaced);
    let mut at = 0;
    while let Some(word) = words.get(at) {
        let rest = folded.get(word.folded..).unwrap_or_default();
        let Some((value, length)) = longest(rest, phrases) else {
            at += 1;
            continue;
        };
        let last = word.folded + length;
        let next = at + words.iter().skip(at).take_while(|word| word.folded < last).count();
        let end = words.get(next - 1).map_or(word.end, |word| word.end);
        found.push(Found { value, start: word.start, end });
        at = next;
    }
    found
}

/// The longest phrase that `rest` begins with and its length in bytes.
fn longest(rest: &str, phrases: &Phrases) -> Option<(Ordinal, usize)> {
    let ends = |length: usize| {
        phrases.is_unspaced
            || rest.get(length..).is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
    };
    let ranks = phrases.ranks.iter().filter_map(|(stem, rank)| {
        let after = rest.strip_prefix(stem)?;
        let ending = phrases.endings.iter().filter(|ending| after.starts_with(**ending));
        let length =
            ending.map(|ending| stem.len() + ending.len()).filter(|length| ends(*length)).max()?;
        Some((Ordinal::start(*rank), length))
    });
    let others = phrases.others.iter().filter_map(|(phrase, from, offset)| {
        let is_there = rest.starts_with(phrase) && ends(phrase.len());
        is_there.then_some((Ordinal { offset: *offset, from: *from }, phrase.len()))
    });
    ranks.chain(others).max_by_key(|(_, length)| *length)
}

/// The words of a text, and all of them folded with single spaces between; a stop stands as a bar,
/// which no phrase has.
fn words(text: &str, is_unspaced: bool) -> (Vec<Word>, String) {
    let mut words = Vec::new();
    let (mut all, mut one) = (String::with_capacity(text.len() + 8), String::new());
    let mut at = 0;
    while let Some(letter) = text.get(at..).and_then(|rest| rest.chars().next()) {
        let rest = text.get(at..).unwrap_or_default();
        let is_word = |letter: char| is_letter(letter) || matches!(letter, '\u{93c}' | '\u{94d}');
        if !is_word(letter) {
            // Hyphens join the words of an ordinal: vingt-deuxième.
            if !letter.is_whitespace() && letter != '-' {
                all.push_str("| ");
            }
            at += letter.len_utf8();
            continue;
        }
        let length = if is_unspaced {
            letter.len_utf8()
        } else {
            rest.find(|letter| !is_word(letter)).unwrap_or(rest.len())
        };
        fold(rest.get(..length).unwrap_or_default(), &mut one);
        words.push(Word { start: at, end: at + length, folded: all.len() });
        all.push_str(&one);
        if !is_unspaced {
            all.push(' ');
        }
        at += length;
    }
    (words, all)
}

/// Digits right before one of the marks, which no letter or digit follows.
pub(super) fn with_marks(text: &str, marks: &[&str]) -> Vec<Found<Ordinal>> {
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(skip) = bytes.get(at..).and_then(|rest| rest.iter().position(u8::is_ascii_digit))
    {
        let start = at + skip;
        let rest = bytes.get(start..).unwrap_or_default();
        let digits = start + rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
        at = digits;
        let before = text.get(..start).unwrap_or_default().chars().next_back();
        if before.is_some_and(|before| is_letter(before) || matches!(before, '.' | ',' | '_' | '/'))
        {
            continue;
        }
        let after = text.get(digits..).unwrap_or_default();
        let end = marks.iter().filter_map(|mark| mark_end(after, mark)).max();
        let rank = text.get(start..digits).filter(|digits| digits.len() <= DIGITS_MAX);
        if let (Some(length), Some(Ok(rank))) = (end, rank.map(str::parse)) {
            found.push(Found { value: Ordinal::start(rank), start, end: digits + length });
        }
    }
    found
}

/// The length of a mark that a text begins with.
fn mark_end(after: &str, mark: &str) -> Option<usize> {
    let begin = after.get(..mark.len())?;
    let is_same = begin.eq_ignore_ascii_case(mark);
    let next = after.get(mark.len()..)?.chars().next();
    // A mark in a script without spaces may be followed by anything.
    let goes_on =
        mark.is_ascii() && next.is_some_and(|next| is_letter(next) || next.is_ascii_digit());
    (is_same && !goes_on).then_some(mark.len())
}
