//! The public handle of an instance: start, receive, shutdown.
//!
//! It combines the engine, which commits, the couriers, which deliver, and the sweep, which
//! recovers.

mod builder;
mod operator;
mod proactive;

use std::{future::Future, sync::Arc, time::Duration};

use sayso_activity::Activity;

pub use self::{
    builder::Builder,
    proactive::{Broadcast, Pace},
};
use crate::{
    Key, KeyScheme,
    engine::{Answer, Core, Item, Listener, Phase, Receiver},
    error::Error,
    id::TurnId,
    ledger::Chore,
    reentrancy::{self, InstanceTag},
    stats::Stats,
    store::{self, StoreStats},
};

/// Grace period after the deadline, in which the runner can report the cause.
const GRACE: Duration = Duration::from_millis(250);
/// Time that a shutdown waits for claims to be released.
const RELEASE_TIME: Duration = Duration::from_secs(1);

/// Engine instance: runs a bot on a store and a channel. A clone is another handle to the same
/// instance.
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
    core: Arc<Core>,
}

impl Engine {
    /// Handles an activity; returns when its turn is durable. Replies are delivered in the
    /// background.
    ///
    /// # Guarantees
    /// A duplicate of the activity (by id), at any instance, changes nothing and gets the same
    /// answer. An activity without an id counts as new each time.
    ///
    /// # Errors
    /// When the turn was not committed: nothing is stored and no reply sent. See
    /// [`Error::is_retryable`].
    ///
    /// # Cancellation
    /// Dropping the future does not stop the turn; send the activity again to learn its answer.
    pub fn receive<A: Into<Arc<Activity>>>(
        &self,
        activity: A,
    ) -> impl Future<Output = Result<Answer, Error>> + Send + use<'_, A> {
        // Converted to an `Arc` at once: an activity is a kilobyte, and a future is moved before it
        // is polled.
        self.take_in(activity.into(), None)
    }

    /// Like [`receive`](Self::receive), with live events (`deliveryMode: stream`): ephemeral events
    /// of the turn go to `listener` instead of the channel, and the replies are in the answer.
    ///
    /// # Guarantees
    /// As for [`receive`](Self::receive). The listener may get events again, from another attempt;
    /// only the answer counts.
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
        let core = &self.core;
        if core.is_closing() {
            return Err(Error::Closing);
        }
        let activity = core.keys.settle(activity);
        let key = core.keys.key_of(&activity)?;
        if !core.logic.handles(&activity) {
            return Ok(Answer::default());
        }
        if reentrancy::is_inside(InstanceTag::of(core), &key) {
            return Err(Error::OwnConversation);
        }
        let id = match activity.id.as_deref() {
            Some(id) if !id.is_empty() => TurnId::new(&key, id),
            _ => TurnId::new(&key, &core.ids.unique()),
        };
        let (item, receiver) = Item::new(id, activity, (core.now(), core.uptime()));
        if let Some(runner) = core.post(&key, item.with_listener(listener))? {
            core.poll_or_spawn(runner).await;
        }
        self.answered(&key, receiver).await
    }

    /// Waits for the answer of a turn. An item that is still queued at its deadline fails then,
    /// whatever its conversation is busy with; one that is running is timed by its batch.
    async fn answered(&self, key: &Key, mut receiver: Receiver) -> Result<Answer, Error> {
        let core = &self.core;
        let most = core.limits.deadline + GRACE;
        let answer = match core.within(most, &mut receiver).await {
            Some(answer) => answer,
            None => {
                core.withdraw_late(key);
                receiver.await
            }
        };
        // The sending half is dropped only if the runner panicked on a broken invariant.
        answer.unwrap_or_else(|_| {
            let reason = "the turn was abandoned".to_owned();
            Err(Error::Busy { rounds: 0, waited: Duration::ZERO, reason })
        })
    }

    /// Statistics of this instance.
    #[must_use]
    pub fn stats(&self) -> Stats {
        self.core.counters.read()
    }

    /// Statistics of the store, by this process. Zero if the store does not count.
    #[must_use]
    pub fn store_stats(&self) -> StoreStats {
        self.core.store.stats()
    }

    /// Number of conversations that this instance is busy with.
    #[must_use]
    pub fn busy(&self) -> usize {
        self.core.mailboxes().len()
    }

    /// Reports whether this instance is shutting down and refuses new activities.
    #[must_use]
    pub fn is_closing(&self) -> bool {
        self.core.is_closing()
    }

    /// Readiness probe: makes one cheap request to the store.
    ///
    /// # Errors
    /// Those of the store.
    ///
    /// # Cancellation
    /// Dropping the future changes nothing; it only reads. It has no time-out of its own.
    pub async fn ready(&self) -> Result<(), store::Error> {
        let core = &self.core;
        core.store.due(core.now(), None, 1).await.map(drop)
    }

    /// Scheme of this instance's keys.
    #[must_use]
    pub fn keys(&self) -> &KeyScheme {
        &self.core.keys
    }

    /// Internal parts, for tests.
    #[cfg(all(test, shuttle))]
    pub(crate) fn core(&self) -> &Arc<Core> {
        &self.core
    }

    /// Name of this instance in claims.
    #[must_use]
    pub fn instance(&self) -> &str {
        self.core.me()
    }

    /// Graceful shutdown: refuses new activities, finishes turns and deliveries within a time, and
    /// releases the remaining claims for other instances. Returns the number of conversations left
    /// unfinished.
    ///
    /// # Cancellation
    /// Dropping the future leaves the instance closed for new activities; running work continues.
    pub async fn close(&self, within: Duration) -> usize {
        let core = &self.core;
        core.enter(Phase::Closing);
        // Wakes the sweep, so that it ends now.
        core.alarmed.notify_one();
        for mailbox in core.busy() {
            // Record pending acknowledgements now.
            core.spawn(core.courier(&mailbox, &mut mailbox.state()));
            mailbox.changed.notify_one();
        }
        if core.within(within, core.drained()).await.is_some() {
            return 0;
        }
        core.enter(Phase::Releasing);
        for mailbox in &core.busy() {
            core.spawn(core.ask(mailbox, Chore::Release));
            mailbox.changed.notify_one();
        }
        core.within(RELEASE_TIME, core.drained()).await;
        self.busy()
    }
}
