//! The runtime: the handle to an instance, and everything that starts or ends one.
//!
//! It stands above the rooms: the engine that commits, the couriers that deliver, the sweep that
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
    Key,
    current::{self, Home},
    engine::{Answer, Core, Item, Listener, Phase, Receiver},
    error::Error,
    id::TurnId,
    ledger::Chore,
    run::conversation_key,
    stats::Stats,
    store,
};

/// Beyond the deadline, for the runner to say what was in the way.
const GRACE: Duration = Duration::from_millis(250);
/// How long a shut-down waits for claims to be given up.
const RELEASE_TIME: Duration = Duration::from_secs(1);

/// An instance: runs a bot over a store and a channel. Cloning it gives another handle to the same
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
    /// Takes an activity in and answers when its turn is durable. Replies follow on their own.
    ///
    /// # Guarantees
    /// The same activity (by id) delivered again, to any instance, changes nothing and gets the
    /// same answer. An activity without an id is taken for a new one each time.
    ///
    /// # Errors
    /// When the turn was not committed: nothing is stored and nothing said. See
    /// [`Error::is_retryable`].
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

    /// As [`receive`](Self::receive), for a sender that listens to the turn's fleeting signs: they
    /// go to `listener` instead of the channel, before the answer, and its replies are in the
    /// answer. For an activity with `deliveryMode: stream`.
    ///
    /// # Guarantees
    /// As for [`receive`](Self::receive). What the listener hears may be heard again, from a
    /// further attempt; only the answer counts.
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
        let key = conversation_key(&activity)?;
        if !core.logic.handles(&activity) {
            return Ok(Answer::default());
        }
        if current::is_inside(Home::of(core), &key) {
            return Err(Error::OwnConversation);
        }
        let id = match activity.id.as_deref() {
            Some(id) if !id.is_empty() => TurnId::new(&key, id),
            _ => TurnId::new(&key, &core.ids.unique()),
        };
        let (item, receiver) = Item::new(id, activity, (core.now(), core.uptime()));
        if let Some(runner) = core.post(&key, item.heard_by(listener))? {
            core.go(runner).await;
        }
        self.answered(&key, receiver).await
    }

    /// Waits for the answer of a turn. One that still waits in its queue at the deadline hears so,
    /// whatever its conversation is busy with; one that is being run or saved is timed by its
    /// batch.
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
        // The sender side is dropped only if the runner died on a broken invariant.
        answer.unwrap_or_else(|_| {
            let reason = "the turn was abandoned".to_owned();
            Err(Error::Busy { rounds: 0, waited: Duration::ZERO, reason })
        })
    }

    /// What this instance has done so far.
    #[must_use]
    pub fn stats(&self) -> Stats {
        self.core.counters.read()
    }

    /// How many conversations this instance is busy with.
    #[must_use]
    pub fn busy(&self) -> usize {
        self.core.mailboxes().len()
    }

    /// Whether this instance is shutting down: it takes nothing new in.
    #[must_use]
    pub fn is_closing(&self) -> bool {
        self.core.is_closing()
    }

    /// Asks the store one cheap question, to learn whether turns can be saved now.
    ///
    /// # Errors
    /// Those of the store.
    ///
    /// # Cancellation
    /// Dropping the future changes nothing; it only reads. It has no time limit of its own.
    pub async fn ready(&self) -> Result<(), store::Error> {
        let core = &self.core;
        core.store.due(core.now(), None, 1).await.map(drop)
    }

    /// The parts inside.
    #[cfg(all(test, shuttle))]
    pub(crate) fn core(&self) -> &Arc<Core> {
        &self.core
    }

    /// The name of this instance in claims.
    #[must_use]
    pub fn instance(&self) -> &str {
        self.core.me()
    }

    /// Shuts down in good order: takes nothing new in, finishes turns and deliveries within a time,
    /// and releases what is left for others to deliver. Gives the number of conversations left
    /// behind.
    ///
    /// # Cancellation
    /// Dropping the future leaves the instance closed for new activities; the rest goes on.
    pub async fn close(&self, within: Duration) -> usize {
        let core = &self.core;
        core.enter(Phase::Closing);
        // The watch for what others left behind ends now, not at its next look.
        core.alarmed.notify_one();
        for mailbox in core.busy() {
            // What waits for a commit to be recorded with waits no longer.
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
