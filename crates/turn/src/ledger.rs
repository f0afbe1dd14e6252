//! The ledger: the runtime's metadata in a document, and pure functions on it.
//!
//! It is why one conditional write is enough: the record that a turn ran, its replies and its
//! timers change together with the state, or not at all.

mod answers;
mod bag;
mod chore;
mod claim;
mod codec;
mod document;
mod draft;
mod inbox;
mod json_text;
mod lifetime;
mod outbox;
mod participants;
mod prepared;
mod retention;
mod seen;
mod steps;
mod timers;

use std::{sync::Arc, time::Duration};

use sayso_activity::Raw;

use self::answers::AROUND;
pub use self::{
    answers::{Recorded, Response},
    bag::Bag,
    claim::Claim,
    document::{Document, RESERVED},
    inbox::Accepted,
    lifetime::{DocumentTtl, Lifetime},
    outbox::{Entry, OutboxRest, Parked, ParkedKind},
    participants::Participants,
    prepared::{Decided, Prepared},
    seen::Seen,
    steps::{StepResult, TurnSteps},
    timers::Timer,
};
pub(crate) use self::{
    chore::{Chore, Wake},
    draft::{Change, Draft, StoredReply},
    outbox::{HandedOver, REST_MAX},
    retention::{is_expired, is_overdue},
};
use crate::{
    Key,
    clock::Timestamp,
    id::{ReplyId, TurnId},
};

/// The runtime's metadata in a document.
#[derive(Clone, Debug, Default)]
pub struct Ledger {
    /// Number of turns that have committed.
    pub turn: u64,
    /// Revision: number of writes of the document. Tells a stale read from a fresh one.
    pub rev: u64,
    /// Unique id of the last write: makes equal bodies differ, for engines whose versions are
    /// content hashes.
    pub write: String,
    /// Ids of recently committed turns (deduplication window).
    pub seen: Seen,
    /// Recorded answers, which a redelivery gets again.
    pub answers: Vec<Arc<Recorded>>,
    /// Lease on the outbox and inbox.
    pub claim: Option<Claim>,
    /// Inbox: activities that were acknowledged before their turns ended, in order of arrival.
    /// While there is one, new activities queue behind it.
    pub inbox: Vec<Arc<Accepted>>,
    /// Transactional outbox: replies not yet recorded as delivered, in commit order.
    pub outbox: Vec<Arc<Entry>>,
    /// Channel ids of messages that a later turn may change, oldest first.
    pub sent: Arc<Vec<(ReplyId, String)>>,
    /// Dead letters: replies that could not be delivered, with the reason.
    pub parked: Vec<Arc<Parked>>,
    /// Timers.
    pub timers: Vec<Arc<Timer>>,
    /// Prepare record of two-phase commit: a change by a turn of another document.
    pub prepared: Option<Arc<Prepared>>,
    /// Commit records of two-phase commit: decisions about other documents, until those are
    /// finished.
    pub decided: Vec<Decided>,
    /// Expiry: the document counts as absent from then on.
    pub expires: Option<Timestamp>,
    /// Rest of the outbox: back-off during an outage of its channel.
    pub held: Option<OutboxRest>,
    /// Results of the finished steps of turns that have not ended.
    pub steps: Vec<Arc<TurnSteps>>,
    /// Accounts that took part, for erasure.
    pub participants: Participants,
    /// Unknown members of a newer minor format, preserved.
    extra: Bag,
}

impl Ledger {
    /// Due time of a document with unclaimed work in its inbox or outbox.
    pub const UNCLAIMED: Timestamp = Timestamp::START;
    /// Due time of a document with claimed work in its inbox or outbox.
    pub const CLAIMED: Timestamp = Timestamp::from_millis(1);
    /// Latest due time of a document with work in its inbox or outbox, or with an unfinished
    /// commit. A due time of a timer or of an expiry is later.
    pub const WAITING_MAX: Timestamp = Timestamp::from_millis(2 * REST_MAX.as_secs());
    /// Due time of a document that has dead letters, and nothing that is ever due. It is after
    /// every real time (the end of the year 9999), so no sweep is told of the document, but an
    /// operator who looks that far ahead finds it without loading all others.
    pub const PARKED: Timestamp = Timestamp::from_millis(253_402_300_799_999);

    /// Returns the time from which the sweep of any instance finds this document.
    ///
    /// A document with dead letters has one in any case.
    #[must_use]
    pub fn due(&self) -> Option<Timestamp> {
        let parked = || (!self.parked.is_empty()).then_some(Self::PARKED);
        self.waits_until().or(self.expires).or_else(parked)
    }

    /// Returns when work in this document is due, if there is any.
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

