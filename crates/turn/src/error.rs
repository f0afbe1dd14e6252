//! Errors of a turn: for the sender of the activity ([`Error`]), and of the bot's logic
//! ([`Failure`]).

use std::{fmt, sync::Arc, time::Duration};

use sayso_activity::Activity;

use crate::{
    Key, KeyError,
    bot_error::{BotError, causes, loggable},
    limits::Exceeded,
    panic_place, store,
    versioned::Newer,
};

/// Error of a turn that did not commit: nothing was stored and no reply sent. If the outcome of the
/// last save is unknown it may still land; a redelivery is then recognised.
///
/// `Debug` shows the sentence with its causes, because that is what a `main` that returns an error
/// prints.
#[derive(Clone, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The activity cannot be handled: no channel, no conversation, or a key that is too long.
    #[error("the activity cannot be handled: {0}")]
    Invalid(#[from] KeyError),
    /// A limit was reached that a retry does not change.
    #[error("{what} (limit {limit})")]
    Limit {
        /// Description of the excess.
        what: String,
        /// The name of the limit in [`Limits`](crate::Limits).
        limit: &'static str,
    },
    /// The turn could not be committed in time: contention, throttling, or an outage. Send it
    /// again: if it was committed after all, that is recognised.
    #[error(
        "the turn was not saved within {rounds} rounds and {waited:?}: {reason}; send it again"
    )]
    Busy {
        /// Number of rounds tried.
        rounds: u32,
        /// Time spent.
        waited: Duration,
        /// Failure of the last round.
        reason: String,
    },
    /// Another turn of the conversation runs, or too many wait. Send it again later.
    #[error("the conversation is busy with another turn (limit {0}); send it again later")]
    Overlap(&'static str),
    /// Deadlock prevented: a handler awaits another turn of its own conversation.
    #[error(
        "a handler waits for a turn of its own conversation, which would wait for it; use \
         Turn::after, or do not await it"
    )]
    OwnConversation,
    /// This instance is shutting down. Send it again: another instance takes it.
    #[error("this instance is shutting down; send it again")]
    Closing,
    /// A newer build of the bot wrote the state. Send it again: an instance of that build takes it.
    #[error("{0}; send it again")]
    Newer(Newer),
    /// The bot's logic failed and has no error handler.
    #[error("{0}")]
    Failed(Arc<Failure>),
    /// The store refused for good, or the document is damaged.
    #[error("the turn cannot be saved: {0}")]
    Store(Arc<store::Error>),
}

impl Error {
    /// Reports whether the sender should send the activity again.
    #[must_use]
    pub fn is_retryable(&self) -> bool {
        matches!(self, Self::Busy { .. } | Self::Overlap(_) | Self::Closing | Self::Newer(_))
    }
}

impl From<Arc<Failure>> for Error {
    fn from(failure: Arc<Failure>) -> Self {
        match &*failure {
            Failure::Newer(newer) => Self::Newer(newer.clone()),
            _ => Self::Failed(failure),
        }
    }
}

