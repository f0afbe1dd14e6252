//! The tokens of a text and a place among them, from which rules read on.

use jiff::civil::DateTime;

use super::memo::Memo;

/// A word, a run of digits or a single mark, in lower case.
#[derive(Clone, Debug)]
pub(super) struct Token {
    text: String,
    shape: Shape,
    /// Whether white space stands before it.
    spaced: bool,
    start: usize,
    end: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shape {
    Word,
    Digits,
    Mark,
}

/// A place in a text, and the moment from which the text is seen.
#[derive(Clone, Copy, Debug)]
pub(super) struct At<'t> {
    tokens: &'t [Token],
    index: usize,
    /// The moment of the reference.
    pub(super) now: DateTime,
    /// What was read before.
    pub(super) memo: &'t Memo,
}

/// What a rule read, and the place after it.
pub(super) type Read<'t, T> = Option<(T, At<'t>)>;

/// A rule of the grammar.
pub(super) type Rule<T> = for<'t> fn(At<'t>) -> Read<'t, T>;

/// Cuts the first `bytes_max` bytes of a text into tokens.
pub(super) fn cut(text: &str, bytes_max: usize) -> Vec<Token> {
    let mut tokens: Vec<Token> = Vec::new();
    let mut spaced = true;
    let mut chars = text.char_indices().take_while(|(at, _)| *at < bytes_max).peekable();
    while let Some((start, char)) = chars.next() {
        if char.is_whitespace() {
            spaced = true;
            continue;
        }
        let shape = shape(char);
        let mut token =
            Token { text: lower(char), shape, spaced, start, end: start + char.len_utf8() };
        spaced = false;
        // An apostrophe belongs to the word when the word goes on after it: o'clock, year's.
        while shape != Shape::Mark
            && !is_syllable(char)
            && let Some((at, next)) = chars.peek().copied()
        {
            let goes_on = text.get(at + next.len_utf8()..).and_then(|rest| rest.chars().next());
            let joins = shape == Shape::Word
                && is_apostrophe(next)
                && goes_on.is_some_and(char::is_alphabetic);
            if self::shape(next) != shape && !joins || is_syllable(next) {
                break;
            }
            token.text.push_str(&lower(next));
            token.end = at + next.len_utf8();
            chars.next();
        }
        tokens.push(token);
    }
    tokens
}

fn shape(char: char) -> Shape {
    if char.is_ascii_digit() {
        Shape::Digits
    } else if char.is_alphabetic() {
        Shape::Word
    } else {
        Shape::Mark
    }
}

fn lower(char: char) -> String {
    match char {
        char if is_apostrophe(char) => "'".to_owned(),
        '–' | '—' | '‐' | '‑' | '−' => "-".to_owned(),
        _ => char.to_lowercase().collect(),
    }
}

/// Whether a character is a token of its own, because its script puts no blanks between words.
fn is_syllable(char: char) -> bool {
    matches!(char, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}')
}

fn is_apostrophe(char: char) -> bool {
    matches!(char, '\'' | '’' | '‘' | '`')
}

impl<'t> At<'t> {
    /// The place before the first token.
    pub(super) fn first(tokens: &'t [Token], now: DateTime, memo: &'t Memo) -> Self {
        Self { tokens, index: 0, now, memo }
    }

