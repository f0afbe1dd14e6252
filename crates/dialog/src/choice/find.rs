//! Fuzzy search for the values of choices in a text that a person wrote.

use super::token::{Token, tokenize};
use crate::recognize::Found;

/// Options of the search for choices in an answer.
///
/// # Example
/// ```
/// use sayso_dialog::choice::FindOptions;
///
/// let options = FindOptions { allow_partial_matches: true, ..FindOptions::default() };
/// assert_eq!(options.max_token_distance, 2);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FindOptions {
    /// True if some words of a choice are enough.
    pub allow_partial_matches: bool,
    /// The most other words that may stand between two words of a choice.
    pub max_token_distance: usize,
    /// True if values are not searched for.
    pub no_value: bool,
    /// True if titles of actions are not searched for.
    pub no_action: bool,
    /// True if "the second one" picks a choice when no word of one was found.
    pub recognize_ordinals: bool,
    /// True if "2" and "two" pick a choice when no word of one was found.
    pub recognize_numbers: bool,
}

impl Default for FindOptions {
    fn default() -> Self {
        Self {
            allow_partial_matches: false,
            max_token_distance: 2,
            no_value: false,
            no_action: false,
            recognize_ordinals: true,
            recognize_numbers: true,
        }
    }
}

/// A text to look for, and which thing it stands for. Several may stand for the same thing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Candidate<'a> {
    /// The text.
    pub text: &'a str,
    /// The number of the thing it stands for.
    pub index: usize,
}

/// A text that was found.
#[derive(Clone, Debug, PartialEq)]
pub struct FoundValue {
    /// The text of the candidate.
    pub value: String,
    /// The number of the thing it stands for.
    pub index: usize,
    /// The quality of the match, above 0 and up to 1.
    pub score: f64,
}

