//! The same dispatch as a trait, for those who port a bot that derives from `ActivityHandler`.

use std::{future::Future, sync::Arc};

use sayso_activity::{
    Account, Activity, AdaptiveCardInvoke, AdaptiveCardResponse, Reaction, SearchInvoke,
    SearchResponse, TokenResponse,
};

use super::{Bot, dispatch::dispatch, trigger::Trigger};
use crate::{BotError, Turn};

/// A bot as a type with one method per sort of activity. Each does nothing until it is written.
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
    /// Whether there is anything to do for this activity. If not it is accepted and ignored, and nothing
    /// is loaded or stored: leave out here what comes often and is of no use, such as typing.
    fn handles(&self, activity: &Activity) -> bool {
        true
    }

    /// Runs for every activity, and dispatches. One that is written calls
    /// [`dispatch`](Self::dispatch) itself, and may do something before and after.
    fn on_turn(&self, turn: &mut Turn) -> impl Future<Output = Result<(), BotError>> + Send {
        self.dispatch(turn)
    }

    /// Calls the method that the activity is for. It is not meant to be written anew.
    fn dispatch(&self, turn: &mut Turn) -> impl Future<Output = Result<(), BotError>> + Send {
        dispatch(self, turn)
    }

    /// A message came.
    fn on_message(&self, turn: &mut Turn) -> impl Future<Output = Result<(), BotError>> + Send {
        async { Ok(()) }
    }

    /// A message was edited.
    fn on_message_update(
        &self,
        turn: &mut Turn,
    ) -> impl Future<Output = Result<(), BotError>> + Send {
        async { Ok(()) }
    }

    /// A message was taken back.
    fn on_message_delete(
        &self,
        turn: &mut Turn,
    ) -> impl Future<Output = Result<(), BotError>> + Send {
        async { Ok(()) }
    }

    /// Somebody came, other than the bot itself.
    fn on_members_added(
        &self,
        turn: &mut Turn,
        members: Vec<Account>,
    ) -> impl Future<Output = Result<(), BotError>> + Send {
        async { Ok(()) }
    }

    /// Somebody left, other than the bot itself, and nobody came.
    fn on_members_removed(
        &self,
        turn: &mut Turn,
        members: Vec<Account>,
    ) -> impl Future<Output = Result<(), BotError>> + Send {
        async { Ok(()) }
    }

    /// Reactions were put on a message.
    fn on_reactions_added(
        &self,
        turn: &mut Turn,
        reactions: Vec<Reaction>,
    ) -> impl Future<Output = Result<(), BotError>> + Send {
        async { Ok(()) }
    }

    /// Reactions were taken off a message; called after [`on_reactions_added`](Self::on_reactions_added)
    /// when one activity brings both.
    fn on_reactions_removed(
        &self,
        turn: &mut Turn,
        reactions: Vec<Reaction>,
    ) -> impl Future<Output = Result<(), BotError>> + Send {
        async { Ok(()) }
    }

    /// An event came that is not a token.
    fn on_event(&self, turn: &mut Turn) -> impl Future<Output = Result<(), BotError>> + Send {
        async { Ok(()) }
    }

    /// A sign-in gave a token.
    fn on_token_response(
        &self,
        turn: &mut Turn,
        token: TokenResponse,
    ) -> impl Future<Output = Result<(), BotError>> + Send {
        async { Ok(()) }
    }

    /// An invoke came whose name has no method here; answer with [`Turn::respond`]. Nobody's answer is
    /// the status 501.
    fn on_invoke(&self, turn: &mut Turn) -> impl Future<Output = Result<(), BotError>> + Send {
        async { Ok(()) }
    }

    /// A button of the sort `Action.Execute` was pressed on an adaptive card. `None` is the status 501,
    /// unless the method has answered by itself.
    fn on_card_action(
        &self,
        turn: &mut Turn,
        press: AdaptiveCardInvoke,
    ) -> impl Future<Output = Result<Option<AdaptiveCardResponse>, BotError>> + Send {
        async { Ok(None) }
    }

    /// An input of an adaptive card asks for what fits. `None` is the status 501, unless the method has
    /// answered by itself.
    fn on_search(
        &self,
        turn: &mut Turn,
        search: SearchInvoke,
    ) -> impl Future<Output = Result<Option<SearchResponse>, BotError>> + Send {
        async { Ok(None) }
    }

    /// The client brings the code that the user was shown after a sign-in.
    fn on_sign_in_verify_state(
        &self,
        turn: &mut Turn,
    ) -> impl Future<Output = Result<(), BotError>> + Send {
        async { Ok(()) }
    }

    /// The client offers a token to trade.
    fn on_sign_in_token_exchange(
        &self,
        turn: &mut Turn,
    ) -> impl Future<Output = Result<(), BotError>> + Send {
        async { Ok(()) }
    }

    /// The bot was installed or upgraded.
    fn on_installed(&self, turn: &mut Turn) -> impl Future<Output = Result<(), BotError>> + Send {
        async { Ok(()) }
    }

    /// The bot was removed.
    fn on_uninstalled(&self, turn: &mut Turn) -> impl Future<Output = Result<(), BotError>> + Send {
        async { Ok(()) }
    }

    /// Somebody is writing.
    fn on_typing(&self, turn: &mut Turn) -> impl Future<Output = Result<(), BotError>> + Send {
        async { Ok(()) }
    }

    /// The conversation is over.
    fn on_end_of_conversation(
        &self,
        turn: &mut Turn,
    ) -> impl Future<Output = Result<(), BotError>> + Send {
        async { Ok(()) }
    }

    /// A command came.
    fn on_command(&self, turn: &mut Turn) -> impl Future<Output = Result<(), BotError>> + Send {
        async { Ok(()) }
    }

    /// The result of a command came.
    fn on_command_result(
        &self,
        turn: &mut Turn,
    ) -> impl Future<Output = Result<(), BotError>> + Send {
        async { Ok(()) }
    }

    /// The conversation passes to another agent, or comes from one.
    fn on_handoff(&self, turn: &mut Turn) -> impl Future<Output = Result<(), BotError>> + Send {
        async { Ok(()) }
    }

    /// Another change of the conversation, such as its topic.
    fn on_conversation_update(
        &self,
        turn: &mut Turn,
    ) -> impl Future<Output = Result<(), BotError>> + Send {
        async { Ok(()) }
    }

    /// An activity of a kind that has no method here.
    fn on_unrecognized(
        &self,
        turn: &mut Turn,
    ) -> impl Future<Output = Result<(), BotError>> + Send {
        async { Ok(()) }
    }
}

impl<H: ActivityHandler> From<H> for Bot {
    /// A bot that gives its activities to the handler. What was added to the bot before comes first.
    fn from(handler: H) -> Self {
        let handler = Arc::new(handler);
        let asked = Arc::clone(&handler);
        let trigger = Trigger::Asked(Arc::new(move |activity| asked.handles(activity)));
        Self::new().add(trigger, move |mut turn| {
            let handler = Arc::clone(&handler);
            async move { handler.on_turn(&mut turn).await }
        })
    }
}
