//! Composite steps: calls to the outside, sub-conversations, checkpoints.

use std::sync::Arc;

use sayso_activity::Raw;
use sayso_turn::{
    BotError, IdempotencyKey,
    versioned::{self, Unreadable},
};
use serde::{Serialize, de::DeserializeOwned};

use super::{Conversation, Error, journal::Scope, label, replay::Lookup, step::StepStart};

impl Conversation {
    /// Calls the outside once per process, and keeps the result in the journal when the turn
    /// commits; a crash before that forgets it, unlike that of a [`step`](Self::step).
    ///
    /// # Guarantees
    /// A turn that is tried again in this process does not repeat a call that succeeded. After a
    /// crash it is made again under the same key: a service that honours the key makes it exactly
    /// once. The key is another one for each call of the conversation, also for the same name in a
    /// loop.
    ///
    /// # Errors
    /// [`Error::Failed`] when the call fails. Handed on, it fails the turn, nothing is kept, and
    /// the next attempt calls again. Handled, it is kept, and a replay fails the same way.
    ///
    /// # Cancellation
    /// Dropping the future drops the call.
    ///
    /// # Example
    /// ```
    /// # use sayso_dialog::conversation::{Conversation, Result};
    /// async fn checkout(c: Conversation) -> Result<()> {
    ///     let receipt: String = c.once("pay", |key| async move {
    ///         // post(...).header("Idempotency-Key", key.as_str()) ...
    ///         Ok::<_, std::io::Error>(format!("receipt for {key}"))
    ///     }).await?;
    ///     c.say(receipt);
    ///     Ok(())
    /// }
    /// ```
    pub async fn once<R, E, F, Fut>(&self, name: &str, call: F) -> Result<R, Error>
    where
        R: Serialize + DeserializeOwned + Send,
        E: Into<BotError>,
        F: FnOnce(IdempotencyKey) -> Fut + Send,
        Fut: Future<Output = Result<R, E>> + Send,
    {
        let label = label::named("once", name);
        let lent = match self.begin(&label) {
            StepStart::Done(done) => return done,
            StepStart::Stopped => return Err(self.run.stopped().await),
            StepStart::Work(lent) => lent,
        };
        let call = async |key| {
            let value = call(key).await.map_err(Into::into)?;
            Ok::<_, BotError>(Raw::of(&value)?)
        };
        let done = lent.once(&self.effect_name(name), call).await;
        drop(lent);
        let raw = self.record::<Raw>(label.clone(), done)?;
        raw.get().map_err(|source| self.run.lock().fail(Error::Json { step: label, source }))
    }

    /// Runs another conversation as a part of this one. When it has ended, its one result replaces
    /// all its steps in the journal.
    ///
    /// # Errors
    /// [`Error::Failed`] when it fails. Handled, that is kept, and a replay fails the same way.
    ///
    /// # Cancellation
    /// Like that of the steps inside.
    ///
    /// # Example
    /// ```
    /// # use sayso_dialog::conversation::{Conversation, Result, text};
    /// # use serde::{Deserialize, Serialize};
    /// #[derive(Serialize, Deserialize)]
    /// struct Address { street: String, town: String }
    ///
    /// async fn address(c: Conversation) -> Result<Address> {
    ///     let street = c.ask(text("Which street?")).await?;
    ///     let town = c.ask(text("Which town?")).await?;
    ///     Ok(Address { street, town })
    /// }
    ///
    /// async fn order(c: Conversation) -> Result<()> {
    ///     let home = c.call("home", address).await?;
    ///     let work = c.call("work", address).await?;
    ///     c.say(format!("From {} to {}.", home.town, work.town));
    ///     Ok(())
    /// }
    /// ```
    pub async fn call<R, F, Fut>(&self, name: &str, conversation: F) -> Result<R, Error>
    where
        R: Serialize + DeserializeOwned + Send,
        F: FnOnce(Self) -> Fut,
        Fut: Future<Output = Result<R, BotError>>,
    {
        let label = label::named("call", name);
        let entered = self.enter(&label);
        let inner = match entered {
            StepStart::Done(done) => return done,
            StepStart::Stopped => return Err(self.run.stopped().await),
            StepStart::Work(inner) => inner,
        };
        let done = conversation(inner).await;
        if self.leave().is_none() {
            return Err(self.run.stopped().await);
        }
        self.record(label, done)
    }

