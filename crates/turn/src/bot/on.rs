//! Registration of handlers, one method per kind of activity. Written out one by one, because
//! compiler errors about a handler that does not fit point here.

use std::sync::Arc;

use sayso_activity::Kind;

use super::{Bot, handlers::Handler, trigger::Trigger};
use crate::{HandlerFuture, Turn};

impl Bot {
    /// Handles messages.
    #[must_use]
    #[track_caller]
    pub fn on_message<F, Fut>(self, handler: F) -> Self
    where
        F: Fn(Turn) -> Fut + Send + Sync + 'static,
        Fut: HandlerFuture + Send + 'static,
    {
        self.add(Trigger::Kind(Kind::Message), handler)
    }

    /// Handles edited messages: the activity is the message as it is now.
    #[must_use]
    #[track_caller]
    pub fn on_message_update<F, Fut>(self, handler: F) -> Self
    where
        F: Fn(Turn) -> Fut + Send + Sync + 'static,
        Fut: HandlerFuture + Send + 'static,
    {
        self.add(Trigger::Kind(Kind::MessageUpdate), handler)
    }

    /// Handles deleted messages: the activity has the id of the message.
    #[must_use]
    #[track_caller]
    pub fn on_message_delete<F, Fut>(self, handler: F) -> Self
    where
        F: Fn(Turn) -> Fut + Send + Sync + 'static,
        Fut: HandlerFuture + Send + 'static,
    {
        self.add(Trigger::Kind(Kind::MessageDelete), handler)
    }

    /// Handles the arrival of somebody other than the bot itself. To get the list of members use
    /// [`on_members_added`](Self::on_members_added).
    #[must_use]
    #[track_caller]
    pub fn on_joined<F, Fut>(self, handler: F) -> Self
    where
        F: Fn(Turn) -> Fut + Send + Sync + 'static,
        Fut: HandlerFuture + Send + 'static,
    {
        self.add(Trigger::MembersAdded, handler)
    }

    /// Handles the installation of the bot for a user or a team, and its upgrade.
    #[must_use]
    #[track_caller]
    pub fn on_installed<F, Fut>(self, handler: F) -> Self
    where
        F: Fn(Turn) -> Fut + Send + Sync + 'static,
        Fut: HandlerFuture + Send + 'static,
    {
        self.add(Trigger::Installed, handler)
    }

    /// Handles the removal of the bot. Nothing can be said there any more.
    #[must_use]
    #[track_caller]
    pub fn on_uninstalled<F, Fut>(self, handler: F) -> Self
    where
        F: Fn(Turn) -> Fut + Send + Sync + 'static,
        Fut: HandlerFuture + Send + 'static,
    {
        self.add(Trigger::Uninstalled, handler)
    }

    /// Handles typing indicators.
    #[must_use]
    #[track_caller]
    pub fn on_typing<F, Fut>(self, handler: F) -> Self
    where
        F: Fn(Turn) -> Fut + Send + Sync + 'static,
        Fut: HandlerFuture + Send + 'static,
    {
        self.add(Trigger::Kind(Kind::Typing), handler)
    }

    /// Handles the end of the conversation.
    #[must_use]
    #[track_caller]
    pub fn on_end_of_conversation<F, Fut>(self, handler: F) -> Self
    where
        F: Fn(Turn) -> Fut + Send + Sync + 'static,
        Fut: HandlerFuture + Send + 'static,
    {
        self.add(Trigger::Kind(Kind::EndOfConversation), handler)
    }

    /// Handles the handoff of the conversation to another agent, or from one.
    #[must_use]
    #[track_caller]
    pub fn on_handoff<F, Fut>(self, handler: F) -> Self
    where
        F: Fn(Turn) -> Fut + Send + Sync + 'static,
        Fut: HandlerFuture + Send + 'static,
    {
        self.add(Trigger::Kind(Kind::Handoff), handler)
    }

    /// Handles events of this name; timers arrive as events.
    #[must_use]
    #[track_caller]
    pub fn on_event<F, Fut>(self, name: impl Into<String>, handler: F) -> Self
    where
        F: Fn(Turn) -> Fut + Send + Sync + 'static,
        Fut: HandlerFuture + Send + 'static,
    {
        self.add(Trigger::Named(Kind::Event, name.into()), handler)
    }

    /// Handles invokes of this name; answer with [`Turn::respond`]. An invoke that nobody answers
    /// gets the status 501.
    #[must_use]
    #[track_caller]
    pub fn on_invoke<F, Fut>(self, name: impl Into<String>, handler: F) -> Self
    where
        F: Fn(Turn) -> Fut + Send + Sync + 'static,
        Fut: HandlerFuture + Send + 'static,
    {
        self.add(Trigger::Named(Kind::Invoke, name.into()), handler)
    }

    /// Handles commands of this name: with a slash, such as `/help`, messages whose first word it
    /// is, whatever its case; without one, activities of the kind
    /// [`Command`](Kind::Command). Add it before [`on_message`](Self::on_message).
    ///
    /// # Example
    /// ```
    /// use sayso_turn::{Bot, Turn};
    ///
    /// let bot = Bot::new()
    ///     .on_command("/help", async |mut turn: Turn| {
    ///         turn.say("I bake pizzas.");
    ///         Ok(())
    ///     })
    ///     .on_message(async |mut turn: Turn| {
    ///         turn.say("Which topping?");
    ///         Ok(())
    ///     });
    /// # drop(bot);
    /// ```
    #[must_use]
    #[track_caller]
    pub fn on_command<F, Fut>(self, name: impl Into<String>, handler: F) -> Self
    where
        F: Fn(Turn) -> Fut + Send + Sync + 'static,
        Fut: HandlerFuture + Send + 'static,
    {
        let name = name.into();
        self.add(
            match name.starts_with('/') {
                true => Trigger::Word(name),
                false => Trigger::Named(Kind::Command, name),
            },
            handler,
        )
    }

    /// Handles the results of commands of this name.
    #[must_use]
    #[track_caller]
    pub fn on_command_result<F, Fut>(self, name: impl Into<String>, handler: F) -> Self
    where
        F: Fn(Turn) -> Fut + Send + Sync + 'static,
        Fut: HandlerFuture + Send + 'static,
    {
        self.add(Trigger::Named(Kind::CommandResult, name.into()), handler)
    }

    /// Handles activities of this kind, whatever their name.
    #[must_use]
    #[track_caller]
    pub fn on<F, Fut>(self, kind: Kind, handler: F) -> Self
    where
        F: Fn(Turn) -> Fut + Send + Sync + 'static,
        Fut: HandlerFuture + Send + 'static,
    {
        self.add(Trigger::Kind(kind), handler)
    }

    /// Handles whatever no other handler does.
    #[must_use]
    #[track_caller]
    pub fn on_any<F, Fut>(self, handler: F) -> Self
    where
        F: Fn(Turn) -> Fut + Send + Sync + 'static,
        Fut: HandlerFuture + Send + 'static,
    {
        self.add(Trigger::Any, handler)
    }

    #[track_caller]
    pub(super) fn add<F, Fut>(mut self, trigger: Trigger, handler: F) -> Self
    where
        F: Fn(Turn) -> Fut + Send + Sync + 'static,
        Fut: HandlerFuture + Send + 'static,
    {
        let handler: Handler = Arc::new(move |turn| Box::pin(handler(turn)));
        Arc::make_mut(&mut self.handlers).push(trigger, handler);
        self
    }
}
