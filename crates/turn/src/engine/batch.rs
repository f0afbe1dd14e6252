//! A batch on its way to a commit, round by round.
//!
//! When another instance won, the outcome is unknown or the store failed, there is one remedy: wait
//! a little, load again, look which turns are in already, run the rest again. Rounds and time are
//! bounded; what does not commit within them is told so and left no trace.

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

/// From so many conflicts on a round begins only when the document has stood still for a moment.
const CONFLICTS_CALM: u32 = 3;
/// How often the document is looked at for that.
const LOOKS_MAX: u32 = 64;
/// How long it must have stood still, at most; any time up to it.
const STILL: Duration = Duration::from_millis(10);
/// How long a turn that waits for another instance's long turn waits before it looks again.
const BEHIND: Duration = Duration::from_secs(1);
/// How many rounds a batch has for which nobody waits: its courier, or recovery, asks again. Enough
/// to fence a preparer that is gone.
const CHORE_ROUNDS_MAX: u32 = 4;
/// The pause before chores are asked for again that the store failed: it may be well again soon.
const PAUSE: Backoff = Backoff { first: Duration::from_millis(500), max: Duration::from_secs(3) };
/// The pause after the store refused for good: somebody has to mend something.
const LONG_PAUSE: Backoff = Backoff { first: Duration::from_secs(8), max: Duration::from_secs(60) };

/// Brings a batch to its end. Gives the run that goes on, where one is not waited for any longer.
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
            // Nobody waits for chores: those behind must not wait for them.
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
                // Chores that came along are done without it: it may have been a claim to be given
                // up.
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

/// Tells everybody what became of it. What has no verdict goes back into the queue.
fn end(mailbox: &Mailbox, batch: Batch, ended: Ended) -> Option<Box<LongRun>> {
    let mut back = Vec::new();
    for (item, verdict) in batch.items.into_iter().zip(ended.verdicts) {
        match verdict {
            Some(verdict) => item.answer_each(verdict),
            None => back.push(item),
        }
    }
    if !back.is_empty() {
        mailbox.put_back(back);
    }
    ended.late
}

/// What refuses one of several for good must not fail the others: each gets a batch of its own.
/// Nobody waits for a timer: any one of them is tried now, and recovery finds the others.
fn one_by_one(core: &Core, mailbox: &Mailbox, batch: Batch) {
    let (timers, others): (Vec<_>, Vec<_>) =
        batch.items.into_iter().partition(|item| matches!(item.cause, Cause::Timer(_)));
    let timer = core.ids.below(timers.len()).and_then(|nth| timers.into_iter().nth(nth));
    let alone = others.into_iter().chain(timer).map(|item| Item { is_alone: true, ..item });
    mailbox.put_back(alone.collect());
    mailbox.put_chores_back(batch.chores);
}

/// Answers those whose deadline has passed.
fn give_up_late(core: &Core, batch: &mut Batch, rounds: u32, now: Duration, reason: &str) {
    let is_late = |item: &mut Item| core.is_late(item, now);
    for item in batch.items.extract_if(.., is_late) {
        core.give_up(item, rounds, now, reason);
    }
}

impl Batch {
    /// The one deadline of a batch: the first of its items'. Nobody waits for a chore, but a claim
    /// may lapse while a store call hangs, and turns may be waiting behind it.
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
    /// Whether the deadline of an item has passed.
    pub(super) fn is_late(&self, item: &Item, now: Duration) -> bool {
        now.saturating_sub(item.since) >= self.limits.deadline
    }

    /// Tells the sender of an item that its time is over.
    pub(super) fn give_up(&self, item: Item, rounds: u32, now: Duration, reason: &str) {
        self.counters.given_up.add(1);
        let waited = now.saturating_sub(item.since);
        item.answer(&Err(Error::Busy { rounds, waited, reason: reason.to_owned() }));
    }

    /// Waits before the next round, as the store asks or with back-off, but not beyond a deadline:
    /// waiting longer helps nobody.
    pub(super) async fn back_off(&self, setback: &Setback, rounds: u32, deadline: Deadline) {
        let limits = &self.limits;
        let backoff = Backoff { first: limits.backoff_first, max: limits.backoff_max };
        let wait = backoff.wait(rounds - 1, &self.ids).max(setback.wait());
        self.clock.sleep(wait.min(deadline.left(self.uptime()))).await;
    }

    /// Gives a batch up: the store may be well again soon. The first failure of chores in a row is
    /// logged.
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

    /// Keeps chores that failed from being asked for again at once: one rule for the courier,
    /// recovery and long turns.
    fn pause(&self, mailbox: &Mailbox, batch: &Batch, backoff: Backoff) {
        if batch.chores.is_empty() {
            return;
        }
        let pause = &mut mailbox.state().queue.pause;
        pause.until = self.uptime() + backoff.wait_at_least_half(pause.tries, &self.ids);
        pause.tries += 1;
    }

    /// Waits for a moment, where a turn of another instance is in the way.
    async fn wait_behind(&self, mailbox: &Mailbox, deadline: Deadline) {
        // Is it this runner that they wait for?
        if !mailbox.state().queue.has_inbox {
            // Only the store knows when it has ended.
            self.cache().forget(&mailbox.key);
            self.clock.sleep(BEHIND.min(deadline.left(self.uptime()))).await;
        }
    }

    /// Waits until the document stands still for a moment: an instance with much to do in it rests
    /// from time to time, and that is when another one can commit.
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
