//! The claim: a lease on the outbox and the inbox of a conversation, held by one instance.

use serde::{Deserialize, Serialize};

/// A claim on the outbox: one instance delivers, in order. It changes with every commit of its
/// holder, so that others see that the holder lives.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Claim {
    /// The instance.
    pub by: String,
    /// The revision of the holder's last commit: never the same for two claims.
    pub beat: u64,
}
