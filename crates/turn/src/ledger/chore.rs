//! Chores: writes of a document that no inbound activity causes.

use std::time::Duration;

use super::{Claim, OutboxRest};
use crate::{clock::Timestamp, store::ETag};

/// Write that the courier, recovery or a shutdown requests from the runner.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Chore {
    /// Record hand-overs (acknowledgements).
    Record,
    /// Renew the claim (heartbeat).
    Renew,
    /// Release the claim for others to take.
    Release,
    /// Release the claim and let the outbox rest until the next attempt.
    Hold(OutboxRest),
    /// Handle due work: timers, a resting outbox, expiry.
    Wake(Wake),
    /// Finish the decisions of a commit about other documents.
    Finish,
    /// Take the claim over, or end the rest of the outbox, if the document still has this version.
    TakeIfAt(ETag),
    /// Take the claim over if it is still this one.
    TakeFrom(Claim),
}

/// Cause of a wake-up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Wake {
    /// Alarm of a timer, set by a commit of this instance.
    Timer,
    /// Alarm of an outbox that rests until this time, by this instance's monotonic clock.
    Rested(Timestamp),
    /// The sweep found the document due; with its version, and the time for which that is
    /// unchanged.
    Found(ETag, Duration),
}

impl Chore {
    /// Reports whether the chore is about a claim, so that a running turn must not delay it.
    pub(crate) fn is_urgent(&self) -> bool {
        matches!(self, Self::Renew | Self::Release)
    }

    /// Reports whether the chore needs a document from the store instead of the cache.
    pub(crate) fn wants_fresh(&self) -> bool {
        matches!(self, Self::TakeIfAt(_) | Self::TakeFrom(_) | Self::Wake(_))
    }

    /// Reports whether the chore releases the claim.
    pub(crate) fn releases_claim(&self) -> bool {
        matches!(self, Self::Release | Self::Hold(_))
    }
}