    /// Returns the due time of the next timer.
    pub(crate) fn next_timer(&self) -> Option<Timestamp> {
        self.timers.iter().map(|timer| timer.at).min()
    }

    /// Returns the rest of the outbox, if it rests and the inbox is empty.
    pub(crate) fn rest(&self) -> Option<OutboxRest> {
        self.held.filter(|_| self.inbox.is_empty() && !self.outbox.is_empty())
    }

    /// Encodes the duration of a rest, in seconds, as a due time. It is not a time of any clock,
    /// because a wrong clock must not delay replies: every reader waits by its own clock.
    fn resting_due(held: OutboxRest) -> Timestamp {
        Timestamp::from_millis(Self::CLAIMED.as_millis() + 1 + held.rest_s)
    }

    /// Decodes the duration of a rest from a due time.
    pub(crate) fn rest_of(due: Timestamp) -> Option<Duration> {
        let rest = Duration::from_secs(due.as_millis());
        (due > Self::CLAIMED && rest <= 2 * REST_MAX).then_some(rest)
    }

    /// Reports whether the inbox or outbox has work.
    pub(crate) fn is_at_work(&self) -> bool {
        !self.outbox.is_empty() || !self.inbox.is_empty()
    }

    /// Reports whether an instance holds the claim.
    pub(crate) fn is_claimed_by(&self, instance: &str) -> bool {
        self.claim.as_ref().is_some_and(|claim| claim.by == instance)
    }

    /// Reports whether a turn was acknowledged and has not ended.
    #[must_use]
    pub fn is_accepted(&self, turn: TurnId) -> bool {
        let is_it = |id: &String| id == turn.as_str();
        self.inbox.iter().any(|accepted| accepted.ids.iter().any(is_it))
    }

    /// Returns the saved results of a turn.
    pub(crate) fn steps_of(&self, turn: TurnId) -> Option<&Arc<TurnSteps>> {
        self.steps.iter().find(|steps| steps.turn == turn.as_str())
    }

    /// Adds results of a turn.
    pub(crate) fn add_steps(&mut self, turn: TurnId, results: Vec<StepResult>) {
        match self.steps.iter_mut().find(|steps| steps.turn == turn.as_str()) {
            Some(steps) => Arc::make_mut(steps).done.extend(results),
            None => {
                self.steps.push(Arc::new(TurnSteps { turn: turn.to_string(), done: results }));
            }
        }
    }

    /// Drops the results of turns that have ended: neither their activity nor their timer is in the
    /// document of this key any more.
    pub(crate) fn prune_steps(&mut self, key: &Key) {
        let Self { steps, inbox, timers, .. } = self;
        steps.retain(|steps| {
            inbox.iter().any(|accepted| accepted.ids.contains(&steps.turn))
                || timers.iter().any(|timer| TurnId::new(key, &timer.id).as_str() == steps.turn)
        });
    }

    /// Approximate size of the ledger as JSON, in bytes.
    pub(crate) fn bytes(&self) -> usize {
        self.live_bytes() + self.parked_bytes() + self.answers_bytes()
    }

    /// Approximate size without history (dead letters, answers), which is trimmed to make room.
    pub(crate) fn live_bytes(&self) -> usize {
        let outbox: usize = self.outbox.iter().map(|entry| entry.activity.len() + AROUND).sum();
        let timers: usize = self.timers.iter().map(|timer| size(&timer.activity)).sum();
        let prepared = self.prepared.as_ref().map_or(0, |prepared| size(&prepared.bag));
        let inbox: usize = self.inbox.iter().map(|accepted| size(&accepted.activity)).sum();
        let sent: usize =
            self.sent.iter().map(|(id, name)| id.as_str().len() + name.len() + 8).sum();
        let steps: usize = self.steps.iter().map(|steps| steps.bytes()).sum();
        let participants = self.participants.bytes();
        let seen = self.seen.as_str().len();
        256 + participants + prepared + sent + inbox + seen + outbox + timers + steps
    }

    fn parked_bytes(&self) -> usize {
        self.parked.iter().map(|parked| parked.bytes()).sum()
    }

    fn answers_bytes(&self) -> usize {
        self.answers.iter().map(|answer| answer.bytes()).sum()
    }

    /// Returns the recorded answer of a turn, if there is one and it is still kept.
    #[must_use]
    pub fn answer(&self, turn: TurnId) -> Option<&Arc<Recorded>> {
        self.answers.iter().find(|answer| answer.id == turn.as_str())
    }
}

/// Approximate size of a value with the JSON around it, in bytes.
fn size(raw: &Raw) -> usize {
    raw.as_str().len() + AROUND
}
