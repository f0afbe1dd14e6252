//! Yes or no, in words, slang and signs.
//!
//! One answer at most is found in a text: the first, because people explain themselves after they
//! answered ("yes... I said no onions"); a refusal of several words ("not ok") counts for more than
//! a single word, and what is no more than a hint ("sounds good") counts only where nothing clearer
//! stands. A negation before a word turns it ("I don't agree").

mod arabic;
mod bulgarian;
mod chinese;
mod dutch;
mod english;
mod french;
mod german;
mod hindi;
mod italian;
mod japanese;
mod korean;
mod portuguese;
mod russian;
mod spanish;
mod swedish;
mod turkish;
mod words;

use super::number::fold::fold;
use super::{Found, Language};
use words::Words;

/// The longest text that is searched, in bytes. Nothing is found in a longer one.
const TEXT_BYTES_MAX: usize = 10_000;

/// The reach of a negation: how many words may stand between it and the word that it turns, itself
/// included.
const NEGATION_REACH: usize = 2;

/// The answer in a text: one at most, as a list so that it is used like the other recognisers.
///
/// # Example
/// ```
/// use sayso_recognize::{Language, yes_or_no};
///
/// assert!(yes_or_no("Sure, why not", Language::English)[0].value);
/// assert!(!yes_or_no("je ne suis pas d'accord", Language::French)[0].value);
/// assert!(yes_or_no("maybe", Language::English).is_empty());
/// ```
#[must_use]
pub fn yes_or_no(text: &str, language: Language) -> Vec<Found<bool>> {
    if text.len() > TEXT_BYTES_MAX {
        return Vec::new();
    }
    let words = words(language);
    let pieces = pieces(text, words.is_unspaced);
    let mut best: Option<(usize, Found<bool>)> = None;
    let mut at = 0;
    while at < pieces.list.len() {
        let Some(hit) = pieces.hit(at, words) else {
            at += 1;
            continue;
        };
        let next = at + hit.length;
        if let Some(value) = hit.value
            && best.as_ref().is_none_or(|(weight, _)| hit.weight > *weight)
        {
            let start = pieces.list.get(at).map_or(0, |piece| piece.start);
            let end = pieces.list.get(next - 1).map_or(start, |piece| piece.end);
            best = Some((hit.weight, Found { value, start, end }));
        }
        at = next;
    }
    best.map(|(_, found)| found).into_iter().collect()
}

const fn words(language: Language) -> &'static Words {
    match language {
        Language::Arabic => &arabic::WORDS,
        Language::Bulgarian => &bulgarian::WORDS,
        Language::Chinese => &chinese::WORDS,
        Language::Dutch => &dutch::WORDS,
        Language::English => &english::WORDS,
        Language::French => &french::WORDS,
        Language::German => &german::WORDS,
        Language::Hindi => &hindi::WORDS,
        Language::Italian => &italian::WORDS,
        Language::Japanese => &japanese::WORDS,
        Language::Korean => &korean::WORDS,
        Language::Portuguese => &portuguese::WORDS,
        Language::Russian => &russian::WORDS,
        Language::Spanish => &spanish::WORDS,
        Language::Swedish => &swedish::WORDS,
        Language::Turkish => &turkish::WORDS,
    }
}

/// A word, or a single character where words are not spaced, or an emoji.
struct Piece {
    start: usize,
    end: usize,
    /// The byte range of its folded form.
    folded: (usize, usize),
    /// The number of its clause; punctuation ends one.
    clause: usize,
    sign: Option<bool>,
}

struct Pieces {
    list: Vec<Piece>,
    folded: String,
}

/// A phrase that was found at a place.
struct Hit {
    value: Option<bool>,
    /// In pieces.
    length: usize,
    weight: usize,
}

/// Takes a text apart.
fn pieces(text: &str, is_unspaced: bool) -> Pieces {
    let mut pieces = Pieces { list: Vec::with_capacity(8), folded: String::new() };
    let mut clause = 0;
    let mut word = String::new();
    let mut letters = text.char_indices().peekable();
    while let Some((start, letter)) = letters.next() {
        let mut end = start + letter.len_utf8();
        if let Some(value) = emoji(letter) {
            if let Some((at, tone @ '\u{1f3fb}'..='\u{1f3ff}')) = letters.peek() {
                end = at + tone.len_utf8();
                letters.next();
            }
            pieces.push("", start, end, clause, Some(value));
            continue;
        }
        if !is_part_of_word(letter) {
            clause += usize::from(!letter.is_whitespace());
            continue;
        }
        let is_single = is_unspaced && !letter.is_ascii();
        while !is_single
            && let Some((at, next)) = letters
                .next_if(|(_, next)| is_part_of_word(*next) && (next.is_ascii() || !is_unspaced))
        {
            end = at + next.len_utf8();
        }
        normalise(text.get(start..end).unwrap_or_default(), &mut word);
        pieces.push(&word, start, end, clause, None);
    }
    pieces
}

impl Pieces {
    fn push(&mut self, folded: &str, start: usize, end: usize, clause: usize, sign: Option<bool>) {
        let from = self.folded.len();
        self.folded.push_str(folded);
        let folded = (from, self.folded.len());
        self.list.push(Piece { start, end, folded, clause, sign });
    }

