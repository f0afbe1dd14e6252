//! Hand-overs that wait for a commit to be recorded with: one timer for all of them.
//!
//! The next turn of a conversation records what its courier did. Where none comes in time, a runner is
//! started for that, and a courier if it fails: couriers ask until it is done.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use futures_util::FutureExt;
use tokio::sync::Notify;

use super::{
    Shared,
    mailbox::{Chore, Desk, Mailbox},
    work::Task,
};

/// How many are seen to before whatever else is to be done gets a turn. On a store that answers at once
/// nothing here waits, and ten thousand may be due together.
const AT_ONCE: usize = 32;

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
    let (mut now, mut count) = (shared.uptime(), 0);
    loop {
        let next = shared.records.queue().next(now);
        match next {
            Next::Due(mailbox) => {
                if let Some(task) = due(&shared, &mailbox, now) {
                    shared.go(task).await;
                }
                count += 1;
                if count % AT_ONCE == 0 {
                    tokio::task::yield_now().await;
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

/// The runner that records hand-overs, unless a commit did that, a courier is about to, or there were newer
/// ones: those wait.
fn due(shared: &Arc<Shared>, mailbox: &Arc<Mailbox>, now: Duration) -> Option<Task> {
    let mut desk = mailbox.desk();
    desk.is_waiting = false;
    if desk.handed.is_empty() || desk.is_delivering {
        return None;
    }
    let at = desk.handed_at + desk.patience;
    if now < at {
        shared.record_at(at, mailbox, &mut desk);
        return None;
    }
    desk.chores.push(Chore::Record);
    shared.runner(mailbox, &mut desk, || now)
}

#[cfg(test)]
mod tests {
    use sayso_activity::Activity;

    use super::*;
    use crate::{Bot, Engine, Turn, engine::work::tests::Nowhere, store::MemoryStore};

    #[tokio::test]
    async fn others_get_their_turn_while_many_are_recorded() {
        let bot = Bot::new().on_message(async |mut turn: Turn| {
            turn.say("hello");
            Ok(())
        });
        let store = Arc::new(MemoryStore::default());
        let engine = Engine::builder(bot, store, Arc::new(Nowhere)).start();
        let many = 10 * AT_ONCE as u64;
        for number in 0..many {
            let text = format!(
                r#"{{"type":"message","id":"1","channelId":"test","conversation":{{"id":"{number}"}}}}"#
            );
            engine.receive(Activity::from_json(text.as_bytes()).unwrap()).await.unwrap();
        }
        let recorded = || engine.stats().commits - many;
        // Blocked, so that all of them are due when the thread is free again.
        std::thread::sleep(engine.shared.limits.record_after);
        let (mut before, mut most) = (recorded(), 0);
        for _ in 0..1000 {
            tokio::task::yield_now().await;
            most = most.max(recorded() - before);
            before = recorded();
        }
        assert_eq!(recorded(), many);
        assert!(most <= AT_ONCE as u64, "{most} were recorded in one go");
    }
}
