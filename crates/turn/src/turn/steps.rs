//! `Turn::step`: a call to the outside whose result is saved before the turn goes on.

mod error;

use std::{
    future::{Future, IntoFuture},
    pin::pin,
    sync::Arc,
    time::Duration,
};

use futures_util::{
    FutureExt,
    future::{BoxFuture, Either, select},
};
use sayso_activity::Raw;
use serde::{Serialize, de::DeserializeOwned};

pub use self::error::StepError;
use super::Turn;
use crate::{
    attempt::{Attempt, CallState, IdempotencyKey, Pending},
    backoff::Backoff,
    bot_error::BotError,
    ledger::StepResult,
    limits::Exceeded,
};

/// Durable step, made by [`Turn::step`]: await it, after setting how it is tried.
///
/// # Example
/// ```
/// use std::time::Duration;
/// use sayso_turn::{BotError, Turn};
///
/// async fn ship(turn: &Turn) -> Result<String, BotError> {
///     let step = turn
///         .step("ship", |key| async move { Ok::<_, BotError>(format!("parcel {key}")) })
///         .attempts(5)
///         .backoff(Duration::from_secs(1), Duration::from_secs(30))
///         .time_out(Duration::from_secs(10));
///     Ok(step.await?)
/// }
/// ```
#[derive(Debug)]
#[must_use = "a step is taken when it is awaited"]
pub struct Step<'a, F> {
    turn: &'a Turn,
    name: String,
    call: F,
    policy: Policy,
}

/// Retry policy of a step.
#[derive(Clone, Copy, Debug)]
struct Policy {
    attempts: u32,
    backoff: Backoff,
    time_out: Duration,
}

impl Default for Policy {
    fn default() -> Self {
        let (first, max) = (Duration::from_millis(500), Duration::from_secs(10));
        let backoff = Backoff { first, max };
        Self { attempts: 3, backoff, time_out: Duration::from_secs(30) }
    }
}

impl<F> Step<'_, F> {
    /// Sets how often the call is tried, 3 times if nothing is said. At least one try is made.
    pub fn attempts(mut self, most: u32) -> Self {
        self.policy.attempts = most;
        self
    }

    /// Sets the wait between two tries: `first`, doubled each time, up to `max`. From half a second
    /// to 10 seconds if nothing is said.
    pub fn backoff(mut self, first: Duration, max: Duration) -> Self {
        self.policy.backoff = Backoff { first, max };
        self
    }

    /// Sets the longest time of one try, 30 seconds if nothing is said. A try that takes longer is
    /// dropped and counts as failed.
    pub fn time_out(mut self, most: Duration) -> Self {
        self.policy.time_out = most;
        self
    }
}

impl<'a, T, E, F, Fut> IntoFuture for Step<'a, F>
where
    T: Serialize + DeserializeOwned + Send + 'a,
    E: Into<BotError> + Send + 'a,
    F: FnMut(IdempotencyKey) -> Fut + Send + 'a,
    Fut: Future<Output = Result<T, E>> + Send + 'a,
{
    type Output = Result<T, StepError>;
    type IntoFuture = BoxFuture<'a, Self::Output>;

    fn into_future(self) -> Self::IntoFuture {
        let Self { turn, name, call, policy } = self;
        take(turn, name, call, policy).boxed()
    }
}

impl Turn {
    /// Takes a durable step: makes an external call and saves its result before the turn goes on,
    /// so that a finished step is not made again after a crash, on any instance.
    ///
    /// # Guarantees
    /// A turn that takes a step becomes durable before the call is made: its activity is
    /// acknowledged into the inbox of its conversation, as a long turn's is, and some instance runs
    /// it to its end. If its instance dies, another one runs the turn from the beginning; steps
    /// that are finished give it their saved results and make no call. A call that was under way is
    /// made again, under the same idempotency key. What the turn gets is always what is stored.
    ///
    /// Names are numbered: the same name again in one turn is another step with a key of its own.
    /// Failures are not saved. The turn must take the same steps when they give the same results.
    ///
    /// Whoever waits for the answer of an `invoke` (or of `expectReplies`) waits on, until its
    /// deadline; a redelivery waits for the same run, or gets its recorded answer.
    ///
    /// # Costs
    /// One write for the acknowledgement, one for each step.
    ///
    /// # Limits
    /// [`steps_max`](crate::Limits::steps_max) steps a turn,
    /// [`step_bytes_max`](crate::Limits::step_bytes_max) of a result,
    /// [`steps_bytes_max`](crate::Limits::steps_bytes_max) of all. All tries together have the time
    /// of a long turn, [`long_deadline`](crate::Limits::long_deadline).
    ///
    /// # Errors
    /// [`StepError::Failed`] and [`StepError::TimedOut`] after the last try. A proactive turn and
    /// an error handler cannot take steps, because no other instance could go on with them:
    /// [`StepError::Misplaced`].
    ///
    /// # Cancellation
    /// Dropping the future drops the call; it can be made again, under the same key. A result that
    /// is there already is still saved.
    ///
    /// # Example
    /// ```
    /// use sayso_turn::{BotError, Turn};
    /// use serde::{Deserialize, Serialize};
    ///
    /// #[derive(Serialize, Deserialize)]
    /// struct Receipt { number: String }
    ///
    /// async fn buy(mut turn: Turn) -> Result<(), BotError> {
    ///     let receipt: Receipt = turn.step("charge", |key| async move {
    ///         // post(...).header("Idempotency-Key", key.as_str()) ...
    ///         Ok::<_, BotError>(Receipt { number: key.to_string() })
    ///     }).await?;
    ///     let parcel: String = turn.step("ship", |_key| async {
    ///         Ok::<_, BotError>("a parcel".to_owned())
    ///     }).attempts(5).await?;
    ///     turn.say(format!("Paid ({}), {parcel} is on its way.", receipt.number));
    ///     Ok(())
    /// }
    /// # let bot = sayso_turn::Bot::new().on_message(buy);
    /// ```
    pub fn step<'a, T, E, F, Fut>(&'a self, name: &str, call: F) -> Step<'a, F>
    where
        F: FnMut(IdempotencyKey) -> Fut + Send + 'a,
        Fut: Future<Output = Result<T, E>> + Send + 'a,
    {
        Step { turn: self, name: name.to_owned(), call, policy: Policy::default() }
    }
}

