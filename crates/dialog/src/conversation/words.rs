//! Global command words, understood at any time: for cancelling, for help, for an interruption.

/// Lower-case words without punctuation around them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Words(Vec<String>);

impl Words {
    pub(super) fn new(words: impl IntoIterator<Item: Into<String>>) -> Self {
        Self(words.into_iter().map(|word| plain(&word.into())).collect())
    }

    /// Reports whether a text is one of the words, ignoring case and punctuation.
    pub(super) fn has(&self, text: &str) -> bool {
        // Most of what people say is longer than any of these.
        let most = self.0.iter().map(String::len).max().unwrap_or_default() + SLACK_BYTES;
        text.len() <= most && !self.0.is_empty() && self.0.contains(&plain(text))
    }

    pub(super) fn first(&self) -> &str {
        self.0.first().map_or("", String::as_str)
    }
}

/// The most white space and punctuation around a word, in bytes.
const SLACK_BYTES: usize = 16;

fn plain(text: &str) -> String {
    let is_edge = |c: char| c.is_whitespace() || matches!(c, '.' | ',' | '!' | '"' | '\'' | '…');
    // A question mark alone is a word; behind a word it is punctuation.
    let text = text.trim_matches(is_edge);
    match text.trim_end_matches('?').trim_end_matches(is_edge) {
        "" => text.to_lowercase(),
        word => word.to_lowercase(),
    }
}

/// Words for an interruption: one, or several.
pub trait IntoWords {
    /// All of them; the first names the interruption in the journal.
    fn into_words(self) -> Vec<String>;
}

impl IntoWords for &str {
    fn into_words(self) -> Vec<String> {
        vec![self.to_owned()]
    }
}

impl IntoWords for String {
    fn into_words(self) -> Vec<String> {
        vec![self]
    }
}

impl<T: Into<String>, const N: usize> IntoWords for [T; N] {
    fn into_words(self) -> Vec<String> {
        self.into_iter().map(Into::into).collect()
    }
}

impl<T: Into<String>> IntoWords for Vec<T> {
    fn into_words(self) -> Vec<String> {
        self.into_iter().map(Into::into).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn case_and_punctuation_do_not_matter_and_other_words_do() {
        let words = Words::new(["cancel", "Stop", "?"]);
        for text in ["cancel", " Cancel! ", "STOP.", "stop?", "?", "cancel ?!"] {
            assert!(words.has(text), "{text:?}");
        }
        for text in ["", "cancel it", "stopp", "!", "don't stop", "??x"] {
            assert!(!words.has(text), "{text:?}");
        }
        assert!(!Words::default().has(""));
    }
}
