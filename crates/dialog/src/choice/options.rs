//! Separators between choices in a written list.

use super::Words;

/// The words and signs between choices that are written out.
///
/// # Example
/// ```
/// use sayso_dialog::choice::ChoiceOptions;
///
/// let options = ChoiceOptions::of("fr-FR").without_numbers();
/// assert_eq!(options.inline_or, " ou ");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChoiceOptions {
    /// The separator of two choices in a sentence, such as `, `.
    pub inline_separator: String,
    /// The separator of the only two choices, such as ` or `.
    pub inline_or: String,
    /// The separator before the last of three or more, such as `, or `.
    pub inline_or_more: String,
    /// True if choices are numbered, so that people may answer with a number.
    pub include_numbers: bool,
}

impl ChoiceOptions {
    /// The usual separators in the language of a locale, with numbers.
    #[must_use]
    pub fn of(locale: &str) -> Self {
        Self::from(Words::of(locale))
    }

    /// Leaves the numbers out.
    #[must_use]
    pub fn without_numbers(mut self) -> Self {
        self.include_numbers = false;
        self
    }
}

impl Default for ChoiceOptions {
    fn default() -> Self {
        Self::of("en-us")
    }
}

impl From<&Words> for ChoiceOptions {
    fn from(words: &Words) -> Self {
        Self {
            inline_separator: words.separator.to_owned(),
            inline_or: words.or.to_owned(),
            inline_or_more: words.or_more.to_owned(),
            include_numbers: true,
        }
    }
}
