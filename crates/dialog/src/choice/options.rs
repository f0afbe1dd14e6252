//! What stands between choices when they are written out.

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
    /// What stands between two choices in a sentence, such as `, `.
    pub inline_separator: String,
    /// What stands between the only two choices, such as ` or `.
    pub inline_or: String,
    /// What stands before the last of three or more, such as `, or `.
    pub inline_or_more: String,
    /// Whether choices have their numbers, so that people may answer with one.
    pub include_numbers: bool,
}

impl ChoiceOptions {
    /// What is usual in the language of a locale, with numbers.
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
