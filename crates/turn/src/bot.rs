//! `Bot`: a bot made of handlers and middleware.

mod activity_handler;
mod handler_future;
mod handlers;
mod middleware;
mod on;
mod on_text;
mod on_value;
mod stateful;
mod trigger;

use std::{fmt, sync::Arc};

use futures_util::future::BoxFuture;
use sayso_activity::Activity;

pub use self::{
    activity_handler::ActivityHandler,
    handler_future::HandlerFuture,
    middleware::{Middleware, Next},
    on_text::TextMatch,
    stateful::StatefulBot,
};
use self::{
    handlers::Handlers,
    middleware::{Layer, layer},
};
use crate::{
    KeyScheme,
    bot_error::BotError,
    delivery_policy::DeliveryPolicy,
    error::Failure,
    message_id::MessageId,
    property_owners::PropertyOwners,
    turn::{Logic, Overlap, ReplyHooks, Turn},
};

type ErrorHandler =
    Arc<dyn Fn(Turn, Arc<Failure>) -> BoxFuture<'static, Result<(), BotError>> + Send + Sync>;

/// A bot: one handler per kind of activity. An activity without a handler is accepted and ignored.
///
/// # Which handler runs
/// Exactly one: the first that matches, in the order in which they were added;
/// [`on_any`](Bot::on_any) only when no other matches. So add the specific before the general:
/// `on_event("tick", ..)` before `on(Kind::Event, ..)`. Only an activity with added *and* removed
/// reactions runs two. A handler that would never run, because an earlier one takes all of its
/// activities, is a mistake: a server does not start with it ([`Logic::mistakes`]).
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
    owners: Arc<PropertyOwners>,
    on_error: Option<ErrorHandler>,
    overlap: Overlap,
    delivery: DeliveryPolicy,
    keys: KeyScheme,
}

impl Bot {
    /// A bot that handles nothing yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds middleware: it runs around the handlers and around the middleware that is added later.
    ///
    /// From then on every activity runs through it, even one without a handler, so such an activity
    /// also loads and saves the conversation.
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

    /// Adds a hook that sees every reply before it becomes part of the turn. What it returns is
    /// sent; `None` sends nothing. Hooks run in the order in which they were added; those of the
    /// turn ([`Turn::on_send`]) after those of the bot. They run inside the attempt: nothing is
    /// sent yet, and an attempt that is discarded leaves no trace of them.
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

    /// Adds a hook that sees every change of a sent message ([`Turn::update`]) before it becomes
    /// part of the turn. The message becomes what the hook returns; with `None` it stays as it is.
    /// Otherwise like [`on_send`](Self::on_send).
    #[must_use]
    pub fn on_update<F>(mut self, hook: F) -> Self
    where
        F: Fn(&Turn, &MessageId, Activity) -> Option<Activity> + Send + Sync + 'static,
    {
        Arc::make_mut(&mut self.hooks).on_update.push(Arc::new(hook));
        self
    }

    /// Adds a hook that sees every deletion of a sent message ([`Turn::delete`]) and returns
    /// whether it happens. Otherwise like [`on_send`](Self::on_send).
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

    /// Sets the error handler: it replies to the user when a handler fails or panics. The failed
    /// turn leaves the state as it was; the replies of the error handler are sent, its changes of
    /// state are discarded, except that it may reset the conversation
    /// ([`Turn::reset_conversation`], [`Turn::reset_property`]).
    ///
    /// Without one the sender gets an error, nothing is stored, and a redelivery runs the turn
    /// again.
    #[must_use]
    pub fn on_error<F, Fut>(mut self, handler: F) -> Self
    where
        F: Fn(Turn, Arc<Failure>) -> Fut + Send + Sync + 'static,
        Fut: HandlerFuture + Send + 'static,
    {
        self.on_error = Some(Arc::new(move |turn, failure| Box::pin(handler(turn, failure))));
        self
    }

    /// Adds a mistake with which the bot is not to be started, for those who make bots for others.
    /// See [`Logic::mistakes`].
    ///
    /// # Example
    /// ```
    /// use sayso_turn::{Bot, Logic};
    ///
    /// let bot = Bot::new().mistake("two menus have the name `lunch`");
    /// assert_eq!(bot.mistakes(), ["two menus have the name `lunch`"]);
    /// ```
    #[must_use]
    pub fn mistake(mut self, mistake: impl Into<String>) -> Self {
        Arc::make_mut(&mut self.handlers).push_mistake(mistake.into());
        self
    }

    /// Sets the policy for messages that arrive while a turn runs.
    #[must_use]
    pub fn overlap(mut self, overlap: Overlap) -> Self {
        self.overlap = overlap;
        self
    }

    /// Sets the delivery policy: whether a reply that may have arrived is sent again, and after
    /// what time it expires. [`Turn::set_delivery`] sets it for one reply.
    #[must_use]
    pub fn delivery(mut self, policy: DeliveryPolicy) -> Self {
        self.delivery = policy;
        self
    }

    /// Sets the scheme of the keys: the bot and the tenant that they name. It is to be set before
    /// the first conversation.
    #[must_use]
    pub fn keys(mut self, keys: KeyScheme) -> Self {
        self.keys = keys;
        self
    }
}

impl Logic for Bot {
    fn handles(&self, activity: &Activity) -> bool {
        !self.layers.is_empty() || self.handlers.handles(activity)
    }

    fn run(&self, mut turn: Turn) -> BoxFuture<'static, Result<(), BotError>> {
        turn.hook(&self.hooks);
        turn.check_owners(&self.owners);
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

    fn keys(&self) -> KeyScheme {
        self.keys.clone()
    }

    fn mistakes(&self) -> Vec<String> {
        self.handlers.mistakes()
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
