//! Error of getting an access token, or the keys that tokens are checked with.

use std::fmt;

use super::http::HttpError;

/// Failure to get a token, or the keys that tokens are checked with.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TokenError {
    /// The issuer or the login service gave no usable answer.
    #[error("no usable answer: {reason}")]
    Unavailable {
        /// The failure, as the end of a sentence.
        reason: String,
    },
    /// The login service refused to issue a token.
    #[error(
        "the login service answered {status}{}; check the app's id, its secret or certificate, and its tenant",
        in_brackets(code.as_deref())
    )]
    Refused {
        /// The HTTP status of the answer.
        status: u16,
        /// The service's error code.
        code: Option<String>,
    },
    /// The credentials cannot be used.
    #[error("{0}")]
    Credentials(&'static str),
}

impl TokenError {
    pub(super) const CREDENTIALS: Self = Self::Credentials("the app's credentials cannot be used");
    pub(crate) const NOT_YET: Self = Self::Credentials("it has not arrived yet");
    pub(crate) const NOT_ACCEPTED: Self =
        Self::Credentials("the channel does not accept the bot's token");

    pub(super) fn of_http(error: HttpError) -> Self {
        Self::Unavailable { reason: error.to_string() }
    }
}

impl From<HttpError> for TokenError {
    fn from(error: HttpError) -> Self {
        Self::of_http(error)
    }
}

fn in_brackets(code: Option<&str>) -> impl fmt::Display {
    code.map(|code| format!(" ({code})")).unwrap_or_default()
}