/// Finds candidates in a text, each thing at most once, in the order of the text.
///
/// When the whole text is a candidate, in either case, it is the only one found. Else the words of
/// each candidate are searched in their order, with up to
/// [`max_token_distance`](FindOptions::max_token_distance) other words between two of them. The
/// score is the share of the candidate's words that were found, times their share of the words from
/// the first to the last. Where two candidates want the same word the better score has it, then the
/// longer text.
///
/// A text in a script that is written without spaces is also searched for candidates of two
/// characters and more that stand anywhere in it, if its words led to nothing.
///
/// Offsets are bytes of `text`.
///
/// # Example
/// ```
/// use sayso_dialog::choice::{find_values, Candidate, FindOptions};
///
/// let candidates = [Candidate { text: "Bay Ridge", index: 0 }];
/// let found = find_values("to bay, eh, ridge", &candidates, &FindOptions::default());
/// assert_eq!((found[0].value.index, found[0].start, found[0].end), (0, 3, 17));
/// assert!((found[0].value.score - 2.0 / 3.0).abs() < 1e-9);
/// ```
#[must_use]
pub fn find_values(
    text: &str,
    candidates: &[Candidate<'_>],
    options: &FindOptions,
) -> Vec<Found<FoundValue>> {
    if let Some(found) = whole(text, candidates) {
        return vec![found];
    }
    let mut candidates = candidates.to_vec();
    // The sort is stable, so that of two equal texts the first wins. Lengths are those of the SDKs.
    candidates.sort_by_key(|candidate| std::cmp::Reverse(candidate.text.encode_utf16().count()));
    let found = by_tokens(text, &candidates, options);
    match found.is_empty() {
        true => anywhere(text, &candidates),
        false => found,
    }
}

/// The candidate that the whole text is.
fn whole(text: &str, candidates: &[Candidate<'_>]) -> Option<Found<FoundValue>> {
    let trimmed = text.trim();
    let start = text.len() - text.trim_start().len();
    let lower = trimmed.to_lowercase();
    let is_it = |candidate: &&Candidate<'_>| candidate.text.trim().to_lowercase() == lower;
    let candidate = candidates.iter().find(is_it).filter(|_| !trimmed.is_empty())?;
    Some(Found { value: value(candidate, 1.0), start, end: start + trimmed.len() })
}

fn value(candidate: &Candidate<'_>, score: f64) -> FoundValue {
    FoundValue { value: candidate.text.to_owned(), index: candidate.index, score }
}

/// The candidates whose words stand in the text, each thing and each word once.
fn by_tokens(
    text: &str,
    candidates: &[Candidate<'_>],
    options: &FindOptions,
) -> Vec<Found<FoundValue>> {
    let tokens = tokenize(text);
    let mut matches = Vec::new();
    for candidate in candidates {
        let wanted = tokenize(candidate.text);
        let mut from = 0;
        // A thing may be named twice, and the first place be taken by another.
        while let Some(hit) = Hit::search(&tokens, from, &wanted, options) {
            from = hit.last + 1;
            matches.push((candidate, hit));
        }
    }
    // The best first; C# compares whole numbers here and so does not sort at all.
    matches.sort_by(|(_, one), (_, other)| other.score.total_cmp(&one.score));
    let mut found: Vec<Found<FoundValue>> = Vec::new();
    for (candidate, hit) in matches {
        let (Some(first), Some(last)) = (tokens.get(hit.first), tokens.get(hit.last)) else {
            continue;
        };
        let next = Found { value: value(candidate, hit.score), start: first.start, end: last.end };
        add_unless_taken(&mut found, next);
    }
    found.sort_by_key(|found| found.start);
    found
}

fn add_unless_taken(found: &mut Vec<Found<FoundValue>>, next: Found<FoundValue>) {
    let is_taken = found.iter().any(|known| {
        known.value.index == next.value.index || (known.start < next.end && next.start < known.end)
    });
    if !is_taken {
        found.push(next);
    }
}

/// The words of one candidate in the text.
struct Hit {
    /// The first and the last token, by their places.
    first: usize,
    last: usize,
    is_whole: bool,
    score: f64,
}

impl Hit {
    /// The next place where the wanted words stand, all of them unless partial matches are allowed.
    fn search(
        tokens: &[Token],
        mut from: usize,
        wanted: &[Token],
        options: &FindOptions,
    ) -> Option<Self> {
        loop {
            let hit = Self::next(tokens, from, wanted, options)?;
            if hit.is_whole || options.allow_partial_matches {
                return Some(hit);
            }
            // The SDKs give up here, and miss "last one" in "the last time I took the last one".
            from = hit.first + 1;
        }
    }

    /// The next place where any of the wanted words stand; in whole matches, the first of them.
    fn next(
        tokens: &[Token],
        from: usize,
        wanted: &[Token],
        options: &FindOptions,
    ) -> Option<Self> {
        let mut span: Option<(usize, usize)> = None;
        let (mut matched, mut skipped) = (0_usize, 0_usize);
        for word in wanted {
            let (start, reach) = match span {
                None => (from, usize::MAX),
                Some((_, last)) => (last + 1, options.max_token_distance.saturating_add(1)),
            };
            let mut ahead = tokens.iter().skip(start).take(reach);
            match ahead.position(|token| token.normalized == word.normalized) {
                Some(distance) => {
                    let at = start + distance;
                    matched += 1;
                    // What stands before the first word does not count.
                    skipped += span.map_or(0, |_| distance);
                    span = Some((span.map_or(at, |(first, _)| first), at));
                }
                None if span.is_none() && !options.allow_partial_matches => return None,
                None => {}
            }
        }
        let (first, last) = span?;
        // C# divides whole numbers here, so that every partial match scores nothing.
        let score = share(matched, wanted.len()) * share(matched, matched + skipped);
        Some(Self { first, last, is_whole: matched == wanted.len(), score })
    }
}

/// A part of a whole. Both are numbers of tokens, so they are small.
fn share(part: usize, whole: usize) -> f64 {
    let number = |count: usize| f64::from(u32::try_from(count).unwrap_or(u32::MAX));
    number(part) / number(whole)
}

/// The candidates that stand in a text without spaces, where a sentence is one token. The SDKs do
/// not look, so that "我要红色" does not pick "红色" there.
fn anywhere(text: &str, candidates: &[Candidate<'_>]) -> Vec<Found<FoundValue>> {
    let mut found = Vec::new();
    for candidate in candidates {
        let wanted = candidate.text.trim();
        if !wanted.contains(is_written_without_spaces) || wanted.chars().nth(1).is_none() {
            continue;
        }
        if let Some(start) = text.find(wanted) {
            let end = start + wanted.len();
            add_unless_taken(&mut found, Found { value: value(candidate, 1.0), start, end });
        }
    }
    found.sort_by_key(|found| found.start);
    found
}

/// Thai, Lao, Burmese, Khmer, kana and Chinese characters.
fn is_written_without_spaces(c: char) -> bool {
    matches!(
        c,
        '\u{0E00}'..='\u{0EFF}' | '\u{1000}'..='\u{109F}' | '\u{1780}'..='\u{17FF}'
            | '\u{3040}'..='\u{30FF}' | '\u{3400}'..='\u{9FFF}' | '\u{F900}'..='\u{FAFF}'
            | '\u{20000}'..='\u{3FFFF}'
    )
}

#[cfg(test)]
mod tests;
