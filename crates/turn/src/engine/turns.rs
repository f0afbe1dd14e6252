//! Turns of a round: deduplication, the run, and its outcome in the draft.

mod outcome;
mod timer;

use std::{sync::Arc, time::Duration};

use sayso_activity::{Activity, Raw};
use smallvec::SmallVec;
use tracing::Instrument;

pub(super) use self::{
    outcome::{Judged, attempt},
    timer::UNHANDLED,
};
use super::{
    answer::{Answer, Verdict},
    item::{Cause, Item, Operation, OperationKind, Part},
    live_source,
    long_run::LongRun,
    round::{Round, Setback},
};
use crate::{attempt::Attempt, error::Error, id::TurnId, ledger::Accepted, run::RunOutput};

/// Verdict of an item, `None` if it goes back into the queue; and its run, if that continues as a
/// long turn.
pub(super) type TurnResult = (Option<Verdict>, Option<Box<LongRun>>);

/// Result of waiting for a run.
#[expect(clippy::large_enum_variant, reason = "the large variant is the common one")]
enum RunStatus {
    Ended(Judged),
    /// It takes too long, or takes a step, and continues as a long turn.
    Late(Box<LongRun>),
}

/// Time budget of a run.
#[derive(Clone, Copy)]
struct RunBudget {
    most: Duration,
    /// True if the run continues after that as a long turn; otherwise it is stopped.
    can_go_on: bool,
    /// True if the error handler may reply when it fails.
    may_reply: bool,
}

