//! Round: one optimistic attempt at a batch: load, run, commit.

use std::{sync::Arc, time::Duration};

use smallvec::SmallVec;

use super::{
    answer::{Answer, Verdict},
    cache::{Cached, Streak},
    core::Core,
    deadline::Deadline,
    documents::FurtherDocuments,
    item::{Batch, Item},
    long_run::LongRun,
    mailbox::{Freshness, Mailbox},
    persist::Uncommitted,
    two_phase::Loaded,
};
use crate::{
    error::Error,
    fault::fault,
    id::TurnId,
    ledger::{Chore, Draft, Wake, is_overdue},
    store::{self, ETag, Expect},
};

/// Reason why a round did not commit.
#[derive(Debug)]
pub(super) enum Setback {
    /// The outcome is unknown, or the store failed.
    Again { reason: String, wait: Option<Duration> },
    /// Another instance committed first.
    Conflict,
    /// All items wait behind a long turn.
    Behind,
    /// Permanent error of the conversation, whatever its turns do.
    Refused(Error),
    /// Permanent error caused by the output or the loads of one of the turns.
    Never(Error),
}

impl Setback {
    pub(super) fn of(error: Arc<store::Error>) -> Self {
        match error.is_transient() {
            true => Self::Again { reason: error.to_string(), wait: error.retry_after() },
            false => Self::Refused(Error::Store(error)),
        }
    }

    /// The same for a further document: only one turn may be affected.
    pub(super) fn of_further(error: Arc<store::Error>) -> Self {
        match Self::of(error) {
            Self::Refused(error) => Self::Never(error),
            setback => setback,
        }
    }

    pub(super) fn again(reason: &str) -> Self {
        Self::Again { reason: reason.to_owned(), wait: None }
    }

    pub(super) fn reason(&self) -> String {
        match self {
            Self::Again { reason, .. } => reason.clone(),
            Self::Conflict => "another instance committed first".to_owned(),
            Self::Behind => "an earlier turn of the conversation takes long".to_owned(),
            Self::Refused(error) | Self::Never(error) => error.to_string(),
        }
    }

    /// Returns the wait that the store asks for.
    pub(super) fn wait(&self) -> Duration {
        match self {
            Self::Again { wait, .. } => wait.unwrap_or_default(),
            _ => Duration::ZERO,
        }
    }
}

impl From<Uncommitted> for Setback {
    fn from(uncommitted: Uncommitted) -> Self {
        match uncommitted {
            Uncommitted::Conflict => Self::Conflict,
            Uncommitted::Again { reason, wait } => Self::Again { reason, wait },
            Uncommitted::Never(error) => Self::Never(Error::Store(error)),
        }
    }
}

/// Result of a round that committed or had nothing to write. Items without a verdict go back into
/// the queue.
#[derive(Debug, Default)]
pub(super) struct Ended {
    pub(super) verdicts: SmallVec<[Option<Verdict>; 1]>,
    /// Run that continues as a long turn.
    pub(super) late: Option<Box<LongRun>>,
}

/// One round of a batch.
#[derive(Debug)]
pub(super) struct Round<'a> {
    pub(super) core: &'a Arc<Core>,
    pub(super) mailbox: &'a Arc<Mailbox>,
    pub(super) deadline: Deadline,
    pub(super) draft: Draft,
    pub(super) documents: Arc<FurtherDocuments>,
    /// True if the document was loaded from the store, not from the cache.
    is_fresh: bool,
    pub(super) tally: Tally,
    streak: Streak,
}

/// Counts to add to the statistics if the round commits.
#[derive(Debug, Default)]
pub(super) struct Tally {
    pub(super) turns: usize,
    pub(super) accepted: usize,
    pub(super) fired: usize,
    /// Timers and acknowledged turns that were parked.
    pub(super) parked: usize,
    /// Turns that have receipts.
    pub(super) with_receipts: SmallVec<[TurnId; 1]>,
}

