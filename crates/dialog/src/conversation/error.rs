//! Errors of a conversation, by what its author can do about them.

use std::fmt;

use sayso_turn::{BotError, StateError};

/// The reason why a step of a conversation failed.
///
/// The first three are answers of a kind: they are kept in the journal like any other, so code that
/// handles them goes the same way when it is replayed. Hand on the others with `?`.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The answer was not understood as often as the question allows.
    #[error("`{step}` was not answered in {attempts} attempts")]
    Attempts {
        /// The question.
        step: String,
        /// The number of answers that were given.
        attempts: u32,
    },
    /// No answer came in time, and the question says that this fails it.
    #[error("`{step}` was not answered in time")]
    Late {
        /// The question.
        step: String,
    },
    /// A call to the outside, a sub-conversation or a closure failed.
    #[error("`{step}` failed")]
    Failed {
        /// The step.
        step: String,
        /// The cause. When the conversation is replayed, only its text is left.
        #[source]
        source: BotError,
    },
    /// It is not under way, and was handed an activity that does not begin it.
    #[error(transparent)]
    NotBegun(#[from] crate::begin::NotBegun),
    /// The code does something else than what it did when the journal was written.
    #[error(transparent)]
    Changed(#[from] Difference),
    /// The journal is as long as it may be.
    #[error(
        "{what} (limit {limit}); shorten it with `keep` in loops, or with `call` for parts that end"
    )]
    Limit {
        /// The quantity that is too large.
        what: String,
        /// The name of the limit in [`Limits`](super::Limits).
        limit: &'static str,
    },
    /// Two steps of one conversation were under way together.
    #[error(
        "a step of the conversation began while another was under way; await each before the next, \
         and use the `Conversation` that a called conversation is given run it"
    )]
    Overlapping,
    /// A handle was used after the turn it belongs to.
    #[error(
        "the conversation's turn is over; a `Conversation` is of no use outside the function it was given to"
    )]
    Over,
    /// The conversation does not go on in this turn. The runtime knows why; hand this on with `?`.
    #[error("the conversation stops here for this turn; hand this error on")]
    Stopped,
    /// A newer version of this library wrote the journal. It is left as it is.
    #[error(
        "the journal has the format {found}, this build knows {known}; run the newer build, or roll all \
         instances back and let the conversation end there first"
    )]
    Newer {
        /// The format found.
        found: u32,
        /// The newest format known.
        known: u32,
    },
    /// A newer build of the bot kept a state that this one does not know. It is left as it is.
    #[error("the conversation's saved state is newer than this build understands")]
    Kept(#[source] sayso_turn::versioned::Newer),
    /// An answer or a result cannot be written as JSON.
    #[error("the result of `{step}` cannot be written as JSON and read back")]
    Json {
        /// The step.
        step: String,
        /// The cause.
        #[source]
        source: serde_json::Error,
    },
    /// The state cannot be read.
    #[error(transparent)]
    State(#[from] StateError),
}

/// The first place where the code and the journal of a conversation under way disagree.
///
/// It names steps and never what somebody said.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Difference {
    /// The conversation.
    pub conversation: String,
    /// The place in it: the number of the step, from 0; `2.0` is the first one inside the third.
    pub position: String,
    /// The step that the journal has there.
    pub recorded: String,
    /// The step that the code takes there now.
    pub now: String,
    /// The name of the policy that is applied: a [`Changed`](crate::Changed).
    pub policy: &'static str,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { conversation, position, recorded, now, policy } = self;
        write!(
            f,
            "the code of the conversation `{conversation}` is not what it was when this one began: at \
             step {position} the journal has `{recorded}`, the code now does `{now}`; policy {policy}, \
             chosen with `on_change`"
        )
    }
}

impl std::error::Error for Difference {}
