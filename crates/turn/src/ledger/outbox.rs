//! Transactional outbox: replies of committed turns, acknowledgements, and dead letters (parked).

use std::{sync::Arc, time::Duration};

use sayso_activity::{Activity, Raw};
use serde::{Deserialize, Serialize};

use super::{inbox::is_zero, json_text};
use crate::{clock::Timestamp, id::ReplyId};

/// Reply waiting for delivery.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Entry {
    /// The same for every delivery attempt.
    pub id: ReplyId,
    /// The activity, as JSON text.
    #[serde(with = "json_text")]
    pub activity: String,
    /// True if it may have arrived: the outcome of a former holder's attempt is unknown.
    #[serde(default, rename = "doubtful", skip_serializing_if = "std::ops::Not::not")]
    pub is_doubtful: bool,
    /// True if a later turn may change it, so that the channel's id is kept.
    #[serde(default, rename = "kept", skip_serializing_if = "std::ops::Not::not")]
    pub is_kept: bool,
    /// True if it is never sent again once it may have arrived (delivery policy `once`).
    #[serde(default, rename = "once", skip_serializing_if = "std::ops::Not::not")]
    pub is_once: bool,
    /// Expiry: from then on it is parked instead of sent (delivery policy `expires`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<Timestamp>,
    /// The parsed `activity`, if this process has made it.
    #[serde(skip)]
    pub(crate) made: Option<Arc<Activity>>,
}

impl Entry {
    /// Returns the parsed activity.
    pub(crate) fn to_activity(&self) -> Result<Arc<Activity>, serde_json::Error> {
        self.made.as_ref().map_or_else(
            || serde_json::from_str(&self.activity).map(Arc::new),
            |made| Ok(Arc::clone(made)),
        )
    }
}

/// Dead letter: a reply that could not be delivered, a failed timer or a failed turn.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Parked {
    /// Id of the reply; of a timer or turn an id that no reply has.
    pub id: ReplyId,
    /// Kind of the dead letter.
    #[serde(default, skip_serializing_if = "ParkedKind::is_reply")]
    pub kind: ParkedKind,
    /// Reason.
    pub reason: String,
    /// Time at which it was parked.
    pub at: Timestamp,
    /// True if it may have arrived.
    #[serde(default, rename = "doubtful", skip_serializing_if = "std::ops::Not::not")]
    pub is_doubtful: bool,
    /// True if a later turn may change it, so that the channel's id is kept.
    #[serde(default, rename = "kept", skip_serializing_if = "std::ops::Not::not")]
    pub is_kept: bool,
    /// Number of times that an operator has retried the timer.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub retries: u32,
    /// The activity.
    pub activity: Raw,
}

/// Kind of a dead letter.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum ParkedKind {
    /// A reply.
    #[default]
    Reply,
    /// A timer whose turn failed.
    Timer,
    /// An acknowledged activity whose turn failed.
    Turn,
}

impl ParkedKind {
    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks for a reference")]
    fn is_reply(&self) -> bool {
        *self == Self::Reply
    }
}

impl Parked {
    /// Approximate size as JSON, in bytes.
    pub(super) fn bytes(&self) -> usize {
        self.activity.as_str().len() + self.reason.len() + 96
    }
}

/// Acknowledgement: a reply that was delivered or parked, to be recorded by the next commit.
#[derive(Clone, Debug)]
pub(crate) struct HandedOver {
    pub(crate) entry: Arc<Entry>,
    /// Reason and time, if it was parked.
    pub(crate) parked: Option<(String, Timestamp)>,
    /// True if an earlier attempt may have arrived.
    pub(crate) is_doubtful: bool,
    /// The channel's message id.
    pub(crate) name: Option<String>,
}

/// Maximum rest of an outbox.
pub(crate) const REST_MAX: Duration = Duration::from_secs(60 * 60);

/// Rest of an outbox: back-off during an outage of its channel, in which nobody holds the claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OutboxRest {
    /// Time of the next attempt, by the wall clock of the instance that let it rest.
    pub until: Timestamp,
    /// Duration of the rest. Other instances measure it by their own clocks.
    #[serde(rename = "seconds")]
    pub rest_s: u64,
    /// Failed attempts at the first reply.
    pub tries: u32,
}
