//! The mailbox: per-conversation queue and delivery state, in memory (an actor's mailbox).
//!
//! Activities wait here in one queue. One runner at a time takes them from it and is the only
//! writer of the conversation's document in this process; one courier at a time delivers its
//! outbox. A mailbox exists only while there is something to do.

mod delivery;
mod queue;

use std::sync::Arc;

use tokio::sync::Notify;

pub(crate) use self::{
    delivery::{DeliveryState, Freshness, Hold, Moment},
    queue::{Queue, Runner, RunnerExit, Work},
};
use super::item::{Batch, Item};
use crate::{
    Key, Limits,
    error::Error,
    id::{ReplyId, TurnId},
    ledger::Chore,
    sync::{AtomicBool, Mutex, MutexGuard, Ordering, lock},
    turn::Overlap,
};

/// Mailbox of one conversation in this process.
#[derive(Debug)]
pub(crate) struct Mailbox {
    pub(crate) key: Key,
    state: Mutex<MailboxState>,
    /// Notified when the runner has finished something; the courier waits for this.
    pub(crate) changed: Notify,
    /// Notified when work is queued that interrupts a running turn: any work during a long turn,
    /// otherwise urgent chores.
    pub(crate) interrupt: Notify,
    /// True if recovery created it: then it occupies a recovery slot.
    pub(super) is_recovery: AtomicBool,
}

/// State shared by runner and courier: the queue and the deliveries.
#[derive(Debug, Default)]
pub(crate) struct MailboxState {
    pub(crate) queue: Queue,
    pub(crate) delivery: DeliveryState,
}

impl Mailbox {
    pub(crate) fn new(key: &Key) -> Arc<Self> {
        Arc::new(Self {
            key: key.clone(),
            state: Mutex::default(),
            changed: Notify::new(),
            interrupt: Notify::new(),
            is_recovery: AtomicBool::new(false),
        })
    }

    pub(crate) fn state(&self) -> MutexGuard<'_, MailboxState> {
        lock(&self.state)
    }

    /// Releases the recovery slot; returns true if the mailbox had one.
    pub(super) fn ends_recovery(&self) -> bool {
        self.is_recovery.swap(false, Ordering::Relaxed)
    }

    /// Takes the runner's next work; without any the runner counts as stopped. Notifies a waiting
    /// courier of completed work.
    pub(super) fn take(&self, limits: &Limits, overlap: Overlap, has_worked: bool) -> Work {
        let mut state = self.state();
        if has_worked && state.delivery.is_courier_on {
            self.changed.notify_one();
        }
        if let Some(commit) = state.queue.rest_after.take() {
            state.queue.runner = Runner::Chores;
            return Work::Rest(commit);
        }
        if state.queue.has_inbox {
            state.queue.runner = Runner::Long;
            return Work::Inbox;
        }
        if state.queue.chores.iter().any(Chore::is_urgent) {
            use futures_util::FutureExt;
            // Consume the permit: this runner takes the chores.
            self.interrupt.notified().now_or_never();
        }
        match state.queue.take(limits, overlap) {
            Some(batch) => Work::Batch(batch),
            None => {
                state.queue.runner = Runner::Off;
                Work::Done(state.exit())
            }
        }
    }

    /// Puts items back at the front of the queue.
    pub(super) fn put_back(&self, items: Vec<Item>) {
        self.state().queue.put_back(items);
    }

    /// Puts chores back, to be done next.
    pub(super) fn put_chores_back(&self, chores: Vec<Chore>) {
        if chores.iter().any(Chore::is_urgent) {
            self.interrupt.notify_one();
        }
        self.state().queue.chores.extend(chores);
    }

    /// Takes the work that can be done while a long turn runs: chores, items that can be put into
    /// the inbox, operators' changes, and items past their deadline. Items whose sender needs a
    /// turn's result keep waiting.
    pub(super) fn take_interleaved(&self, is_late: impl Fn(&Item) -> bool) -> Batch {
        let queue = &mut self.state().queue;
        let chores = std::mem::take(&mut queue.chores);
        let is_wanted = |item: &Item| item.can_interleave() || is_late(item);
        let mut items = queue.extract(is_wanted);
        if let Some(at) = items.iter().position(|item| item.is_alone) {
            let alone = items.remove(at);
            queue.put_back(std::mem::replace(&mut items, vec![alone]));
            // More work is left in the queue.
            self.interrupt.notify_one();
        }
        Batch { items, chores }
    }

    /// Fails the items whose senders wait for one of these turns.
    pub(super) fn fail_waiting(&self, ids: &[TurnId], error: &Error) {
        let is_it = |item: &Item| !item.can_wait() && ids.iter().any(|id| item.is_of(*id));
        let failed = self.state().queue.extract(is_it);
        for item in failed {
            item.answer(&Err(error.clone()));
        }
    }

    /// Takes the items past their deadline.
    pub(super) fn take_late(&self, is_late: impl Fn(&Item) -> bool) -> Vec<Item> {
        self.state().queue.extract(is_late)
    }
}

impl MailboxState {
    pub(crate) fn is_idle(&self) -> bool {
        self.queue.is_idle() && self.delivery.is_idle()
    }

    /// Exit of a runner that has nothing left to do.
    fn exit(&self) -> RunnerExit {
        let delivery = &self.delivery;
        let is_seen_to = delivery.is_courier_on || delivery.is_ack_queued || delivery.is_settled();
        match (self.is_idle(), is_seen_to) {
            (true, _) => RunnerExit::Idle,
            (false, true) => RunnerExit::Watched,
            (false, false) => RunnerExit::Unsettled,
        }
    }

    /// Reports whether a reply may have arrived already.
    pub(super) fn is_doubtful(&self, id: &ReplyId) -> bool {
        self.delivery.is_doubtful(id)
    }
}
