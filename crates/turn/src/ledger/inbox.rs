//! Inbox: durable queue of acknowledged activities whose turns have not ended.

use sayso_activity::{Activity, Raw};
use serde::{Deserialize, Serialize};

use crate::clock::Timestamp;

/// Acknowledged activity whose turn has not ended.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Accepted {
    /// Ids of the turn; several if activities were coalesced.
    pub ids: Vec<String>,
    /// Time of arrival.
    pub at: Timestamp,
    /// Number of instances that died while running it.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub lost: u32,
    /// True if it came from a timer, so that the channel does not know it.
    #[serde(default, rename = "timer", skip_serializing_if = "std::ops::Not::not")]
    pub is_timer: bool,
    /// Failed attempts of the timer that it came from.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub tries: u32,
    /// Number of times that an operator has retried that timer.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub retries: u32,
    /// The activity.
    pub activity: Raw,
}

impl Accepted {
    /// Reports whether it came from one of these timers.
    pub(super) fn is_timer_of(&self, timers: &[String]) -> bool {
        let name = || self.activity.get::<Activity>().ok().and_then(|activity| activity.id);
        self.is_timer && !timers.is_empty() && name().is_some_and(|id| timers.contains(&id))
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks for a reference")]
pub(super) fn is_zero(count: &u32) -> bool {
    *count == 0
}