    fn hit(&self, at: usize, words: &Words) -> Option<Hit> {
        let piece = self.list.get(at)?;
        if piece.sign.is_some() {
            return Some(Hit { value: piece.sign, length: 1, weight: 1 });
        }
        let first = self.text(piece).as_bytes().first();
        let longest = |list: &[&str]| {
            let near = list.iter().filter(|entry| entry.as_bytes().first() == first);
            near.filter_map(|entry| self.length(at, entry, words)).max()
        };
        let lists = [
            (words.neither, None, 0),
            (words.no, Some(false), 2),
            (words.yes, Some(true), 1),
            (words.maybe_no, Some(false), 0),
            (words.maybe_yes, Some(true), 0),
        ];
        let mut best: Option<Hit> = None;
        for (list, value, weight) in lists {
            let Some(length) = longest(list) else { continue };
            if best.as_ref().is_none_or(|best| length > best.length) {
                // A refusal of several words weighs more than a word.
                let weight = if weight == 2 && !words.is_unspaced { length } else { weight.min(1) };
                best = Some(Hit { value, length, weight });
            }
        }
        let best = best.or_else(|| self.alone(words));
        best.map(|hit| match hit.value {
            Some(true) if self.is_negated(at, words) => Hit { value: Some(false), ..hit },
            _ => hit,
        })
    }

    /// An answer of one word or letter that is all that was said.
    fn alone(&self, words: &Words) -> Option<Hit> {
        let [piece] = self.list.as_slice() else { return None };
        let is_in = |list: &[&str]| list.contains(&self.text(piece));
        let value = match (is_in(words.alone_yes), is_in(words.alone_no)) {
            (true, _) => true,
            (_, true) => false,
            _ => return None,
        };
        Some(Hit { value: Some(value), length: 1, weight: 1 })
    }

    /// Returns how many pieces a phrase takes from `at`, if it stands there.
    fn length(&self, at: usize, entry: &str, words: &Words) -> Option<usize> {
        let clause = self.list.get(at)?.clause;
        let mut rest = entry;
        let mut length = 0;
        while !rest.is_empty() {
            let piece = self.list.get(at + length).filter(|piece| piece.clause == clause)?;
            let text = self.text(piece);
            rest = rest.strip_prefix(text).filter(|_| !text.is_empty())?;
            length += 1;
            if !words.is_unspaced && !rest.is_empty() {
                rest = rest.strip_prefix(' ')?;
            }
        }
        Some(length)
    }

    fn is_negated(&self, at: usize, words: &Words) -> bool {
        let Some(clause) = self.list.get(at).map(|piece| piece.clause) else { return false };
        let before = self.list.get(at.saturating_sub(NEGATION_REACH)..at).unwrap_or_default();
        before
            .iter()
            .any(|piece| piece.clause == clause && words.negations.contains(&self.text(piece)))
    }

    fn text(&self, piece: &Piece) -> &str {
        self.folded.get(piece.folded.0..piece.folded.1).unwrap_or_default()
    }
}

/// The meaning of an emoji as an answer.
const fn emoji(letter: char) -> Option<bool> {
    match letter {
        '👍' | '👌' | '✅' | '✔' | '☑' | '🆗' | '💯' | '🙆' => Some(true),
        '👎' | '✋' | '🖐' | '❌' | '✖' | '🙅' | '🚫' | '⛔' | '🛑' => Some(false),
        _ => None,
    }
}

/// Letters, the marks on them, and apostrophes.
fn is_part_of_word(letter: char) -> bool {
    letter.is_alphanumeric()
        || matches!(letter, '\'' | '’' | '\u{300}'..='\u{36f}' | '\u{64b}'..='\u{652}')
        || matches!(letter, '\u{93c}' | '\u{94d}' | '\u{200c}' | '\u{200d}')
}

/// The folded form; in Arabic also without vowel marks and with one form of each letter.
fn normalise(word: &str, into: &mut String) {
    fold(word, into);
    shorten(into);
    if into.is_ascii() {
        return;
    }
    let plain = |letter: char| match letter {
        'أ' | 'إ' | 'آ' => Some('ا'),
        'ى' => Some('ي'),
        'ة' => Some('ه'),
        '’' => Some('\''),
        // Letters of Hindi with the dot that many leave out.
        '\u{958}' => Some('क'),
        '\u{959}' => Some('ख'),
        '\u{95a}' => Some('ग'),
        '\u{95b}' => Some('ज'),
        '\u{95c}' => Some('ड'),
        '\u{95d}' => Some('ढ'),
        '\u{95e}' => Some('फ'),
        '\u{64b}'..='\u{652}' | '\u{640}' | '\u{93c}' | '\u{200c}' | '\u{200d}' => None,
        other => Some(other),
    };
    *into = into.chars().filter_map(plain).collect();
}

/// One letter for three or more in a row: "noooo".
fn shorten(word: &mut String) {
    let is_run = |three: &[u8]| matches!(three, [a, b, c] if a == b && b == c);
    if !word.is_ascii() || !word.as_bytes().windows(3).any(is_run) {
        return;
    }
    let mut last = None;
    word.retain(|letter| last.replace(letter) != Some(letter));
}

#[cfg(test)]
mod tests;
