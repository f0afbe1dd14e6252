//! A bot made of handlers.

use std::{fmt, future::Future, sync::Arc};

use futures_util::future::BoxFuture;
use sayso_activity::{Activity, Kind};

use crate::{
    Failure,
    turn::{BotError, Logic, Turn},
};

/// What happens to messages that arrive while a turn of their conversation runs on this instance.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Overlap {
    /// They wait and run in the order of their arrival.
    #[default]
    Queue,
    /// Messages of one user that wait together become one turn, their texts joined by newlines.
    Coalesce,
    /// They are refused with a retryable error.
    Reject,
}

type Handler = Arc<dyn Fn(Turn) -> BoxFuture<'static, Result<(), BotError>> + Send + Sync>;
type ErrorHandler =
    Arc<dyn Fn(Turn, Arc<Failure>) -> BoxFuture<'static, Result<(), BotError>> + Send + Sync>;

/// A bot: a handler per kind of activity. What has no handler is accepted and ignored.
///
/// # Example
/// ```
/// use sayso_turn::{Bot, Turn};
///
/// let bot = Bot::new()
///     .on_message(async |mut turn: Turn| {
///         let line = format!("Echo: {}", turn.text());
///         turn.say(line);
///         Ok(())
///     })
///     .on_error(async |mut turn: Turn, _failure| {
///         turn.say("Sorry, that did not work. Nothing was changed.");
///         Ok(())
///     });
/// ```
#[derive(Clone, Default)]
pub struct Bot {
    handlers: Vec<(Trigger, Handler)>,
    on_error: Option<ErrorHandler>,
    overlap: Overlap,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Trigger {
    Kind(Kind),
    Named(Kind, String),
    Joined,
    Any,
}

impl Bot {
    /// A bot that handles nothing yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Handles messages.
    #[must_use]
    pub fn on_message<F, Fut>(self, handler: F) -> Self
    where
        F: Fn(Turn) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<(), BotError>> + Send + 'static,
    {
        self.on(Kind::Message, handler)
    }

    /// Handles events of this name; timers come as events.
    #[must_use]
    pub fn on_event<F, Fut>(self, name: impl Into<String>, handler: F) -> Self
    where
        F: Fn(Turn) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<(), BotError>> + Send + 'static,
    {
        self.with(Trigger::Named(Kind::Event, name.into()), handler)
    }

    /// Handles invokes of this name; answer with [`Turn::respond`].
    #[must_use]
    pub fn on_invoke<F, Fut>(self, name: impl Into<String>, handler: F) -> Self
    where
        F: Fn(Turn) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<(), BotError>> + Send + 'static,
    {
        self.with(Trigger::Named(Kind::Invoke, name.into()), handler)
    }

    /// Handles the arrival of somebody other than the bot itself.
    #[must_use]
    pub fn on_joined<F, Fut>(self, handler: F) -> Self
    where
        F: Fn(Turn) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<(), BotError>> + Send + 'static,
    {
        self.with(Trigger::Joined, handler)
    }

    /// Handles activities of this kind.
    #[must_use]
    pub fn on<F, Fut>(self, kind: Kind, handler: F) -> Self
    where
        F: Fn(Turn) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<(), BotError>> + Send + 'static,
    {
        self.with(Trigger::Kind(kind), handler)
    }

    /// Handles whatever no other handler does.
    #[must_use]
    pub fn on_any<F, Fut>(self, handler: F) -> Self
    where
        F: Fn(Turn) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<(), BotError>> + Send + 'static,
    {
        self.with(Trigger::Any, handler)
    }

    /// Says what the user hears when a handler fails or panics. The failed turn leaves the state as
    /// it was; the words of this handler are sent, its changes of state are not kept.
    ///
    /// Without one the sender gets an error, nothing is stored, and a redelivery runs the turn anew.
    #[must_use]
    pub fn on_error<F, Fut>(mut self, handler: F) -> Self
    where
        F: Fn(Turn, Arc<Failure>) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<(), BotError>> + Send + 'static,
    {
        self.on_error = Some(Arc::new(move |turn, failure| Box::pin(handler(turn, failure))));
        self
    }

    /// Chooses what happens to messages that arrive while a turn runs.
    #[must_use]
    pub fn overlap(mut self, overlap: Overlap) -> Self {
        self.overlap = overlap;
        self
    }

    fn with<F, Fut>(mut self, trigger: Trigger, handler: F) -> Self
    where
        F: Fn(Turn) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<(), BotError>> + Send + 'static,
    {
        self.handlers.push((trigger, Arc::new(move |turn| Box::pin(handler(turn)))));
        self
    }

    /// The first handler that fits; one for anything only when no other does.
    fn handler(&self, activity: &Activity) -> Option<&Handler> {
        let fits = |(trigger, _): &&(Trigger, Handler)| trigger.fits(activity);
        let any = |(trigger, _): &&(Trigger, Handler)| *trigger == Trigger::Any;
        let mut handlers = self.handlers.iter();
        handlers.find(fits).or_else(|| self.handlers.iter().find(any)).map(|(_, handler)| handler)
    }
}

impl Trigger {
    fn fits(&self, activity: &Activity) -> bool {
        match self {
            Self::Kind(kind) => activity.kind == *kind,
            Self::Named(kind, name) => {
                activity.kind == *kind && activity.name.as_deref() == Some(name)
            }
            Self::Joined => {
                let bot = activity.recipient.as_ref().and_then(|bot| bot.id.as_deref());
                let members = activity.members_added.as_deref().unwrap_or_default();
                activity.kind == Kind::ConversationUpdate
                    && members.iter().any(|member| member.id.as_deref() != bot)
            }
            Self::Any => false,
        }
    }
}

impl Logic for Bot {
    fn handles(&self, activity: &Activity) -> bool {
        self.handler(activity).is_some()
    }

    fn run(&self, turn: Turn) -> BoxFuture<'static, Result<(), BotError>> {
        match self.handler(turn.activity()) {
            Some(handler) => handler(turn),
            None => Box::pin(async { Ok(()) }),
        }
    }

    fn on_error(
        &self,
        turn: Turn,
        failure: Arc<Failure>,
    ) -> Option<BoxFuture<'static, Result<(), BotError>>> {
        self.on_error.as_ref().map(|handler| handler(turn, failure))
    }

    fn overlap(&self) -> Overlap {
        self.overlap
    }
}

impl fmt::Debug for Bot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Bot")
            .field(
                "handlers",
                &self.handlers.iter().map(|(trigger, _)| trigger).collect::<Vec<_>>(),
            )
            .field("on_error", &self.on_error.is_some())
            .field("overlap", &self.overlap)
            .finish()
    }
}
