//! The inbox: activities that were acknowledged before their turns ended.

use sayso_activity::{Activity, Raw};
use serde::{Deserialize, Serialize};

use crate::clock::Timestamp;

/// An activity that was acknowledged and whose turn has not ended.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Accepted {
    /// The turn; more than one where several activities became one.
    pub ids: Vec<String>,
    /// When it arrived.
    pub at: Timestamp,
    /// How many instances were gone before they were done with it.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub lost: u32,
    /// Whether a timer became it: the channel has never had it.
    #[serde(default, rename = "timer", skip_serializing_if = "std::ops::Not::not")]
    pub is_timer: bool,
    /// How often the timer that became it has failed.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub tries: u32,
    /// What arrived.
    pub activity: Raw,
}

impl Accepted {
    /// Whether a timer became it that is among these.
    pub(super) fn is_timer_of(&self, timers: &[String]) -> bool {
        let name = || self.activity.get::<Activity>().ok().and_then(|activity| activity.id);
        self.is_timer && !timers.is_empty() && name().is_some_and(|id| timers.contains(&id))
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks for a reference")]
pub(super) fn is_zero(count: &u32) -> bool {
    *count == 0
}
