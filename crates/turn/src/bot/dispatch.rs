//! Which method of an [`ActivityHandler`] an activity is for.

use sayso_activity::{AdaptiveCardInvoke, Kind, SearchInvoke, TokenExchangeRequest};

use super::{
    ActivityHandler, on_value,
    trigger::{self, Installation},
};
use crate::{BotError, Turn};

pub(super) async fn dispatch<H: ActivityHandler + ?Sized>(
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

/// Who came, or else who left, or else another change. An update about the bot alone is of no interest.
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