    fn token(self, offset: usize) -> Option<&'t Token> {
        self.tokens.get(self.index + offset)
    }

    /// The text of the token here, empty at the end.
    pub(super) fn word(self) -> &'t str {
        self.ahead(0)
    }

    /// The text of the token `count` further on.
    pub(super) fn ahead(self, count: usize) -> &'t str {
        self.token(count).map_or("", |token| &token.text)
    }

    /// The text of the token `count` before this one; 1 is the one just before.
    pub(super) fn behind(self, count: usize) -> &'t str {
        let index = self.index.checked_sub(count);
        index.and_then(|index| self.tokens.get(index)).map_or("", |token| &token.text)
    }

    /// The place after the token here; the end stays the end.
    pub(super) fn next(self) -> Self {
        Self { index: (self.index + 1).min(self.tokens.len()), ..self }
    }

    /// The place before another token.
    pub(super) fn moved(self, index: usize) -> Self {
        Self { index: index.min(self.tokens.len()), ..self }
    }

    /// Whether nothing is left.
    pub(super) fn is_end(self) -> bool {
        self.index >= self.tokens.len()
    }

    /// How many tokens lie before this place.
    pub(super) fn index(self) -> usize {
        self.index
    }

    /// Reads one token that is one of `texts`.
    pub(super) fn eat(self, texts: &[&str]) -> Option<Self> {
        (!self.is_end() && texts.contains(&self.word())).then(|| self.next())
    }

    /// Reads one of `texts` when it is here.
    pub(super) fn skip(self, texts: &[&str]) -> Self {
        self.eat(texts).unwrap_or(self)
    }

    /// Reads a mark when it is here and touches the token before.
    pub(super) fn skip_glued(self, mark: &str) -> Self {
        if self.is_glued() { self.skip(&[mark]) } else { self }
    }

    /// Reads several tokens, written with blanks between them.
    pub(super) fn phrase(self, phrase: &str) -> Option<Self> {
        // Nearly all phrases that are tried are not here, and show it at once.
        if !phrase.starts_with(self.word()) {
            return None;
        }
        phrase.split(' ').try_fold(self, |at, part| at.eat(&[part]))
    }

    /// Reads the first of several phrases that is here.
    pub(super) fn phrases(self, phrases: &[&str]) -> Option<Self> {
        phrases.iter().find_map(|phrase| self.phrase(phrase))
    }

    /// Whether the token here follows the one before without a blank.
    pub(super) fn is_glued(self) -> bool {
        self.token(0).is_some_and(|token| !token.spaced) && self.index > 0
    }

    /// Whether the token here is digits.
    pub(super) fn is_digits(self) -> bool {
        self.token(0).is_some_and(|token| token.shape == Shape::Digits)
    }

    /// Whether the token here is a word.
    pub(super) fn is_word(self) -> bool {
        self.token(0).is_some_and(|token| token.shape == Shape::Word)
    }

    /// The number here, when it is digits and has at most `len_max` of them.
    pub(super) fn digits(self, len_max: usize) -> Read<'t, i64> {
        let is_short = self.is_digits() && self.word().len() <= len_max;
        is_short.then(|| self.word().parse().ok()).flatten().map(|number| (number, self.next()))
    }

    /// Reads a mark that touches both its neighbours.
    pub(super) fn glue(self, marks: &[&str]) -> Option<Self> {
        self.eat(marks).filter(|after| self.is_glued() && after.is_glued())
    }

    /// The byte at which the token here begins.
    pub(super) fn start(self) -> usize {
        self.token(0).map_or(0, |token| token.start)
    }

    /// The byte after the token before this place.
    pub(super) fn end(self) -> usize {
        let index = self.index.checked_sub(1);
        index.and_then(|index| self.tokens.get(index)).map_or(0, |token| token.end)
    }

    /// Whether a reading may begin here: not inside a number, an amount of money or a part number.
    pub(super) fn may_begin(self) -> bool {
        let is_mark = self.token(0).is_some_and(|token| token.shape == Shape::Mark);
        if is_mark && !matches!(self.word(), "<" | ">" | "'" | "½" | "¼" | "¾") {
            return false;
        }
        if self.index == 0 {
            return true;
        }
        let before =
            |count: usize| self.index.checked_sub(count).and_then(|index| self.tokens.get(index));
        let (last, second) = (before(1), before(2));
        let after_digits = second.is_some_and(|token| token.shape == Shape::Digits);
        match last {
            Some(last) if last.shape != Shape::Mark => !self.is_glued(),
            Some(last) if !self.is_digits() => !(self.is_glued() && last.text == "$"),
            Some(last) => match last.text.as_str() {
                "$" | "€" | "£" => !self.is_glued(),
                "-" => !after_digits,
                "." | "," | ":" | "/" => !(self.is_glued() && after_digits),
                _ => true,
            },
            None => true,
        }
    }

    /// Whether a reading may end here: the last token does not go on as a number or a word.
    pub(super) fn may_end(self) -> bool {
        let Some(token) = self.token(0) else { return true };
        if token.spaced {
            return true;
        }
        let after = self.next();
        match token.text.as_str() {
            "%" => false,
            "." | "-" | "/" | ":" => {
                !(after.is_digits() && after.is_glued() && self.follows_digits())
            }
            _ => token.shape == Shape::Mark,
        }
    }

    /// Whether a number that ends here is whole, and not the head of a longer one.
    pub(super) fn may_end_number(self) -> bool {
        !(self.is_glued()
            && matches!(self.word(), "." | "," | "/" | ":")
            && self.next().is_digits()
            && self.next().is_glued())
    }

    fn follows_digits(self) -> bool {
        let index = self.index.checked_sub(1);
        let last = index.and_then(|index| self.tokens.get(index));
        last.is_some_and(|token| token.shape == Shape::Digits)
    }
}

/// The longest of what several rules read here; the first of equals.
pub(super) fn longest<'t, T>(at: At<'t>, rules: &[Rule<T>]) -> Read<'t, T> {
    let mut best: Read<'t, T> = None;
    for rule in rules {
        let Some((value, after)) = rule(at) else { continue };
        if best.as_ref().is_none_or(|(_, end)| after.index() > end.index()) {
            best = Some((value, after));
        }
    }
    best
}
