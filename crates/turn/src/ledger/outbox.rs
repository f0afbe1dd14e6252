//! The outbox: replies decided by committed turns, those handed over, and the dead letters
//! (parked).

use std::{sync::Arc, time::Duration};

use sayso_activity::{Activity, Raw};
use serde::{Deserialize, Serialize};

use super::text;
use crate::{clock::Timestamp, id::ReplyId};

/// A reply waiting to be handed over.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Entry {
    /// The same for every try.
    pub id: ReplyId,
    /// What to send, as JSON.
    #[serde(with = "text")]
    pub activity: String,
    /// Whether an instance that gave its claim up does not know if it arrived.
    #[serde(default, rename = "doubtful", skip_serializing_if = "std::ops::Not::not")]
    pub is_doubtful: bool,
    /// Whether a later turn may want to change it.
    #[serde(default, rename = "kept", skip_serializing_if = "std::ops::Not::not")]
    pub is_kept: bool,
    /// Whether it is never sent again once it may have arrived (delivery policy `once`).
    #[serde(default, rename = "once", skip_serializing_if = "std::ops::Not::not")]
    pub is_once: bool,
    /// From when on it is parked instead of sent (delivery policy `expires`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<Timestamp>,
    /// The same as `activity`, where this process has made it.
    #[serde(skip)]
    pub(crate) made: Option<Arc<Activity>>,
}

impl Entry {
    /// What to send, parsed.
    pub(crate) fn to_activity(&self) -> Result<Arc<Activity>, serde_json::Error> {
        self.made.as_ref().map_or_else(
            || serde_json::from_str(&self.activity).map(Arc::new),
            |made| Ok(Arc::clone(made)),
        )
    }
}

/// A reply that could not be delivered.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Parked {
    /// The reply.
    pub id: ReplyId,
    /// What it is.
    #[serde(default, skip_serializing_if = "ParkedKind::is_reply")]
    pub kind: ParkedKind,
    /// Why.
    pub reason: String,
    /// When it was given up.
    pub at: Timestamp,
    /// Whether it may have arrived.
    #[serde(default, rename = "doubtful", skip_serializing_if = "std::ops::Not::not")]
    pub is_doubtful: bool,
    /// Whether a later turn may want to change it.
    #[serde(default, rename = "kept", skip_serializing_if = "std::ops::Not::not")]
    pub is_kept: bool,
    /// What was to be sent.
    pub activity: Raw,
}

/// The kind of a dead letter.
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
    /// About how many bytes it takes as JSON.
    pub(super) fn bytes(&self) -> usize {
        self.activity.as_str().len() + self.reason.len() + 96
    }
}

/// A reply that left the outbox, and how: the acknowledgement that the next commit records.
#[derive(Clone, Debug)]
pub(crate) struct HandedOver {
    pub(crate) entry: Arc<Entry>,
    /// The reason and the time, where it was parked.
    pub(crate) parked: Option<(String, Timestamp)>,
    /// Whether an earlier try may have arrived.
    pub(crate) is_doubtful: bool,
    /// The channel's own id of it.
    pub(crate) name: Option<String>,
}

/// The longest that an outbox rests.
pub(crate) const REST_MAX: Duration = Duration::from_secs(60 * 60);

/// An outbox at rest during an outage of its channel: nobody holds a claim until the next try.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Held {
    /// When the next try is due, by the clock of the instance that let it rest.
    pub until: Timestamp,
    /// How long that was then. Others time it by their own clocks.
    #[serde(rename = "seconds")]
    pub rest_s: u64,
    /// How often the first reply was tried.
    pub tries: u32,
}
