//! Delivery state of a mailbox: the outbox, unrecorded hand-overs and the claim, as the courier
//! sees them.

use std::{collections::BTreeSet, sync::Arc, time::Duration};

use crate::{
    clock::Timestamp,
    id::ReplyId,
    ledger::{Claim, Entry, HandedOver, Ledger},
};

/// Number of loads in a row that may be stale before a write must tell.
const STALE_LOADS_MAX: u32 = 4;

/// Outbox to deliver, unrecorded hand-overs, and the claim.
#[derive(Debug, Default)]
pub(crate) struct DeliveryState {
    /// True if a courier is at work.
    pub(crate) is_courier_on: bool,
    /// True if the mailbox is in the queue of unrecorded acknowledgements.
    pub(crate) is_ack_queued: bool,
    /// The claim, as of the last document seen.
    pub(crate) hold: Hold,
    /// Replies for this instance to deliver, as of the last document seen.
    pub(crate) outbox: Vec<Arc<Entry>>,
    /// The channel's ids of messages that were sent, as of the last document seen.
    pub(crate) sent: Arc<Vec<(ReplyId, String)>>,
    /// Hand-overs that no commit has recorded yet.
    pub(crate) handed: Vec<HandedOver>,
    pub(crate) handed_at: Duration,
    /// Time that hand-overs wait for a commit to record them.
    pub(crate) patience: Duration,
    /// Reply that is being delivered right now.
    pub(crate) in_hand: Option<ReplyId>,
    /// Replies that an earlier attempt may have delivered.
    pub(crate) doubtful: BTreeSet<ReplyId>,
    /// Revision of the last document seen: an older one is a stale read, or another document under
    /// the same key.
    pub(crate) rev: u64,
    /// Number of loads in a row that showed an older revision.
    older: u32,
    /// True if another instance has written here recently: acknowledgements are then recorded at
    /// once.
    pub(crate) is_shared: bool,
    /// Failed attempts at the first reply in the outbox, and the earliest time of the next.
    pub(crate) tries: u32,
    pub(crate) not_before: Duration,
}

/// State of the claim as this process knows it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) enum Hold {
    /// Nobody holds it.
    #[default]
    Free,
    /// This instance holds it. Only a commit of its own proves that, from the moment at which it
    /// began.
    Ours(Option<Moment>),
    /// Being released: nothing more is delivered, because the next holder would not know of it.
    Releasing,
    /// Another instance holds it; with the time since when it is unchanged.
    Foreign(Claim, Duration),
}

/// Freshness of a loaded document, by its revision.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Freshness {
    Fresh,
    /// Older than one seen before.
    Stale,
    /// Older, again and again: a document that was deleted and begun anew by another instance has
    /// an older revision, too. Only a write tells.
    Doubtful,
}

/// A moment on both clocks: the suspension of a machine stops only the monotonic one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Moment {
    pub(crate) uptime: Duration,
    pub(crate) wall: Timestamp,
}

impl Moment {
    /// Returns the elapsed time, by whichever clock shows more.
    pub(crate) fn elapsed(self, uptime: Duration, wall: Timestamp) -> Duration {
        uptime.saturating_sub(self.uptime).max(wall.since(self.wall))
    }
}

impl DeliveryState {
    /// Compares a loaded revision with the last one seen.
    pub(crate) fn freshness(&mut self, rev: u64) -> Freshness {
        if rev >= self.rev {
            self.older = 0;
            return Freshness::Fresh;
        }
        self.older += 1;
        if self.older < STALE_LOADS_MAX {
            return Freshness::Stale;
        }
        self.older = 0;
        Freshness::Doubtful
    }

    /// Forgets a document that is gone. The courier and the queue of acknowledgements go on.
    pub(crate) fn begin_anew(&mut self) {
        *self = Self {
            is_courier_on: self.is_courier_on,
            is_ack_queued: self.is_ack_queued,
            in_hand: self.in_hand.take(),
            is_shared: true,
            ..Self::default()
        };
    }

    /// Reports whether the mailbox can be dropped as far as delivery is concerned.
    pub(super) fn is_idle(&self) -> bool {
        !self.is_courier_on && self.is_settled()
    }

