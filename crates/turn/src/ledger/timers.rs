//! Timers: scheduled events of committed turns.

use sayso_activity::Raw;
use serde::{Deserialize, Serialize};

use super::inbox::is_zero;
use crate::clock::Timestamp;

/// Timer: a scheduled event of a committed turn.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Timer {
    /// Id of the timer and of the activity that it becomes.
    pub id: String,
    /// Due time.
    pub at: Timestamp,
    /// Number of failed attempts.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub tries: u32,
    /// Number of times that an operator has retried it: its replies then have other ids.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub retries: u32,
    /// The event, addressed as an inbound activity.
    pub activity: Raw,
}
