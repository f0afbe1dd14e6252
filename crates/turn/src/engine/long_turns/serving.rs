//! Runner's side of durable steps: gives permission to call, and saves results.
//!
//! Both hang on the claim. A call is permitted only while a commit of this instance proves it: an
//! instance that was frozen and overtaken finds that out before it calls. A result is saved by a
//! conditional write, and the turn goes on when that is known to be in the document.

use std::sync::Arc;

use super::interleaved::load_first;
use crate::{
    attempt::Refusal,
    engine::{
        core::Core,
        deadline::Deadline,
        long_run::LongRun,
        mailbox::{Hold, Mailbox},
        round::{Round, Setback},
    },
    error::Error,
    fault::fault,
    ledger::{Accepted, StepResult},
    store,
};

/// Answers the steps of a run. Returns false when the claim was lost, or the turn has ended.
pub(super) async fn serve(
    core: &Arc<Core>,
    mailbox: &Arc<Mailbox>,
    run: &mut LongRun,
    entry: &Accepted,
) -> Result<bool, Setback> {
    let Some((mut round, now_first)) = load_first(core, mailbox, 0).await? else {
        return Ok(false);
    };
    if now_first.ids != entry.ids {
        return Ok(false);
    }
    if !run.holds(&round.draft.document) {
        run.outdate();
        return Err(Setback::again("another instance went on with the turn"));
    }
    // After the comparison, which may have found them in the document.
    let unsaved = run.attempt.steps.unsaved();
    if unsaved.is_empty() && core.is_claim_proven(mailbox) {
        round.leave_alone();
        run.attempt.steps.grant();
        return Ok(true);
    }
    match save(&mut round, run, &unsaved) {
        Ok(()) => {}
        Err(refusal) => {
            round.leave_alone();
            run.attempt.steps.refuse(&refusal);
            return Ok(true);
        }
    }
    let stored = round.draft.document.ledger.steps_of(run.attempt.id).cloned();
    if !unsaved.is_empty() {
        fault!("before_step");
    }
    match round.commit().await {
        Err(Setback::Never(Error::Store(error)))
            if matches!(*error, store::Error::TooLarge { .. }) =>
        {
            run.attempt.steps.refuse(&Refusal::Store(error));
            return Ok(true);
        }
        committed => committed?,
    }
    mailbox.changed.notify_one();
    if !unsaved.is_empty() {
        fault!("after_step");
        core.counters.steps.add(unsaved.len());
    }
    run.has_progressed = true;
    run.attempt.steps.settle(stored.as_ref());
    // This commit proves the claim.
    run.attempt.steps.grant();
    Ok(true)
}

/// Puts results into the draft of a round, which renews the claim in any case.
fn save(round: &mut Round<'_>, run: &LongRun, unsaved: &[StepResult]) -> Result<(), Refusal> {
    let core = round.core;
    round.catch_up(&[]);
    if !unsaved.is_empty() {
        let saved = round.draft.save_steps(run.attempt.id, unsaved, &core.limits);
        saved.map_err(Refusal::Limit)?;
    }
    round.draft.is_changed = true;
    round.deadline = Deadline::at(core.uptime() + core.limits.claim / 4);
    round.settle_claim(false);
    Ok(())
}

impl Core {
    /// Reports whether nobody else can have taken the claim over: a commit of this instance made or
    /// renewed it a short while ago, by either clock.
    fn is_claim_proven(&self, mailbox: &Mailbox) -> bool {
        let (now, wall) = (self.uptime(), self.now());
        self.suspension.check(now, wall);
        match mailbox.state().delivery.hold {
            Hold::Ours(Some(proof)) => {
                !self.suspension.is_since(proof.uptime)
                    && proof.elapsed(now, wall) < self.limits.claim / 2
            }
            _ => false,
        }
    }
}
