//! Answers: what the sender of an activity is told once its turn is durable.

use sayso_activity::Raw;
use smallvec::SmallVec;

use crate::{
    error::Error,
    ledger::{Recorded, Response},
};

/// The answer to the sender of an activity once its turn is durable.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Answer {
    /// Replies to be given in the answer, when the sender asked for that (`expectReplies`).
    pub replies: Vec<Raw>,
    /// The answer to an `invoke`.
    pub response: Option<Response>,
    /// Whether the activity had been handled before; this is then the answer of that time.
    pub is_repeat: bool,
    /// Whether the bot has a handler for it; if not, it was accepted and ignored.
    pub is_handled: bool,
    /// Whether its turn is still to end: it is durable that it will, and its replies follow.
    pub is_pending: bool,
}

impl Answer {
    pub(super) fn new(recorded: Option<&Recorded>, is_repeat: bool) -> Self {
        let replies = recorded.map(|recorded| recorded.replies.clone()).unwrap_or_default();
        let response = recorded.and_then(|recorded| recorded.response.clone());
        Self { replies, response, is_repeat, is_handled: true, is_pending: false }
    }

    /// It is in line.
    pub(super) fn pending(is_repeat: bool) -> Self {
        Self { is_repeat, is_handled: true, is_pending: true, ..Self::default() }
    }
}

/// The answers of the parts of an item, if the round commits.
pub(super) type Verdict = SmallVec<[Result<Answer, Error>; 1]>;
