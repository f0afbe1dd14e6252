//! A conversation that the bot begins: made on the channel, then spoken in like in any other.
//!
//! Making it is a call to the outside, so it cannot be one with a commit. A record of its own, a
//! small conversation that nobody sees, says who is making it and what it became; it goes through
//! the engine like every turn, so that all instances agree on it.

mod record;

use std::sync::atomic::{AtomicU64, Ordering};

use sayso_turn::{
    Engine, HandlerFuture, Turn,
    activity::{ConversationAccount, ConversationParameters, Reference},
};

use self::record::{Claimed, Made, Record};
use crate::client::{self, Client};

/// A conversation to be made: where, and what it should be.
///
/// # Example
/// ```
/// use sayso_channel::NewConversation;
/// use sayso_turn::activity::{Account, ConversationParameters};
///
/// let pair = ConversationParameters::with(Account::new("28:bot"), Account::new("29:ann"));
/// let new = NewConversation {
///     service_url: "https://smba.trafficmanager.net/emea/".to_owned(),
///     channel_id: "msteams".to_owned(),
///     parameters: pair.in_tenant("contoso"),
/// };
/// assert_eq!(new.parameters.tenant_id.as_deref(), Some("contoso"));
/// ```
#[derive(Clone, Debug)]
pub struct NewConversation {
    /// Where the channel is called. It must be one that the [`Client`] may call.
    pub service_url: String,
    /// The channel.
    pub channel_id: String,
    /// The bot, the members, the tenant, the topic, what only this channel understands. An activity
    /// in it is said with the making, before anything is saved: leave it out and say it in the
    /// handler, unless the channel insists, as Teams does for a thread in a channel.
    pub parameters: ConversationParameters,
}

/// A conversation that was begun.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Begun {
    /// How to reach it, now and later.
    pub reference: Reference,
    /// Whether it had been begun before, under the same id.
    pub is_repeat: bool,
    /// How many earlier calls under this id were cut off before it was known what the channel made
    /// of them: so many more conversations may be there, in which nothing was said.
    pub doubts: u32,
}

/// Why a conversation was not begun.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BeginError {
    /// The channel did not make it, or may have. [`client::Error`] says which.
    #[error(transparent)]
    Channel(#[from] client::Error),
    /// Another call under the same id makes it at this moment, or was cut off less than a minute
    /// ago.
    #[error("another call makes this conversation; try again in a minute, under the same id")]
    UnderWay,
    /// A turn was not saved: of the record, or the first one of the conversation.
    #[error(transparent)]
    Turn(#[from] sayso_turn::Error),
}

impl BeginError {
    /// Whether the same call under the same id may succeed later.
    #[must_use]
    pub fn is_retryable(&self) -> bool {
        match self {
            Self::Channel(error) => {
                !matches!(error, client::Error::Refused { .. } | client::Error::Gone { .. })
            }
            Self::UnderWay => true,
            Self::Turn(error) => error.is_retryable(),
        }
    }
}

impl Client {
    /// Makes a conversation and runs a handler as its first turn; answers when that is durable.
    ///
    /// # Guarantees
    /// `id` names what is begun. The same id again on this channel, at any instance, gives the same
    /// conversation and runs nothing: the turn is exactly once. So is the making, as long as calls
    /// end. If one is cut off (a crash, a lost answer of the channel, a store that is gone) after
    /// the channel was called and before what it made is recorded, then the next call makes another
    /// conversation, and counts that in [`Begun::doubts`]; in the other one nothing is said. Teams
    /// gives the same conversation again for the same person, so there it does not show.
    ///
    /// After a crash nobody goes on by himself: call again, under the same id.
    ///
    /// The record is the document of the conversation `sayso:begin:{id}` of the channel. It holds
    /// the id of what was made and nothing of its members, and is kept like conversations are
    /// ([`Ttl::conversation`](sayso_turn::Ttl)); when it is gone, so is the memory of the id.
    ///
    /// # Limits
    /// With one member the turn is between the bot and that member. With more it has no user.
    ///
    /// # Errors
    /// [`BeginError`]; nothing was said. With [`is_retryable`](BeginError::is_retryable) the same
    /// call can be made again.
    ///
    /// # Cancellation
    /// Dropping the future may leave a call under way: for a minute others are told so.
    ///
    /// # Example
    /// ```
    /// use sayso_channel::{BeginError, NewConversation, client::Client};
    /// use sayso_turn::{Engine, Turn};
    ///
    /// async fn welcome(client: &Client, engine: &Engine, new: &NewConversation) -> Result<(), BeginError> {
    ///     let begun = client.begin(engine, new, "welcome-ann", async |mut turn: Turn| {
    ///         turn.say("Welcome! I bake pizzas.");
    ///         Ok(())
    ///     }).await?;
    ///     assert!(begun.reference.conversation.is_some()); // keep it, for `Engine::resume`
    ///     Ok(())
    /// }
    /// ```
    pub async fn begin<F, Fut>(
        &self,
        engine: &Engine,
        new: &NewConversation,
        id: &str,
        handler: F,
    ) -> Result<Begun, BeginError>
    where
        F: Fn(Turn) -> Fut + Send + Sync + 'static,
        Fut: HandlerFuture + Send + 'static,
    {
        let record = Record::new(engine, &new.channel_id, id, call_id(engine));
        let (made, doubts) = match record.claim().await? {
            Claimed::Made { made, doubts } => (made, doubts),
            Claimed::Others => return Err(BeginError::UnderWay),
            Claimed::Ours { doubts } => (self.make(new, &record).await?, doubts),
        };
        let reference = reference(new, made);
        let answer = engine.resume(&reference, id, handler).await?;
        Ok(Begun { reference, is_repeat: answer.is_repeat, doubts })
    }

    /// Asks the channel for it, and records what came of that.
    async fn make(&self, new: &NewConversation, record: &Record<'_>) -> Result<Made, BeginError> {
        let made = match self.at(&new.service_url) {
            Ok(service) => Box::pin(service.create_conversation(&new.parameters)).await,
            Err(error) => Err(error),
        };
        let made = match made {
            Ok(made) => made,
            Err(error) => {
                let is_doubtful = matches!(error, client::Error::Unknown { .. });
                if let Err(error) = record.give_up(is_doubtful).await {
                    tracing::debug!(%error, "a claim on a new conversation is left to lapse");
                }
                return Err(error.into());
            }
        };
        // The channel may name another place for what follows, if it is one that may be called.
        let place = made.service_url.filter(|url| self.at(url).is_ok());
        let conversation = made.id.unwrap_or_default();
        let service_url = place.unwrap_or_else(|| new.service_url.clone());
        Ok(record.keep(Made { conversation, service_url }).await?)
    }
}

/// The conversation as its first turn sees it.
fn reference(new: &NewConversation, made: Made) -> Reference {
    let parameters = new.parameters.clone();
    let conversation = ConversationAccount {
        name: parameters.topic_name,
        is_group: parameters.is_group,
        tenant_id: parameters.tenant_id,
        ..ConversationAccount::new(made.conversation)
    };
    let user = match parameters.members.as_deref() {
        Some([one]) => Some(one.clone()),
        _ => None,
    };
    Reference {
        user,
        bot: parameters.bot,
        conversation: Some(conversation),
        channel_id: Some(new.channel_id.clone()),
        service_url: Some(made.service_url),
        ..Reference::default()
    }
}

/// Tells this call from all others.
fn call_id(engine: &Engine) -> String {
    static CALLS: AtomicU64 = AtomicU64::new(0);
    format!("{}.{}", engine.instance(), CALLS.fetch_add(1, Ordering::Relaxed))
}
