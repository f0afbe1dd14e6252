//! Worker thread with a bounded queue in front of it.
//!
//! SQLite blocks, so it never runs on the threads of the async runtime. A worker ends when it is
//! dropped: what is queued is still done, and the thread is joined.

use std::{
    borrow::Cow,
    thread::{Builder, JoinHandle},
};

use sayso_turn::store::Error;
use tokio::sync::mpsc;

/// The largest number of calls that a thread takes from its queue at once. So many callers' writes
/// share a transaction at most.
pub(super) const BATCH_MAX: usize = 64;

/// The number of calls that may be queued for a thread; more wait for a place in the queue.
const QUEUE_MAX: usize = 1024;

pub(super) struct Lane<T> {
    queue: Option<mpsc::Sender<T>>,
    thread: Option<JoinHandle<()>>,
}

/// Error: the thread has ended; the item was not sent.
pub(super) struct Ended;

impl<T: Send + 'static> Lane<T> {
    pub(super) fn start(
        store: &str,
        role: &str,
        work: impl FnOnce(mpsc::Receiver<T>) + Send + 'static,
    ) -> Result<Self, Error> {
        let (queue, waiting) = mpsc::channel(QUEUE_MAX);
        let thread = Builder::new().name(format!("sqlite-{role}")).spawn(move || work(waiting));
        match thread {
            Ok(thread) => Ok(Self { queue: Some(queue), thread: Some(thread) }),
            Err(source) => Err(Error::Unavailable {
                store: Cow::Owned(store.to_owned()),
                reason: "the system gives no further thread".into(),
                source: Some(source.into()),
            }),
        }
    }

    pub(super) async fn send(&self, item: T) -> Result<(), Ended> {
        let queue = self.queue.as_ref().ok_or(Ended)?;
        queue.send(item).await.map_err(|_| Ended)
    }
}

impl<T> Drop for Lane<T> {
    fn drop(&mut self) {
        drop(self.queue.take());
        if let Some(thread) = self.thread.take() {
            // A thread that panicked has said so; there is nothing left to do about it here.
            drop(thread.join());
        }
    }
}
