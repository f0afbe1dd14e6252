//! Proactive turns and broadcasts: turns without an inbound activity. They use the same queue as
//! all others.

use std::{future::Future, sync::Arc, time::Duration};

use futures_util::{
    StreamExt,
    future::{BoxFuture, Either, select},
    stream::FuturesUnordered,
};
use sayso_activity::{Activity, Reference};

use super::Engine;
use crate::{
    backoff::Backoff,
    bot::HandlerFuture,
    bot_error::BotError,
    engine::{Answer, Cause, Item},
    error::{Error, Failure},
    id::TurnId,
    reentrancy::{self, InstanceTag},
    turn::{Logic, Overlap, Turn},
};

/// Name of the event that is a proactive turn's activity, as in the SDKs.
const NAME: &str = "ContinueConversation";
/// Attempts at a turn of a broadcast when the conversation or the store is busy.
const TRIES: u32 = 5;

/// Rate and concurrency limits of a [broadcast](Engine::broadcast).
///
/// # Example
/// ```
/// use sayso_turn::Pace;
///
/// let pace = Pace { per_second: 5, ..Pace::default() };
/// assert_eq!(pace.at_once, 16);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pace {
    /// Turns started per second.
    pub per_second: u32,
    /// Turns that run concurrently.
    pub at_once: usize,
    /// Number of busy conversations at which the broadcast waits (backpressure): a channel that
    /// sends `Retry-After` so slows the broadcast down.
    pub busy_max: usize,
}

impl Default for Pace {
    fn default() -> Self {
        Self { per_second: 50, at_once: 16, busy_max: 256 }
    }
}

/// Result of a [broadcast](Engine::broadcast).
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct Broadcast {
    /// Number of turns that are durable; their replies are on their way.
    pub done: usize,
    /// Number of turns that were done before, under the same id.
    pub repeated: usize,
    /// Conversations whose turns failed, with the error. Run the broadcast again for these, under
    /// the same id.
    pub failed: Vec<(Reference, Error)>,
}

impl Engine {
    /// Proactive message: runs a handler as a turn of a conversation, queued with the turns of its
    /// users, and returns when that is durable.
    ///
    /// `id` is an idempotency key: the same id again, at any instance, changes nothing and sends
    /// nothing. The reference comes from [`Turn::reference`]; it can be stored.
    ///
    /// # Errors
    /// When the turn was not committed: nothing is stored and no reply sent. See
    /// [`Error::is_retryable`].
    ///
    /// # Cancellation
    /// Dropping the future does not stop the turn.
    ///
    /// # Example
    /// ```
    /// # use sayso_turn::{Engine, Error, Turn, activity::Reference};
    /// async fn shipped(engine: &Engine, customer: &Reference) -> Result<(), Error> {
    ///     engine.resume(customer, "order-4711-shipped", async |mut turn: Turn| {
    ///         turn.say("Your pizza is on its way.");
    ///         Ok(())
    ///     }).await?;
    ///     Ok(())
    /// }
    /// ```
    pub async fn resume<F, Fut>(
        &self,
        reference: &Reference,
        id: &str,
        handler: F,
    ) -> Result<Answer, Error>
    where
        F: Fn(Turn) -> Fut + Send + Sync + 'static,
        Fut: HandlerFuture + Send + 'static,
    {
        self.resume_with(reference, id, Arc::new(OneTurn(handler))).await
    }

    /// Broadcast: runs one proactive turn in each of many conversations, rate-limited. It continues
    /// when some fail. When this instance closes, the remaining ones fail with [`Error::Closing`].
    ///
    /// # Cancellation
    /// Dropping the future starts no more turns. Run it again under the same id: turns that are
    /// done are skipped.
    ///
    /// # Example
    /// ```
    /// # use sayso_turn::{Engine, Pace, Turn, activity::Reference};
    /// async fn news(engine: &Engine, readers: Vec<Reference>) {
    ///     let said = engine.broadcast(readers, "news-2026-11", Pace::default(), async |mut turn: Turn| {
    ///         turn.say("There is a new menu.");
    ///         Ok(())
    ///     }).await;
    ///     println!("{} heard of it, {} did not", said.done, said.failed.len());
    /// }
    /// ```
    pub async fn broadcast<F, Fut>(
        &self,
        references: impl IntoIterator<Item = Reference, IntoIter: Send> + Send,
        id: &str,
        pace: Pace,
        handler: F,
    ) -> Broadcast
    where
        F: Fn(Turn) -> Fut + Send + Sync + 'static,
        Fut: HandlerFuture + Send + 'static,
    {
        let logic: Arc<dyn Logic> = Arc::new(OneTurn(handler));
        let gap = Duration::from_secs(1) / pace.per_second.max(1);
        let mut report = Broadcast::default();
        let mut running = FuturesUnordered::new();
        for reference in references {
            while running.len() >= pace.at_once.max(1) {
                report.add(running.next().await);
            }
            self.until_less_busy(pace, gap).await;
            if self.core.is_closing() {
                report.failed.push((reference, Error::Closing));
                continue;
            }
            running.push(self.one_of_many(reference, id, Arc::clone(&logic)));
            // Running turns continue while the next one waits for its time.
            let wait = self.core.clock.sleep(gap);
            report.add_until(&mut running, wait).await;
        }
        while !running.is_empty() {
            report.add(running.next().await);
        }
        report
    }

