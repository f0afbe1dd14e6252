//! The handle that a conversation's function gets: saying, state, time and chance.

use std::{fmt, ops::RangeInclusive, sync::Arc, time::Duration};

use sayso_activity::{Activity, Raw, Reference};
use sayso_turn::{BotError, Property, Turn, clock::Timestamp};
use serde::{Serialize, de::DeserializeOwned};
use sha2::{Digest, Sha256};

use super::{
    DEADLINE, Error,
    journal::{Lost, Pending},
    label,
    run::{Found, Input, Lent, Run, Stop},
};

/// A conversation under way, as its function sees it.
///
/// A clone is the same conversation. Every method but [`say`](Self::say) and [`send`](Self::send) is a
/// *step*: done once, kept in the journal, and answered from it when the function is replayed. What the
/// function does between its steps must depend on nothing but their results.
#[derive(Clone)]
pub struct Conversation {
    pub(super) run: Arc<Run>,
    /// The scope that this handle was made for.
    pub(super) depth: usize,
}

impl Conversation {
    /// Says something. It leaves when, and only when, the turn is saved; a replay does not say it again.
    pub fn say(&self, text: impl Into<String>) {
        self.send(Activity::message(text));
    }

    /// Sends an activity. It leaves when, and only when, the turn is saved; a replay does not send it
    /// again.
    pub fn send(&self, activity: Activity) {
        self.run.lock().send(activity);
    }

    /// What the user has just said: the text of the turn in which this step was first done.
    ///
    /// At the top of the function that is the message that began the conversation.
    ///
    /// # Errors
    /// See [`Error`]; hand it on.
    pub fn text(&self) -> Result<String, Error> {
        self.step(label::named("text", ""), |turn| Ok(turn.text().to_owned()))
    }

    /// The time, as it was when this step was first done.
    ///
    /// # Errors
    /// See [`Error`]; hand it on.
    pub fn now(&self) -> Result<Timestamp, Error> {
        self.step(label::named("now", ""), |turn| Ok(turn.now()))
    }

    /// A number out of a range, by chance: the same one on every attempt and replay. Not for secrets: it is
    /// made from the turn's id.
    ///
    /// # Errors
    /// See [`Error`]; hand it on.
    ///
    /// # Example
    /// ```
    /// # use sayso_dialog::conversation::{Conversation, Result};
    /// async fn roll(c: Conversation) -> Result<()> {
    ///     let eyes = c.random(1..=6)?;
    ///     c.say(format!("You rolled a {eyes}."));
    ///     Ok(())
    /// }
    /// ```
    pub fn random(&self, range: RangeInclusive<u64>) -> Result<u64, Error> {
        let position = self.effect_name("random");
        self.step(label::named("random", ""), |turn| {
            let hash = Sha256::new().chain_update(turn.id().as_str()).chain_update(position);
            let bytes = hash.finalize().first_chunk().copied().unwrap_or_default();
            let (first, last) = range.into_inner();
            // One more than the width fits 65 bits; the top 64 of the product are even enough.
            let width = u128::from(last.saturating_sub(first)) + 1;
            let part = (u128::from(u64::from_le_bytes(bytes)) * width) >> 64;
            Ok(first + u64::try_from(part).unwrap_or_default())
        })
    }

    /// Works on the conversation's state of type `T`, once; what the closure returns is kept in the journal.
    ///
    /// # Errors
    /// When what is stored does not fit `T`.
    ///
    /// # Example
    /// ```
    /// # use sayso_dialog::conversation::{Conversation, Result};
    /// # use serde::{Deserialize, Serialize};
    /// #[derive(Default, Serialize, Deserialize)]
    /// struct Visits { count: u32 }
    ///
    /// async fn greet(c: Conversation) -> Result<()> {
    ///     let count = c.state(|visits: &mut Visits| {
    ///         visits.count += 1;
    ///         visits.count
    ///     })?;
    ///     c.say(format!("This is your visit number {count}."));
    ///     Ok(())
    /// }
    /// ```
    pub fn state<T: Property, R: Serialize + DeserializeOwned>(
        &self,
        work: impl FnOnce(&mut T) -> R,
    ) -> Result<R, Error> {
        let label = label::named("state", label::short_name::<T>());
        self.step(label, |turn| Ok(work(turn.conversation::<T>()?)))
    }

    /// Works on the user's state of type `T`, once; what the closure returns is kept in the journal.
    ///
    /// # Errors
    /// When the activity has no sender, the store cannot be read, or what is stored does not fit `T`.
    ///
    /// # Cancellation
    /// Dropping the future leaves the conversation as it was.
    pub async fn user<T: Property, R: Serialize + DeserializeOwned + Send>(
        &self,
        work: impl FnOnce(&mut T) -> R + Send,
    ) -> Result<R, Error> {
        let label = label::named("user", label::short_name::<T>());
        let done = match self.begin(&label) {
            Begun::Done(done) => return done,
            Begun::Stopped => return Err(self.run.stopped().await),
            Begun::Work(mut lent) => lent.user::<T>().await.map(work).map_err(BotError::from),
        };
        self.record(label, done)
    }

    /// Works on the turn, once: the inbound activity, all state, timers. What the closure returns is kept
    /// in the journal.
    ///
    /// # Errors
    /// [`Error::Failed`] when the closure fails.
    ///
    /// # Example
    /// ```
    /// # use sayso_dialog::conversation::{Conversation, Result};
    /// async fn hello(c: Conversation) -> Result<()> {
    ///     let channel = c.turn(|turn| Ok(turn.activity().channel_id.clone().unwrap_or_default()))?;
    ///     c.say(format!("Hello on {channel}."));
    ///     Ok(())
    /// }
    /// ```
    pub fn turn<R: Serialize + DeserializeOwned>(
        &self,
        work: impl FnOnce(&mut Turn) -> Result<R, BotError>,
    ) -> Result<R, Error> {
        self.step(label::named("turn", ""), work)
    }

