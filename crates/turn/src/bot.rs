//! A bot made of handlers.

mod activity_handler;
mod dispatch;
mod future;
mod middleware;
mod on;
mod on_value;
mod trigger;

use std::{fmt, sync::Arc};

use futures_util::future::BoxFuture;
use sayso_activity::Activity;

pub use self::{
    activity_handler::ActivityHandler,
    future::HandlerFuture,
    middleware::{Middleware, Next},
};
use self::{
    middleware::{Layer, layer},
    trigger::Trigger,
};
use crate::{
    Failure, MessageId,
    hooks::Hooks,
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

/// A bot: a handler per sort of activity. What has no handler is accepted and ignored.
///
/// # Which handler runs
/// One: the first that fits, in the order in which they were added; [`on_any`](Bot::on_any) only when no
/// other does. So add the special before the general: `on_event("tick", ..)` before
/// `on(Kind::Event, ..)`. Only an activity that brings reactions put on *and* taken off runs two.
///
/// [Middleware](Middleware) that was added with [`with`](Bot::with) runs around the handler, whatever
/// was added first.
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
    // Shared, because each turn that runs through middleware takes the bot along.
    handlers: Arc<Vec<(Trigger, Handler)>>,
    layers: Arc<Vec<Layer>>,
    hooks: Arc<Hooks>,
    on_error: Option<ErrorHandler>,
    overlap: Overlap,
}

impl Bot {
    /// A bot that handles nothing yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds middleware: it runs around the handlers and around the middleware that is added later.
    ///
    /// From then on every activity runs through it, also one that no handler is for: such an activity,
    /// too, is loaded for and stored.
    ///
    /// # Example
    /// ```
    /// use sayso_turn::{Bot, Next, Turn};
    ///
    /// let bot = Bot::new()
    ///     .with(async |mut turn: Turn, next: Next| {
    ///         turn.say("before");
    ///         next.run(&mut turn).await?;
    ///         turn.say("after");
    ///         Ok(())
    ///     })
    ///     .on_message(async |mut turn: Turn| { turn.say("between"); Ok(()) });
    /// ```
    #[must_use]
    pub fn with(mut self, middleware: impl Middleware) -> Self {
        Arc::make_mut(&mut self.layers).push(layer(middleware));
        self
    }

    /// Lets a hook see every reply before it is part of the turn: what it gives back is sent, and nothing
    /// is when it gives nothing back. Hooks run in the order in which they were added; those of the turn
    /// ([`Turn::on_send`]) after those of the bot. They run inside the attempt: nothing is sent yet, and
    /// an attempt that does not count leaves no trace of them.
    ///
    /// # Example
    /// ```
    /// use sayso_turn::{Bot, Turn, activity::Activity};
    ///
    /// let bot = Bot::new()
    ///     .on_send(|turn: &Turn, reply: Activity| match turn.text() {
    ///         "hush" => None,
    ///         _ => Some(reply.with_locale("en")),
    ///     })
    ///     .on_message(async |mut turn: Turn| { turn.say("hello"); Ok(()) });
    /// ```
    #[must_use]
    pub fn on_send<F>(mut self, hook: F) -> Self
    where
        F: Fn(&Turn, Activity) -> Option<Activity> + Send + Sync + 'static,
    {
        Arc::make_mut(&mut self.hooks).on_send.push(Arc::new(hook));
        self
    }

    /// Lets a hook see every change of a sent message ([`Turn::update`]) before it is part of the turn:
    /// what it gives back is what the message becomes; it stays as it is when the hook gives nothing
    /// back. For the rest it is as [`on_send`](Self::on_send).
    #[must_use]
    pub fn on_update<F>(mut self, hook: F) -> Self
    where
        F: Fn(&Turn, &MessageId, Activity) -> Option<Activity> + Send + Sync + 'static,
    {
        Arc::make_mut(&mut self.hooks).on_update.push(Arc::new(hook));
        self
    }

