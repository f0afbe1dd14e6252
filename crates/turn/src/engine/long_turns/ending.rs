//! End of a long turn: its output is committed, retried later, or parked.

use std::sync::Arc;

use super::interleaved::{load_first, process_batch};
use crate::{
    engine::{
        core::Core,
        deadline::Deadline,
        documents::FurtherDocuments,
        item::Batch,
        long_run::{LongRun, Progress},
        mailbox::Mailbox,
        round::{Round, Setback},
        turns::{Judged, UNHANDLED},
    },
    error::{Error, Failure},
    id::TurnId,
    ledger::{Accepted, Chore},
    run::RunOutput,
    store,
};

/// Outcome of one step through the inbox.
pub(super) enum Step {
    /// The first entry is finished.
    Ended,
    /// The inbox is empty, or not ours.
    Nothing,
}

/// Commits the output of the first entry, or its failure, after so many setbacks.
pub(super) async fn finish(
    core: &Arc<Core>,
    mailbox: &Arc<Mailbox>,
    (run, setbacks): (&mut LongRun, u32),
    entry: &Accepted,
) -> Result<Step, Setback> {
    let mut ended = try_to_finish(core, mailbox, run, entry).await;
    while let Err(Setback::Never(Error::Store(error))) = &ended
        && !run.is_mute
    {
        // Neither the output nor the further documents can be saved; perhaps the failure can, or
        // the failure without what the error handler said.
        let is_too_large = matches!(**error, store::Error::TooLarge { .. });
        match run.progress {
            Progress::Done(Err(_)) => {
                run.documents = FurtherDocuments::new(core, None, 0);
                run.is_mute = is_too_large;
            }
            _ => refuse(core, run, Arc::clone(error)),
        }
        if !is_too_large {
            return ended;
        }
        // The output is refused, not the conversation.
        ended = try_to_finish(core, mailbox, run, entry).await;
    }
    match ended {
        Err(Setback::Conflict) if run.documents.is_used() => {
            // Perhaps only the inbox has changed, to which others add while the run goes on.
            let deadline = Deadline::at(core.uptime() + core.limits.claim / 4);
            match run.documents.renew(setbacks, deadline).await {
                Ok(true) => {}
                Err(error) if error.is_transient() => return Err(Setback::of_further(error)),
                // The next run has the changes, or fails with the permanent error.
                Ok(false) | Err(_) => run.outdate(),
            }
            Err(Setback::Conflict)
        }
        ended => ended,
    }
}

async fn try_to_finish(
    core: &Arc<Core>,
    mailbox: &Arc<Mailbox>,
    run: &mut LongRun,
    entry: &Accepted,
) -> Result<Step, Setback> {
    let Some((mut round, now_first)) = load_first(core, mailbox, 0).await? else {
        return Ok(Step::Nothing);
    };
    if now_first.ids != entry.ids {
        // It has committed already, and the store's answer was lost.
        return Ok(Step::Ended);
    }
    if !run.holds(&round.draft.document) {
        run.outdate();
        return Err(Setback::again("another turn committed first"));
    }
    let Progress::Done(made) = &run.progress else { return Ok(Step::Nothing) };
    let made = made.clone();
    round.catch_up(&[]);
    round.deadline = Deadline::at(core.uptime() + core.limits.deadline);
    round.documents = Arc::clone(&run.documents);
    let ids: Vec<TurnId> = entry.ids.iter().filter_map(|id| TurnId::parse(id)).collect();
    let is_tried_again = entry.is_timer && !core.is_last_try(entry.tries);
    let may_reply = !is_tried_again && !run.is_mute;
    let judged = judge(core, &mut round, run, (made, may_reply)).await?;
    let attempt = &Arc::clone(&run.attempt);
    let is_answer = attempt.origin.activity().expects_replies();
    let mut failed = None;
    let now = core.now();
    match judged {
        Judged::Done(outcome) => {
            round.draft.end_first();
            drop(round.keep(attempt, &ids, outcome, is_answer));
            round.tally.turns += 1;
            round.tally.fired += usize::from(entry.is_timer);
        }
        Judged::Handled(outcome, failure) => {
            match entry.is_timer {
                true => round.draft.park_first(&[], &failure.with_causes(), now, &core.limits),
                false => round.draft.end_first(),
            }
            drop(round.keep(attempt, &ids, outcome, is_answer));
            round.tally.turns += 1;
            round.tally.parked += usize::from(entry.is_timer);
        }
        Judged::Failed(failure) if failure.is_newer() => {
            drop(round);
            return hand_to_newer(core, mailbox).await;
        }
        Judged::Failed(failure) => match is_tried_again {
            true => {
                let at = core.timer_again_at(entry.tries, &failure);
                let id = attempt.origin.activity().id.clone().unwrap_or_default();
                round.draft.put_off_first(entry, id, at);
            }
            false => {
                round.tally.parked += 1;
                round.draft.park_first(&ids, &failure.with_causes(), now, &core.limits);
                failed = Some(failure);
            }
        },
    }
    round.settle_claim(false);
    round.commit().await?;
    if let Some(failure) = failed {
        mailbox.fail_waiting(&ids, &Error::from(failure));
    }
    mailbox.changed.notify_one();
    Ok(Step::Ended)
}

