//! A finished conversation as a bot, or as a handler of one.

use std::{collections::BTreeSet, sync::Arc};

use futures_util::future::BoxFuture;
use sayso_turn::{Bot, BotError, Turn};

use super::{DEADLINE, Flow, driver::drive};

impl<T: Send + 'static> Flow<T> {
    /// A bot that has this conversation with everybody.
    #[must_use]
    pub fn bot(self) -> Bot {
        let (joins, events) = (self.beginnings.joins, self.all_events());
        let handler = self.handler();
        let bot = Bot::new().on_message(handler.clone()).on_event(DEADLINE, handler.clone());
        let bot = if joins { bot.on_joined(handler.clone()) } else { bot };
        events.into_iter().fold(bot, |bot, name| bot.on_event(name, handler.clone()))
    }

    /// Names of the events that it wants.
    pub(super) fn all_events(&self) -> BTreeSet<String> {
        self.events.iter().chain(&self.beginnings.events).cloned().collect()
    }

    /// A handler, for a bot that has others too. It wants messages, and events called [`DEADLINE`].
    /// For several conversations in one bot there is [`conversations`](super::conversations).
    ///
    /// # Example
    /// ```
    /// use sayso_dialog::conversation::{Conversation, DEADLINE, Result, conversation, text};
    /// use sayso_turn::{Bot, Turn};
    ///
    /// async fn greet(c: Conversation) -> Result<()> {
    ///     let name = c.ask(text("What is your name?")).await?;
    ///     c.say(format!("Hello, {name}."));
    ///     Ok(())
    /// }
    ///
    /// let greeting = conversation("greet", greet).handler();
    /// let bot = Bot::new()
    ///     .on_message(greeting.clone())
    ///     .on_event(DEADLINE, greeting)
    ///     .on_joined(async |mut turn: Turn| {
    ///         turn.say("Say something.");
    ///         Ok(())
    ///     });
    /// ```
    pub fn handler(
        self,
    ) -> impl Fn(Turn) -> BoxFuture<'static, Result<(), BotError>> + Clone + Send + Sync + 'static
    {
        let flow = Arc::new(self);
        move |turn| Box::pin(drive(Arc::clone(&flow), turn))
    }
}