    /// Lets a hook see every deletion of a sent message ([`Turn::delete`]) and say whether it is to
    /// happen. For the rest it is as [`on_send`](Self::on_send).
    ///
    /// # Example
    /// ```
    /// use sayso_turn::{Bot, Turn};
    ///
    /// let bot = Bot::new().on_delete(|turn: &Turn, _| turn.text() == "forget it");
    /// ```
    #[must_use]
    pub fn on_delete<F>(mut self, hook: F) -> Self
    where
        F: Fn(&Turn, &MessageId) -> bool + Send + Sync + 'static,
    {
        Arc::make_mut(&mut self.hooks).on_delete.push(Arc::new(hook));
        self
    }

    /// Says what the user hears when a handler fails or panics. The failed turn leaves the state as
    /// it was; the words of this handler are sent, its changes of state are not kept.
    ///
    /// Without one the sender gets an error, nothing is stored, and a redelivery runs the turn anew.
    #[must_use]
    pub fn on_error<F, Fut>(mut self, handler: F) -> Self
    where
        F: Fn(Turn, Arc<Failure>) -> Fut + Send + Sync + 'static,
        Fut: HandlerFuture + Send + 'static,
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

    /// The first handler that fits; one for anything only when no other does.
    fn handler(&self, activity: &Activity) -> Option<&(Trigger, Handler)> {
        let fits = |(trigger, _): &&(Trigger, Handler)| trigger.fits(activity);
        let any = |(trigger, _): &&(Trigger, Handler)| matches!(trigger, Trigger::Any);
        self.handlers.iter().find(fits).or_else(|| self.handlers.iter().find(any))
    }

    /// Runs the handler of an activity.
    fn dispatch(&self, turn: Turn) -> BoxFuture<'static, Result<(), BotError>> {
        match self.handler(turn.activity()) {
            Some((Trigger::ReactionsAdded | Trigger::ReactionsRemoved, _)) => self.react(turn),
            Some((_, handler)) => handler(turn),
            None => Box::pin(async { Ok(()) }),
        }
    }

    /// Reactions put on, then reactions taken off: the only activity that two handlers may be for.
    fn react(&self, mut turn: Turn) -> BoxFuture<'static, Result<(), BotError>> {
        let first = |is_sort: fn(&Trigger) -> bool| {
            let mut handlers = self.handlers.iter();
            let found = handlers.find(|(sort, _)| is_sort(sort) && sort.fits(turn.activity()));
            found.map(|(_, handler)| Arc::clone(handler))
        };
        let added = first(|sort| matches!(sort, Trigger::ReactionsAdded));
        let removed = first(|sort| matches!(sort, Trigger::ReactionsRemoved));
        Box::pin(async move {
            for handler in [added, removed].into_iter().flatten() {
                turn.lend(|turn| handler(turn)).await?;
            }
            Ok(())
        })
    }
}

impl Logic for Bot {
    fn handles(&self, activity: &Activity) -> bool {
        !self.layers.is_empty() || self.handler(activity).is_some()
    }

    fn run(&self, mut turn: Turn) -> BoxFuture<'static, Result<(), BotError>> {
        turn.hook(&self.hooks);
        match self.layers.is_empty() {
            true => self.dispatch(turn),
            false => Next::new(self.clone()).start(turn),
        }
    }

    fn on_error(
        &self,
        mut turn: Turn,
        failure: Arc<Failure>,
    ) -> Option<BoxFuture<'static, Result<(), BotError>>> {
        turn.hook(&self.hooks);
        self.on_error.as_ref().map(|handler| handler(turn, failure))
    }

    fn overlap(&self) -> Overlap {
        self.overlap
    }
}

impl fmt::Debug for Bot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let triggers: Vec<_> = self.handlers.iter().map(|(trigger, _)| trigger).collect();
        f.debug_struct("Bot")
            .field("handlers", &triggers)
            .field("middleware", &self.layers.len())
            .field("hooks", &self.hooks)
            .field("on_error", &self.on_error.is_some())
            .field("overlap", &self.overlap)
            .finish()
    }
}
