//! The queue of hand-overs that wait for a commit to be recorded with: mailboxes by time.

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use tokio::sync::Notify;

use super::mailbox::Mailbox;
use crate::sync::{Mutex, MutexGuard, lock};

/// Mailboxes by the time until which they wait.
#[derive(Debug, Default)]
pub(crate) struct AckQueue {
    queue: Mutex<Queue>,
    /// Something was added that is earlier than all else.
    pub(crate) earlier: Notify,
}

#[derive(Debug, Default)]
struct Queue {
    waiting: BTreeMap<(Duration, u64), Arc<Mailbox>>,
    /// Tells those of one time apart.
    count: u64,
    is_watched: bool,
}

/// The next step of whoever watches the queue.
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

    /// Adds a mailbox. True when nobody watches the queue yet: the caller must see to that.
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
