//! Batch: turns that share a commit, retried optimistically round by round.
//!
//! There is one remedy for a conflict, an unknown outcome and a store failure: back off, load
//! again, skip the turns that have committed, run the rest again. Rounds and time are bounded;
//! turns that do not commit within them fail with a retryable error and leave no trace.

use std::{borrow::Cow, sync::Arc, time::Duration};

use super::{
    core::Core,
    deadline::Deadline,
    item::{Batch, Cause, Item},
    long_run::LongRun,
    mailbox::Mailbox,
    round::{Ended, Round, Setback},
};
use crate::{
    backoff::Backoff,
    error::Error,
    ledger::Chore,
    store::{ETag, Expect},
};

/// Number of conflicts after which a round starts only once the document has been unchanged for a
/// moment.
const CONFLICTS_CALM: u32 = 3;
/// Maximum number of reads while waiting for that.
const LOOKS_MAX: u32 = 64;
/// Upper bound of the random time for which it must have been unchanged.
const STILL: Duration = Duration::from_millis(10);
/// Interval at which a turn that waits for another instance's long turn checks again.
const BEHIND: Duration = Duration::from_secs(1);
/// Maximum rounds of a batch of chores alone: its courier, or recovery, asks again. Enough to fence
/// a preparer that is gone.
const CHORE_ROUNDS_MAX: u32 = 4;
/// Back-off of chores after a transient store failure.
const PAUSE: Backoff = Backoff { first: Duration::from_millis(500), max: Duration::from_secs(3) };
/// Back-off after a permanent store error, which needs an operator.
const LONG_PAUSE: Backoff = Backoff { first: Duration::from_secs(8), max: Duration::from_secs(60) };

/// Processes a batch until it commits or fails. Returns the run that continues as a long turn, if
/// there is one.
pub(super) async fn process(
    core: &Arc<Core>,
    mailbox: &Arc<Mailbox>,
    mut batch: Batch,
) -> Option<Box<LongRun>> {
    let limits = &core.limits;
    let began = core.uptime();
    let mut reason = Cow::Borrowed("earlier turns of the conversation took too long");
    give_up_late(core, &mut batch, 0, began, &reason);
    let had_items = !batch.items.is_empty();
    let (mut rounds, mut conflicts, mut now) = (0, 0, began);
    loop {
        let has_items = !batch.items.is_empty();
        if rounds >= if has_items { limits.rounds_max } else { CHORE_ROUNDS_MAX } {
            break;
        }
        give_up_late(core, &mut batch, rounds, now, &reason);
        let deadline = batch.deadline(core, began);
        if batch.items.is_empty() && had_items {
            // Nobody waits for chores, so queued turns must not wait for them either.
            mailbox.put_chores_back(batch.chores);
            return None;
        }
        if batch.is_empty() || (batch.items.is_empty() && deadline.is_over(now)) {
            break;
        }
        let wants_fresh = batch.chores.iter().any(Chore::wants_fresh);
        let round = Round::load(core, mailbox, (rounds, deadline), wants_fresh).await;
        let setback = match round {
            Ok(round) => match round.run(&batch).await {
                Ok(ended) => return end(mailbox, batch, ended),
                Err(setback) => setback,
            },
            Err(setback) => setback,
        };
        match setback {
            Setback::Never(_) if batch.items.len() > 1 => {
                one_by_one(core, mailbox, batch);
                return None;
            }
            Setback::Never(error) if !batch.items.is_empty() => {
                // Put the chores back, to be done without the item: one of them may release the
                // claim.
                mailbox.put_chores_back(std::mem::take(&mut batch.chores));
                batch.fail(&error);
                return None;
            }
            Setback::Refused(error) | Setback::Never(error) => {
                core.pause(mailbox, &batch, LONG_PAUSE);
                batch.fail(&error);
                return None;
            }
            Setback::Behind => {
                core.wait_behind(mailbox, deadline).await;
                mailbox.put_back(batch.items);
                return None;
            }
            setback => {
                rounds += 1;
                conflicts += u32::from(matches!(setback, Setback::Conflict));
                reason = setback.reason().into();
                core.cache().forget(&mailbox.key);
                tracing::debug!(key = %mailbox.key, rounds, %reason, "another round");
                core.back_off(&setback, rounds, deadline).await;
                if conflicts >= CONFLICTS_CALM {
                    core.until_still(mailbox, deadline).await;
                }
            }
        }
        now = core.uptime();
    }
    if !batch.is_empty() {
        let (waited, reason) = (now.saturating_sub(began), reason.into_owned());
        core.fail_for_now(mailbox, batch, (rounds, waited, reason));
    }
    None
}

/// Answers the items that have a verdict; puts the others back into the queue.
fn end(mailbox: &Mailbox, batch: Batch, ended: Ended) -> Option<Box<LongRun>> {
    let mut back = Vec::new();
    for (item, verdict) in batch.items.into_iter().zip(ended.verdicts) {
        match verdict {
            Some(verdict) => item.answer_each(verdict),
            None => {
                let has_begun = ended.late.as_ref().is_some_and(|run| item.is_of(run.attempt.id));
                back.push(Item { has_begun: item.has_begun || has_begun, ..item });
            }
        }
    }
    if !back.is_empty() {
        mailbox.put_back(back);
    }
    ended.late
}