    /// Waits while too many conversations are busy, unless this instance closes: the sweep has then
    /// ended, and nothing here takes up what rests.
    async fn until_less_busy(&self, pace: Pace, gap: Duration) {
        let core = &self.core;
        let is_busy = || self.busy() + core.rests.len() >= pace.busy_max.max(1);
        while is_busy() && !core.is_closing() {
            core.clock.sleep(gap.max(Duration::from_millis(50))).await;
        }
    }

    async fn one_of_many(
        &self,
        reference: Reference,
        id: &str,
        logic: Arc<dyn Logic>,
    ) -> (Reference, Result<Answer, Error>) {
        let limits = &self.core.limits;
        let mut tries = 0;
        loop {
            let result = self.resume_with(&reference, id, Arc::clone(&logic)).await;
            tries += 1;
            match result {
                Err(Error::Closing) => return (reference, Err(Error::Closing)),
                Err(error) if error.is_retryable() && tries < TRIES => {
                    let backoff =
                        Backoff { first: limits.backoff_max, max: 8 * limits.backoff_max };
                    self.core.clock.sleep(backoff.wait(tries - 1, &self.core.ids)).await;
                }
                result => return (reference, result),
            }
        }
    }

    async fn resume_with(
        &self,
        reference: &Reference,
        id: &str,
        logic: Arc<dyn Logic>,
    ) -> Result<Answer, Error> {
        let core = &self.core;
        if core.is_closing() {
            return Err(Error::Closing);
        }
        let activity = Arc::new(event(reference, id));
        let key = core.keys.key_of(&activity)?;
        if reentrancy::is_inside(InstanceTag::of(core), &key) {
            return Err(Error::OwnConversation);
        }
        let id = TurnId::new(&key, activity.id.as_deref().unwrap_or_default());
        let (item, receiver) = Item::new(id, activity, (core.now(), core.uptime()));
        // In the background, because a broadcast starts many at once.
        core.spawn(core.post(&key, item.caused_by(Cause::Proactive(logic)))?);
        self.answered(&key, receiver).await
    }
}

impl Broadcast {
    fn add(&mut self, ended: Option<(Reference, Result<Answer, Error>)>) {
        match ended {
            Some((_, Ok(answer))) if answer.is_repeat => self.repeated += 1,
            Some((_, Ok(_))) => self.done += 1,
            Some((reference, Err(error))) => self.failed.push((reference, error)),
            None => {}
        }
    }

    /// Collects finished turns until a wait is over.
    async fn add_until<F>(&mut self, running: &mut FuturesUnordered<F>, wait: BoxFuture<'_, ()>)
    where
        F: Future<Output = (Reference, Result<Answer, Error>)>,
    {
        let mut wait = wait;
        while !running.is_empty() {
            match select(&mut wait, running.next()).await {
                Either::Left(_) => return,
                Either::Right((ended, _)) => self.add(ended),
            }
        }
        wait.await;
    }
}

/// Makes the activity of a proactive turn: an event from the user to the bot, as if the user had
/// come back.
fn event(reference: &Reference, id: &str) -> Activity {
    let Reference { user, bot, conversation, channel_id, service_url, locale, .. } =
        reference.clone();
    Activity {
        // Not an id that a channel gives.
        id: Some(format!("sayso:{id}")),
        from: user,
        recipient: bot,
        conversation,
        channel_id,
        service_url,
        locale,
        ..Activity::event(NAME)
    }
}

/// Logic of a single turn: one handler.
struct OneTurn<F>(F);

impl<F> std::fmt::Debug for OneTurn<F> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("OneTurn")
    }
}

impl<F, Fut> Logic for OneTurn<F>
where
    F: Fn(Turn) -> Fut + Send + Sync + 'static,
    Fut: HandlerFuture + Send + 'static,
{
    fn handles(&self, _: &Activity) -> bool {
        true
    }

    fn run(&self, turn: Turn) -> BoxFuture<'static, Result<(), BotError>> {
        Box::pin((self.0)(turn))
    }

    fn on_error(
        &self,
        _: Turn,
        _: Arc<Failure>,
    ) -> Option<BoxFuture<'static, Result<(), BotError>>> {
        // No user waits for it, so the failure is only returned to the caller.
        None
    }

    fn overlap(&self) -> Overlap {
        Overlap::Queue
    }
}
