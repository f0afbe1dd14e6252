//! Outcome of a run: judged, converted to storable form, and applied to the draft.

use std::sync::Arc;

use smallvec::SmallVec;

use crate::{
    Key,
    attempt::{Attempt, Effects, Origin, Source, StepPlace, Steps},
    clock::Timestamp,
    delivery_policy::{DeliveryPolicy, OnDoubt},
    engine::{
        core::Core,
        item::Cause,
        mailbox::Mailbox,
        round::{Round, Setback},
    },
    error::Failure,
    id::{ReplyId, TurnId},
    ledger::{Bag, Change, Document, Recorded, StoredReply},
    limits::Exceeded,
    message_id::Target,
    run::RunOutput,
    turn::{Logic, Reply},
};

/// Builds an attempt, except for the properties that it starts from. The only place that does.
/// `retries` counts how often an operator has retried the turn.
pub(in crate::engine) fn attempt(
    core: &Core,
    mailbox: &Mailbox,
    (id, retries): (TurnId, u32),
    (origin, now): (Origin, Timestamp),
    source: Arc<dyn Source>,
) -> PartialAttempt {
    let effects = Effects::of(core.receipts.get(id));
    let (key, reply_prefix) = (mailbox.key.clone(), id.reply_prefix(retries));
    let place = StepPlace::Engine;
    PartialAttempt { id, reply_prefix, key, origin, now, source, effects, place }
}

/// An attempt that still lacks its properties.
pub(in crate::engine) struct PartialAttempt {
    id: TurnId,
    reply_prefix: TurnId,
    key: Key,
    origin: Origin,
    now: Timestamp,
    source: Arc<dyn Source>,
    effects: Effects,
    place: StepPlace,
}

impl PartialAttempt {
    /// Sets whether the turn of a cause can take steps: not that of a handler that cannot be
    /// stored.
    pub(in crate::engine) fn caused_by(self, cause: &Cause) -> Self {
        match cause {
            Cause::Proactive(_) => Self { place: StepPlace::Nowhere("a proactive turn"), ..self },
            _ => self,
        }
    }

    /// Completes the attempt with what the document has: its properties, and the turn's steps.
    pub(in crate::engine) fn of(self, document: &Document) -> Arc<Attempt> {
        let Self { id, reply_prefix, key, origin, now, source, effects, place } = self;
        let bag = document.bag.clone();
        let steps = Steps::new(place, document.ledger.steps_of(id));
        Arc::new(Attempt { id, reply_prefix, key, origin, now, bag, source, effects, steps })
    }
}

/// Outcome in storable form, within all limits.
#[derive(Debug)]
pub(in crate::engine) struct Outcome {
    change: Change,
    further: SmallVec<[(Key, Bag); 1]>,
}

/// Verdict on a run.
#[derive(Debug)]
pub(in crate::engine) enum Judged {
    Done(Outcome),
    /// It failed, and the error handler replied.
    Handled(Outcome, Arc<Failure>),
    Failed(Arc<Failure>),
}

impl Judged {
    /// Returns the outcome; a failure that the error handler handled counts as one.
    pub(super) fn into_outcome(self) -> Result<Outcome, Arc<Failure>> {
        match self {
            Self::Done(outcome) | Self::Handled(outcome, _) => Ok(outcome),
            Self::Failed(failure) => Err(failure),
        }
    }
}

impl Round<'_> {
    /// Makes an outcome of the run's output, or of the error handler's output if the run failed.
    pub(in crate::engine) async fn judge(
        &self,
        logic: &dyn Logic,
        attempt: &Arc<Attempt>,
        made: Result<RunOutput, Arc<Failure>>,
        may_reply: bool,
    ) -> Result<Judged, Setback> {
        let core = self.core;
        if let Some(error) = self.documents.failed() {
            // A load failed during the run: the store's failure, even if the logic has caught the
            // error.
            return Err(Setback::of_further(error));
        }
        let failure = match made.and_then(|made| self.prepare(attempt, made).map_err(Arc::new)) {
            Ok(outcome) => return Ok(Judged::Done(outcome)),
            Err(failure) => failure,
        };
        failure.log(&attempt.key, attempt.origin.activity());
        if failure.is_newer() {
            core.counters.newer.add(1);
            return Ok(Judged::Failed(failure));
        }
        core.counters.failures.add(1);
        if !may_reply {
            return Ok(Judged::Failed(failure));
        }
        // The commit of what it says needs time, too.
        let left = self.deadline.left(core.uptime());
        let within = Some((&*core.clock, left - (left / 2).min(core.limits.deadline / 3)));
        let handled = Box::pin(attempt.run_on_error(logic, Arc::clone(&failure), within)).await;
        Ok(match handled.map(|made| made.and_then(|made| self.prepare(attempt, made))) {
            Some(Ok(outcome)) => Judged::Handled(outcome, failure),
            Some(Err(second)) => {
                second.log(&attempt.key, attempt.origin.activity());
                core.counters.newer.add(second.is_newer().into());
                Judged::Failed(if second.is_newer() { Arc::new(second) } else { failure })
            }
            None => Judged::Failed(failure),
        })
    }

    /// Converts the output of a run to storable form, or returns the limit that it exceeds.
    fn prepare(&self, attempt: &Attempt, made: RunOutput) -> Result<Outcome, Failure> {
        let core = self.core;
        let RunOutput { mut documents, replies, timers, cancelled, response, .. } = made;
        let is_answer = attempt.origin.activity().expects_replies();
        let policy = core.logic.delivery();
        let to_stored = |reply| self.to_stored(attempt.reply_prefix, reply, is_answer, policy);
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
        prefix: TurnId,
        reply: Reply,
        is_answer: bool,
        policy: DeliveryPolicy,
    ) -> StoredReply {
        let Reply { number, mut activity, is_kept, delivery } = reply;
        let id = ReplyId::new(prefix, number);
        // A change of an earlier message goes to the channel, even if replies go into the answer.
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

    /// Applies a turn's outcome to the round.
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
            self.tally.with_receipts.push(attempt.id);
        }
        self.draft.apply(ids, change, is_answer, &self.core.limits)
    }
}
