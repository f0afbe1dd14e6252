//! `ActivityHandler`: dispatch as a trait, for bots ported from an SDK's class of that name.

use std::{future::Future, sync::Arc};

use sayso_activity::{
    Account, Activity, AdaptiveCardInvoke, AdaptiveCardResponse, Kind, Reaction, SearchInvoke,
    SearchResponse, TokenExchangeRequest, TokenResponse,
};

use super::{
    Bot, on_value,
    trigger::{self, Installation, Trigger},
};
use crate::{BotError, Turn};

/// A bot as a type with one method per kind of activity. The default of each does nothing.
///
/// # Guarantees
/// The methods get the turn by reference. They run inside one turn: what they say and keep commits
/// together, or not at all; they may run several times for one activity, and only one run counts.
///
/// # Example
/// ```
/// use sayso_turn::{ActivityHandler, Bot, BotError, Turn, activity::Account};
///
/// struct Welcome;
///
/// impl ActivityHandler for Welcome {
///     async fn on_message(&self, turn: &mut Turn) -> Result<(), BotError> {
///         let line = format!("Echo: {}", turn.text());
///         turn.say(line);
///         Ok(())
///     }
///
///     async fn on_members_added(&self, turn: &mut Turn, _: Vec<Account>) -> Result<(), BotError> {
///         turn.say("Hello and welcome!");
///         Ok(())
///     }
/// }
///
/// let bot = Bot::from(Welcome);
/// ```
#[expect(unused_variables, reason = "the names are for the reader of the documentation")]
pub trait ActivityHandler: Send + Sync + 'static {
    /// Reports whether the bot handles this activity. If not it is accepted and ignored, and
    /// nothing is loaded or stored: return false for what is frequent and useless, such as typing.
    fn handles(&self, activity: &Activity) -> bool {
        true
    }

    /// Runs for every activity, and dispatches. An override calls [`dispatch`](Self::dispatch)
    /// itself, and may do something before and after.
    fn on_turn(&self, turn: &mut Turn) -> impl Future<Output = Result<(), BotError>> + Send {
        self.dispatch(turn)
    }

    /// Calls the method for the activity. It is not meant to be overridden.
    fn dispatch(&self, turn: &mut Turn) -> impl Future<Output = Result<(), BotError>> + Send {
        dispatch(self, turn)
    }

    /// Handles a message.
    fn on_message(&self, turn: &mut Turn) -> impl Future<Output = Result<(), BotError>> + Send {
        async { Ok(()) }
    }

    /// Handles the edit of a message.
    fn on_message_update(
        &self,
        turn: &mut Turn,
    ) -> impl Future<Output = Result<(), BotError>> + Send {
        async { Ok(()) }
    }

    /// Handles the deletion of a message by its sender.
    fn on_message_delete(
        &self,
        turn: &mut Turn,
    ) -> impl Future<Output = Result<(), BotError>> + Send {
        async { Ok(()) }
    }

    /// Handles the arrival of members other than the bot itself.
    fn on_members_added(
        &self,
        turn: &mut Turn,
        members: Vec<Account>,
    ) -> impl Future<Output = Result<(), BotError>> + Send {
        async { Ok(()) }
    }

    /// Handles the departure of members other than the bot itself, when nobody came.
    fn on_members_removed(
        &self,
        turn: &mut Turn,
        members: Vec<Account>,
    ) -> impl Future<Output = Result<(), BotError>> + Send {
        async { Ok(()) }
    }

    /// Handles reactions put on a message.
    fn on_reactions_added(
        &self,
        turn: &mut Turn,
        reactions: Vec<Reaction>,
    ) -> impl Future<Output = Result<(), BotError>> + Send {
        async { Ok(()) }
    }

    /// Handles reactions taken off a message; called after
    /// [`on_reactions_added`](Self::on_reactions_added) when one activity brings both.
    fn on_reactions_removed(
        &self,
        turn: &mut Turn,
        reactions: Vec<Reaction>,
    ) -> impl Future<Output = Result<(), BotError>> + Send {
        async { Ok(()) }
    }

    /// Handles an event that is not a token.
    fn on_event(&self, turn: &mut Turn) -> impl Future<Output = Result<(), BotError>> + Send {
        async { Ok(()) }
    }

    /// Handles the token that a sign-in gave.
    fn on_token_response(
        &self,
        turn: &mut Turn,
        token: TokenResponse,
    ) -> impl Future<Output = Result<(), BotError>> + Send {
        async { Ok(()) }
    }

    /// Handles an invoke whose name has no method here; answer with [`Turn::respond`]. Without an
    /// answer the status is 501.
    fn on_invoke(&self, turn: &mut Turn) -> impl Future<Output = Result<(), BotError>> + Send {
        async { Ok(()) }
    }

    /// Handles the press of an `Action.Execute` button on an adaptive card. `None` is the status
    /// 501, unless the method has answered by itself.
    fn on_card_action(
        &self,
        turn: &mut Turn,
        press: AdaptiveCardInvoke,
    ) -> impl Future<Output = Result<Option<AdaptiveCardResponse>, BotError>> + Send {
        async { Ok(None) }
    }

    /// Handles a search that an input of an adaptive card asks for. `None` is the status 501,
    /// unless the method has answered by itself.
    fn on_search(
        &self,
        turn: &mut Turn,
        search: SearchInvoke,
    ) -> impl Future<Output = Result<Option<SearchResponse>, BotError>> + Send {
        async { Ok(None) }
    }

    /// Handles the code that the user was shown after a sign-in and the client brings.
    fn on_sign_in_verify_state(
        &self,
        turn: &mut Turn,
    ) -> impl Future<Output = Result<(), BotError>> + Send {
        async { Ok(()) }
    }

    /// Handles the client's offer of a token to exchange.
    fn on_sign_in_token_exchange(
        &self,
        turn: &mut Turn,
    ) -> impl Future<Output = Result<(), BotError>> + Send {
        async { Ok(()) }
    }

    /// Handles the installation or upgrade of the bot.
    fn on_installed(&self, turn: &mut Turn) -> impl Future<Output = Result<(), BotError>> + Send {
        async { Ok(()) }
    }

    /// Handles the removal of the bot.
    fn on_uninstalled(&self, turn: &mut Turn) -> impl Future<Output = Result<(), BotError>> + Send {
        async { Ok(()) }
    }

    /// Handles a typing indicator.
    fn on_typing(&self, turn: &mut Turn) -> impl Future<Output = Result<(), BotError>> + Send {
        async { Ok(()) }
    }

    /// Handles the end of the conversation.
    fn on_end_of_conversation(
        &self,
        turn: &mut Turn,
    ) -> impl Future<Output = Result<(), BotError>> + Send {
        async { Ok(()) }
    }

    /// Handles a command.
    fn on_command(&self, turn: &mut Turn) -> impl Future<Output = Result<(), BotError>> + Send {
        async { Ok(()) }
    }

    /// Handles the result of a command.
    fn on_command_result(
        &self,
        turn: &mut Turn,
    ) -> impl Future<Output = Result<(), BotError>> + Send {
        async { Ok(()) }
    }

    /// Handles the handoff of the conversation to another agent, or from one.
    fn on_handoff(&self, turn: &mut Turn) -> impl Future<Output = Result<(), BotError>> + Send {
        async { Ok(()) }
    }

    /// Handles another change of the conversation, such as its topic.
    fn on_conversation_update(
        &self,
        turn: &mut Turn,
    ) -> impl Future<Output = Result<(), BotError>> + Send {
        async { Ok(()) }
    }

    /// Handles an activity of a kind that has no method here.
    fn on_unrecognized(
        &self,
        turn: &mut Turn,
    ) -> impl Future<Output = Result<(), BotError>> + Send {
        async { Ok(()) }
    }
}

