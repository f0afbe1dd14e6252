//! Secret text that is redacted in logs.

use std::fmt;

/// A password, a key or a token. No log line, error or `Debug` shows its text.
///
/// # Example
/// ```
/// use sayso_channel::auth::Secret;
///
/// let password = Secret::new("hunter2");
/// assert_eq!(format!("{password:?}"), "[redacted]");
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    /// Wraps the text.
    #[must_use]
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// Returns the text, to be sent to its recipient and used for nothing else.
    pub(super) fn expose(&self) -> &str {
        &self.0
    }

    /// Reports whether the text is empty.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("[redacted]")
    }
}

impl From<String> for Secret {
    fn from(text: String) -> Self {
        Self(text)
    }
}
