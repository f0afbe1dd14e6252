//! The delivery state of a mailbox: what the courier works from.

use std::{collections::BTreeSet, sync::Arc, time::Duration};

use crate::{
    clock::Timestamp,
    id::ReplyId,
    ledger::{Claim, Entry, HandedOver, Ledger},
};

/// What is to be delivered, what was, and who may.
#[derive(Debug, Default)]
pub(crate) struct DeliveryState {
    /// Whether a courier is at work.
    pub(crate) is_courier_on: bool,
    /// Whether the mailbox is among those that wait for a commit to record hand-overs with.
    pub(crate) is_ack_queued: bool,
    /// Who holds the claim, as of the last document seen.
    pub(crate) hold: Hold,
    /// What is ours to deliver, as of the last document seen.
    pub(crate) outbox: Vec<Arc<Entry>>,
    /// The channel's ids of messages that were sent, as of the last document seen.
    pub(crate) sent: Arc<Vec<(ReplyId, String)>>,
    /// What the courier did and no commit has recorded yet.
    pub(crate) handed: Vec<HandedOver>,
    pub(crate) handed_at: Duration,
    /// How long that waits for a commit to be recorded with.
    pub(crate) patience: Duration,
    /// The reply that is being handed over.
    pub(crate) in_hand: Option<ReplyId>,
    /// Replies that an earlier try may have delivered.
    pub(crate) doubtful: BTreeSet<ReplyId>,
    /// The revision of the last document seen: an older one is a stale read.
    pub(crate) rev: u64,
    /// Whether another instance has written here lately: then it waits for our records.
    pub(crate) is_shared: bool,
    /// Tries of the first reply in the outbox, and when the next one may be made.
    pub(crate) tries: u32,
    pub(crate) not_before: Duration,
}

/// The claim as this process knows it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) enum Hold {
    /// Nobody's.
    #[default]
    Free,
    /// Ours. Only a commit of ours proves it, from the moment at which it began.
    Ours(Option<Moment>),
    /// Being given up: nothing more is handed over, or the heir would not know of it.
    Releasing,
    /// Somebody else's, and since when we have seen it unchanged.
    Foreign(Claim, Duration),
}

/// A moment on both clocks. A machine that is suspended stops the monotonic one only.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Moment {
    pub(crate) uptime: Duration,
    pub(crate) wall: Timestamp,
}

impl Moment {
    /// The time that went by, by whichever clock says more.
    pub(crate) fn elapsed(self, uptime: Duration, wall: Timestamp) -> Duration {
        uptime.saturating_sub(self.uptime).max(wall.since(self.wall))
    }
}

impl DeliveryState {
    /// Nothing that must be seen to before the mailbox is let go.
    pub(super) fn is_idle(&self) -> bool {
        !self.is_courier_on && self.is_settled()
    }

    /// Whether nothing would be forgotten with this state: it has no acknowledgements to record and
    /// holds no claim. Only the holder knows which replies may have arrived.
    pub(super) fn is_settled(&self) -> bool {
        let is_holding = matches!(self.hold, Hold::Ours(_) | Hold::Releasing);
        self.handed.is_empty() && (!is_holding || self.outbox.is_empty())
    }

    pub(super) fn is_doubtful(&self, id: &ReplyId) -> bool {
        self.doubtful.contains(id) || self.in_hand.as_ref() == Some(id)
    }

    /// The channel's id of a message of ours, once it has it.
    pub(crate) fn name_of(&self, id: &ReplyId) -> Option<String> {
        let handed = self.handed.iter().find(|handed| handed.entry.id == *id);
        let recorded = || self.sent.iter().rfind(|(known, _)| known == id).map(|(_, name)| name);
        handed.and_then(|handed| handed.name.as_ref()).or_else(recorded).cloned()
    }

    /// Whether the courier has anything to do or to wait for.
    pub(crate) fn has_errands(&self) -> bool {
        let is_watching = matches!(self.hold, Hold::Foreign(..));
        !self.outbox.is_empty() || !self.handed.is_empty() || is_watching
    }

    /// Takes note of the document as it is stored now, and of the commit of ours that made it so.
    pub(crate) fn note(
        &mut self,
        ledger: &Ledger,
        me: &str,
        committed: Option<Moment>,
        now: impl FnOnce() -> Duration,
    ) {
        self.rev = ledger.rev;
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
            // The same claim as before: it has been silent since then.
            (Some(claim), Hold::Foreign(known, since)) if known == *claim => {
                Hold::Foreign(known, since)
            }
            (Some(claim), _) => Hold::Foreign(claim.clone(), now()),
        };
        if let (true, Some(held)) = (is_mine, &ledger.held) {
            // An outage goes on counting where another instance, or this one before it rested, left
            // off.
            self.tries = self.tries.max(held.tries);
        }
        let is_waiting = |id: &ReplyId| ledger.outbox.iter().any(|entry| entry.id == *id);
        self.handed.retain(|handed| is_waiting(&handed.entry.id));
        self.doubtful.retain(is_waiting);
    }

    /// Hands nothing more over: the claim is being given up.
    pub(crate) fn begin_release(&mut self) {
        if matches!(self.hold, Hold::Ours(_)) {
            self.hold = Hold::Releasing;
        }
    }

    /// Hands nothing more over until a commit says whose the claim is: turns may run before the one
    /// that lets the outbox rest, and whoever goes on then would not know of it.
    pub(crate) fn begin_rest(&mut self) {
        if let Hold::Ours(proof) = &mut self.hold {
            *proof = None;
        }
    }

    /// Adds a hand-over, to be recorded.
    pub(crate) fn hand(&mut self, handed: HandedOver, now: Duration) {
        self.handed.push(handed);
        self.handed_at = now;
        self.tries = 0;
        self.not_before = Duration::ZERO;
    }
}
