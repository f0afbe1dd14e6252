//! The ledger: the runtime's own part of a document, and the pure bookkeeping on it.
//!
//! It is the reason why one conditional write is enough: the fact that a turn ran, what it wants
//! said and what it wants to happen later change together with the state, or not at all.

mod answers;
mod bag;
mod chore;
mod claim;
mod codec;
mod document;
mod draft;
mod inbox;
mod outbox;
mod prepared;
mod retention;
mod seen;
mod text;
mod timers;

use std::{sync::Arc, time::Duration};

use sayso_activity::Raw;

pub use self::{
    answers::{Recorded, Response},
    bag::Bag,
    claim::Claim,
    document::{Document, RESERVED},
    inbox::Accepted,
    outbox::{Entry, Held, Parked, ParkedKind},
    prepared::{Decided, Prepared},
    seen::Seen,
    timers::Timer,
};
pub(crate) use self::{
    chore::{Chore, Wake},
    draft::{Change, Draft, StoredReply},
    outbox::{HandedOver, REST_MAX},
    retention::{is_expired, is_overdue},
};
use crate::{
    clock::Timestamp,
    id::{ReplyId, TurnId},
};

/// The runtime's own part of a document.
#[derive(Clone, Debug, Default)]
pub struct Ledger {
    /// How many turns have committed.
    pub turn: u64,
    /// How often the document was written: tells a stale read from a fresh one.
    pub rev: u64,
    /// Names the last write, uniquely: it makes equal bodies differ, for engines whose versions are
    /// content hashes.
    pub write: String,
    /// The turns lately committed.
    pub seen: Seen,
    /// Answers that a redelivery must get again.
    pub answers: Vec<Arc<Recorded>>,
    /// Who delivers the outbox.
    pub claim: Option<Claim>,
    /// Activities that were acknowledged before their turns ended, in the order of their arrival.
    /// While there is one, whatever arrives takes its place behind it.
    pub inbox: Vec<Arc<Accepted>>,
    /// Replies decided and not yet recorded as handed over, in commit order.
    pub outbox: Vec<Arc<Entry>>,
    /// What the channel calls messages that a later turn may want to change, oldest first.
    pub sent: Arc<Vec<(ReplyId, String)>>,
    /// Replies that could not be delivered, with the reason.
    pub parked: Vec<Arc<Parked>>,
    /// What is to happen later.
    pub timers: Vec<Arc<Timer>>,
    /// A change that a turn of another document wants to make here, where the engine cannot write
    /// both at once.
    pub prepared: Option<Arc<Prepared>>,
    /// Writes of this document that decided about others, until those are finished.
    pub decided: Vec<Decided>,
    /// From when on the document counts as absent.
    pub expires: Option<Timestamp>,
    /// The outbox rests until a time: its channel is down, or asked for patience.
    pub held: Option<Held>,
    /// Members of a newer minor format, kept.
    extra: Bag,
}

impl Ledger {
    /// A due time that says: an inbox or an outbox waits and nobody has claimed it.
    pub const UNCLAIMED: Timestamp = Timestamp::START;
    /// A due time that says: an inbox or an outbox waits and somebody has claimed it.
    pub const CLAIMED: Timestamp = Timestamp::from_millis(1);

    /// From when on others should look at this document.
    #[must_use]
    pub fn due(&self) -> Option<Timestamp> {
        self.waits_until().or(self.expires)
    }

    /// When something in this document is to be seen to, if anything is.
    pub(crate) fn waits_until(&self) -> Option<Timestamp> {
        let is_unfinished = self.prepared.is_some() || !self.decided.is_empty();
        match (self.is_at_work(), &self.claim, self.rest()) {
            (true, None, Some(held)) if !is_unfinished => Some(Self::resting_due(held)),
            (true, None, _) => Some(Self::UNCLAIMED),
            (true, Some(_), _) => Some(Self::CLAIMED),
            (false, ..) if is_unfinished => Some(Self::CLAIMED),
            (false, ..) => self.next_timer(),
        }
    }

    /// When the next timer fires.
    pub(crate) fn next_timer(&self) -> Option<Timestamp> {
        self.timers.iter().map(|timer| timer.at).min()
    }

    /// The rest of an outbox, where one rests and nothing else is to be done.
    pub(crate) fn rest(&self) -> Option<Held> {
        self.held.filter(|_| self.inbox.is_empty() && !self.outbox.is_empty())
    }

    /// A due time that says how many seconds an outbox rests. It is no time of any clock: a wrong
    /// one must not make replies wait, so whoever sees it waits by its own.
    fn resting_due(held: Held) -> Timestamp {
        Timestamp::from_millis(Self::CLAIMED.as_millis() + 1 + held.rest_s)
    }

    /// How long an outbox rests, if a due time says that.
    pub(crate) fn rest_of(due: Timestamp) -> Option<Duration> {
        let rest = Duration::from_secs(due.as_millis());
        (due > Self::CLAIMED && rest <= 2 * REST_MAX).then_some(rest)
    }

    /// Whether somebody is to run or to deliver something here.
    pub(crate) fn is_at_work(&self) -> bool {
        !self.outbox.is_empty() || !self.inbox.is_empty()
    }

    /// Whether an instance holds the claim.
    pub(crate) fn is_claimed_by(&self, instance: &str) -> bool {
        self.claim.as_ref().is_some_and(|claim| claim.by == instance)
    }

    /// Whether a turn was acknowledged and has not ended.
    #[must_use]
    pub fn is_accepted(&self, turn: TurnId) -> bool {
        let is_it = |id: &String| id == turn.as_str();
        self.inbox.iter().any(|accepted| accepted.ids.iter().any(is_it))
    }

    /// About how many bytes the ledger takes as JSON.
    pub(crate) fn bytes(&self) -> usize {
        self.live_bytes() + self.parked_bytes() + self.answers_bytes()
    }

    /// The same without kept history, which gives way to what is alive.
    pub(crate) fn live_bytes(&self) -> usize {
        let outbox: usize = self.outbox.iter().map(|entry| entry.activity.len() + 64).sum();
        let timers: usize = self.timers.iter().map(|timer| size(&timer.activity)).sum();
        let prepared = self.prepared.as_ref().map_or(0, |prepared| size(&prepared.bag));
        let inbox: usize = self.inbox.iter().map(|accepted| size(&accepted.activity)).sum();
        let sent: usize =
            self.sent.iter().map(|(id, name)| id.as_str().len() + name.len() + 8).sum();
        256 + prepared + sent + inbox + self.seen.as_str().len() + outbox + timers
    }

    fn parked_bytes(&self) -> usize {
        self.parked.iter().map(|parked| parked.bytes()).sum()
    }

    fn answers_bytes(&self) -> usize {
        self.answers.iter().map(|answer| answer.bytes()).sum()
    }

    /// The recorded answer of a turn, where it had one and it is still kept.
    #[must_use]
    pub fn answer(&self, turn: TurnId) -> Option<&Arc<Recorded>> {
        self.answers.iter().find(|answer| answer.id == turn.as_str())
    }
}

/// About how many bytes a value and what stands around it take.
fn size(raw: &Raw) -> usize {
    raw.as_str().len() + 64
}
