//! The tokens of a text.

/// A word, a run of digits or a single mark, in lower case.
#[derive(Clone, Debug)]
pub(super) struct Token {
    pub(super) text: String,
    pub(super) shape: Shape,
    /// True if white space stands before it.
    pub(super) spaced: bool,
    pub(super) start: usize,
    pub(super) end: usize,
}

/// The content of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    Word,
    Digits,
    /// A character of a script that puts no blanks between its words.
    Syllable,
    Mark,
}

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
        while matches!(shape, Shape::Word | Shape::Digits)
            && let Some((at, next)) = chars.peek().copied()
        {
            let goes_on = text.get(at + next.len_utf8()..).and_then(|rest| rest.chars().next());
            let joins = shape == Shape::Word
                && is_apostrophe(next)
                && goes_on.is_some_and(char::is_alphabetic);
            if self::shape(next) != shape && !joins {
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
    } else if matches!(char, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}') {
        Shape::Syllable
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

fn is_apostrophe(char: char) -> bool {
    matches!(char, '\'' | '’' | '‘' | '`')
}