impl<H: ActivityHandler> From<H> for Bot {
    /// Makes a bot that passes its activities to the handler.
    fn from(handler: H) -> Self {
        let handler = Arc::new(handler);
        let asked = Arc::clone(&handler);
        let trigger = Trigger::Custom(Arc::new(move |activity| asked.handles(activity)));
        Self::new().add(trigger, move |mut turn| {
            let handler = Arc::clone(&handler);
            async move { handler.on_turn(&mut turn).await }
        })
    }
}

/// Calls the method of an [`ActivityHandler`] that the activity of a turn is for.
async fn dispatch<H: ActivityHandler + ?Sized>(
    handler: &H,
    turn: &mut Turn,
) -> Result<(), BotError> {
    match turn.activity().kind {
        Kind::Message => handler.on_message(turn).await,
        Kind::MessageUpdate => handler.on_message_update(turn).await,
        Kind::MessageDelete => handler.on_message_delete(turn).await,
        Kind::ConversationUpdate => members(handler, turn).await,
        Kind::MessageReaction => reactions(handler, turn).await,
        Kind::Event => match trigger::token(turn.activity()) {
            Some(token) => handler.on_token_response(turn, token).await,
            None => handler.on_event(turn).await,
        },
        Kind::Invoke => invoke(handler, turn).await,
        Kind::EndOfConversation => handler.on_end_of_conversation(turn).await,
        Kind::Typing => handler.on_typing(turn).await,
        Kind::InstallationUpdate => match trigger::installation(turn.activity()) {
            Some(Installation::Added) => handler.on_installed(turn).await,
            Some(Installation::Removed) => handler.on_uninstalled(turn).await,
            None => Ok(()),
        },
        Kind::Command => handler.on_command(turn).await,
        Kind::CommandResult => handler.on_command_result(turn).await,
        Kind::Handoff => handler.on_handoff(turn).await,
        _ => handler.on_unrecognized(turn).await,
    }
}

