//! A text as the terms of a language's numbers.

use super::digits::{self, Literal};
use super::fold::{fold, is_letter};
use super::grammar::{Grammar, Plural, Term};
use super::value::Kind;

/// The longest word that is taken apart, in bytes of its folded form.
const WORD_BYTES_MAX: usize = 120;

/// A term and where it stands.
#[derive(Clone, Copy, Debug)]
pub(super) struct Token {
    pub(super) term: Term,
    /// The bytes of the whole word.
    pub(super) start: usize,
    pub(super) end: usize,
    /// True if it is the first, and the last, of its word.
    pub(super) is_first: bool,
    pub(super) is_last: bool,
}

/// Takes a text apart.
pub(super) fn tokens(text: &str, grammar: &Grammar) -> Vec<Token> {
    let mut reader = Reader { text, grammar, tokens: Vec::with_capacity(4), word: String::new() };
    let mut at = 0;
    while let Some(letter) = text.get(at..).and_then(|rest| rest.chars().next()) {
        at = reader.step(at, letter);
    }
    reader.tokens
}

struct Reader<'a> {
    text: &'a str,
    grammar: &'a Grammar,
    tokens: Vec<Token>,
    /// The folded word, kept to save allocations.
    word: String,
}

impl Reader<'_> {
    /// Reads what stands at `at` and returns where the next thing stands.
    fn step(&mut self, at: usize, letter: char) -> usize {
        let next = at + letter.len_utf8();
        if is_letter(letter) {
            return self.word(at);
        }
        if letter.is_whitespace() {
            return next;
        }
        if letter.is_ascii_digit() || self.is_leading_point(at, letter) {
            return self.literal(at);
        }
        match letter {
            '-' | '−' | '–' | '‐' | '‑' => {
                let spaced = |letter: Option<char>| letter.is_none_or(char::is_whitespace);
                let before = self.text.get(..at).unwrap_or_default().chars().next_back();
                let after = self.text.get(next..).unwrap_or_default().chars().next();
                self.push(Term::Dash { is_spaced: spaced(before) || spaced(after) }, at, next);
            }
            '/' => self.push(Term::Slash, at, next),
            // An apostrophe joins words and keeps numbers apart from endings: d'un, 0'dır.
            '\'' | '’' | '\u{300}'..='\u{36f}' => {}
            _ => match digits::vulgar(self.text, at) {
                Some((ratio, end)) => {
                    if let Some(number) = ratio.number(Kind::Fraction) {
                        let ratio = Some(ratio);
                        let literal = Literal { number, ratio, is_plain: false, end };
                        self.push(Term::Literal(literal), at, end);
                    }
                }
                None => self.push_break(at, next),
            },
        }
        next
    }

    /// Reports whether a separator at `at` begins a number: `.25` at the beginning or after a space
    /// or sign.
    fn is_leading_point(&self, at: usize, letter: char) -> bool {
        let after = self.text.as_bytes().get(at + 1);
        if !matches!(letter, '.' | ',') || !after.is_some_and(u8::is_ascii_digit) {
            return false;
        }
        let before = self.text.get(..at).unwrap_or_default().chars().next_back();
        let point = char::from(self.grammar.separators.point);
        letter == point
            && before
                .is_none_or(|before| before.is_whitespace() || matches!(before, '-' | '(' | '$'))
    }

    fn literal(&mut self, at: usize) -> usize {
        let literal = digits::read(self.text, at, self.grammar.separators);
        let glued = |letter: Option<char>| {
            letter
                .is_some_and(|letter| is_letter(letter) || letter == '_' || letter.is_ascii_digit())
        };
        let before = self.text.get(..at).unwrap_or_default().chars().next_back();
        if let Some(literal) = literal
            && !glued(before)
        {
            let rest = self.text.get(literal.end..).unwrap_or_default();
            if !glued(rest.chars().next()) {
                self.push(Term::Literal(literal), at, literal.end);
                return literal.end;
            }
            // Only words that multiply may stick to the digits: 2mln.
            let word = rest
                .find(|letter| !is_letter(letter))
                .map_or(rest, |end| rest.get(..end).unwrap_or(rest));
            fold(word, &mut self.word);
            let sticks = matches!(
                find(self.grammar.words, &self.word),
                Some(Term::Times(1000..) | Term::Many(1000..))
            );
            if sticks && !self.word.is_empty() {
                self.push(Term::Literal(literal), at, literal.end);
                return literal.end;
            }
        }
        self.skip_run(at)
    }

    /// Skips letters and digits that are no number together: `180.25ml`.
    fn skip_run(&mut self, at: usize) -> usize {
        let mut end = at;
        let mut letters = self.text.get(at..).unwrap_or_default().chars().peekable();
        while let Some(letter) = letters.next() {
            let joins =
                matches!(letter, '.' | ',') && letters.peek().is_some_and(char::is_ascii_digit);
            if !joins && !is_letter(letter) && !letter.is_ascii_digit() && letter != '_' {
                break;
            }
            end += letter.len_utf8();
        }
        // A separator alone is skipped too, so that reading goes on.
        let end = end.max(at + 1);
        self.push_break(at, end);
        end
    }

    fn word(&mut self, at: usize) -> usize {
        let rest = self.text.get(at..).unwrap_or_default();
        let length = rest.find(|letter| !is_letter(letter)).unwrap_or(rest.len());
        let end = at + length;
        if rest.as_bytes().get(length).is_some_and(|next| next.is_ascii_digit() || *next == b'_') {
            return self.skip_run(at);
        }
        let mut word = std::mem::take(&mut self.word);
        fold(rest.get(..length).unwrap_or_default(), &mut word);
        let after = self.known(&word, at, end);
        self.word = word;
        after
    }

    /// Pushes the terms of a folded word; returns the end, which is further on when the word begins
    /// a phrase.
    fn known(&mut self, word: &str, at: usize, end: usize) -> usize {
        if let Some((term, end)) = self.phrase(word, end) {
            self.push(term, at, end);
            return end;
        }
        if let Some(term) = lookup(self.grammar, word) {
            self.push(term, at, end);
        } else if !(self.grammar.is_compound && self.compound(word, at, end)) {
            self.push_break(at, end);
        }
        end
    }

    /// Two words that are one term.
    fn phrase(&self, word: &str, end: usize) -> Option<(Term, usize)> {
        let rest = self.text.get(end..)?;
        let spaces = rest.len() - rest.trim_start().len();
        let mut phrases = self.grammar.phrases.iter().filter(|(first, _, _)| *first == word);
        phrases.find_map(|(_, second, term)| {
            let next = rest.get(spaces..spaces + second.len())?;
            let after = rest.get(spaces + second.len()..)?.chars().next();
            let ends = !after.is_some_and(is_letter);
            let is_same = next.to_lowercase() == *second;
            (spaces > 0 && ends && is_same).then_some((*term, end + spaces + second.len()))
        })
    }

    /// Takes a long word apart into words that are known, the longest first.
    fn compound(&mut self, word: &str, start: usize, end: usize) -> bool {
        if word.len() > WORD_BYTES_MAX {
            return false;
        }
        let first = self.tokens.len();
        let mut failed = 0_u128;
        if !self.take_apart(word, 0, (start, end), &mut failed) {
            self.tokens.truncate(first);
            return false;
        }
        if let Some(token) = self.tokens.get_mut(first) {
            token.is_first = true;
        }
        if let Some(token) = self.tokens.last_mut() {
            token.is_last = true;
        }
        true
    }

    /// The rest of a word from `at`. `failed` has the places from which there is no way, so that
    /// none is tried twice.
    fn take_apart(
        &mut self,
        word: &str,
        at: usize,
        span: (usize, usize),
        failed: &mut u128,
    ) -> bool {
        let Some(rest) = word.get(at..) else { return false };
        if rest.is_empty() {
            return true;
        }
        if *failed & (1 << at) != 0 {
            return false;
        }
        if let Some(term) = lookup(self.grammar, rest).filter(|term| may_be_inside(*term)) {
            self.push_part(term, span);
            return true;
        }
        // In the order of the table a longer beginning of a word stands after a shorter one.
        let words = self.grammar.words;
        let until = words.partition_point(|(known, _)| *known < rest);
        let is_near = |known: &str| known.as_bytes().first() == rest.as_bytes().first();
        let near = words.iter().take(until).rev().take_while(|(known, _)| is_near(known));
        for (known, term) in
            near.filter(|(known, term)| rest.starts_with(known) && may_be_inside(*term))
        {
            self.push_part(*term, span);
            if self.take_apart(word, at + known.len(), span, failed) {
                return true;
            }
            self.tokens.pop();
        }
        *failed |= 1 << at;
        false
    }

    fn push_part(&mut self, term: Term, (start, end): (usize, usize)) {
        self.tokens.push(Token { term, start, end, is_first: false, is_last: false });
    }

    fn push(&mut self, term: Term, start: usize, end: usize) {
        self.tokens.push(Token { term, start, end, is_first: true, is_last: true });
    }

    /// One break says as much as many.
    fn push_break(&mut self, start: usize, end: usize) {
        match self.tokens.last_mut() {
            Some(Token { term: Term::Break, end: last, .. }) => *last = end,
            _ => self.push(Term::Break, start, end),
        }
    }
}

