//! `StatefulBot`: a bot whose handlers get what they need, such as a menu or a pool of connections.
//!
//! One signature for all handlers, checked by the compiler: the turn, what the bot needs, and what
//! the activity brought. A trait over several signatures would cost the inference of a closure's
//! argument types, and the compiler's messages about handlers that do not fit.

use std::{fmt, sync::Arc};

use futures_util::future::BoxFuture;
use sayso_activity::{
    Account, Activity, AdaptiveCardInvoke, AdaptiveCardResponse, Kind, Reaction, SearchInvoke,
    SearchResponse, TokenResponse,
};

use super::{Bot, Middleware, TextMatch};
use crate::{
    BotError, DeliveryPolicy, Failure, HandlerFuture, KeyScheme, Logic, MessageId, Overlap, Turn,
};

/// A bot with application state: every handler gets it behind the turn. Made by
/// [`Bot::with_state`].
///
/// The state is what the program has and every conversation uses: clients, settings, a menu. It is
/// shared by all turns and not saved. What a conversation must remember is
/// [`Turn::conversation`].
///
/// Its methods are those of [`Bot`], with handlers that take `Arc<A>` behind the turn. It is
/// [logic](Logic), so it can be served and tested as it is; it also becomes a [`Bot`].
///
/// # Example
/// ```
/// use std::sync::Arc;
/// use sayso_turn::{Bot, BotError, Turn};
///
/// struct App { menu: Vec<&'static str> }
///
/// async fn order(mut turn: Turn, app: Arc<App>) -> Result<(), BotError> {
///     match app.menu.contains(&turn.text()) {
///         true => turn.say("Coming up."),
///         false => turn.say(format!("We have {}.", app.menu.join(", "))),
///     };
///     Ok(())
/// }
///
/// let bot = Bot::with_state(App { menu: vec!["ham", "olives"] }).on_message(order);
/// # drop(bot);
/// ```
#[must_use = "a bot does nothing until it is served"]
pub struct StatefulBot<A> {
    bot: Bot,
    app: Arc<A>,
}

impl Bot {
    /// A bot whose handlers get `app` behind the turn: `async fn(Turn, Arc<A>)`.
    pub fn with_state<A: Send + Sync + 'static>(app: A) -> StatefulBot<A> {
        Self::with_shared_state(Arc::new(app))
    }

    /// A bot whose handlers get `app` behind the turn, which the rest of the program uses, too. See
    /// [`with_state`](Self::with_state).
    pub fn with_shared_state<A: Send + Sync + 'static>(app: Arc<A>) -> StatefulBot<A> {
        StatefulBot { bot: Self::new(), app }
    }
}