/// Dispatches a change of members: arrivals, or else departures, or else another change. An update
/// about the bot alone is of no interest.
async fn members<H: ActivityHandler + ?Sized>(
    handler: &H,
    turn: &mut Turn,
) -> Result<(), BotError> {
    let activity = turn.activity();
    let (added, removed) = (trigger::added(activity), trigger::removed(activity));
    let lists = [activity.members_added.as_deref(), activity.members_removed.as_deref()];
    let is_of_members = lists.into_iter().flatten().any(|list| !list.is_empty());
    if !added.is_empty() {
        handler.on_members_added(turn, added).await
    } else if !removed.is_empty() {
        handler.on_members_removed(turn, removed).await
    } else if is_of_members {
        Ok(())
    } else {
        handler.on_conversation_update(turn).await
    }
}

async fn reactions<H: ActivityHandler + ?Sized>(
    handler: &H,
    turn: &mut Turn,
) -> Result<(), BotError> {
    let activity = turn.activity();
    let (added, removed) = (activity.reactions_added(), activity.reactions_removed());
    if !added.is_empty() {
        handler.on_reactions_added(turn, added).await?;
    }
    if !removed.is_empty() {
        handler.on_reactions_removed(turn, removed).await?;
    }
    Ok(())
}

async fn invoke<H: ActivityHandler + ?Sized>(handler: &H, turn: &mut Turn) -> Result<(), BotError> {
    match turn.activity().name.as_deref() {
        Some(AdaptiveCardInvoke::NAME) => match AdaptiveCardInvoke::of(turn.activity()) {
            Err(error) => on_value::refuse(turn, &error),
            Ok(press) => match handler.on_card_action(turn, press).await? {
                Some(response) => on_value::answer(turn, &response),
                None => Ok(()),
            },
        },
        Some(SearchInvoke::NAME) => match SearchInvoke::of(turn.activity()) {
            Err(error) => on_value::refuse(turn, &error),
            Ok(search) => match handler.on_search(turn, search).await? {
                Some(response) => on_value::answer(turn, &response),
                None => Ok(()),
            },
        },
        Some(TokenExchangeRequest::VERIFY_STATE) => handler.on_sign_in_verify_state(turn).await,
        Some(TokenExchangeRequest::NAME) => handler.on_sign_in_token_exchange(turn).await,
        _ => handler.on_invoke(turn).await,
    }
}