impl Round<'_> {
    /// Processes one item: skips a duplicate, appends to the inbox behind a long turn, otherwise
    /// runs it and applies the outcome to the draft.
    pub(super) async fn turn(&mut self, item: &Item) -> Result<TurnResult, Setback> {
        match &item.cause {
            Cause::Operator(operation) => Ok((Some(self.operate(item, operation)), None)),
            Cause::Timer(id) => {
                let late = Box::pin(self.fire(item, id)).await?;
                Ok((Some(Verdict::new()), late))
            }
            Cause::Activity | Cause::Proactive(_) => self.activity(item).await,
        }
    }

    async fn activity(&mut self, item: &Item) -> Result<TurnResult, Setback> {
        let (mut verdicts, ids) = self.repeats(item);
        let Some(first) = ids.first().copied() else {
            // Who waits for the answer waits for its turn, which has taken a step, to end.
            let is_answered = item.can_wait() || !self.is_accepted(item);
            return Ok((is_answered.then_some(verdicts), None));
        };
        let participants = &mut self.draft.document.ledger.participants;
        for part in item.parts.iter().filter(|part| ids.contains(&part.id)) {
            participants.note(&part.activity, &self.core.limits);
        }
        let activity = merged(item, &ids);
        let mut late = None;
        let verdict = if self.draft.document.ledger.inbox.is_empty() {
            let source = live_source::source(&self.documents, item.listener.as_ref());
            let origin = item.origin(&activity);
            let attempt = attempt(self.core, self.mailbox, (first, 0), (origin, item.now), source)
                .caused_by(&item.cause)
                .of(&self.draft.document);
            let patience = self.patience(item)?;
            let ran = {
                // Pinned in place, so that a large future is not moved into the one around it.
                let ran = std::pin::pin!(self.run_logic(&attempt, item, patience));
                ran.instrument(item.span.clone()).await?
            };
            match ran {
                RunStatus::Ended(judged) => {
                    let is_answer = activity.expects_replies();
                    judged.into_outcome().map_err(Error::from).map(|outcome| {
                        self.tally.turns += 1;
                        let recorded = self.keep(&attempt, &ids, outcome, is_answer);
                        Answer::new(recorded.as_deref(), false)
                    })
                }
                RunStatus::Late(run) => {
                    late = Some(run);
                    let accepted = self.line_up(item, &ids, &activity);
                    if accepted.is_ok() && !item.can_wait() {
                        // Its sender waits until it has ended.
                        return Ok((None, late));
                    }
                    accepted
                }
            }
        } else if item.can_wait() {
            self.line_up(item, &ids, &activity)
        } else {
            // The long turn may end before this item's deadline.
            return Ok((None, None));
        };
        for (part, slot) in item.parts.iter().zip(&mut verdicts) {
            if ids.contains(&part.id) {
                slot.clone_from(&verdict);
            }
        }
        Ok((Some(verdicts), late))
    }

    /// Splits the parts of an item: recorded answers for duplicates, and the ids of the new ones,
    /// each once.
    fn repeats(&self, item: &Item) -> (Verdict, SmallVec<[TurnId; 2]>) {
        let ledger = &self.draft.document.ledger;
        let is_repeat = !item.has_begun;
        let mut new: SmallVec<[TurnId; 2]> = SmallVec::new();
        let mut verdicts = Verdict::new();
        for Part { id, .. } in &item.parts {
            let is_accepted = ledger.is_accepted(*id);
            // The same activity may have arrived several times while it waited.
            if !is_accepted && !ledger.seen.contains(*id) && !new.contains(id) {
                new.push(*id);
            }
            verdicts.push(Ok(match is_accepted {
                true => Answer::pending(true),
                false => Answer::new(ledger.answer(*id).map(AsRef::as_ref), is_repeat),
            }));
        }
        if is_repeat {
            self.core.counters.duplicates.add(item.parts.len() - new.len());
        }
        (verdicts, new)
    }

    /// Reports whether the turn of an item is in the inbox.
    fn is_accepted(&self, item: &Item) -> bool {
        item.parts.iter().any(|part| self.draft.document.ledger.is_accepted(part.id))
    }

    fn patience(&self, item: &Item) -> Result<RunBudget, Setback> {
        let limits = &self.core.limits;
        // The deadline of the batch, not its own: earlier items wait for the same commit.
        let now = self.core.uptime();
        let left = self.deadline.left(now);
        let can_go_on = item.can_wait() && limits.acknowledge_after < limits.deadline;
        if self.deadline.is_over(now) && !can_go_on {
            // The time ran out before it could start: no failure of the logic.
            return Err(Setback::again("no time was left to run it"));
        }
        // Leave time for the commit, which an acknowledgement needs as well.
        let commit = limits.deadline.saturating_sub(limits.acknowledge_after);
        let most = if can_go_on { left.saturating_sub(commit) } else { left };
        Ok(RunBudget { most, can_go_on, may_reply: true })
    }

    /// Runs the logic within its time budget, or until an urgent chore arrives. The caller enters
    /// the span of the turn.
    async fn run_logic(
        &mut self,
        attempt: &Arc<Attempt>,
        item: &Item,
        patience: RunBudget,
    ) -> Result<RunStatus, Setback> {
        let (core, mailbox) = (self.core, self.mailbox);
        core.counters.attempts.add(1);
        let logic = match &item.cause {
            Cause::Proactive(logic) => logic,
            _ => &core.logic,
        };
        let mut running = attempt.start(&**logic);
        let ran = match patience.can_go_on {
            false => running.within(&*core.clock, patience.most).await,
            true => {
                let sleep = |most| async move {
                    if !mailbox.state().queue.has_urgent_chore() {
                        core.within(most, mailbox.interrupt.notified()).await;
                    }
                };
                running.unless(patience.most, sleep).await
            }
        };
        let made: Result<RunOutput, _> = match ran {
            Some(made) => made,
            // It takes too long, or is to take a step.
            None if patience.can_go_on || attempt.steps.has_asked() => {
                let turn = self.draft.document.ledger.turn;
                let documents = Arc::clone(&self.documents);
                let run = LongRun::new(Arc::clone(attempt), running, documents, turn);
                return Ok(RunStatus::Late(Box::new(run)));
            }
            None => {
                self.documents.stop();
                let own = patience.most.saturating_sub(self.documents.waited());
                if own < core.limits.deadline / 2 && self.documents.failed().is_none() {
                    // The store or earlier turns used up its time: no failure of the logic.
                    return Err(Setback::again("too little time was left to run it"));
                }
                Err(running.stop(core.limits.deadline))
            }
        };
        let made = made.map_err(Arc::new);
        self.judge(&**logic, attempt, made, patience.may_reply).await.map(RunStatus::Ended)
    }

    /// Appends an activity to the inbox: once committed it is durable that it will be handled.
    fn line_up(
        &mut self,
        item: &Item,
        ids: &[TurnId],
        activity: &Activity,
    ) -> Result<Answer, Error> {
        let accepted = Accepted {
            ids: ids.iter().map(ToString::to_string).collect(),
            at: item.now,
            lost: 0,
            is_timer: false,
            tries: 0,
            retries: 0,
            activity: Raw::of(activity).expect("an activity is always JSON"),
        };
        self.draft.accept(accepted, &self.core.limits).map_err(Error::Overlap)?;
        self.tally.accepted += 1;
        Ok(Answer::pending(false))
    }

    /// Performs an operator's change.
    fn operate(&mut self, item: &Item, operation: &Operation) -> Verdict {
        let verdict = Verdict::from_iter([Ok(Answer::new(None, false))]);
        let Some(id) = item.parts.first().map(|part| part.id) else { return verdict };
        if self.draft.document.ledger.seen.contains(id) {
            // It has committed already, and the store's answer was lost.
            return verdict;
        }
        let which = operation.which.as_ref();
        let count = match operation.what {
            OperationKind::RetryParked => self.draft.retry_parked(which, self.core.now()),
            OperationKind::DropParked => self.draft.drop_parked(which),
        };
        if count > 0 {
            self.draft.document.ledger.seen.push(id, self.core.limits.seen_max);
        }
        operation.done(count);
        verdict
    }
}

/// Merges coalesced activities: the last one, with all texts and attachments.
fn merged(item: &Item, ids: &[TurnId]) -> Arc<Activity> {
    if let [only] = &*item.parts {
        return Arc::clone(&only.activity);
    }
    let mut ids: SmallVec<[TurnId; 2]> = ids.into();
    let mut is_new = |part: &&Part| {
        let at = ids.iter().position(|id| *id == part.id);
        at.map(|at| ids.remove(at)).is_some()
    };
    let parts: SmallVec<[&Part; 2]> = item.parts.iter().filter(|part| is_new(part)).collect();
    let (Some(last), true) = (parts.last(), parts.len() > 1) else {
        return Arc::clone(&parts.first().expect("an item has at least one part").activity);
    };
    let mut activity = Activity::clone(&last.activity);
    let texts: Vec<&str> = parts.iter().map(|part| part.activity.text()).collect();
    activity.text = Some(texts.join("\n"));
    let attachments = parts.iter().filter_map(|part| part.activity.attachments.clone());
    let attachments: Vec<_> = attachments.flatten().collect();
    activity.attachments = (!attachments.is_empty()).then_some(attachments);
    Arc::new(activity)
}