/// Reports whether a term may be part of a longer word.
const fn may_be_inside(term: Term) -> bool {
    !matches!(term, Term::Article | Term::Of | Term::Over | Term::OutOf | Term::Point | Term::Minus)
}

/// The term of a whole word.
fn lookup(grammar: &Grammar, word: &str) -> Option<Term> {
    if let Some(term) = find(grammar.words, word) {
        return Some(term);
    }
    let (value, plural) = ordinal(grammar, word)?;
    Some(Term::Ordinal(value, plural))
}

/// The value of an ordinal word.
fn ordinal(grammar: &Grammar, word: &str) -> Option<(u64, Plural)> {
    grammar.endings.iter().find_map(|(ending, plural)| {
        let stem = word.strip_suffix(ending)?;
        let at = grammar.ordinals.binary_search_by(|(known, _)| (*known).cmp(stem)).ok()?;
        grammar.ordinals.get(at).map(|(_, value)| (*value, *plural))
    })
}

fn find(words: &[(&str, Term)], word: &str) -> Option<Term> {
    let at = words.binary_search_by(|(known, _)| (*known).cmp(word)).ok()?;
    words.get(at).map(|(_, term)| *term)
}

/// So that a table out of order fails a test and not a user.
#[cfg(test)]
pub(super) fn check_order(grammar: &Grammar) {
    for pair in grammar.words.windows(2) {
        assert!(pair[0].0 < pair[1].0, "{} must stand after {}", pair[0].0, pair[1].0);
    }
    for pair in grammar.ordinals.windows(2) {
        assert!(pair[0].0 < pair[1].0, "{} must stand after {}", pair[0].0, pair[1].0);
    }
}
