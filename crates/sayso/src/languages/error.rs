//! Error of texts that cannot be used.

use fluent_bundle::FluentError;

/// Error of texts that cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TextsError {
    /// The locale is none.
    #[error("`{locale}` is not a locale; write it as in fr, fr-CA or zh-Hant")]
    Locale {
        /// The text that is none.
        locale: String,
    },
    /// The language is there already.
    #[error("the texts of {locale} are there already; put them into one text")]
    Twice {
        /// The locale.
        locale: String,
    },
    /// The text is not Fluent.
    #[error("the texts of {locale}, line {line}: {reason}")]
    Syntax {
        /// The locale.
        locale: String,
        /// The line, from 1.
        line: usize,
        /// The error of the parser.
        reason: String,
    },
    /// Two texts of a language have the same id.
    #[error("the texts of {locale}: `{id}` is there twice")]
    Overriding {
        /// The locale.
        locale: String,
        /// The id.
        id: String,
    },
}

impl TextsError {
    pub(super) fn syntax(
        locale: &str,
        text: &str,
        errors: &[fluent_syntax::parser::ParserError],
    ) -> Self {
        let first = errors.first();
        let offset = first.map_or(0, |error| error.pos.start).min(text.len());
        let before = text.as_bytes().get(..offset).unwrap_or_default();
        let line = 1 + before.iter().filter(|byte| **byte == b'\n').count();
        let reason = first.map(|error| error.kind.to_string()).unwrap_or_default();
        Self::Syntax { locale: locale.to_owned(), line, reason }
    }

    pub(super) fn overriding(locale: &str, errors: &[FluentError]) -> Self {
        let id = errors.iter().find_map(|error| match error {
            FluentError::Overriding { id, .. } => Some(id.clone()),
            _ => None,
        });
        Self::Overriding { locale: locale.to_owned(), id: id.unwrap_or_default() }
    }
}
