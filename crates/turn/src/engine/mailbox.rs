//! The mailbox: everything this process knows of one conversation while it is busy with it.
//!
//! Activities wait here in one line. One runner at a time takes them from the line and is the only
//! writer of the conversation's document in this process; one courier at a time delivers its
//! outbox. A mailbox exists only while there is something to do.

mod delivery;
mod queue;

use std::sync::Arc;

use tokio::sync::Notify;

pub(crate) use self::{
    delivery::{DeliveryState, Hold, Moment},
    queue::{Queue, Runner, RunnerExit, Work},
};
use super::item::{Batch, Item};
use crate::{
    Key, Limits,
    id::ReplyId,
    ledger::Chore,
    sync::{AtomicBool, Mutex, MutexGuard, Ordering, lock},
    turn::Overlap,
};

/// One conversation in this process.
#[derive(Debug)]
pub(crate) struct Mailbox {
    pub(crate) key: Key,
    state: Mutex<MailboxState>,
    /// The runner finished something; the courier waits for this.
    pub(crate) changed: Notify,
    /// Something was queued that a runner in a long turn looks at, or that cannot wait.
    pub(crate) called: Notify,
    /// Whether recovery made it: then it counts against the limit of those.
    pub(super) is_recovery: AtomicBool,
}

/// The state that runner and courier share: the queue of the one, the deliveries of the other.
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
            called: Notify::new(),
            is_recovery: AtomicBool::new(false),
        })
    }

    pub(crate) fn state(&self) -> MutexGuard<'_, MailboxState> {
        lock(&self.state)
    }

    /// Whether recovery made it; from now on it did not.
    pub(super) fn ends_recovery(&self) -> bool {
        self.is_recovery.swap(false, Ordering::Relaxed)
    }

    /// The runner's next work. It counts as gone when there is nothing. A courier that waits hears
    /// of what it has done.
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
            // Consume the permit: this runner sees to it.
            self.called.notified().now_or_never();
        }
        match state.queue.take(limits, overlap) {
            Some(batch) => Work::Batch(batch),
            None => {
                state.queue.runner = Runner::Off;
                Work::Done(state.exit())
            }
        }
    }

    /// Puts items back to where they were, first.
    pub(super) fn put_back(&self, items: Vec<Item>) {
        self.state().queue.put_back(items);
    }

    /// Puts chores back, to be done next.
    pub(super) fn put_chores_back(&self, chores: Vec<Chore>) {
        if chores.iter().any(Chore::is_urgent) {
            self.called.notify_one();
        }
        self.state().queue.chores.extend(chores);
    }

    /// Takes what can be seen to while a turn goes on: chores, and what takes its place in line.
    /// Whoever waits for an answer waits on, until it is too late.
    pub(super) fn take_aside(&self, is_late: impl Fn(&Item) -> bool) -> Batch {
        let queue = &mut self.state().queue;
        let chores = std::mem::take(&mut queue.chores);
        let is_wanted = |item: &Item| item.can_wait() || is_late(item);
        let mut items = queue.extract(is_wanted);
        if let Some(at) = items.iter().position(|item| item.is_alone) {
            let alone = items.remove(at);
            queue.put_back(std::mem::replace(&mut items, vec![alone]));
            // There is more.
            self.called.notify_one();
        }
        Batch { items, chores }
    }

    /// Takes what has waited too long.
    pub(super) fn take_late(&self, is_late: impl Fn(&Item) -> bool) -> Vec<Item> {
        self.state().queue.extract(is_late)
    }
}

impl MailboxState {
    pub(crate) fn is_idle(&self) -> bool {
        self.queue.is_idle() && self.delivery.is_idle()
    }

    /// How a runner leaves that has nothing to do.
    fn exit(&self) -> RunnerExit {
        let delivery = &self.delivery;
        let is_seen_to = delivery.is_courier_on || delivery.is_ack_queued || delivery.is_settled();
        match (self.is_idle(), is_seen_to) {
            (true, _) => RunnerExit::Idle,
            (false, true) => RunnerExit::Watched,
            (false, false) => RunnerExit::Unsettled,
        }
    }

    /// Whether a reply may have arrived already.
    pub(super) fn is_doubtful(&self, id: &ReplyId) -> bool {
        self.delivery.is_doubtful(id)
    }
}