/// Failure of the bot's logic.
///
/// `Debug` shows the sentence with its causes.
///
/// # Example
/// ```
/// use std::sync::Arc;
/// use sayso_turn::{Bot, Failure, StateError, Turn};
///
/// let bot = Bot::new().on_error(async |mut turn: Turn, failure: Arc<Failure>| {
///     // A state that does not fit its type any more would fail every further turn.
///     if let Some(StateError::Shape { .. }) = failure.find() {
///         turn.reset_conversation();
///     }
///     turn.say("Sorry, that did not work. Let us start again.");
///     Ok(())
/// });
/// # drop(bot);
/// ```
#[derive(thiserror::Error)]
#[non_exhaustive]
pub enum Failure {
    /// A handler returned an error.
    #[error("the bot's logic failed")]
    Error(#[source] BotError),
    /// The logic met state that a newer build wrote. The error handler does not run, and the sender
    /// is asked to send the activity again.
    #[error(transparent)]
    Newer(Newer),
    /// A handler panicked.
    #[error("the bot's logic panicked")]
    Panic,
    /// A handler took longer than the turn's deadline.
    #[error("the bot's logic took longer than {0:?} (limit deadline)")]
    Timeout(Duration),
    /// A handler of an acknowledged turn took too long.
    #[error("the bot's logic took longer than {0:?} (limit long_deadline)")]
    Long(Duration),
    /// Permanent store error for the output of an acknowledged turn.
    #[error("the turn cannot be saved: {0}")]
    Store(Arc<store::Error>),
    /// The turn was kept beyond its handler, in a spawned task for example.
    #[error("the bot's logic kept the turn beyond its handler; a turn ends with the handler")]
    Kept,
    /// The output of the turn exceeds a limit.
    #[error("{what} (limit {limit})")]
    Limit {
        /// Description of the excess.
        what: String,
        /// The name of the limit in [`Limits`](crate::Limits).
        limit: &'static str,
    },
    /// A stored acknowledged activity cannot be parsed.
    #[error("{0}")]
    Unreadable(&'static str),
    /// The state cannot be written as JSON.
    #[error("the state cannot be written as JSON")]
    State(#[source] serde_json::Error),
}

impl Failure {
    /// Finds an error of this type among the causes: the handler's own, or one beneath it.
    #[must_use]
    pub fn find<E: std::error::Error + 'static>(&self) -> Option<&E> {
        causes(self).find_map(|cause| cause.downcast_ref())
    }

    /// Returns the message with its causes, to be stored with a dead letter.
    pub(crate) fn with_causes(&self) -> String {
        let mut text = String::new();
        for cause in causes(self) {
            let separator = if text.is_empty() { "" } else { ": " };
            text = format!("{text}{separator}{cause}");
        }
        text
    }

    /// Logs it once, with its causes and its place: the conversation, the activity, and the line of
    /// a panic. The span has the turn.
    pub(crate) fn log(&self, key: &Key, activity: &Activity) {
        let handling = handling(activity);
        match self {
            Self::Error(error) => {
                let error = loggable(&**error);
                tracing::error!(conversation = %key, %handling, %error, "the bot's logic failed");
            }
            Self::Panic => {
                let at = panic_place::take();
                let at = at.as_deref().unwrap_or("unknown");
                tracing::error!(conversation = %key, %handling, at, "the bot's logic panicked");
            }
            Self::Newer(newer) => tracing::warn!(conversation = %key, "{newer}"),
            // Logged once, where the store refused it.
            Self::Store(_) => {}
            Self::State(error) => {
                let error = loggable(error);
                tracing::error!(conversation = %key, %handling, %error, "{self}");
            }
            other => tracing::error!(conversation = %key, %handling, "{other}"),
        }
    }

    /// Reports whether a newer build is needed to run the turn.
    pub(crate) fn is_newer(&self) -> bool {
        matches!(self, Self::Newer(_))
    }
}

/// Kind of an activity, with its name if it is one that the bot may have a handler for by name. A
/// message has none, and its text is nobody's business here.
fn handling(activity: &Activity) -> String {
    match activity.name.as_deref().filter(|_| !activity.is_message()) {
        Some(name) => format!("{} {}", activity.kind, name.escape_debug()),
        None => activity.kind.to_string(),
    }
}

impl fmt::Debug for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.with_causes())
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Failed(failure) => fmt::Debug::fmt(failure, f),
            other => fmt::Display::fmt(other, f),
        }
    }
}

impl From<BotError> for Failure {
    fn from(error: BotError) -> Self {
        match Newer::cause(&*error) {
            Some(newer) => Self::Newer(newer.clone()),
            None => Self::Error(error),
        }
    }
}

impl From<Exceeded> for Failure {
    fn from(exceeded: Exceeded) -> Self {
        let Exceeded { what, limit } = exceeded;
        Self::Limit { what, limit }
    }
}
