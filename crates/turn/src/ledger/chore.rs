//! Chores: writes of a document that no inbound activity causes.

use std::time::Duration;

use super::{Claim, Held};
use crate::store::ETag;

/// A write that the courier, recovery or a shut-down asks the runner for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Chore {
    /// Record what was handed over (acknowledgements).
    Record,
    /// Renew the claim.
    Renew,
    /// Give the claim up for others to take.
    Release,
    /// Give the claim up and let the outbox rest until the next try.
    Hold(Held),
    /// See to what is due: timers, a resting outbox, expiry.
    Wake(Wake),
    /// Finish what a commit decided about other documents.
    Finish,
    /// Take the outbox over, or end its rest, if the document still has this version.
    TakeIfAt(ETag),
    /// Take the outbox over if it is still claimed like this.
    TakeFrom(Claim),
}

/// Why a document is looked at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Wake {
    /// The alarm of a timer, which this instance set with a commit of its own.
    Timer,
    /// The rest of an outbox that this instance let rest is over, by its monotonic clock.
    Rested,
    /// A look into the store found it due, and this version of it unchanged for a while.
    Found(ETag, Duration),
}

impl Chore {
    /// Whether a claim hangs on it: then a turn that takes a while must not hold it up.
    pub(crate) fn is_urgent(&self) -> bool {
        matches!(self, Self::Renew | Self::Release)
    }

    /// Whether a document from memory will not do.
    pub(crate) fn wants_fresh(&self) -> bool {
        matches!(self, Self::TakeIfAt(_) | Self::TakeFrom(_) | Self::Wake(_))
    }

    /// Whether the claim is given up with it.
    pub(crate) fn gives_up(&self) -> bool {
        matches!(self, Self::Release | Self::Hold(_))
    }
}