/// Splits a batch after a permanent error, which must not fail unaffected items: each gets a batch
/// of its own. Of several timers one is tried now, because nobody waits for them, and recovery
/// finds the others.
fn one_by_one(core: &Core, mailbox: &Mailbox, batch: Batch) {
    let (timers, others): (Vec<_>, Vec<_>) =
        batch.items.into_iter().partition(|item| matches!(item.cause, Cause::Timer(_)));
    let timer = core.ids.below(timers.len()).and_then(|nth| timers.into_iter().nth(nth));
    let alone = others.into_iter().chain(timer).map(|item| Item { is_alone: true, ..item });
    mailbox.put_back(alone.collect());
    mailbox.put_chores_back(batch.chores);
}

/// Fails the items whose deadline has passed.
fn give_up_late(core: &Core, batch: &mut Batch, rounds: u32, now: Duration, reason: &str) {
    let is_late = |item: &mut Item| core.is_late(item, now);
    for item in batch.items.extract_if(.., is_late) {
        core.give_up(item, rounds, now, reason);
    }
}

impl Batch {
    /// Deadline of a batch: the earliest of its items'. A batch of chores has a deadline too,
    /// because a claim may lapse while a store call hangs, and turns may be waiting behind it.
    fn deadline(&self, core: &Core, began: Duration) -> Deadline {
        let limits = &core.limits;
        let oldest = self.items.iter().map(|item| item.since).min();
        Deadline::at(match oldest {
            Some(oldest) => oldest + limits.deadline,
            None => began + limits.deadline.min(limits.claim / 4),
        })
    }
}

impl Core {
    /// Reports whether the deadline of an item has passed.
    pub(super) fn is_late(&self, item: &Item, now: Duration) -> bool {
        now.saturating_sub(item.since) >= self.limits.deadline
    }

    /// Fails an item because its deadline has passed.
    pub(super) fn give_up(&self, item: Item, rounds: u32, now: Duration, reason: &str) {
        self.counters.given_up.add(1);
        let waited = now.saturating_sub(item.since);
        item.answer(&Err(Error::Busy { rounds, waited, reason: reason.to_owned() }));
    }

    /// Waits before the next round: as long as the store asks, or with back-off, but not beyond the
    /// deadline.
    pub(super) async fn back_off(&self, setback: &Setback, rounds: u32, deadline: Deadline) {
        let limits = &self.limits;
        let backoff = Backoff { first: limits.backoff_first, max: limits.backoff_max };
        let wait = backoff.wait(rounds - 1, &self.ids).max(setback.wait());
        self.clock.sleep(wait.min(deadline.left(self.uptime()))).await;
    }

    /// Fails a batch with a retryable error. Logs the first of several failures of chores in a row.
    fn fail_for_now(
        &self,
        mailbox: &Mailbox,
        batch: Batch,
        (rounds, waited, reason): (u32, Duration, String),
    ) {
        if !batch.chores.is_empty() && mailbox.state().queue.pause.tries == 0 {
            tracing::warn!(key = %mailbox.key, %reason, "the store fails a conversation; trying again");
        }
        self.pause(mailbox, &batch, PAUSE);
        self.counters.given_up.add(batch.items.len());
        batch.fail(&Error::Busy { rounds, waited, reason });
    }

    /// Starts the back-off of chores that failed, shared by the courier, recovery and long turns.
    fn pause(&self, mailbox: &Mailbox, batch: &Batch, backoff: Backoff) {
        if batch.chores.is_empty() {
            return;
        }
        let pause = &mut mailbox.state().queue.pause;
        pause.until = self.uptime() + backoff.wait_at_least_half(pause.tries, &self.ids);
        pause.tries += 1;
    }

    /// Waits for a moment, if a long turn of another instance blocks the inbox.
    async fn wait_behind(&self, mailbox: &Mailbox, deadline: Deadline) {
        // No wait if this runner itself works the inbox off.
        if !mailbox.state().queue.has_inbox {
            // Only the store shows when that turn has ended.
            self.cache().forget(&mailbox.key);
            self.clock.sleep(BEHIND.min(deadline.left(self.uptime()))).await;
        }
    }

    /// Waits until the document is unchanged between two reads: a busy instance pauses between
    /// bursts of commits, and another one can commit then.
    async fn until_still(&self, mailbox: &Mailbox, deadline: Deadline) {
        let mut before: Option<ETag> = None;
        for _ in 0..LOOKS_MAX {
            let Ok((_, Expect::At(etag))) = self.read(&mailbox.key, deadline).await else { return };
            if before.as_ref() == Some(&etag) || deadline.is_over(self.uptime()) {
                return;
            }
            before = Some(etag);
            self.clock.sleep(self.ids.jitter(STILL)).await;
        }
    }
}
