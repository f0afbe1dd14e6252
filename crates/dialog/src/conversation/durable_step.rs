//! The step `step`: a call to the outside whose result is saved before the conversation goes on.

use std::{
    future::{Future, IntoFuture},
    time::Duration,
};

use futures_util::{FutureExt, future::BoxFuture};
use sayso_activity::Raw;
use sayso_turn::{BotError, IdempotencyKey};
use serde::{Serialize, de::DeserializeOwned};

use super::{Conversation, Error, label, step::StepStart};

/// Durable step of a conversation, made by [`Conversation::step`]: await it, after setting how it
/// is tried.
#[derive(Debug)]
#[must_use = "a step is taken when it is awaited"]
pub struct DurableStep<'a, F> {
    conversation: &'a Conversation,
    name: String,
    call: F,
    policy: Policy,
}

/// Retry policy of the call; what is not set is as for [`sayso_turn::Step`].
#[derive(Clone, Copy, Debug, Default)]
struct Policy {
    attempts: Option<u32>,
    backoff: Option<(Duration, Duration)>,
    time_out: Option<Duration>,
}

impl<F> DurableStep<'_, F> {
    /// Sets how often the call is tried, 3 times if nothing is said.
    pub fn attempts(mut self, most: u32) -> Self {
        self.policy.attempts = Some(most);
        self
    }

    /// Sets the wait between two tries: `first`, doubled each time, up to `max`. From half a second
    /// to 10 seconds if nothing is said.
    pub fn backoff(mut self, first: Duration, max: Duration) -> Self {
        self.policy.backoff = Some((first, max));
        self
    }

    /// Sets the longest time of one try, 30 seconds if nothing is said.
    pub fn time_out(mut self, most: Duration) -> Self {
        self.policy.time_out = Some(most);
        self
    }
}

impl<'a, R, E, F, Fut> IntoFuture for DurableStep<'a, F>
where
    R: Serialize + DeserializeOwned + Send + 'a,
    E: Into<BotError> + Send + 'a,
    F: FnMut(IdempotencyKey) -> Fut + Send + 'a,
    Fut: Future<Output = Result<R, E>> + Send + 'a,
{
    type Output = Result<R, Error>;
    type IntoFuture = BoxFuture<'a, Self::Output>;

    fn into_future(self) -> Self::IntoFuture {
        let Self { conversation, name, call, policy } = self;
        conversation.take_step(name, call, policy).boxed()
    }
}

impl Conversation {
    /// Takes a durable step: calls the outside and saves the result before the conversation goes
    /// on, so that it is not called again after a crash, on any instance.
    ///
    /// # Guarantees
    /// Those of [`Turn::step`](sayso_turn::Turn::step). At the end of the turn the result goes into
    /// the journal, like that of any step. The idempotency key is another one for each step of the
    /// conversation, also for the same name in a loop.
    ///
    /// # Errors
    /// [`Error::Failed`] when the call fails in every try. Handed on, it fails the turn. Handled,
    /// it is kept, and a replay fails the same way. In a conversation that a proactive turn runs it
    /// always fails: use [`once`](Self::once) there.
    ///
    /// # Cancellation
    /// Dropping the future drops the call.
    ///
    /// # Example
    /// ```
    /// # use sayso_dialog::conversation::{Conversation, Result, confirm};
    /// async fn checkout(c: Conversation) -> Result<()> {
    ///     if c.ask(confirm("Pay 12 €?")).await? {
    ///         let receipt: String = c.step("charge", |key| async move {
    ///             // post(...).header("Idempotency-Key", key.as_str()) ...
    ///             Ok::<_, std::io::Error>(format!("receipt for {key}"))
    ///         }).attempts(5).await?;
    ///         c.say(receipt);
    ///     }
    ///     Ok(())
    /// }
    /// ```
    pub fn step<'a, R, E, F, Fut>(&'a self, name: &str, call: F) -> DurableStep<'a, F>
    where
        F: FnMut(IdempotencyKey) -> Fut + Send + 'a,
        Fut: Future<Output = Result<R, E>> + Send + 'a,
    {
        let (name, policy) = (name.to_owned(), Policy::default());
        DurableStep { conversation: self, name, call, policy }
    }

    async fn take_step<R, E, F, Fut>(
        &self,
        name: String,
        mut call: F,
        policy: Policy,
    ) -> Result<R, Error>
    where
        R: Serialize + DeserializeOwned + Send,
        E: Into<BotError> + Send,
        F: FnMut(IdempotencyKey) -> Fut + Send,
        Fut: Future<Output = Result<R, E>> + Send,
    {
        let label = label::named("step", &name);
        let lent = match self.begin(&label) {
            StepStart::Done(done) => return done,
            StepStart::Stopped => return Err(self.run.stopped().await),
            StepStart::Work(lent) => lent,
        };
        let done = {
            let call = |key| {
                let called = call(key);
                async move {
                    let value = called.await.map_err(Into::into)?;
                    Ok::<_, BotError>(Raw::of(&value)?)
                }
            };
            let mut step = lent.step(&self.effect_name(&name), call);
            if let Some(attempts) = policy.attempts {
                step = step.attempts(attempts);
            }
            if let Some((first, max)) = policy.backoff {
                step = step.backoff(first, max);
            }
            if let Some(time_out) = policy.time_out {
                step = step.time_out(time_out);
            }
            step.await.map_err(BotError::from)
        };
        drop(lent);
        let raw = self.record::<Raw>(label.clone(), done)?;
        raw.get().map_err(|source| self.run.lock().fail(Error::Json { step: label, source }))
    }
}