impl<'a> Round<'a> {
    /// Loads the document: from the cache in the first round if allowed, otherwise from the store.
    pub(super) async fn load(
        core: &'a Arc<Core>,
        mailbox: &'a Arc<Mailbox>,
        (number, deadline): (u32, Deadline),
        wants_fresh: bool,
    ) -> Result<Self, Setback> {
        let documents = FurtherDocuments::new(core, Some(deadline), number);
        let round = |draft, is_fresh, streak| Round {
            core,
            mailbox,
            deadline,
            draft,
            documents,
            is_fresh,
            tally: Tally::default(),
            streak,
        };
        if number == 0 && !wants_fresh {
            let lent = core.cache().lend(&mailbox.key);
            if let Some(Cached { document, etag, streak, .. }) = lent
                && document.ledger.prepared.is_none()
                && !core.is_expired(&mailbox.key, &document)
            {
                core.counters.cache_hits.add(1);
                return Ok(round(Draft::new(document, Expect::At(etag)), false, streak));
            }
        }
        match Box::pin(core.load(&mailbox.key, number, deadline)).await {
            Ok(Loaded { mut document, expect, is_settled, is_expired }) => {
                let rev = document.ledger.rev;
                let freshness = match expect {
                    Expect::Absent => Freshness::Fresh,
                    Expect::At(_) => mailbox.state().delivery.freshness(rev),
                };
                if freshness == Freshness::Doubtful {
                    Box::pin(core.begin_anew(mailbox, &mut document, &expect, deadline)).await;
                }
                if freshness != Freshness::Fresh {
                    return Err(Setback::again("the store answered with an older version"));
                }
                let delivery = &mut mailbox.state().delivery;
                delivery.is_shared |= delivery.rev > 0 && rev > delivery.rev;
                let mut draft = Draft::new(Box::new(document), expect);
                draft.is_changed = is_settled;
                draft.is_expired = is_expired;
                Ok(round(draft, true, Streak::default()))
            }
            Err(error) => {
                core.note_refusal(&mailbox.key, &error);
                Err(Setback::of(Arc::new(error)))
            }
        }
    }

    /// Runs a batch and commits it.
    pub(super) async fn run(mut self, batch: &Batch) -> Result<Ended, Setback> {
        fault!("after_load");
        if !self.draft.document.ledger.decided.is_empty() {
            Box::pin(self.core.finish(&mut self.draft, self.deadline)).await;
        }
        let has_handed = self.catch_up(&batch.chores);
        let stale = self.wake(batch);
        let spare = self.spare(batch);
        let mut ended = Ended::default();
        for item in &batch.items {
            let (verdict, late) = self.turn(item).await?;
            ended.verdicts.push(verdict);
            ended.late = ended.late.or(late);
        }
        let is_behind = !batch.items.is_empty()
            && ended.late.is_none()
            && ended.verdicts.iter().all(Option::is_none);
        self.draft.is_changed |= self.documents.is_changed();
        self.settle_claim(batch.releases_claim());
        if !self.draft.is_changed {
            // Failures and pending turns must not be answered from a cached document.
            let is_doubtful =
                |verdict: &Result<Answer, Error>| !verdict.as_ref().is_ok_and(|a| !a.is_pending);
            let has_failed = ended.verdicts.iter().flatten().flatten().any(is_doubtful);
            if (has_failed || batch.is_operated()) && !self.is_fresh {
                // Without a commit nothing proves that the document was current when the logic
                // failed on it, or when an operator found nothing in it.
                return Err(Setback::again("the document in memory may be old"));
            }
            if has_failed {
                // Nor may it have failed on half of another turn's commit.
                self.core.validate(&self.documents, self.deadline).await?;
            }
            self.leave(batch, (has_handed, has_failed), stale).await?;
        } else {
            ended.late = ended.late.map(LongRun::checked);
            match (self.commit().await, spare) {
                (Err(Setback::Never(Error::Store(error))), Some(spare)) => {
                    ended.late = None;
                    Box::pin(spare.give_up_output(batch, error)).await?;
                }
                (committed, _) => committed?,
            }
            if batch.items.is_empty() && has_handed {
                fault!("after_record");
            }
        }
        if is_behind { Err(Setback::Behind) } else { Ok(ended) }
    }

    /// Copies the round, without any output.
    pub(super) fn copy(&self) -> Self {
        let Self { core, mailbox, deadline, is_fresh, streak, .. } = *self;
        let (draft, documents) = (self.draft.clone(), self.documents.anew());
        Self {
            core,
            mailbox,
            deadline,
            draft,
            documents,
            is_fresh,
            tally: Tally::default(),
            streak,
        }
    }

    /// Settles the claim: this instance takes it, unless it releases its claims.
    pub(super) fn settle_claim(&mut self, releases_claim: bool) {
        let core = self.core;
        let is_deferred = || core.deferred.contains(&self.mailbox.key, || core.uptime());
        let releases_claim = releases_claim || core.is_releasing() || is_deferred();
        self.draft.settle_claim(core.me(), releases_claim, || core.now());
    }

