//! The engine: takes activities in, and sees to it that each becomes one turn.
//!
//! One instance of it runs in every process of a deployment. Instances know nothing of each other; what
//! they share is the store, and the conditional write is all that keeps them right. Mailboxes, the cache
//! and claims only save work.

mod alarms;
mod answer;
mod builder;
mod cache;
mod commit;
mod courier;
mod draft;
mod line;
mod live;
mod mailbox;
mod proactive;
mod records;
mod recovery;
mod runner;
mod shelf;
mod steps;
mod turning;
mod work;

use std::{
    fmt,
    future::Future,
    panic::AssertUnwindSafe,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    task::Poll,
    time::Duration,
};

use futures_util::FutureExt;
use sayso_activity::Activity;
use tokio::sync::{Notify, oneshot};

use self::{
    alarms::Alarms,
    cache::Cache,
    live::Listener,
    mailbox::{Chore, Item, Mailbox},
    records::Records,
};
pub use self::{
    answer::Answer,
    builder::Builder,
    proactive::{Broadcast, Pace},
};
use crate::{
    Error, Key, Limits, Logic, Stats,
    by_key::ByKey,
    channel::Channel,
    clock::{Clock, Tasks},
    id::{Ids, TurnId},
    run::conversation_key,
    stats::Counters,
    store::{self, Store},
};

/// A sign that takes longer than this to be shown is worth nothing.
const SHOW_TIMEOUT: Duration = Duration::from_secs(3);

/// Runs a bot over a store and a channel. Cloning it gives another handle to the same instance.
///
/// # Example
/// ```
/// use std::sync::Arc;
/// use sayso_turn::{Bot, Engine, Turn, activity::Activity, store::MemoryStore};
/// # use sayso_turn::channel::{Channel, Delivery, Parcel};
/// # #[derive(Debug)] struct Print;
/// # #[async_trait::async_trait] impl Channel for Print {
/// #     async fn deliver(&self, _: &Parcel) -> Delivery { Delivery::Delivered { id: None } }
/// # }
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), sayso_turn::Error> {
/// let bot = Bot::new().on_message(async |mut turn: Turn| { turn.say("hello"); Ok(()) });
/// let engine = Engine::builder(bot, Arc::new(MemoryStore::default()), Arc::new(Print)).start();
/// let activity = Activity::from_json(
///     br#"{"type":"message","id":"1","channelId":"test","conversation":{"id":"c"},"text":"hi"}"#,
/// ).unwrap();
/// engine.receive(activity).await?; // the turn is durable; the reply is on its way
/// assert_eq!(engine.stats().turns, 1);
/// # Ok(()) }
/// ```
#[derive(Clone, Debug)]
pub struct Engine {
    shared: Arc<Shared>,
}

impl Engine {
    /// Starts putting an engine together.
    pub fn builder(logic: impl Logic, store: Arc<dyn Store>, channel: Arc<dyn Channel>) -> Builder {
        Builder::new(Arc::new(logic), store, channel)
    }

    /// Takes an activity in and answers when its turn is durable. Replies follow on their own.
    ///
    /// # Guarantees
    /// The same activity (by id) delivered again, to any instance, changes nothing and gets the same
    /// answer. An activity without an id is taken for a new one each time.
    ///
    /// # Errors
    /// When the turn was not committed: nothing is stored and nothing said. See [`Error::is_retryable`].
    ///
    /// # Cancellation
    /// Dropping the future does not stop the turn; send the activity again to learn its answer.
    pub fn receive<A: Into<Arc<Activity>>>(
        &self,
        activity: A,
    ) -> impl Future<Output = Result<Answer, Error>> + Send + use<'_, A> {
        // At once: an activity is a kilobyte, and a future is moved before it is polled.
        self.take_in(activity.into(), None)
    }

    /// As [`receive`](Self::receive), for a sender that listens to the turn's fleeting signs: they go to
    /// `listener` instead of the channel, before the answer, and its replies are in the answer. For an
    /// activity with `deliveryMode: stream`.
    ///
    /// # Guarantees
    /// As for [`receive`](Self::receive). What the listener hears may be heard again, from a further
    /// attempt; only the answer counts.
    ///
    /// # Errors
    /// As for [`receive`](Self::receive).
    ///
    /// # Cancellation
    /// As for [`receive`](Self::receive).
    pub async fn receive_live(
        &self,
        activity: Activity,
        listener: impl Fn(Activity) + Send + Sync + 'static,
    ) -> Result<Answer, Error> {
        self.take_in(Arc::new(activity), Some(Listener::new(listener))).await
    }

    async fn take_in(
        &self,
        activity: Arc<Activity>,
        listener: Option<Listener>,
    ) -> Result<Answer, Error> {
        let shared = &self.shared;
        if shared.is_closing() {
            return Err(Error::Closing);
        }
        let key = conversation_key(&activity)?;
        if !shared.logic.handles(&activity) {
            return Ok(Answer::default());
        }
        let id = match activity.id.as_deref() {
            Some(id) if !id.is_empty() => TurnId::new(&key, id),
            _ => TurnId::new(&key, &shared.ids.unique()),
        };
        let (sender, receiver) = oneshot::channel();
        let item = Item { listener, ..Item::new(id, activity, sender, shared) };
        if let Some(runner) = shared.post(key, item)? {
            shared.go(runner).await;
        }
        answered(receiver).await
    }

    /// What this instance has done so far.
    #[must_use]
    pub fn stats(&self) -> Stats {
        self.shared.counters.read()
    }

    /// How many conversations this instance is busy with.
    #[must_use]
    pub fn busy(&self) -> usize {
        self.shared.mailboxes().len()
    }

    /// Whether this instance is shutting down: it takes nothing new in.
    #[must_use]
    pub fn is_closing(&self) -> bool {
        self.shared.is_closing()
    }

    /// Asks the store one cheap question, to learn whether turns can be saved now.
    ///
    /// # Errors
    /// Those of the store.
    ///
    /// # Cancellation
    /// Dropping the future changes nothing; it only reads. It has no time limit of its own.
    pub async fn ready(&self) -> Result<(), store::Error> {
        let shared = &self.shared;
        shared.store.due(shared.clock.now(), None, 1).await.map(drop)
    }

    /// The name of this instance in claims.
    #[must_use]
    pub fn instance(&self) -> &str {
        self.shared.ids.instance()
    }

    /// Shuts down in good order: takes nothing new in, finishes turns and deliveries within a time, and
    /// releases what is left for others to deliver. Gives the number of conversations left behind.
    ///
    /// # Cancellation
    /// Dropping the future leaves the instance closed for new activities; the rest goes on.
    pub async fn close(&self, within: Duration) -> usize {
        let shared = &self.shared;
        shared.is_closing.store(true, Ordering::SeqCst);
        // The watch for what others left behind ends now, not at its next look.
        shared.alarms.earlier.notify_one();
        let drained = shared.quiet();
        if shared.within(within, drained).await.is_some() {
            return 0;
        }
        for mailbox in &shared.busy() {
            shared.spawn(shared.ask(mailbox, Chore::Release));
        }
        shared.within(Duration::from_secs(1), shared.quiet()).await;
        self.busy()
    }
}

