//! Turn of a timer: fired once, retried with back-off when it fails, finally parked.

use std::{sync::Arc, time::Duration};

use sayso_activity::Activity;
use tracing::Instrument;

use super::{Judged, RunBudget, RunStatus, attempt};
use crate::{
    attempt::{Attempt, Origin},
    backoff::Backoff,
    clock::Timestamp,
    engine::{
        core::Core,
        item::{Batch, Cause, Item, Part},
        live_source,
        long_run::LongRun,
        round::{Round, Setback},
    },
    error::{Error, Failure},
    id::TurnId,
    ledger::{Accepted, Timer, Wake},
    store,
};

/// Time after a timer's due time within which its turn must end, or be made durable as a long turn.
/// Other instances that find the timer due wait longer than this before they fire it; so one that
/// is late already, or behind others in the batch, becomes a long turn at once.
const PATIENCE: Duration = Duration::from_secs(1);
/// First back-off of a timer whose turn fails.
const BACKOFF_FIRST: Duration = Duration::from_secs(1);
/// First back-off of a timer whose turn needs a further document with a permanent error, or a
/// handler that this build does not have.
const REFUSED_FIRST: Duration = Duration::from_secs(8);
/// Reason for which a timer without a handler is parked.
pub(in crate::engine) const UNHANDLED: &str = "the bot has no handler for its event";

impl Core {
    /// Reports whether the next attempt at a timer is its last.
    pub(in crate::engine) fn is_last_try(&self, tries: u32) -> bool {
        tries + 1 >= self.limits.timer_attempts_max
    }

    /// Returns the time of the next attempt at a timer that has failed `tries` times.
    pub(in crate::engine) fn timer_again_at(&self, tries: u32, failure: &Failure) -> Timestamp {
        let max = self.limits.timer_backoff_max;
        if let Failure::Store(_) = failure {
            return self.refused_timer_again_at(tries);
        }
        let backoff = Backoff { first: BACKOFF_FIRST, max };
        self.now().after(backoff.wait_at_least_half(tries, &self.ids))
    }

    /// Returns the time of the next attempt at a timer with a permanent error.
    pub(in crate::engine) fn refused_timer_again_at(&self, tries: u32) -> Timestamp {
        // Rounded, so that timers of one conversation with the same permanent error are retried in
        // one round.
        let max = self.limits.timer_backoff_max;
        let wait = Backoff { first: REFUSED_FIRST, max }.longest(tries);
        let at = self.now().after(wait).as_millis();
        Timestamp::from_millis(at.next_multiple_of(1000))
    }

    /// Reports whether a due timer is left to other instances: this build has no handler for it,
    /// one of them may be of a newer build that has, and they have not had the time yet to fire it.
    pub(in crate::engine) fn leaves_to_others(&self, timer: &Item, wake: &Wake) -> bool {
        let is_left_over = match wake {
            Wake::Found(_, unchanged_for) => *unchanged_for >= self.limits.claim,
            Wake::Timer | Wake::Rested(_) => false,
        };
        let mut parts = timer.parts.iter();
        !is_left_over && !parts.any(|part| self.logic.handles(&part.activity))
    }

    /// Returns the id of the timer that an inbox entry came from, if this build has no handler for
    /// it.
    pub(in crate::engine) fn unhandled_timer(&self, entry: &Accepted) -> Option<String> {
        let activity: Activity = entry.activity.get().ok().filter(|_| entry.is_timer)?;
        if self.logic.handles(&activity) { None } else { activity.id }
    }
}

