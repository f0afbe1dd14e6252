//! The channel seam: where replies are handed over.

use std::{fmt, sync::Arc, time::Duration};

use async_trait::async_trait;
use sayso_activity::Activity;

use crate::{Key, id::ReplyId};

/// Where the courier hands replies over, one at a time per conversation, in order.
#[async_trait]
pub trait Channel: fmt::Debug + Send + Sync + 'static {
    /// Hands one reply over and says what became of it.
    ///
    /// A channel that recognises [`Parcel::id`] should drop what it has had already and answer
    /// [`Delivery::Delivered`]: that makes replies exactly-once end to end. The future may be dropped
    /// after a time-out; the reply then counts as [`Delivery::Unknown`].
    async fn deliver(&self, parcel: &Parcel) -> Delivery;
}

/// A reply on its way.
#[derive(Clone, Debug)]
pub struct Parcel {
    /// The same for every try to deliver this reply, by whatever instance.
    pub id: ReplyId,
    /// The conversation's document.
    pub key: Key,
    /// What to send; addressed already.
    pub activity: Arc<Activity>,
    /// Whether an earlier try may have arrived (a lost answer, a sender that died).
    pub is_repeat: bool,
}

/// What became of a try to hand a reply over.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Delivery {
    /// The channel has it, under this id if it gave one.
    Delivered {
        /// The channel's own id for the reply.
        id: Option<String>,
    },
    /// The channel will never take it; it is parked with this reason and the next one goes on.
    Refused {
        /// Why, in one sentence, without secrets or user text.
        reason: String,
    },
    /// It certainly did not arrive; worth another try, not before `after` when given.
    Later {
        /// How long the channel asks to wait.
        after: Option<Duration>,
        /// Why, in one sentence.
        reason: String,
    },
    /// It may have arrived; tried again under the same id.
    Unknown {
        /// Why, in one sentence.
        reason: String,
    },
}
