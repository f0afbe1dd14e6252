//! Hand-overs that wait for a commit to be recorded with: one timer for all of them.
//!
//! The next turn of a conversation records what its courier did. Where none comes in time, a courier is
//! started for that.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use futures_util::FutureExt;
use tokio::sync::Notify;

use super::{
    Shared,
    mailbox::{Desk, Mailbox},
    work::Task,
};

/// What waits, by the time until which it does.
#[derive(Debug, Default)]
pub(super) struct Records {
    queue: Mutex<Queue>,
    /// Something was added that is earlier than all else.
    earlier: Notify,
}

#[derive(Debug, Default)]
struct Queue {
    waiting: BTreeMap<(Duration, u64), Arc<Mailbox>>,
    /// Tells those of one time apart.
    count: u64,
    is_watched: bool,
}

impl Records {
    fn queue(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Shared {
    /// Has what was handed over recorded at a time, unless a commit comes before.
    pub(super) fn record_at(
        self: &Arc<Self>,
        at: Duration,
        mailbox: &Arc<Mailbox>,
        desk: &mut Desk,
    ) {
        if std::mem::replace(&mut desk.is_waiting, true) {
            return;
        }
        let mut queue = self.records.queue();
        queue.count += 1;
        let place = (at, queue.count);
        drop(queue.waiting.insert(place, Arc::clone(mailbox)));
        if !std::mem::replace(&mut queue.is_watched, true) {
            self.tasks.spawn(watch(Arc::clone(self)).boxed());
        } else if queue.waiting.first_key_value().is_some_and(|(first, _)| *first == place) {
            self.records.earlier.notify_one();
        }
    }
}

/// Sees to what waits until nothing does.
async fn watch(shared: Arc<Shared>) {
    let mut now = shared.uptime();
    loop {
        let next = shared.records.queue().next(now);
        match next {
            Next::Due(mailbox) => {
                if let Some(courier) = due(&shared, &mailbox) {
                    shared.go(courier).await;
                }
                continue;
            }
            Next::Wait(time) => shared.within(time, shared.records.earlier.notified()).await,
            Next::Nothing => break,
        };
        now = shared.uptime();
    }
}

enum Next {
    Due(Arc<Mailbox>),
    Wait(Duration),
    Nothing,
}

impl Queue {
    fn next(&mut self, now: Duration) -> Next {
        match self.waiting.first_entry() {
            Some(first) if first.key().0 <= now => Next::Due(first.remove()),
            Some(first) => Next::Wait(first.key().0 - now),
            None => {
                self.is_watched = false;
                Next::Nothing
            }
        }
    }
}

/// The courier that has hand-overs recorded, unless a commit did that. It looks whether there were newer
/// ones, and lets those wait.
fn due(shared: &Arc<Shared>, mailbox: &Arc<Mailbox>) -> Option<Task> {
    let mut desk = mailbox.desk();
    desk.is_waiting = false;
    (!desk.handed.is_empty()).then(|| shared.courier(mailbox, &mut desk)).flatten()
}
