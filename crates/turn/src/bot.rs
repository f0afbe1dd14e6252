//! A bot made of handlers.

mod activity_handler;
mod future;
mod handlers;
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
    handlers::Handlers,
    middleware::{Layer, layer},
};
use crate::{
    bot_error::BotError,
    delivery_policy::DeliveryPolicy,
    error::Failure,
    message::MessageId,
    turn::{Logic, Overlap, ReplyHooks, Turn},
};

type ErrorHandler =
    Arc<dyn Fn(Turn, Arc<Failure>) -> BoxFuture<'static, Result<(), BotError>> + Send + Sync>;

/// A bot: a handler per sort of activity. What has no handler is accepted and ignored.
///
/// # Which handler runs
/// One: the first that fits, in the order in which they were added; [`on_any`](Bot::on_any) only
/// when no other does. So add the special before the general: `on_event("tick", ..)` before
/// `on(Kind::Event, ..)`. Only an activity that brings reactions put on *and* taken off runs two.
///
/// [Middleware](Middleware) that was added with [`with`](Bot::with) runs around the handler,
/// whatever was added first.
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
    // Shared, because each turn that runs through middleware takes the handlers and layers along.
    handlers: Arc<Handlers>,
    layers: Arc<Vec<Layer>>,
    hooks: Arc<ReplyHooks<Turn>>,
    on_error: Option<ErrorHandler>,
    overlap: Overlap,
    delivery: DeliveryPolicy,
}

impl Bot {
    /// A bot that handles nothing yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds middleware: it runs around the handlers and around the middleware that is added later.
    ///
    /// From then on every activity runs through it, also one that no handler is for: such an
    /// activity, too, is loaded for and stored.
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

    /// Lets a hook see every reply before it is part of the turn: what it gives back is sent, and
    /// nothing is when it gives nothing back. Hooks run in the order in which they were added;
    /// those of the turn ([`Turn::on_send`]) after those of the bot. They run inside the attempt:
    /// nothing is sent yet, and an attempt that does not count leaves no trace of them.
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

    /// Lets a hook see every change of a sent message ([`Turn::update`]) before it is part of the
    /// turn: what it gives back is what the message becomes; it stays as it is when the hook gives
    /// nothing back. For the rest it is as [`on_send`](Self::on_send).
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
    /// Without one the sender gets an error, nothing is stored, and a redelivery runs the turn
    /// anew.
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

    /// Chooses what a reply may cost: whether one that may have arrived is sent again, and for how
    /// long it is worth sending. [`Turn::set_delivery`] chooses for one reply.
    #[must_use]
    pub fn delivery(mut self, policy: DeliveryPolicy) -> Self {
        self.delivery = policy;
        self
    }
}

impl Logic for Bot {
    fn handles(&self, activity: &Activity) -> bool {
        !self.layers.is_empty() || self.handlers.handles(activity)
    }

    fn run(&self, mut turn: Turn) -> BoxFuture<'static, Result<(), BotError>> {
        turn.hook(&self.hooks);
        match self.layers.is_empty() {
            true => self.handlers.dispatch(turn),
            false => Next::new(&self.layers, &self.handlers).start(turn),
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

    fn delivery(&self) -> DeliveryPolicy {
        self.delivery
    }
}

impl fmt::Debug for Bot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Bot")
            .field("handlers", &self.handlers)
            .field("middleware", &self.layers.len())
            .field("hooks", &self.hooks)
            .field("on_error", &self.on_error.is_some())
            .field("overlap", &self.overlap)
            .finish()
    }
}