/// Methods of a bot for handlers with state, by the arguments that they have.
macro_rules! handlers {
    ($($(#[doc = $doc:literal])* $method:ident($($name:ident: $Name:ty)?)
        $([$value:ident: $Value:ty])? $(-> $Answer:ty)?;)*) => {$(
        $(#[doc = $doc])*
        #[track_caller]
        pub fn $method<F, Fut>(self, $($name: $Name,)? handler: F) -> Self
        where
            F: Fn(Turn, Arc<A> $(, $Value)?) -> Fut + Send + Sync + 'static,
            Fut: HandlerFuture $(<$Answer>)? + Send + 'static,
        {
            let Self { bot, app } = self;
            let for_turns = Arc::clone(&app);
            let bot = bot.$method($($name,)? move |turn $(, $value: $Value)?| {
                handler(turn, Arc::clone(&for_turns) $(, $value)?)
            });
            Self { bot, app }
        }
    )*};
}

impl<A: Send + Sync + 'static> StatefulBot<A> {
    handlers! {
        /// Handles messages. See [`Bot::on_message`].
        on_message();
        /// Handles edited messages. See [`Bot::on_message_update`].
        on_message_update();
        /// Handles deleted messages. See [`Bot::on_message_delete`].
        on_message_delete();
        /// Handles the arrival of somebody other than the bot itself. See [`Bot::on_joined`].
        on_joined();
        /// Handles the installation of the bot. See [`Bot::on_installed`].
        on_installed();
        /// Handles the removal of the bot. See [`Bot::on_uninstalled`].
        on_uninstalled();
        /// Handles typing indicators. See [`Bot::on_typing`].
        on_typing();
        /// Handles the end of the conversation. See [`Bot::on_end_of_conversation`].
        on_end_of_conversation();
        /// Handles the handoff of the conversation. See [`Bot::on_handoff`].
        on_handoff();
        /// Handles whatever no other handler does. See [`Bot::on_any`].
        on_any();
        /// Handles activities of this kind, whatever their name. See [`Bot::on`].
        on(kind: Kind);
        /// Handles events of this name; timers arrive as events. See [`Bot::on_event`].
        on_event(name: impl Into<String>);
        /// Handles invokes of this name. See [`Bot::on_invoke`].
        on_invoke(name: impl Into<String>);
        /// Handles commands of this name: with a slash, messages that begin with it. See
        /// [`Bot::on_command`].
        on_command(name: impl Into<String>);
        /// Handles the results of commands of this name. See [`Bot::on_command_result`].
        on_command_result(name: impl Into<String>);
        /// Handles messages whose text matches a regular expression. See [`Bot::on_match`].
        on_match(pattern: &str) [found: TextMatch];
        /// Handles the arrival of members. See [`Bot::on_members_added`].
        on_members_added() [value: Vec<Account>];
        /// Handles the departure of members. See [`Bot::on_members_removed`].
        on_members_removed() [value: Vec<Account>];
        /// Handles reactions added to a message. See [`Bot::on_reactions_added`].
        on_reactions_added() [value: Vec<Reaction>];
        /// Handles reactions removed from a message. See [`Bot::on_reactions_removed`].
        on_reactions_removed() [value: Vec<Reaction>];
        /// Handles the token of a completed sign-in. See [`Bot::on_token_response`].
        on_token_response() [value: TokenResponse];
        /// Handles `Action.Execute` buttons of adaptive cards. See [`Bot::on_card_action`].
        on_card_action() [value: AdaptiveCardInvoke] -> AdaptiveCardResponse;
        /// Handles searches of an adaptive card's input. See [`Bot::on_search`].
        on_search() [value: SearchInvoke] -> SearchResponse;
    }

    /// Sets the error handler: it replies to the user when a handler fails. See [`Bot::on_error`].
    pub fn on_error<F, Fut>(self, handler: F) -> Self
    where
        F: Fn(Turn, Arc<A>, Arc<Failure>) -> Fut + Send + Sync + 'static,
        Fut: HandlerFuture + Send + 'static,
    {
        let app = Arc::clone(&self.app);
        self.map(|bot| bot.on_error(move |turn, failure| handler(turn, Arc::clone(&app), failure)))
    }

    /// Adds middleware. See [`Bot::with`].
    pub fn with(self, middleware: impl Middleware) -> Self {
        self.map(|bot| bot.with(middleware))
    }

    /// Adds a hook that sees every reply. See [`Bot::on_send`].
    pub fn on_send<F>(self, hook: F) -> Self
    where
        F: Fn(&Turn, Activity) -> Option<Activity> + Send + Sync + 'static,
    {
        self.map(|bot| bot.on_send(hook))
    }

    /// Adds a hook that sees every change of a sent message. See [`Bot::on_update`].
    pub fn on_update<F>(self, hook: F) -> Self
    where
        F: Fn(&Turn, &MessageId, Activity) -> Option<Activity> + Send + Sync + 'static,
    {
        self.map(|bot| bot.on_update(hook))
    }

    /// Adds a hook that sees every deletion of a sent message. See [`Bot::on_delete`].
    pub fn on_delete<F>(self, hook: F) -> Self
    where
        F: Fn(&Turn, &MessageId) -> bool + Send + Sync + 'static,
    {
        self.map(|bot| bot.on_delete(hook))
    }

    /// Sets the policy for messages that arrive while a turn runs.
    pub fn overlap(self, overlap: Overlap) -> Self {
        self.map(|bot| bot.overlap(overlap))
    }

    /// Sets the delivery policy. See [`Bot::delivery`].
    pub fn delivery(self, policy: DeliveryPolicy) -> Self {
        self.map(|bot| bot.delivery(policy))
    }

    /// Sets the scheme of the keys. See [`Bot::keys`].
    pub fn keys(self, keys: KeyScheme) -> Self {
        self.map(|bot| bot.keys(keys))
    }

    /// Does something to the bot that needs no state: adds a handler that takes a turn only, for
    /// example that of a conversation.
    pub fn map(self, change: impl FnOnce(Bot) -> Bot) -> Self {
        Self { bot: change(self.bot), app: self.app }
    }
}

impl<A> From<StatefulBot<A>> for Bot {
    fn from(bot: StatefulBot<A>) -> Self {
        bot.bot
    }
}

impl<A> Clone for StatefulBot<A> {
    fn clone(&self) -> Self {
        Self { bot: self.bot.clone(), app: Arc::clone(&self.app) }
    }
}

impl<A> fmt::Debug for StatefulBot<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.bot, f)
    }
}

impl<A: Send + Sync + 'static> Logic for StatefulBot<A> {
    fn handles(&self, activity: &Activity) -> bool {
        self.bot.handles(activity)
    }

    fn run(&self, turn: Turn) -> BoxFuture<'static, Result<(), BotError>> {
        self.bot.run(turn)
    }

    fn on_error(
        &self,
        turn: Turn,
        failure: Arc<Failure>,
    ) -> Option<BoxFuture<'static, Result<(), BotError>>> {
        Logic::on_error(&self.bot, turn, failure)
    }

    fn overlap(&self) -> Overlap {
        Logic::overlap(&self.bot)
    }

    fn delivery(&self) -> DeliveryPolicy {
        Logic::delivery(&self.bot)
    }

    fn keys(&self) -> KeyScheme {
        Logic::keys(&self.bot)
    }

    fn mistakes(&self) -> Vec<String> {
        self.bot.mistakes()
    }
}
