//! Actions after a commit: start a courier, set alarms, fill the cache, finish further documents.

use std::{sync::Arc, time::Duration};

use super::{
    alarms::{HORIZON, RestEnd},
    cache::{Cached, Streak},
    core::{Core, Task},
    mailbox::{Mailbox, MailboxState, Moment},
    persist::Committed,
};
use crate::{
    Key,
    clock::Timestamp,
    ledger::{Chore, Draft, Ledger, OutboxRest},
};

/// A timer that is overdue by more than this at a commit is presumably being fired by another
/// instance.
const OVERDUE: Duration = Duration::from_millis(500);
/// Delay before such a timer is checked again.
const LATER: Duration = Duration::from_secs(3);

/// A streak of this many bursts is followed by a pause, although no activity waits here between its
/// commits.
const STREAK_BURSTS: u32 = 4;
/// Commits that are at most this long leave other instances enough room without a pause.
const AT_ONCE: Duration = Duration::from_millis(1);

impl Core {
    /// Performs the consequences of a commit. Returns the courier to start.
    pub(super) fn follow(
        self: &Arc<Self>,
        mailbox: &Arc<Mailbox>,
        committed: Committed,
        streak: Streak,
    ) -> Option<Task> {
        let Committed { document, etag, bytes, began, is_taken, has_decided } = committed;
        let ledger = &document.ledger;
        self.counters.recovered.add(usize::from(is_taken));
        let mut state = mailbox.state();
        state.queue.pause.tries = 0;
        self.refusals.end(&mailbox.key);
        let streak = streak.with(began.uptime);
        let mean = streak.mean(self.limits.burst_max.saturating_mul(STREAK_BURSTS));
        let streak = if mean.is_some() { Streak::default() } else { streak };
        state.queue.rest_after = mean.filter(|mean| *mean >= AT_ONCE);
        if has_decided {
            // This runner takes it up next.
            state.queue.chores.push(Chore::Finish);
        }
        let courier = self.note(mailbox, &mut state, ledger, Some(began));
        drop(state);
        self.set_alarms(mailbox, ledger, began);
        self.cache().put(&mailbox.key, Cached { document, etag, bytes, streak });
        courier
    }

    /// Sets or clears the alarms of a conversation.
    fn set_alarms(&self, mailbox: &Mailbox, ledger: &Ledger, now: Moment) {
        let is_near = |at: &Timestamp| at.since(now.wall) <= HORIZON;
        let timer = ledger.next_timer().filter(is_near).map(|at| match now.wall.since(at) {
            // Another instance is firing it, or the sweep finds it soon.
            late if late > OVERDUE => now.wall.after(LATER),
            _ => at,
        });
        let rest = ledger.rest().filter(|_| ledger.claim.is_none());
        let rest = rest.map(|held| self.end_of_rest(&mailbox.key, held, now));
        let is_first = self.timers.set_to(&mailbox.key, timer);
        if is_first | self.rests.set_to(&mailbox.key, rest) {
            self.alarmed.notify_one();
        }
    }

    /// Sets the alarm of a conversation whose due timers are left to others: its next timer still
    /// is this instance's.
    pub(super) fn set_next_alarm(&self, key: &Key, ledger: &Ledger, now: Moment) {
        let is_next = |at: &Timestamp| *at > now.wall && at.since(now.wall) <= HORIZON;
        let next = ledger.timers.iter().map(|timer| timer.at).filter(is_next).min();
        if next.is_some_and(|at| self.timers.get(key).is_none_or(|known| at < known))
            && self.timers.set_to(key, next)
        {
            self.alarmed.notify_one();
        }
    }

    /// Returns the end of a rest. As the clock that dated it may have been wrong, the wait is no
    /// longer than the rest that was stored, and later commits do not put the end off.
    fn end_of_rest(&self, key: &Key, held: OutboxRest, now: Moment) -> RestEnd {
        let wait = held.until.since(now.wall).min(Duration::from_secs(held.rest_s));
        let end = RestEnd { at: now.uptime + wait, until: held.until };
        match self.rests.get(key) {
            Some(known) if known.until == held.until => known.min(end),
            _ => end,
        }
    }

    /// Updates the mailbox from a document that needs no write, so that the courier stops asking
    /// for one.
    pub(super) fn unchanged(
        self: &Arc<Self>,
        mailbox: &Arc<Mailbox>,
        draft: Draft,
        is_fresh: bool,
    ) {
        if is_fresh {
            let mut state = mailbox.state();
            state.queue.pause.tries = 0;
            let courier = self.note(mailbox, &mut state, &draft.document.ledger, None);
            drop(state);
            self.spawn(courier);
        }
        self.remember(&mailbox.key, draft.document, draft.expect);
    }

    /// Updates the mailbox from a stored document. Returns the courier to start.
    fn note(
        self: &Arc<Self>,
        mailbox: &Arc<Mailbox>,
        state: &mut MailboxState,
        ledger: &Ledger,
        committed: Option<Moment>,
    ) -> Option<Task> {
        state.delivery.note(ledger, self.me(), committed, || self.uptime());
        state.queue.has_inbox = !ledger.inbox.is_empty() && ledger.is_claimed_by(self.me());
        self.courier(mailbox, state)
    }
}
