//! Answers to the sender of an activity, once its turn is durable.

use sayso_activity::Raw;
use smallvec::SmallVec;

use crate::{
    error::Error,
    ledger::{Recorded, Response},
};

/// Answer to the sender of an activity once its turn is durable.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Answer {
    /// Replies in the answer itself, when the sender asked for that (`expectReplies`).
    pub replies: Vec<Raw>,
    /// The response to an `invoke`.
    pub response: Option<Response>,
    /// True if the activity was a duplicate; this is then the recorded answer.
    pub is_repeat: bool,
    /// True if the bot has a handler for it; otherwise it was accepted and ignored.
    pub is_handled: bool,
    /// True if its turn is still running: it is durable that it will complete, and its replies
    /// follow.
    pub is_pending: bool,
}

impl Answer {
    pub(super) fn new(recorded: Option<&Recorded>, is_repeat: bool) -> Self {
        let replies = recorded.map(|recorded| recorded.replies.clone()).unwrap_or_default();
        let response = recorded.and_then(|recorded| recorded.response.clone());
        Self { replies, response, is_repeat, is_handled: true, is_pending: false }
    }

    /// The answer of an activity that was put into the inbox.
    pub(super) fn pending(is_repeat: bool) -> Self {
        Self { is_repeat, is_handled: true, is_pending: true, ..Self::default() }
    }
}

/// Answers of the parts of an item, valid if the round commits.
pub(super) type Verdict = SmallVec<[Result<Answer, Error>; 1]>;
