//! Dispatch: puts work into mailboxes and starts runners.

use std::sync::Arc;

use futures_util::FutureExt;

use super::{
    core::{Core, Task},
    item::Item,
    mailbox::{Mailbox, MailboxState, Runner},
    runner,
};
use crate::{Key, error::Error, ledger::Chore, turn::Overlap};

impl Core {
    /// Enqueues an activity in its conversation's mailbox. Returns the runner to start, if none is
    /// running.
    pub(crate) fn post(self: &Arc<Self>, key: &Key, item: Item) -> Result<Option<Task>, Error> {
        let mut mailboxes = self.mailboxes();
        // A shutdown sets the phase before it looks at the mailboxes, and waits for what is in them
        // by then.
        if self.is_closing() {
            return Err(Error::Closing);
        }
        let mailbox = mailboxes.get_or_insert_with(key.clone(), Mailbox::new);
        let mut state = mailbox.state();
        let refusal = if self.logic.overlap() == Overlap::Reject && state.queue.has_turn() {
            Some("Overlap::Reject")
        } else if state.queue.waiting.len() >= self.limits.queue_max {
            Some("queue_max")
        } else {
            None
        };
        if let Some(limit) = refusal {
            return Err(Error::Overlap(limit));
        }
        state.queue.waiting.push_back(item);
        Ok(self.runner(mailbox, &mut state))
    }

    /// Fails the activities that have waited in a conversation's queue beyond their deadline.
    pub(crate) fn withdraw_late(&self, key: &Key) {
        let Some(mailbox) = self.mailboxes().get(key).cloned() else { return };
        let now = self.uptime();
        for item in mailbox.take_late(|item| self.is_late(item, now)) {
            self.give_up(item, 0, now, "earlier turns of the conversation took too long");
        }
    }

    /// Enqueues a chore (a write that no activity causes). Returns the runner to start, if none is
    /// running.
    pub(crate) fn ask(self: &Arc<Self>, mailbox: &Arc<Mailbox>, chore: Chore) -> Option<Task> {
        let mut state = mailbox.state();
        if chore == Chore::Release {
            state.delivery.begin_release();
        }
        if chore.is_urgent() {
            mailbox.interrupt.notify_one();
        }
        state.queue.chores.push(chore);
        self.runner(mailbox, &mut state)
    }

    /// Enqueues a chore for recovery, in a conversation that this instance may not be busy with
    /// yet.
    pub(crate) fn ask_for(self: &Arc<Self>, key: &Key, chore: Chore) {
        let mut mailboxes = self.mailboxes();
        // Other instances find it; a shutdown does not wait for later work.
        if self.is_closing() {
            return;
        }
        let is_known = mailboxes.get(key).is_some();
        let mailbox = mailboxes.get_or_insert_with(key.clone(), Mailbox::new);
        if !is_known {
            self.count_recovery(mailbox);
        }
        let runner = self.ask(mailbox, chore);
        drop(mailboxes);
        self.spawn(runner);
    }

    /// Returns the runner to start, if none is running.
    pub(crate) fn runner(
        self: &Arc<Self>,
        mailbox: &Arc<Mailbox>,
        state: &mut MailboxState,
    ) -> Option<Task> {
        match state.queue.runner {
            Runner::Off => {
                state.queue.runner = Runner::Chores;
                Some(runner::run(Arc::clone(self), Arc::clone(mailbox)).boxed())
            }
            Runner::Long => {
                mailbox.interrupt.notify_one();
                None
            }
            Runner::Chores | Runner::Turns => None,
        }
    }
}