    /// Keeps a state and forgets the journal of this function up to here: from now on the function
    /// is replayed from its top with [`kept`](Self::kept). For loops that may go on for long.
    ///
    /// # Errors
    /// When the state cannot be written as JSON.
    ///
    /// # Example
    /// ```
    /// # use sayso_dialog::conversation::{Conversation, Result, text};
    /// async fn list(c: Conversation) -> Result<Vec<String>> {
    ///     let mut items: Vec<String> = c.kept()?.unwrap_or_default();
    ///     loop {
    ///         let item = c.ask(text("What else? Say `done` when that is all.")).await?;
    ///         if item == "done" {
    ///             return Ok(items);
    ///         }
    ///         items.push(item);
    ///         c.keep(&items)?;
    ///     }
    /// }
    /// ```
    pub fn keep<S: Serialize + ?Sized>(&self, state: &S) -> Result<(), Error> {
        let mut run = self.run.lock();
        run.usable(self.depth)?;
        if !run.is_live() || run.frame.pending.is_some() {
            // A replay: the steps that came after this are in the journal, or were forgotten with
            // it.
            return Ok(());
        }
        let kept = match Raw::of(state) {
            Ok(kept) => kept,
            Err(source) => return Err(run.fail(Error::Json { step: "keep".into(), source })),
        };
        run.keep(self.depth, kept);
        Ok(())
    }

    /// The state that this function kept last, if it did.
    ///
    /// # Errors
    /// When it was another type: that counts as changed code.
    pub fn kept<S: DeserializeOwned>(&self) -> Result<Option<S>, Error> {
        let mut run = self.run.lock();
        run.usable(self.depth)?;
        let scope = run.frame.scopes.get(self.depth);
        let Some(kept) = scope.and_then(|scope| scope.kept.clone()) else { return Ok(None) };
        match versioned::read(&kept) {
            Ok(state) => return Ok(Some(state)),
            // Only the build that kept it can go on; the turn is refused, and nothing is lost.
            Err(Unreadable::Newer(newer)) => return Err(run.fail(Error::Kept(newer))),
            Err(_) => {}
        }
        let now = format!("kept as {}", label::short_name::<S>());
        run.differ(self.depth, &now, "kept as another type");
        run.usable(self.depth)?;
        Ok(None)
    }

    /// Enters a called conversation, unless it has ended.
    fn enter<R: DeserializeOwned>(&self, label: &str) -> StepStart<R, Self> {
        let mut run = self.run.lock();
        let before = match run.find(self.depth, label) {
            Lookup::Done(done) => return StepStart::Done(done),
            // The last is for other kinds of steps.
            Lookup::Stopped | Lookup::Waiting(..) => return StepStart::Stopped,
            Lookup::Entered => None,
            Lookup::New => {
                if let Err(error) = run.check_nesting(self.depth) {
                    return StepStart::Done(Err(error));
                }
                let before = run.cut(self.depth);
                run.frame.scopes.push(Scope { label: label.to_owned(), ..Scope::default() });
                before
            }
        };
        run.depth = self.depth + 1;
        drop(run);
        self.cancel_timers_of(before);
        StepStart::Work(Self { run: Arc::clone(&self.run), depth: self.depth + 1 })
    }

    /// Leaves a called conversation that has returned: nothing when the run has stopped.
    fn leave(&self) -> Option<()> {
        let mut run = self.run.lock();
        run.check_end(self.depth + 1);
        run.usable(self.depth + 1).ok()?;
        run.depth = self.depth;
        let before = run.cut(self.depth);
        drop(run);
        self.cancel_timers_of(before);
        Some(())
    }
}
