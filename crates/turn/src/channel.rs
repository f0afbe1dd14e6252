//! The channel seam: delivers replies.

use std::{fmt, sync::Arc, time::Duration};

use async_trait::async_trait;
use sayso_activity::Activity;

use crate::{Key, id::ReplyId};

/// Channel that delivers replies: one at a time per conversation, in order.
#[async_trait]
pub trait Channel: fmt::Debug + Send + Sync + 'static {
    /// Delivers one reply and returns the outcome.
    ///
    /// A channel that recognises [`Parcel::id`] should drop a reply that it already has and answer
    /// [`Delivery::Delivered`]: that makes replies exactly-once end to end. The future may be
    /// dropped after a time-out; the reply then counts as [`Delivery::Unknown`].
    async fn deliver(&self, parcel: &Parcel) -> Delivery;

    /// Shows an ephemeral event at once: a typing indicator, or part of a message that is still
    /// streaming. It is not stored and not retried; losing it does no harm. Returns the channel's
    /// id of it, if there is one.
    ///
    /// The default shows nothing.
    async fn show(&self, key: &Key, sign: &Activity) -> Option<String> {
        let _ = (key, sign);
        None
    }
}

/// A reply to deliver.
#[derive(Clone, Debug)]
pub struct Parcel {
    /// Idempotency key: the same for every attempt to deliver this reply, from any instance.
    pub id: ReplyId,
    /// Key of the conversation's document.
    pub key: Key,
    /// The activity to send, already addressed. A `messageUpdate` replaces the message with its
    /// `id` (an id that the channel gave); a `messageDelete` deletes that message.
    pub activity: Arc<Activity>,
    /// True if an earlier attempt may have arrived (a lost answer, a sender that died).
    pub is_repeat: bool,
}

/// Outcome of one delivery attempt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Delivery {
    /// The channel accepted it, under this id if it returned one.
    Delivered {
        /// The channel's own id for the reply.
        id: Option<String>,
    },
    /// The channel will never accept it; it is parked (dead letter) with this reason and the next
    /// reply is delivered.
    Refused {
        /// The reason in one sentence, without secrets or user text.
        reason: String,
    },
    /// It certainly did not arrive; retried with back-off, not before `after` when given.
    Later {
        /// The wait that the channel asks for (`Retry-After`); capped at one hour.
        after: Option<Duration>,
        /// The reason in one sentence.
        reason: String,
    },
    /// It may have arrived; retried under the same id.
    Unknown {
        /// The reason in one sentence.
        reason: String,
    },
}
