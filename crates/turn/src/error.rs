//! What the sender of an activity is told when its turn did not commit.

use std::{sync::Arc, time::Duration};

use crate::{KeyError, bot_error::BotError, limits::Exceeded, store, versioned::Newer};

/// Why a turn did not commit, as far as anybody knows: nothing of it was stored and nothing said,
/// unless a save whose answer never came lands after all. Then a redelivery is recognised.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The activity cannot be a turn: no channel, no conversation, a key that is too long.
    #[error("the activity cannot be handled: {0}")]
    Invalid(#[from] KeyError),
    /// A limit was reached that a retry does not change.
    #[error("{what} (limit {limit})")]
    Limit {
        /// What is too much.
        what: String,
        /// The name of the limit in [`Limits`](crate::Limits).
        limit: &'static str,
    },
    /// The turn could not be committed in time: contention, throttling, an outage. Send it again:
    /// if it was committed after all, that is recognised.
    #[error(
        "the turn was not saved within {rounds} rounds and {waited:?}: {reason}; send it again"
    )]
    Busy {
        /// How many rounds were tried.
        rounds: u32,
        /// For how long.
        waited: Duration,
        /// What the last round met.
        reason: String,
    },
    /// Another turn of the conversation runs, or too many wait. Send it again later.
    #[error("the conversation is busy with another turn (limit {0}); send it again later")]
    Overlap(&'static str),
    /// A handler waits for another turn of its own conversation, which cannot begin before it ends.
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
    /// Whether the sender should send the activity again.
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

/// How the bot's logic failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Failure {
    /// A handler returned an error.
    #[error("the bot's logic failed")]
    Error(#[source] BotError),
    /// The logic met state that a newer build wrote. No fault of its own: its error handler does
    /// not run, and the sender is asked to send the activity again.
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
    /// The store refuses for good what an acknowledged turn made.
    #[error("the turn cannot be saved: {0}")]
    Store(Arc<store::Error>),
    /// The turn was kept beyond its handler, in a spawned task for example.
    #[error("the bot's logic kept the turn beyond its handler; a turn ends with the handler")]
    Kept,
    /// The turn made more than a limit allows.
    #[error("{what} (limit {limit})")]
    Limit {
        /// What is too much.
        what: String,
        /// The name of the limit in [`Limits`](crate::Limits).
        limit: &'static str,
    },
    /// An acknowledged activity cannot be read any more.
    #[error("{0}")]
    Unreadable(&'static str),
    /// The state cannot be written as JSON.
    #[error("the state cannot be written as JSON")]
    State(#[source] serde_json::Error),
}

impl Failure {
    /// What it says, with its causes: for whoever reads it later, without a log.
    pub(crate) fn with_causes(&self) -> String {
        let mut text = self.to_string();
        let mut cause = std::error::Error::source(self);
        while let Some(error) = cause {
            text = format!("{text}: {error}");
            cause = error.source();
        }
        text
    }

    pub(crate) fn log(&self) {
        match self {
            Self::Error(error) => tracing::error!(%error, "the bot's logic failed"),
            Self::Newer(newer) => tracing::warn!("{newer}"),
            // Logged where the store refused it, once.
            Self::Store(_) => {}
            other => tracing::error!("{other}"),
        }
    }

    /// Whether another build is needed, rather than another logic.
    pub(crate) fn is_newer(&self) -> bool {
        matches!(self, Self::Newer(_))
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
