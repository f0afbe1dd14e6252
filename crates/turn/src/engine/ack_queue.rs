//! Queue of unrecorded acknowledgements: mailboxes by the time at which a commit of their own is
//! due.

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use tokio::sync::Notify;

use super::mailbox::Mailbox;
use crate::sync::{Mutex, MutexGuard, lock};

/// Mailboxes with unrecorded hand-overs, by deadline.
#[derive(Debug, Default)]
pub(crate) struct AckQueue {
    queue: Mutex<Queue>,
    /// Notified when an entry earlier than all others was added.
    pub(crate) earlier: Notify,
}

#[derive(Debug, Default)]
struct Queue {
    waiting: BTreeMap<(Duration, u64), Arc<Mailbox>>,
    /// Sequence number: distinguishes entries with the same time.
    count: u64,
    is_watched: bool,
}

/// Next step of the task that watches the queue.
pub(crate) enum NextAck {
    Due(Arc<Mailbox>),
    Wait(Duration),
    /// The queue is empty: the watch ends.
    Nothing,
}

impl AckQueue {
    fn queue(&self) -> MutexGuard<'_, Queue> {
        lock(&self.queue)
    }

    /// Adds a mailbox. Returns true if the queue is not being watched: the caller must start the
    /// watch.
    pub(crate) fn add(&self, at: Duration, mailbox: &Arc<Mailbox>) -> bool {
        let mut queue = self.queue();
        queue.count += 1;
        let place = (at, queue.count);
        drop(queue.waiting.insert(place, Arc::clone(mailbox)));
        if !std::mem::replace(&mut queue.is_watched, true) {
            return true;
        }
        if queue.waiting.first_key_value().is_some_and(|(first, _)| *first == place) {
            self.earlier.notify_one();
        }
        false
    }

    pub(crate) fn next(&self, now: Duration) -> NextAck {
        let mut queue = self.queue();
        match queue.waiting.first_entry() {
            Some(first) if first.key().0 <= now => NextAck::Due(first.remove()),
            Some(first) => NextAck::Wait(first.key().0 - now),
            None => {
                queue.is_watched = false;
                NextAck::Nothing
            }
        }
    }
}
