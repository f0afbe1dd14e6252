//! The outcome of a run: judged, put into storable form, and made part of the draft.

use std::sync::Arc;

use smallvec::SmallVec;

use crate::{
    Key,
    attempt::{Attempt, Effects, Origin, Source},
    clock::Timestamp,
    delivery_policy::{DeliveryPolicy, OnDoubt},
    engine::{
        core::Core,
        item::expects_replies,
        mailbox::Mailbox,
        round::{Round, Setback},
    },
    error::Failure,
    id::{ReplyId, TurnId},
    ledger::{Bag, Change, Recorded, StoredReply},
    limits::Exceeded,
    message::Target,
    run::Made,
    turn::{Logic, Reply},
};

/// The one place that builds an attempt: everything but the properties that it begins with.
pub(in crate::engine) fn attempt(
    core: &Core,
    mailbox: &Mailbox,
    id: TurnId,
    (origin, now): (Origin, Timestamp),
    source: Arc<dyn Source>,
) -> Blank {
    let effects = Effects::of(core.receipts.get(id));
    Blank { id, key: mailbox.key.clone(), origin, now, source, effects }
}

/// An attempt without properties.
pub(in crate::engine) struct Blank {
    id: TurnId,
    key: Key,
    origin: Origin,
    now: Timestamp,
    source: Arc<dyn Source>,
    effects: Effects,
}

impl Blank {
    /// The attempt on these properties.
    pub(in crate::engine) fn of(self, bag: &Bag) -> Arc<Attempt> {
        let Self { id, key, origin, now, source, effects } = self;
        Arc::new(Attempt { id, key, origin, now, bag: bag.clone(), source, effects })
    }
}

/// An outcome in storable form; it fits all limits.
#[derive(Debug)]
pub(in crate::engine) struct Outcome {
    change: Change,
    further: SmallVec<[(Key, Bag); 1]>,
}

/// The verdict on a run.
#[derive(Debug)]
pub(in crate::engine) enum Judged {
    Done(Outcome),
    /// It failed, and the error handler spoke.
    Handled(Outcome, Arc<Failure>),
    Failed(Arc<Failure>),
}

impl Judged {
    /// A failed turn with an error handler is a turn like any other.
    pub(super) fn into_outcome(self) -> Result<Outcome, Arc<Failure>> {
        match self {
            Self::Done(outcome) | Self::Handled(outcome, _) => Ok(outcome),
            Self::Failed(failure) => Err(failure),
        }
    }
}

impl Round<'_> {
    /// Makes an outcome of what the logic made, or of what the error handler says if it failed.
    pub(in crate::engine) async fn judge(
        &self,
        logic: &dyn Logic,
        attempt: &Arc<Attempt>,
        made: Result<Made, Arc<Failure>>,
        has_words: bool,
    ) -> Result<Judged, Setback> {
        let core = self.core;
        if let Some(error) = self.documents.failed() {
            // The store failed under the logic: no fault of the logic's, whatever it made of it.
            return Err(Setback::of_further(error));
        }
        let failure = match made.and_then(|made| self.prepare(attempt, made).map_err(Arc::new)) {
            Ok(outcome) => return Ok(Judged::Done(outcome)),
            Err(failure) => failure,
        };
        failure.log();
        if failure.is_newer() {
            core.counters.newer.add(1);
            return Ok(Judged::Failed(failure));
        }
        core.counters.failures.add(1);
        if !has_words {
            return Ok(Judged::Failed(failure));
        }
        let within = Some((&*core.clock, self.deadline.left(core.uptime())));
        let handled = Box::pin(attempt.run_on_error(logic, Arc::clone(&failure), within)).await;
        Ok(match handled.map(|made| made.and_then(|made| self.prepare(attempt, made))) {
            Some(Ok(outcome)) => Judged::Handled(outcome, failure),
            Some(Err(second)) => {
                second.log();
                core.counters.newer.add(second.is_newer().into());
                Judged::Failed(if second.is_newer() { Arc::new(second) } else { failure })
            }
            None => Judged::Failed(failure),
        })
    }

    /// Puts what a run made into storable form, or says which limit it breaks.
    fn prepare(&self, attempt: &Attempt, made: Made) -> Result<Outcome, Failure> {
        let core = self.core;
        let Made { mut documents, replies, timers, cancelled, response } = made;
        let is_answer = expects_replies(attempt.origin.activity());
        let policy = core.logic.delivery();
        let to_stored = |reply| self.to_stored(attempt.id, reply, is_answer, policy);
        let replies = replies.into_replies().map(to_stored).collect();
        let (_, bag) = documents.remove(0);
        let change = Change { bag, replies, timers, cancelled, response };
        self.draft.check(attempt.id, &change, &core.limits)?;
        let (sizes, most) =
            (documents.iter().map(|(_, bag)| bag.bytes()), core.limits.document_bytes_max);
        if let Some(bytes) = sizes.max().filter(|bytes| *bytes > most) {
            let what = format!("a further document has {bytes} bytes, at most {most}");
            return Err(Exceeded { what, limit: "document_bytes_max" }.into());
        }
        Ok(Outcome { change, further: documents })
    }

    fn to_stored(
        &self,
        turn: TurnId,
        reply: Reply,
        is_answer: bool,
        policy: DeliveryPolicy,
    ) -> StoredReply {
        let Reply { number, mut activity, is_kept, delivery } = reply;
        let id = ReplyId::new(turn, number);
        // A change of an earlier message is for the channel, whoever waits for the replies.
        let is_answer = is_answer && Target::of(&activity).is_none();
        if is_answer {
            Arc::make_mut(&mut activity).id = Some(id.as_str().to_owned());
        }
        let DeliveryPolicy { on_doubt, expires } = delivery.unwrap_or(policy);
        let is_once = on_doubt == OnDoubt::Once;
        let until = expires.map(|after| self.core.now().after(after));
        let text = activity.to_text();
        StoredReply { id, text, activity, is_kept, is_answer, is_once, until }
    }

    /// Makes a turn's outcome part of the round.
    pub(in crate::engine) fn keep(
        &mut self,
        attempt: &Attempt,
        ids: &[TurnId],
        outcome: Outcome,
        is_answer: bool,
    ) -> Option<Arc<Recorded>> {
        let Outcome { change, further } = outcome;
        for (key, bag) in further {
            self.documents.put(&key, bag);
        }
        if attempt.effects.is_used() {
            self.tally.paid.push(attempt.id);
        }
        self.draft.apply(ids, change, is_answer, &self.core.limits)
    }
}
