//! Recorded answers, for redelivered `invoke` and `expectReplies` activities.

use sayso_activity::Raw;
use serde::{Deserialize, Serialize};

/// Size of the JSON around a value in a list of the ledger, in bytes, and some more: the estimate
/// must not fall short, or a document outgrows its limit.
pub(super) const AROUND: usize = 128;

/// Recorded answer of a turn.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Recorded {
    /// The turn.
    pub id: String,
    /// Replies that went into the answer.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub replies: Vec<Raw>,
    /// The answer to an `invoke`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub response: Option<Response>,
}

/// The answer to an `invoke`: a status and a body.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Response {
    /// An HTTP status.
    pub status: u16,
    /// A JSON body.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub body: Option<Raw>,
}

impl Recorded {
    /// Approximate size as JSON, in bytes.
    pub(super) fn bytes(&self) -> usize {
        let replies: usize = self.replies.iter().map(|reply| reply.as_str().len() + 8).sum();
        let body = self.response.as_ref().and_then(|response| response.body.as_ref());
        replies + body.map_or(0, |body| body.as_str().len()) + AROUND
    }
}