impl Round<'_> {
    /// Fires a timer, unless an earlier turn cancelled it or another instance was first. Returns
    /// the run if it continues as a long turn.
    pub(super) async fn fire(
        &mut self,
        item: &Item,
        id: &str,
    ) -> Result<Option<Box<LongRun>>, Setback> {
        let core = self.core;
        let now = core.now();
        let is_due = |timer: &&Arc<Timer>| timer.at <= now;
        let Some(timer) = self.draft.timer(id).filter(is_due).cloned() else { return Ok(None) };
        let late = now.since(timer.at);
        let turn = TurnId::new(&self.mailbox.key, id);
        let ledger = &self.draft.document.ledger;
        let Some(part) = item.parts.first() else { return Ok(None) };
        if timer.activity.get::<Activity>().is_err() {
            let reason = "the stored event cannot be read";
            self.draft.park_timer(turn, &timer, reason, core.now());
            self.tally.parked += 1;
            return Ok(None);
        }
        if ledger.seen.contains(turn) {
            self.draft.remove_timer(id);
            return Ok(None);
        }
        if !core.logic.handles(&part.activity) {
            self.put_off_unhandled(turn, &timer);
            return Ok(None);
        }
        if !ledger.inbox.is_empty() {
            self.draft.accept_timer(turn, &timer);
            return Ok(None);
        }
        let attempt = self.timer_attempt(item, part, (turn, timer.retries));
        let is_last = core.is_last_try(timer.tries);
        let patience = RunBudget {
            most: self.patience(item)?.most.min(PATIENCE.saturating_sub(late)),
            can_go_on: true,
            may_reply: is_last,
        };
        // The turn may set a timer in its place.
        self.draft.lift_timer(id);
        let ran = self.run_logic(&attempt, item, patience).instrument(item.span.clone());
        let judged = match ran.await {
            Ok(RunStatus::Late(run)) => {
                self.draft.accept_timer(turn, &timer);
                return Ok(Some(run));
            }
            Ok(RunStatus::Ended(judged)) => judged,
            Err(Setback::Never(Error::Store(error))) => {
                // A further document has a permanent error: only this turn fails.
                self.documents.forgive();
                self.judge_refused(&attempt, error, is_last).await?
            }
            Err(setback) => return Err(setback),
        };
        self.settle_timer((&attempt, turn), timer, (judged, is_last));
        Ok(None)
    }

    /// Puts off a timer that this build has no handler for, and parks it in the end: an instance of
    /// a newer build may fire it until then.
    fn put_off_unhandled(&mut self, turn: TurnId, timer: &Timer) {
        let core = self.core;
        match core.is_last_try(timer.tries) {
            false => self.draft.put_off(timer, core.refused_timer_again_at(timer.tries)),
            true => {
                self.note_unhandled();
                self.draft.park_timer(turn, timer, UNHANDLED, core.now());
            }
        }
    }

    /// Counts and logs a timer that is parked because no build had a handler for it.
    pub(in crate::engine) fn note_unhandled(&mut self) {
        tracing::error!(key = %self.mailbox.key, "no build had a handler for a timer");
        self.tally.parked += 1;
    }

    fn timer_attempt(
        &self,
        item: &Item,
        part: &Part,
        (turn, retries): (TurnId, u32),
    ) -> Arc<Attempt> {
        let origin = Origin::of_ours(&part.activity);
        let source = live_source::source(&self.documents, None);
        attempt(self.core, self.mailbox, (turn, retries), (origin, item.now), source)
            .of(&self.draft.document)
    }

    /// Judges a turn that failed with a permanent store error.
    async fn judge_refused(
        &self,
        attempt: &Arc<Attempt>,
        error: Arc<store::Error>,
        may_reply: bool,
    ) -> Result<Judged, Setback> {
        let failed = Err(Arc::new(Failure::Store(error)));
        let judged = self.judge(&*self.core.logic, attempt, failed, may_reply).await;
        // The error handler may have asked for the same document.
        self.documents.forgive();
        judged
    }

    /// Copies the round before its turns run, if the batch is one timer: the store may refuse the
    /// output of its turn.
    pub(in crate::engine) fn spare(&self, batch: &Batch) -> Option<Box<Self>> {
        let [Item { cause: Cause::Timer(_), .. }] = &*batch.items else { return None };
        Some(Box::new(self.copy()))
    }

    /// Commits the failure of a timer's turn whose output the store refused for good: the timer is
    /// tried again later, or parked with the store's error.
    pub(in crate::engine) async fn give_up_output(
        self: Box<Self>,
        batch: &Batch,
        error: Arc<store::Error>,
    ) -> Result<(), Setback> {
        let core = self.core;
        let is_due = |timer: &&Arc<Timer>| timer.at <= core.now();
        let timer = match &*batch.items {
            [Item { cause: Cause::Timer(id), .. }] => self.draft.timer(id).filter(is_due).cloned(),
            _ => None,
        };
        // Otherwise the refusal is not about its output.
        let Some(timer) = timer else { return Err(Setback::Never(Error::Store(error))) };
        let is_free = self.draft.document.ledger.inbox.is_empty();
        let may_reply = is_free && core.is_last_try(timer.tries);
        let bare = may_reply.then(|| self.copy());
        match (self.commit_failure(batch, (&timer, &error), may_reply).await, bare) {
            (Err(Setback::Never(_)), Some(bare)) => {
                // What the error handler says is refused, too.
                bare.commit_failure(batch, (&timer, &error), false).await
            }
            (ended, _) => ended,
        }
    }

    async fn commit_failure(
        mut self,
        batch: &Batch,
        (timer, error): (&Arc<Timer>, &Arc<store::Error>),
        may_reply: bool,
    ) -> Result<(), Setback> {
        let refused = || Err(Setback::Never(Error::Store(Arc::clone(error))));
        let turn = TurnId::new(&self.mailbox.key, &timer.id);
        let Some(item) = batch.items.first() else { return refused() };
        let Some(part) = item.parts.first() else { return refused() };
        self.draft.lift_timer(&timer.id);
        let attempt = self.timer_attempt(item, part, (turn, timer.retries));
        let judged = self.judge_refused(&attempt, Arc::clone(error), may_reply).await?;
        if matches!(&judged, Judged::Failed(failure) if failure.is_newer()) {
            return refused();
        }
        let is_last = self.core.is_last_try(timer.tries);
        self.settle_timer((&attempt, turn), Arc::clone(timer), (judged, is_last));
        self.settle_claim(batch.releases_claim());
        self.commit().await
    }

    /// Applies the outcome of a timer's turn to the draft.
    fn settle_timer(
        &mut self,
        (attempt, turn): (&Attempt, TurnId),
        timer: Arc<Timer>,
        (judged, is_last): (Judged, bool),
    ) {
        let core = self.core;
        self.tally.turns += 1;
        self.tally.fired += 1;
        match judged {
            Judged::Done(outcome) => {
                self.draft.remove_timer(&timer.id);
                drop(self.keep(attempt, &[turn], outcome, false));
            }
            Judged::Handled(outcome, failure) => {
                self.draft.park_timer(turn, &timer, &failure.with_causes(), core.now());
                drop(self.keep(attempt, &[turn], outcome, false));
                self.tally.parked += 1;
            }
            Judged::Failed(failure) => {
                self.tally.turns -= 1;
                self.tally.fired -= 1;
                match is_last {
                    // An instance of the newer build fires it.
                    _ if failure.is_newer() => self.draft.put_back(timer),
                    false => {
                        let at = core.timer_again_at(timer.tries, &failure);
                        self.draft.put_off(&timer, at);
                    }
                    true => {
                        self.draft.park_timer(turn, &timer, &failure.with_causes(), core.now());
                        self.tally.parked += 1;
                    }
                }
            }
        }
    }
}
