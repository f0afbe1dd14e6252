//! Who works: puts work into mailboxes, starts the runners and couriers that see to it, and lets mailboxes
//! go that are at rest.

use std::{
    future::Future,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::Arc,
    task::{Context, Poll},
    time::Duration,
};

use futures_util::{FutureExt, future::BoxFuture};

use super::{
    Shared, courier,
    mailbox::{Chore, Desk, Item, Mailbox},
    runner,
};
use crate::{Error, Key, Overlap};

/// Something to be done that nobody waits for.
pub(super) type Task = BoxFuture<'static, ()>;

/// Makes a task where it will stay: one that is made first and boxed then is copied, all two kilobytes of
/// it, though hardly any of them is in use before it runs.
fn in_place<F: Future<Output = ()> + Send + 'static>(make: impl FnOnce() -> F) -> Task {
    let room = Box::new_uninit();
    let task: Box<F> = Box::write(room, make());
    Box::into_pin(task)
}

impl Shared {
    /// Puts an activity into its conversation's line. Gives the runner to be started, if none is at work.
    pub(super) fn post(self: &Arc<Self>, key: Key, item: Item) -> Result<Option<Task>, Error> {
        let mut mailboxes = self.mailboxes();
        let mailbox = mailboxes.get_or_insert_with(key, Mailbox::new);
        let mut desk = mailbox.desk();
        if self.logic.overlap() == Overlap::Reject && desk.is_turning() {
            return Err(Error::Overlap("Overlap::Reject"));
        }
        if desk.waiting.len() >= self.limits.queue_max {
            return Err(Error::Overlap("queue_max"));
        }
        let now = item.since;
        desk.waiting.push_back(item);
        Ok(self.runner(mailbox, &mut desk, || now))
    }

    /// Asks for a write that no activity causes, now if nothing runs, else with what runs next. Gives the
    /// runner to be started, if none is at work.
    pub(super) fn ask(self: &Arc<Self>, mailbox: &Arc<Mailbox>, chore: Chore) -> Option<Task> {
        let mut desk = mailbox.desk();
        desk.is_releasing |= chore == Chore::Release;
        if chore.is_urgent() {
            mailbox.called.notify_one();
        }
        desk.chores.push(chore);
        self.runner(mailbox, &mut desk, || self.uptime())
    }

    /// Asks for a write in a conversation that this instance may not be busy with yet.
    pub(super) fn ask_for(self: &Arc<Self>, key: &Key, chore: Chore) {
        let mut mailboxes = self.mailboxes();
        let mailbox = mailboxes.get_or_insert_with(key.clone(), Mailbox::new);
        let runner = self.ask(mailbox, chore);
        drop(mailboxes);
        self.spawn(runner);
    }

    /// The runner to be started, if none is at work.
    pub(super) fn runner(
        self: &Arc<Self>,
        mailbox: &Arc<Mailbox>,
        desk: &mut Desk,
        now: impl Fn() -> Duration,
    ) -> Option<Task> {
        if desk.is_long {
            mailbox.called.notify_one();
        }
        let is_running = std::mem::replace(&mut desk.is_running, true);
        (!is_running)
            .then(|| in_place(|| runner::run(Arc::clone(self), Arc::clone(mailbox), now())))
    }

    /// The courier to be started, if there is something to do for one and none is at work.
    pub(super) fn courier(
        self: &Arc<Self>,
        mailbox: &Arc<Mailbox>,
        desk: &mut Desk,
    ) -> Option<Task> {
        let is_wanted = desk.has_errands() && !std::mem::replace(&mut desk.is_delivering, true);
        is_wanted.then(|| in_place(|| courier::deliver(Arc::clone(self), Arc::clone(mailbox))))
    }

    pub(super) fn spawn(&self, task: Option<Task>) {
        if let Some(task) = task {
            self.tasks.spawn(task);
        }
    }

    /// Does a task here as far as it goes without waiting; the rest of it goes on in the background. What
    /// never waits needs no task, and nobody has to be woken for it. If it panics it ends, and not whoever
    /// did it: as a task of its own would.
    pub(super) async fn go(&self, mut task: Task) {
        let is_done = |context: &mut Context<'_>| {
            let polled = catch_unwind(AssertUnwindSafe(|| task.poll_unpin(context).is_ready()));
            Poll::Ready(polled.unwrap_or(true))
        };
        if !std::future::poll_fn(is_done).await {
            self.tasks.spawn(task);
        }
    }

    /// Forgets a mailbox that was seen at rest, if it still is. What comes to rest later is seen by whoever
    /// brings it to rest.
    pub(super) fn retire(&self, mailbox: &Arc<Mailbox>) {
        let mut mailboxes = self.mailboxes();
        // Runner and courier may both see the rest, and the conversation have another mailbox by then.
        let is_known = mailboxes.get(&mailbox.key).is_some_and(|known| Arc::ptr_eq(known, mailbox));
        if is_known && mailbox.desk().is_idle() {
            drop(mailboxes.remove(&mailbox.key));
            // Only who closes waits for this. It said so before it looked at the mailboxes.
            if self.is_closing() {
                self.changed.notify_waiters();
            }
        }
    }

    /// Ends when no conversation is busy.
    pub(super) async fn quiet(self: &Arc<Self>) {
        loop {
            let changed = self.changed.notified();
            tokio::pin!(changed);
            changed.as_mut().enable();
            let busy = self.busy();
            if busy.is_empty() {
                return;
            }
            for mailbox in busy {
                // What waits for a commit to be recorded with waits no longer.
                self.spawn(self.courier(&mailbox, &mut mailbox.desk()));
                mailbox.changed.notify_one();
            }
            changed.await;
        }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use async_trait::async_trait;

    use super::*;
    use crate::{
        Bot, Engine,
        channel::{Channel, Delivery, Parcel},
        store::MemoryStore,
    };

    /// Takes every reply at once.
    #[derive(Debug)]
    pub(in super::super) struct Nowhere;

    #[async_trait]
    impl Channel for Nowhere {
        async fn deliver(&self, _: &Parcel) -> Delivery {
            Delivery::Delivered { id: None }
        }
    }

    fn engine() -> Engine {
        Engine::builder(Bot::new(), Arc::new(MemoryStore::default()), Arc::new(Nowhere)).start()
    }

    /// One conversation's panic must not end the turn of another, or the records of all.
    #[tokio::test]
    async fn a_panic_ends_what_is_done_not_who_does_it() {
        let panics = async { std::panic::resume_unwind(Box::new("on purpose")) };
        engine().shared.go(panics.boxed()).await;
    }

    /// Whoever comes last to a mailbox at rest must not take away the one that came after it: two
    /// couriers would deliver one outbox.
    #[tokio::test]
    async fn only_a_mailbox_s_own_people_forget_it() {
        let engine = engine();
        let key = Key::new("test/conversations/c").unwrap();
        let [first, second] = [Mailbox::new(&key), Mailbox::new(&key)];
        let shared = &engine.shared;
        shared.mailboxes().insert(key.clone(), Arc::clone(&first));
        shared.retire(&first);
        assert_eq!(engine.busy(), 0);
        shared.mailboxes().insert(key, second);
        shared.retire(&first);
        assert_eq!(engine.busy(), 1, "the second has just begun");
    }
}