    /// How to reach this conversation later. Not a step.
    ///
    /// # Errors
    /// [`Error::Over`] when the turn is over.
    pub fn reference(&self) -> Result<Reference, Error> {
        Ok(self.run.lend()?.reference())
    }

    /// Lets time pass, as much as it likes, whatever becomes of this process.
    ///
    /// What the user says meanwhile is not an answer to anything; see [`Flow::busy`](super::Flow::busy).
    ///
    /// # Errors
    /// See [`Error`]; hand it on.
    ///
    /// # Cancellation
    /// This is where a turn ends: the function is dropped here and replayed when the time has come.
    pub async fn sleep(&self, time: Duration) -> Result<(), Error> {
        match self.try_sleep(time) {
            Some(done) => done,
            None => Err(self.run.stopped().await),
        }
    }

    /// Ends the conversation as a cancel word would. Nothing after this is run.
    ///
    /// # Errors
    /// Always: it never returns a value.
    ///
    /// # Cancellation
    /// This is where the conversation ends.
    pub async fn cancel(&self) -> Result<std::convert::Infallible, Error> {
        self.run.lock().stop(Stop::Cancelled);
        Err(self.run.stopped().await)
    }

    fn try_sleep(&self, time: Duration) -> Option<Result<(), Error>> {
        let label = label::named("sleep", "");
        let found = self.run.lock().find(self.depth, &label);
        let mut lent = match found {
            Found::Done(done) => return Some(done),
            Found::Stopped | Found::Begun => return None,
            Found::New | Found::Waiting(..) => match self.run.lend() {
                Ok(lent) => lent,
                Err(error) => return Some(Err(error)),
            },
        };
        let pending = match found {
            Found::Waiting(Pending { late: Some(_), .. }, _) => {
                let done = self.run.lock().record(self.depth, label, Raw::null(), None);
                return Some(done);
            }
            Found::Waiting(pending, input) => {
                let busy = self.run.lock().settings.busy.clone();
                if let (Input::Answer, true, Some(busy)) = (input, lent.activity().is_message(), busy)
                {
                    lent.say(busy);
                }
                pending
            }
            _ => {
                let timer = lent.after(time, Activity::event(DEADLINE));
                Pending { label, depth: self.depth, timers: vec![Some(timer)], ..Pending::default() }
            }
        };
        self.wait(&mut lent, pending);
        None
    }

    /// Suspends the run until something comes for a step.
    pub(super) fn wait(&self, lent: &mut Lent, pending: Pending) {
        let before = self.run.lock().wait(pending);
        if let Some(before) = before {
            before.let_go(lent);
        }
    }

    /// Forgets what a part waited for that the code has left.
    pub(super) fn let_go(&self, pending: Option<Pending>) {
        if let (Some(pending), Ok(mut lent)) = (pending, self.run.lend()) {
            pending.let_go(&mut lent);
        }
    }

    /// A step that is done at once.
    fn step<R: Serialize + DeserializeOwned>(
        &self,
        label: String,
        work: impl FnOnce(&mut Turn) -> Result<R, BotError>,
    ) -> Result<R, Error> {
        let done = match self.begin(&label) {
            Begun::Done(done) => return done,
            Begun::Stopped => return Err(Error::Stopped),
            Begun::Work(mut lent) => work(&mut lent),
        };
        self.record(label, done)
    }

    /// Begins a step that does not wait for the user.
    pub(super) fn begin<R: DeserializeOwned>(&self, label: &str) -> Begun<R> {
        let found = self.run.lock().find(self.depth, label);
        match found {
            Found::Done(done) => Begun::Done(done),
            Found::New => match self.run.lend() {
                Ok(lent) => Begun::Work(lent),
                Err(error) => Begun::Done(Err(error)),
            },
            // The last two are for other kinds of steps.
            Found::Stopped | Found::Begun | Found::Waiting(..) => Begun::Stopped,
        }
    }

    /// Ends a step: keeps its result, also a failure, and gives it as a replay will give it.
    pub(super) fn record<R: Serialize + DeserializeOwned>(
        &self,
        label: String,
        done: Result<R, BotError>,
    ) -> Result<R, Error> {
        let step = label.clone();
        let mut inside = self.run.lock();
        match done {
            Ok(value) => {
                let read = Raw::of(&value).and_then(|raw| Ok((raw.get()?, raw)));
                let (value, raw) = match read {
                    Ok(read) => read,
                    Err(source) => return Err(inside.fail(Error::Json { step, source })),
                };
                inside.record(self.depth, label, raw, None)?;
                Ok(value)
            }
            Err(source) => {
                let text = Raw::from(serde_json::Value::from(source.to_string()));
                inside.record(self.depth, label, text, Some(Lost::Failed))?;
                Err(Error::Failed { step, source })
            }
        }
    }

    /// A name for a step that no other step of this conversation has.
    pub(super) fn effect_name(&self, name: &str) -> String {
        let inside = self.run.lock();
        format!("{}/{}/{name}", inside.frame.name, inside.frame.position(self.depth))
    }
}

/// How a step begins.
pub(super) enum Begun<R, W = Lent> {
    Done(Result<R, Error>),
    /// It is to be done with this.
    Work(W),
    Stopped,
}

impl fmt::Debug for Conversation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Conversation").field("depth", &self.depth).finish_non_exhaustive()
    }
}
