//! Timers: events that committed turns asked for.

use sayso_activity::Raw;
use serde::{Deserialize, Serialize};

use super::inbox::is_zero;
use crate::clock::Timestamp;

/// An event that a committed turn asked for.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Timer {
    /// Names the timer, and the activity that it becomes.
    pub id: String,
    /// When it is due.
    pub at: Timestamp,
    /// How often its turn has failed.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub tries: u32,
    /// The event, addressed as an inbound activity.
    pub activity: Raw,
}
