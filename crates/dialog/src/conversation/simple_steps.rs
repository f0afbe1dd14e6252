//! Simple steps, done without waiting for the user: text, time, random numbers, state.

use std::ops::RangeInclusive;

use sayso_turn::{BotError, Property, Turn, clock::Timestamp};
use serde::{Serialize, de::DeserializeOwned};
use sha2::{Digest, Sha256};

use super::{Conversation, Error, label, step::StepStart};

impl Conversation {
    /// The user's words: the text of the turn in which this step was first done.
    ///
    /// At the top of the function that is the message that began the conversation.
    ///
    /// # Errors
    /// See [`Error`]; hand it on.
    pub fn text(&self) -> Result<String, Error> {
        self.at_once(label::named("text", ""), |turn| Ok(turn.text().to_owned()))
    }

    /// The time, as it was when this step was first done.
    ///
    /// # Errors
    /// See [`Error`]; hand it on.
    pub fn now(&self) -> Result<Timestamp, Error> {
        self.at_once(label::named("now", ""), |turn| Ok(turn.now()))
    }

    /// A number out of a range, by chance: the same one on every attempt and replay. Not for
    /// secrets: it is made from the turn's id.
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
        self.at_once(label::named("random", ""), |turn| {
            let hash = Sha256::new().chain_update(turn.id().as_str()).chain_update(position);
            let bytes = hash.finalize().first_chunk().copied().unwrap_or_default();
            let (first, last) = range.into_inner();
            // One more than the width fits 65 bits; the top 64 of the product are even enough.
            let width = u128::from(last.saturating_sub(first)) + 1;
            let part = (u128::from(u64::from_le_bytes(bytes)) * width) >> 64;
            Ok(first + u64::try_from(part).unwrap_or_default())
        })
    }

    /// Works on the conversation's state of type `T`, once; what the closure returns is kept in the
    /// journal.
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
        self.at_once(label, |turn| Ok(work(turn.conversation::<T>()?)))
    }

    /// Works on the user's state of type `T`, once; what the closure returns is kept in the
    /// journal.
    ///
    /// # Errors
    /// When the activity has no sender, the store cannot be read, or what is stored does not fit
    /// `T`.
    ///
    /// # Cancellation
    /// Dropping the future leaves the conversation as it was.
    pub async fn user<T: Property, R: Serialize + DeserializeOwned + Send>(
        &self,
        work: impl FnOnce(&mut T) -> R + Send,
    ) -> Result<R, Error> {
        let label = label::named("user", label::short_name::<T>());
        let done = match self.begin(&label) {
            StepStart::Done(done) => return done,
            StepStart::Stopped => return Err(self.run.stopped().await),
            StepStart::Work(mut lent) => lent.user::<T>().await.map(work).map_err(BotError::from),
        };
        self.record(label, done)
    }

    /// Works on the turn, once: the inbound activity, all state, timers. What the closure returns
    /// is kept in the journal.
    ///
    /// # Errors
    /// [`Error::Failed`] when the closure fails.
    ///
    /// # Example
    /// ```
    /// # use sayso_dialog::conversation::{Conversation, Result};
    /// async fn hello(c: Conversation) -> Result<()> {
    ///     let channel = c.turn(|turn| Ok(turn.activity().channel_id.clone()))?;
    ///     let channel = channel.unwrap_or_default();
    ///     c.say(format!("Hello on {channel}."));
    ///     Ok(())
    /// }
    /// ```
    pub fn turn<R: Serialize + DeserializeOwned>(
        &self,
        work: impl FnOnce(&mut Turn) -> Result<R, BotError>,
    ) -> Result<R, Error> {
        self.at_once(label::named("turn", ""), work)
    }
}