    /// Commits the draft, performs the actions after it, and updates the statistics.
    pub(super) async fn commit(self) -> Result<(), Setback> {
        let Self { core, mailbox, deadline, draft, documents, tally, streak, .. } = self;
        match core.commit(&mailbox.key, draft, &documents, deadline).await {
            Ok(committed) => {
                if let Some(courier) = core.follow(mailbox, committed, streak) {
                    core.poll_or_spawn(courier).await;
                }
                core.counters.turns.add(tally.turns);
                core.counters.accepted.add(tally.accepted);
                core.counters.fired.add(tally.fired);
                core.counters.parked.add(tally.parked);
                tally.with_receipts.into_iter().for_each(|turn| core.receipts.settle(turn));
                Ok(())
            }
            Err(Uncommitted::Never(error)) => {
                core.note_refusal(&mailbox.key, &error);
                let is_of_a_turn =
                    documents.is_used() || matches!(*error, store::Error::TooLarge { .. });
                let error = Error::Store(error);
                Err(if is_of_a_turn { Setback::Never(error) } else { Setback::Refused(error) })
            }
            Err(uncommitted) => {
                let setback = Setback::from(uncommitted);
                mailbox.state().delivery.is_shared |= matches!(setback, Setback::Conflict);
                Err(setback)
            }
        }
    }

    /// Ends a round that has nothing to write.
    async fn leave(
        self,
        batch: &Batch,
        (has_handed, has_failed): (bool, bool),
        stale: Option<ETag>,
    ) -> Result<(), Setback> {
        let Self { core, mailbox, deadline, draft, is_fresh, .. } = self;
        // Hand-overs that an earlier commit has recorded need no other write; the courier knows of
        // it by now.
        let is_wanted = |chore: &Chore| match chore {
            Chore::Record => has_handed,
            Chore::Finish => false,
            _ => true,
        };
        if !is_fresh && batch.chores.iter().any(is_wanted) {
            // The cached document does not show what the chore is about; the stored one may.
            return Err(Setback::again("the document in memory is old"));
        }
        let expired = match (draft.is_expired, &draft.expect) {
            (true, Expect::At(etag)) => Some(etag.clone()),
            _ => stale,
        };
        match expired {
            Some(etag) => Box::pin(core.remove(&mailbox.key, &etag, deadline)).await,
            None => core.unchanged(mailbox, draft, is_fresh),
        }
        if has_failed {
            // The next round loads from the store: another instance may have changed the document.
            core.cache().forget(&mailbox.key);
        }
        Ok(())
    }

    /// Ends the round without a write.
    pub(super) fn leave_alone(self) {
        self.core.unchanged(self.mailbox, self.draft, self.is_fresh);
    }

    /// Applies unrecorded hand-overs and chores to the draft. Returns true if there were
    /// hand-overs.
    pub(super) fn catch_up(&mut self, chores: &[Chore]) -> bool {
        let mut state = self.mailbox.state();
        if chores.contains(&Chore::Release) {
            // The claim may have become ours since. Nothing may be delivered that this commit does
            // not record.
            state.delivery.begin_release();
        }
        if chores.iter().any(|chore| matches!(chore, Chore::Hold(_))) {
            state.delivery.begin_rest();
        }
        let handed = &state.delivery.handed;
        self.draft.record(handed, &self.core.limits);
        self.draft.do_chores(chores, self.core.me(), |id| state.is_doubtful(id));
        !handed.is_empty()
    }

    /// Enqueues due timers as turns. Returns the version of a document that this instance has seen
    /// expired and unchanged for a whole time to live.
    fn wake(&mut self, batch: &Batch) -> Option<ETag> {
        let wakes = batch.chores.iter().filter_map(|chore| match chore {
            Chore::Wake(wake) => Some(wake),
            _ => None,
        });
        let mut stale = None;
        for wake in wakes {
            let core = self.core;
            let moment = core.moment();
            // Every instance that committed here has an alarm; the one that committed last fires
            // the timer.
            let is_first = *wake != Wake::Timer || self.draft.is_written_by(core.me());
            let due = if is_first { self.draft.due_timers(moment.wall) } else { Vec::new() };
            let times = (moment.wall, moment.uptime);
            let due = due.iter().map(|timer| Item::of_timer(&self.mailbox.key, timer, times));
            // Before the lock, because it asks the logic.
            let (left, due): (Vec<_>, Vec<_>) =
                due.partition(|item| core.leaves_to_others(item, wake));
            if !left.is_empty() {
                core.set_next_alarm(&self.mailbox.key, &self.draft.document.ledger, moment);
            }
            let mut state = self.mailbox.state();
            let waiting = &mut state.queue.waiting;
            for timer in due {
                let is_it = |item: &Item| timer.parts.iter().any(|part| item.is_of(part.id));
                if !waiting.iter().chain(&batch.items).any(is_it) {
                    waiting.push_back(timer);
                }
            }
            drop(state);
            if let Wake::Rested(until) = wake {
                self.draft.end_rest_until(*until);
            }
            let ledger = &self.draft.document.ledger;
            if let Wake::Found(etag, watched) = wake
                && self.draft.expect.is_at(etag)
                && is_overdue(ledger, moment.wall)
                && core
                    .ttl(&self.mailbox.key, &self.draft.document)
                    .is_some_and(|ttl| *watched >= ttl)
            {
                stale = Some(etag.clone());
            }
        }
        stale
    }
}
