//! Registration of handlers that get a parsed value of the activity beside the turn.

use std::sync::Arc;

use sayso_activity::{
    Account, Activity, AdaptiveCardInvoke, AdaptiveCardResponse, InvokeError, Kind, Reaction,
    SearchInvoke, SearchResponse, TokenResponse,
};
use serde::Serialize;

use super::{
    Bot,
    trigger::{self, Trigger},
};
use crate::{BotError, HandlerFuture, Turn};

impl Bot {
    /// Handles the arrival of members: the handler gets the new members, without the bot itself. It
    /// does not run when the bot is the only one.
    ///
    /// # Example
    /// ```
    /// use sayso_turn::{Bot, Turn, activity::Account};
    ///
    /// let bot = Bot::new().on_members_added(async |mut turn: Turn, members: Vec<Account>| {
    ///     for member in members {
    ///         turn.say(format!("Welcome, {}!", member.name.unwrap_or_default()));
    ///     }
    ///     Ok(())
    /// });
    /// ```
    #[must_use]
    #[track_caller]
    pub fn on_members_added<F, Fut>(self, handler: F) -> Self
    where
        F: Fn(Turn, Vec<Account>) -> Fut + Send + Sync + 'static,
        Fut: HandlerFuture + Send + 'static,
    {
        self.add(Trigger::MembersAdded, move |turn| {
            let value = trigger::added(turn.activity());
            handler(turn, value)
        })
    }

    /// Handles the departure of members: the handler gets the members who left, without the bot
    /// itself. An activity that also adds members counts as an arrival only.
    #[must_use]
    #[track_caller]
    pub fn on_members_removed<F, Fut>(self, handler: F) -> Self
    where
        F: Fn(Turn, Vec<Account>) -> Fut + Send + Sync + 'static,
        Fut: HandlerFuture + Send + 'static,
    {
        self.add(Trigger::MembersRemoved, move |turn| {
            let value = trigger::removed(turn.activity());
            handler(turn, value)
        })
    }

    /// Handles reactions added to a message: [`Activity::reply_to_id`] has its id. When one
    /// activity adds and removes reactions, this handler runs, then that of
    /// [`on_reactions_removed`](Self::on_reactions_removed), in one turn.
    #[must_use]
    #[track_caller]
    pub fn on_reactions_added<F, Fut>(self, handler: F) -> Self
    where
        F: Fn(Turn, Vec<Reaction>) -> Fut + Send + Sync + 'static,
        Fut: HandlerFuture + Send + 'static,
    {
        self.add(Trigger::ReactionsAdded, move |turn| {
            let value = turn.activity().reactions_added();
            handler(turn, value)
        })
    }

    /// Handles reactions removed from a message: [`Activity::reply_to_id`] has its id.
    #[must_use]
    #[track_caller]
    pub fn on_reactions_removed<F, Fut>(self, handler: F) -> Self
    where
        F: Fn(Turn, Vec<Reaction>) -> Fut + Send + Sync + 'static,
        Fut: HandlerFuture + Send + 'static,
    {
        self.add(Trigger::ReactionsRemoved, move |turn| {
            let value = turn.activity().reactions_removed();
            handler(turn, value)
        })
    }

    /// Handles the token of a completed sign-in. On a channel where users can send events
    /// themselves the token is untrusted input: verify it before you use it.
    #[must_use]
    #[track_caller]
    pub fn on_token_response<F, Fut>(self, handler: F) -> Self
    where
        F: Fn(Turn, TokenResponse) -> Fut + Send + Sync + 'static,
        Fut: HandlerFuture + Send + 'static,
    {
        self.add(Trigger::TokenResponse, move |turn| {
            let value = trigger::token(turn.activity()).unwrap_or_default();
            handler(turn, value)
        })
    }

    /// Handles `Action.Execute` buttons of adaptive cards (the invoke `adaptiveCard/action`): the
    /// handler returns what the client shows next. A malformed press is refused with status 400
    /// before the handler runs.
    ///
    /// # Example
    /// ```
    /// use sayso_turn::{Bot, Turn, activity::{AdaptiveCardInvoke, AdaptiveCardResponse}};
    ///
    /// let bot = Bot::new().on_card_action(async |_turn: Turn, press: AdaptiveCardInvoke| {
    ///     Ok(AdaptiveCardResponse::message(format!("You pressed {}.", press.verb())))
    /// });
    /// ```
    #[must_use]
    #[track_caller]
    pub fn on_card_action<F, Fut>(self, handler: F) -> Self
    where
        F: Fn(Turn, AdaptiveCardInvoke) -> Fut + Send + Sync + 'static,
        Fut: HandlerFuture<AdaptiveCardResponse> + Send + 'static,
    {
        self.answering(AdaptiveCardInvoke::NAME, AdaptiveCardInvoke::of, handler)
    }

    /// Handles searches of an adaptive card's input while the user types (the invoke
    /// `application/search`): the handler returns the matches. A malformed search is refused with
    /// status 400 before the handler runs.
    #[must_use]
    #[track_caller]
    pub fn on_search<F, Fut>(self, handler: F) -> Self
    where
        F: Fn(Turn, SearchInvoke) -> Fut + Send + Sync + 'static,
        Fut: HandlerFuture<SearchResponse> + Send + 'static,
    {
        self.answering(SearchInvoke::NAME, SearchInvoke::of, handler)
    }

    #[track_caller]
    fn answering<V, R, F, Fut>(
        self,
        name: &str,
        read: fn(&Activity) -> Result<V, InvokeError>,
        handler: F,
    ) -> Self
    where
        V: Send + 'static,
        R: Serialize + Send + 'static,
        F: Fn(Turn, V) -> Fut + Send + Sync + 'static,
        Fut: HandlerFuture<R> + Send + 'static,
    {
        let handler = Arc::new(handler);
        self.add(Trigger::Named(Kind::Invoke, name.to_owned()), move |mut turn| {
            let handler = Arc::clone(&handler);
            async move {
                let value = match read(turn.activity()) {
                    Ok(value) => value,
                    Err(error) => return refuse(&mut turn, &error),
                };
                let response = turn.lend(|turn| handler(turn, value)).await?;
                answer(&mut turn, &response)
            }
        })
    }
}

/// Answers an invoke with a body, unless its handler has answered by itself.
pub(super) fn answer<R: Serialize>(turn: &mut Turn, response: &R) -> Result<(), BotError> {
    if turn.response().is_none() {
        turn.respond(200, response)?;
    }
    Ok(())
}

/// Answers a malformed invoke with an error status.
pub(super) fn refuse(turn: &mut Turn, error: &InvokeError) -> Result<(), BotError> {
    turn.respond(error.status(), error)?;
    Ok(())
}