    /// Reports whether dropping this state loses nothing: there are no acknowledgements to record
    /// and no claim is held. Only the holder knows which replies may have arrived.
    pub(super) fn is_settled(&self) -> bool {
        let is_holding = matches!(self.hold, Hold::Ours(_) | Hold::Releasing);
        self.handed.is_empty() && (!is_holding || self.outbox.is_empty())
    }

    pub(super) fn is_doubtful(&self, id: &ReplyId) -> bool {
        self.doubtful.contains(id) || self.in_hand.as_ref() == Some(id)
    }

    /// Returns the channel's id of a delivered message.
    pub(crate) fn name_of(&self, id: &ReplyId) -> Option<String> {
        let handed = self.handed.iter().find(|handed| handed.entry.id == *id);
        let recorded = || self.sent.iter().rfind(|(known, _)| known == id).map(|(_, name)| name);
        handed.and_then(|handed| handed.name.as_ref()).or_else(recorded).cloned()
    }

    /// Reports whether another instance's claim is watched.
    pub(crate) fn is_watching(&self) -> bool {
        matches!(self.hold, Hold::Foreign(..))
    }

    /// Reports whether the courier has anything to do or to wait for.
    pub(crate) fn has_errands(&self) -> bool {
        !self.outbox.is_empty() || !self.handed.is_empty() || self.is_watching()
    }

    /// Updates the state from a stored document, and from the own commit that wrote it, if any.
    pub(crate) fn note(
        &mut self,
        ledger: &Ledger,
        me: &str,
        committed: Option<Moment>,
        now: impl FnOnce() -> Duration,
    ) {
        self.rev = ledger.rev;
        self.older = 0;
        let is_mine = ledger.is_claimed_by(me);
        match is_mine {
            true => self.outbox.clone_from(&ledger.outbox),
            false => self.outbox.clear(),
        }
        if !Arc::ptr_eq(&self.sent, &ledger.sent) {
            self.sent = Arc::clone(&ledger.sent);
        }
        self.hold = match (&ledger.claim, std::mem::take(&mut self.hold)) {
            (None, _) => Hold::Free,
            (Some(_), Hold::Releasing) if is_mine => Hold::Releasing,
            (Some(_), Hold::Ours(before)) if is_mine => Hold::Ours(committed.or(before)),
            (Some(_), _) if is_mine => Hold::Ours(committed),
            // The same claim as before: no heartbeat since then.
            (Some(claim), Hold::Foreign(known, since)) if known == *claim => {
                Hold::Foreign(known, since)
            }
            (Some(claim), _) => Hold::Foreign(claim.clone(), now()),
        };
        if let (true, Some(held)) = (is_mine, &ledger.held) {
            // The count of failed attempts continues where another instance, or this one before its
            // rest, stopped.
            self.tries = self.tries.max(held.tries);
        }
        let is_waiting = |id: &ReplyId| ledger.outbox.iter().any(|entry| entry.id == *id);
        self.handed.retain(|handed| is_waiting(&handed.entry.id));
        self.doubtful.retain(is_waiting);
    }

    /// Stops delivering because the claim is being released.
    pub(crate) fn begin_release(&mut self) {
        if matches!(self.hold, Hold::Ours(_)) {
            self.hold = Hold::Releasing;
        }
    }

    /// Stops delivering until a commit settles the claim: turns may run before the commit that lets
    /// the outbox rest, and the next holder would not know of later deliveries.
    pub(crate) fn begin_rest(&mut self) {
        if let Hold::Ours(proof) = &mut self.hold {
            *proof = None;
        }
    }

    /// Adds a hand-over to be recorded.
    pub(crate) fn hand(&mut self, handed: HandedOver, now: Duration) {
        self.handed.push(handed);
        self.handed_at = now;
        self.tries = 0;
        self.not_before = Duration::ZERO;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_older_revision_is_doubtful_only_if_every_load_shows_one() {
        let mut state = DeliveryState { rev: 7, ..DeliveryState::default() };
        for _ in 0..3 {
            assert_eq!([3, 6, 7, 5].map(|rev| state.freshness(rev)), {
                use Freshness::{Fresh, Stale};
                [Stale, Stale, Fresh, Stale]
            });
            assert_eq!(state.freshness(9), Freshness::Fresh);
        }
        let four = [3, 3, 3, 3].map(|rev| state.freshness(rev));
        assert_eq!(four[2..], [Freshness::Stale, Freshness::Doubtful]);
    }
}