/// Takes a step: from what is saved, from what an earlier attempt in this process has got, or by
/// making the call.
async fn take<T, E, F, Fut>(
    turn: &Turn,
    name: String,
    call: F,
    policy: Policy,
) -> Result<T, StepError>
where
    T: Serialize + DeserializeOwned + Send,
    E: Into<BotError> + Send,
    F: FnMut(IdempotencyKey) -> Fut + Send,
    Fut: Future<Output = Result<T, E>> + Send,
{
    let attempt = &turn.inner().attempt;
    if let Some(place) = attempt.steps.refusal() {
        return Err(StepError::Misplaced { step: name, place });
    }
    let mut pending = attempt.effects.begin(&name);
    let number = pending.number();
    let result = match attempt.steps.saved(&name, number) {
        Some(result) => {
            pending.keep_number();
            result
        }
        None => {
            let limits = attempt.source.limits();
            attempt.steps.check_count(limits)?;
            let result = made(attempt, &mut pending, (&name, call), policy).await?;
            let saved = StepResult { name: name.clone(), number, result };
            let saved = attempt.steps.save(saved, limits).await;
            // Nothing is left to remember in memory. What was not saved is remembered.
            if saved.is_ok() {
                pending.receipts().forget(&name, number);
            } else {
                pending.end_if_left().await;
            }
            saved.map_err(|refusal| StepError::of(refusal, &name))?
        }
    };
    result.get().map_err(|source| StepError::Json { step: name, source })
}

/// Makes the call of a step, as often as its policy says.
async fn made<T, E, F, Fut>(
    attempt: &Arc<Attempt>,
    pending: &mut Pending<'_>,
    (name, mut call): (&str, F),
    policy: Policy,
) -> Result<Raw, StepError>
where
    T: Serialize + Send,
    E: Into<BotError> + Send,
    F: FnMut(IdempotencyKey) -> Fut + Send,
    Fut: Future<Output = Result<T, E>> + Send,
{
    let key = IdempotencyKey::new(attempt.id, name, pending.number());
    let keep = |receipts: &_| attempt.source.keep(attempt.id, receipts);
    let mut tries = 0;
    loop {
        let permission = attempt.steps.permission().await;
        pending.end_if_left().await;
        permission.map_err(|refusal| StepError::of(refusal, name))?;
        match pending.look_up_or_wait().await {
            None => continue,
            Some(CallState::Made(result)) => return Ok(result),
            Some(_) => keep(pending.receipts()),
        }
        tries += 1;
        let one_try = async {
            let called = match attempt.forced_failure(name) {
                Ok(()) => tried(attempt, call(key.clone()), policy.time_out).await,
                Err(forced) => Err(Failed::Call(forced)),
            };
            called.map_err(|failed| failed.into_error(name, tries, policy.time_out))
        };
        let failed = match pending.make(pin!(one_try), keep).await {
            Ok(result) => return Ok(result),
            Err(failed) => failed,
        };
        if tries >= policy.attempts || !failed.is_of_the_call() {
            return Err(failed);
        }
        attempt.source.sleep(policy.backoff.longest(tries - 1)).await;
    }
}

/// Reason why a try gave no result.
enum Failed {
    Call(BotError),
    TimedOut,
    Json(serde_json::Error),
    TooLarge(Exceeded),
}

impl Failed {
    fn into_error(self, step: &str, attempts: u32, after: Duration) -> StepError {
        let step = step.to_owned();
        match self {
            Self::Call(source) => StepError::Failed { step, attempts, source },
            Self::TimedOut => StepError::TimedOut { step, attempts, after },
            Self::Json(source) => StepError::Json { step, source },
            Self::TooLarge(Exceeded { what, limit }) => StepError::Limit { what, limit },
        }
    }
}

/// Makes one try of a call, within its time, and writes its result as JSON.
async fn tried<T: Serialize, E: Into<BotError>>(
    attempt: &Attempt,
    call: impl Future<Output = Result<T, E>> + Send,
    time_out: Duration,
) -> Result<Raw, Failed> {
    let result = match select(pin!(call), attempt.source.time_out(time_out)).await {
        Either::Left((Ok(value), _)) => Raw::of(&value).map_err(Failed::Json)?,
        Either::Left((Err(error), _)) => return Err(Failed::Call(error.into())),
        Either::Right(((), _)) => return Err(Failed::TimedOut),
    };
    let (bytes, most) = (result.as_str().len(), attempt.source.limits().step_bytes_max);
    if bytes > most {
        let what = format!("the result of a step has {bytes} bytes, at most {most}");
        return Err(Failed::TooLarge(Exceeded { what, limit: "step_bytes_max" }));
    }
    Ok(result)
}