/// Judges a finished run; `may_reply` says whether the error handler may reply.
async fn judge(
    core: &Arc<Core>,
    round: &mut Round<'_>,
    run: &mut LongRun,
    (made, may_reply): (Result<RunOutput, Arc<Failure>>, bool),
) -> Result<Judged, Setback> {
    let attempt = Arc::clone(&run.attempt);
    match round.judge(&*core.logic, &attempt, made, may_reply).await {
        Err(Setback::Never(Error::Store(error))) => {
            // A further document has a permanent error: only this turn fails.
            refuse(core, run, Arc::clone(&error));
            round.documents = Arc::clone(&run.documents);
            let failed = Err(Arc::new(Failure::Store(error)));
            round.judge(&*core.logic, &attempt, failed, may_reply).await
        }
        Err(setback) => {
            // A load failed during the run: it starts again, with its receipts.
            run.outdate();
            Err(setback)
        }
        judged => judged,
    }
}

/// Replaces the output by a store failure.
fn refuse(core: &Arc<Core>, run: &mut LongRun, error: Arc<store::Error>) {
    run.documents = FurtherDocuments::new(core, None, 0);
    run.progress = Progress::Done(Err(Arc::new(Failure::Store(error))));
}

/// Leaves the turn to an instance of the newer build: releases the claim. While a reply is handed
/// over nobody knows whether it will arrive, and the next holder would send it again: so that ends
/// first.
async fn hand_to_newer(core: &Arc<Core>, mailbox: &Arc<Mailbox>) -> Result<Step, Setback> {
    core.deferred.add(&mailbox.key, core.uptime());
    let is_handing_over = {
        let delivery = &mut mailbox.state().delivery;
        delivery.begin_release();
        delivery.in_hand.is_some()
    };
    if is_handing_over {
        return Err(Setback::again("a reply is being handed over"));
    }
    let release = Batch { chores: vec![Chore::Release], ..Batch::default() };
    process_batch(core, mailbox, release).await;
    Ok(Step::Nothing)
}

impl Round<'_> {
    /// Parks the first entry of the inbox, which cannot be read, so that those behind it run.
    pub(super) async fn park_unreadable(
        mut self,
        entry: &Accepted,
        failure: &Failure,
    ) -> Result<Step, Setback> {
        let (core, key) = (self.core, &self.mailbox.key);
        self.catch_up(&[]);
        self.tally.parked += 1;
        let ids: Vec<TurnId> = entry.ids.iter().filter_map(|id| TurnId::parse(id)).collect();
        self.draft.park_first(&ids, &failure.with_causes(), core.now(), &core.limits);
        self.settle_claim(false);
        self.commit().await?;
        tracing::error!(%key, %failure, "an acknowledged activity was parked");
        Ok(Step::Ended)
    }

    /// Takes the first entry off the inbox, a timer that this build has no handler for: a newer
    /// build that has made a long turn of it. It is put off, and parked in the end.
    pub(super) async fn put_off_first(
        mut self,
        entry: &Accepted,
        id: String,
    ) -> Result<Step, Setback> {
        let core = self.core;
        self.catch_up(&[]);
        match core.is_last_try(entry.tries) {
            false => {
                let at = core.refused_timer_again_at(entry.tries);
                self.draft.put_off_first(entry, id, at);
            }
            true => {
                self.note_unhandled();
                let ids: Vec<_> = entry.ids.iter().filter_map(|id| TurnId::parse(id)).collect();
                self.draft.park_first(&ids, UNHANDLED, core.now(), &core.limits);
            }
        }
        self.settle_claim(false);
        self.commit().await?;
        Ok(Step::Ended)
    }
}