/// Waits for the answer of a turn.
async fn answered(receiver: oneshot::Receiver<Result<Answer, Error>>) -> Result<Answer, Error> {
    // The sender side is dropped only if the runner died on a broken invariant.
    receiver.await.unwrap_or_else(|_| {
        let reason = "the turn was abandoned".to_owned();
        Err(Error::Busy { rounds: 0, waited: Duration::ZERO, reason })
    })
}

/// One instance's parts.
pub(crate) struct Shared {
    logic: Arc<dyn Logic>,
    store: Arc<dyn Store>,
    channel: Arc<dyn Channel>,
    clock: Arc<dyn Clock>,
    tasks: Arc<dyn Tasks>,
    ids: Ids,
    limits: Arc<Limits>,
    counters: Counters,
    cache: Mutex<Cache>,
    /// The conversations that this instance is busy with. Locked before any of its desks.
    mailboxes: Mutex<ByKey<Arc<Mailbox>>>,
    alarms: Alarms,
    records: Records,
    is_closing: AtomicBool,
    /// A mailbox came to rest.
    changed: Notify,
}

impl Shared {
    fn is_closing(&self) -> bool {
        self.is_closing.load(Ordering::SeqCst)
    }

    fn uptime(&self) -> Duration {
        self.clock.uptime()
    }

    fn cache(&self) -> MutexGuard<'_, Cache> {
        self.cache.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn mailboxes(&self) -> MutexGuard<'_, ByKey<Arc<Mailbox>>> {
        self.mailboxes.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Shows a fleeting sign, if the channel has such and is quick about it.
    fn show(self: &Arc<Self>, key: &Key, sign: Activity) {
        let (shared, key) = (Arc::clone(self), key.clone());
        let show = async move { drop(shared.shown(&key, &sign).await) };
        self.tasks.spawn(show.boxed());
    }

    async fn shown(&self, key: &Key, sign: &Activity) -> Option<String> {
        let shown = AssertUnwindSafe(self.channel.show(key, sign)).catch_unwind();
        self.within(SHOW_TIMEOUT, shown).await?.ok().flatten()
    }

    /// The conversations that this instance is busy with, by key.
    fn busy(&self) -> Vec<Arc<Mailbox>> {
        let mailboxes = self.mailboxes();
        mailboxes.sorted().into_iter().map(|(_, mailbox)| Arc::clone(mailbox)).collect()
    }

    /// Waits for a future, but not longer than a time.
    async fn within<F: Future + Send>(&self, most: Duration, future: F) -> Option<F::Output> {
        let (mut future, mut sleep) = (std::pin::pin!(future), None);
        std::future::poll_fn(|context| {
            if let Poll::Ready(output) = future.as_mut().poll(context) {
                return Poll::Ready(Some(output));
            }
            // What is there at once needs no timer.
            let sleep = sleep.get_or_insert_with(|| self.clock.sleep(most));
            sleep.poll_unpin(context).map(|()| None)
        })
        .await
    }
}

impl fmt::Debug for Shared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Shared")
            .field("instance", &self.ids.instance())
            .field("store", &self.store)
            .field("channel", &self.channel)
            .finish_non_exhaustive()
    }
}
