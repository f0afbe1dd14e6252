//! Errors of calls to a channel, sorted by remedy.

use std::time::Duration;

use sayso_turn::channel::Delivery;

/// Error of a call to a channel, sorted by remedy.
///
/// The reason says what was tried and what happened. It contains no URL, no token and nothing that
/// the channel wrote except its error code.
///
/// # Example
/// ```
/// use sayso_channel::client::Error;
/// use std::time::Duration;
///
/// fn what_to_do(error: &Error) -> &'static str {
///     match error {
///         Error::NotSent { .. } | Error::Throttled { .. } => "the same again, later",
///         Error::Refused { .. } => "something else",
///         Error::Gone { .. } => "forget it",
///         Error::Unknown { .. } => "look, then perhaps again",
///         _ => "tell somebody",
///     }
/// }
/// let busy = Error::Throttled { after: Some(Duration::from_secs(3)), reason: "sending failed".into() };
/// assert_eq!(what_to_do(&busy), "the same again, later");
/// assert_eq!(busy.to_string(), "sending failed; nothing was done, try again in 3 s");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The request was certainly not sent: no connection, or no access token.
    #[error("{reason}; nothing was done, try again")]
    NotSent {
        /// The failed call and the cause.
        reason: String,
    },
    /// The channel did not do it, or was not called, because of its rate limit; or it rejected one
    /// of two concurrent writes in a conversation (412).
    #[error("{reason}; nothing was done, try again {}", in_time(*after))]
    Throttled {
        /// The time to wait (`Retry-After`), at most an hour.
        after: Option<Duration>,
        /// The failed call and the cause.
        reason: String,
    },
    /// The same call will never succeed: the channel refuses it, or it was not even sent because it
    /// is invalid or the URL is not allowed.
    #[error("{reason}; trying again will not help")]
    Refused {
        /// The status of the channel's answer, if the request was sent.
        status: Option<u16>,
        /// The channel's error code.
        code: Option<String>,
        /// The failed call and the cause.
        reason: String,
    },
    /// The object of the call does not exist, or no longer. A channel that does not support a call
    /// at all may also answer like this, then without a code.
    #[error("{reason}; it does not exist")]
    Gone {
        /// The channel's error code.
        code: Option<String>,
        /// The failed call and the cause.
        reason: String,
    },
    /// The call may have taken effect. One that reads, updates or deletes can be repeated.
    #[error("{reason}; it may have been done anyway")]
    Unknown {
        /// The failed call and the cause.
        reason: String,
    },
}

impl Error {
    /// Returns the channel's error code, such as `BadArgument`.
    #[must_use]
    pub fn code(&self) -> Option<&str> {
        match self {
            Self::Refused { code, .. } | Self::Gone { code, .. } => code.as_deref(),
            Self::NotSent { .. } | Self::Throttled { .. } | Self::Unknown { .. } => None,
        }
    }

    /// Error of a call that is not made because it cannot succeed.
    pub(crate) fn unfit(reason: impl Into<String>) -> Self {
        Self::Refused { status: None, code: None, reason: reason.into() }
    }

    /// Error of a call for which the channel refuses every access token of the bot.
    pub(crate) fn not_accepted(what: &str) -> Self {
        let reason = format!(
            "{what} failed: the channel answered 401 Unauthorized to the bot's token; is the app \
             registered with the channel's cloud and tenant?"
        );
        Self::Refused { status: Some(401), code: None, reason }
    }
}

/// Converts the error into the outcome of a reply's delivery.
impl From<Error> for Delivery {
    fn from(error: Error) -> Self {
        match error {
            Error::NotSent { reason } => Self::Later { after: None, reason },
            Error::Throttled { after, reason } => Self::Later { after, reason },
            Error::Refused { reason, .. } | Error::Gone { reason, .. } => Self::Refused { reason },
            Error::Unknown { reason } => Self::Unknown { reason },
        }
    }
}

fn in_time(after: Option<Duration>) -> String {
    match after {
        Some(wait) => format!("in {} s", wait.as_secs()),
        None => "later".to_owned(),
    }
}
