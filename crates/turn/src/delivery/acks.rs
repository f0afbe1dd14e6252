//! Batched acknowledgements: hand-overs wait for the next commit to record them, with one timer for
//! all.
//!
//! The next turn of a conversation records what its courier delivered. If none comes in time, a
//! runner is started to record it, and if that fails a courier, which asks until it is recorded.

use std::{sync::Arc, time::Duration};

use futures_util::FutureExt;

use crate::{
    engine::{Core, Mailbox, NextAck, Task},
    ledger::Chore,
};

/// Number of mailboxes handled before yielding to other tasks. On a store that answers at once
/// nothing here waits, and ten thousand may be due together.
const AT_ONCE: usize = 32;

/// Schedules the recording of hand-overs, unless a commit records them first.
pub(super) fn record_at(core: &Arc<Core>, at: Duration, mailbox: &Arc<Mailbox>) {
    let delivery = &mut mailbox.state().delivery;
    if std::mem::replace(&mut delivery.is_ack_queued, true) {
        return;
    }
    if core.acks.add(at, mailbox) {
        core.tasks.spawn(watch(Arc::clone(core)).boxed());
    }
}

/// Handles due mailboxes until the queue is empty.
async fn watch(core: Arc<Core>) {
    let (mut now, mut count) = (core.uptime(), 0);
    loop {
        match core.acks.next(now) {
            NextAck::Due(mailbox) => {
                if let Some(task) = due(&core, &mailbox, now) {
                    core.poll_or_spawn(task).await;
                }
                count += 1;
                if count % AT_ONCE == 0 {
                    tokio::task::yield_now().await;
                }
                continue;
            }
            NextAck::Wait(time) => core.within(time, core.acks.earlier.notified()).await,
            NextAck::Nothing => break,
        };
        now = core.uptime();
    }
}

/// Returns the runner that records hand-overs, unless a commit has recorded them, a courier is
/// about to, or newer ones were added, which wait in turn.
fn due(core: &Arc<Core>, mailbox: &Arc<Mailbox>, now: Duration) -> Option<Task> {
    let mut state = mailbox.state();
    let delivery = &mut state.delivery;
    delivery.is_ack_queued = false;
    if delivery.handed.is_empty() || delivery.is_courier_on {
        return None;
    }
    let at = delivery.handed_at + delivery.patience;
    if now < at {
        drop(state);
        record_at(core, at, mailbox);
        return None;
    }
    state.queue.chores.push(Chore::Record);
    core.runner(mailbox, &mut state)
}
