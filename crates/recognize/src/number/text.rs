//! Small steps through a text, by byte offsets that stay on characters.

/// The character that begins here.
pub(super) fn head(text: &str, at: usize) -> Option<char> {
    text.get(at..)?.chars().next()
}

/// The character that ends here.
pub(super) fn before(text: &str, at: usize) -> Option<char> {
    text.get(..at)?.chars().next_back()
}

/// The end of the characters of a kind that begin here.
pub(super) fn skip(text: &str, at: usize, wanted: impl Fn(char) -> bool) -> usize {
    let rest = text.get(at..).unwrap_or_default();
    at + rest.find(|c| !wanted(c)).unwrap_or(rest.len())
}

/// The end of the white space that begins here.
pub(super) fn spaces(text: &str, at: usize) -> usize {
    skip(text, at, char::is_whitespace)
}

/// The end of the first of the words that stands here.
pub(super) fn any_of(text: &str, at: usize, words: &[&str]) -> Option<usize> {
    let rest = text.get(at..)?;
    words.iter().find(|word| rest.starts_with(**word)).map(|word| at + word.len())
}

/// The most bytes of a word that can be a number word.
const WORD_BYTES_MAX: usize = 64;

/// A word written in one way of the many that people have for it. It needs no memory of its own.
#[derive(Clone, Copy, Debug)]
pub(super) struct Folded {
    bytes: [u8; WORD_BYTES_MAX],
    length: usize,
}

impl Folded {
    pub(super) const fn new() -> Self {
        Self { bytes: [0; WORD_BYTES_MAX], length: 0 }
    }

    /// Adds a character; `None` if the word is too long.
    pub(super) fn push(&mut self, c: char) -> Option<()> {
        let end = self.length + c.len_utf8();
        c.encode_utf8(self.bytes.get_mut(self.length..end)?);
        self.length = end;
        Some(())
    }

    pub(super) fn as_str(&self) -> &str {
        let bytes = self.bytes.get(..self.length).unwrap_or_default();
        std::str::from_utf8(bytes).unwrap_or_default()
    }
}
