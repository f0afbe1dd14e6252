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

    /// Shows a fleeting sign at once: that the bot is typing, or a part of a message that is still
    /// being made. It is not stored and not tried again; nobody minds if it is lost. Gives the
    /// channel's id of it, if there is one.
    ///
    /// A channel that has no such signs need not have this: it shows nothing.
    async fn show(&self, key: &Key, sign: &Activity) -> Option<String> {
        let _ = (key, sign);
        None
    }
}

/// A reply on its way.
#[derive(Clone, Debug)]
pub struct Parcel {
    /// The same for every try to deliver this reply, by whatever instance.
    pub id: ReplyId,
    /// The conversation's document.
    pub key: Key,
    /// What to send; addressed already. A `messageUpdate` is what the message of its `id`, an id
    /// that the channel gave, becomes; a `messageDelete` takes that message away.
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
        /// How long the channel asks to wait. It is asked again after an hour, if that is less.
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
