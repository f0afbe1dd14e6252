//! Resets of the conversation's state by a handler.

use super::Turn;

impl Turn {
    /// Removes every property of the conversation, so that its next turn starts afresh. A TTL of
    /// its own stays.
    ///
    /// # Guarantees
    /// In an error handler ([`Bot::on_error`](crate::Bot::on_error)) this and
    /// [`reset_property`](Self::reset_property) are the only changes of state that count: they
    /// commit together with what it says. What the failed turn did to the state is discarded in any
    /// case. Timers stay, and so do other documents such as the user's.
    ///
    /// # Example
    /// ```
    /// use sayso_turn::{Bot, Turn};
    ///
    /// let bot = Bot::new()
    ///     .on_message(async |mut turn: Turn| {
    ///         *turn.state().named::<u32>("count")? += 1;
    ///         match turn.text() {
    ///             "fail" => Err("no".into()),
    ///             _ => Ok(()),
    ///         }
    ///     })
    ///     .on_error(async |mut turn: Turn, _failure| {
    ///         turn.reset_conversation();
    ///         turn.say("Sorry, that did not work. Let us start again.");
    ///         Ok(())
    ///     });
    /// # drop(bot);
    /// ```
    pub fn reset_conversation(&mut self) {
        let inner = self.inner_mut();
        inner.conversation.clear();
        inner.resets.is_whole = true;
    }

    /// Removes a property of the conversation; in an error handler, together with what it says. See
    /// [`reset_conversation`](Self::reset_conversation).
    pub fn reset_property(&mut self, name: &str) {
        let inner = self.inner_mut();
        inner.conversation.remove(name);
        inner.resets.names.push(name.to_owned());
    }
}
