//! The claim: a lease on the outbox and the inbox of a conversation, held by one instance.

use serde::{Deserialize, Serialize};

/// Claim (lease) on the outbox: one instance delivers, in order. It changes with every commit of
/// its holder, which serves as a heartbeat.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Claim {
    /// Name of the instance.
    pub by: String,
    /// Heartbeat: revision of the holder's last commit, never the same for two claims.
    pub beat: u64,
}
