//! Why a call of a channel came to nothing, sorted by what to do about it.

use std::time::Duration;

use sayso_turn::channel::Delivery;

/// Why a call of a channel came to nothing, sorted by what to do about it.
///
/// The reason says what was tried and what happened. It repeats no URL, no token and nothing that
/// the channel wrote but the code of its error.
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
    /// The channel certainly did not get it: no connection, or no token to show.
    #[error("{reason}; nothing was done, try again")]
    NotSent {
        /// What happened.
        reason: String,
    },
    /// The channel did not do it, or was not asked, because it wants patience; or two met in one
    /// conversation, and the other one was first (412).
    #[error("{reason}; nothing was done, try again {}", in_time(*after))]
    Throttled {
        /// How long it asks to wait; at most an hour.
        after: Option<Duration>,
        /// What happened.
        reason: String,
    },
    /// The same call will never do: the channel refuses it, or it was not even sent because it
    /// makes no sense or may not go there.
    #[error("{reason}; trying again is of no use")]
    Refused {
        /// The status of the channel's answer, if it was asked.
        status: Option<u16>,
        /// The channel's code for the error.
        code: Option<String>,
        /// What happened.
        reason: String,
    },
    /// What the call is about is not there, or no longer. A channel that does not offer a call at
    /// all may also say so; it then has no code.
    #[error("{reason}; it is not there")]
    Gone {
        /// The channel's code for the error.
        code: Option<String>,
        /// What happened.
        reason: String,
    },
    /// It may have been done. A call that reads, updates or deletes can be made again.
    #[error("{reason}; it may have been done all the same")]
    Unknown {
        /// What happened.
        reason: String,
    },
}

impl Error {
    /// The channel's code for the error, such as `BadArgument`.
    #[must_use]
    pub fn code(&self) -> Option<&str> {
        match self {
            Self::Refused { code, .. } | Self::Gone { code, .. } => code.as_deref(),
            Self::NotSent { .. } | Self::Throttled { .. } | Self::Unknown { .. } => None,
        }
    }

    /// A call that is not made.
    pub(crate) fn unfit(reason: impl Into<String>) -> Self {
        Self::Refused { status: None, code: None, reason: reason.into() }
    }
}

/// What it means for a reply on its way.
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
