//! Proactive conversations: created on the channel by the bot, then used like any other.
//!
//! Creating one is an external call, so it cannot be atomic with a commit. An idempotency record, a
//! small conversation that nobody sees, stores who is creating it and the result; it goes through
//! the engine like every turn, so that all instances agree on it.

mod record;

use std::{
    borrow::Cow,
    sync::atomic::{AtomicU64, Ordering},
};

use sayso_turn::{
    Engine, HandlerFuture, Turn,
    activity::{ConversationAccount, ConversationParameters, Reference},
};

use self::record::{Claimed, Made, Record};
use crate::client::{self, Client};

/// A conversation to be created: its channel and its parameters.
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
    /// The service URL of the channel. The [`Client`] must be allowed to call it.
    pub service_url: String,
    /// The id of the channel, such as `msteams`.
    pub channel_id: String,
    /// The bot, the members, the tenant, the topic, and data that is specific to the channel. An
    /// activity in it is sent when the conversation is created, before anything is saved: leave it
    /// out and send it in the handler, unless the channel requires it, as Teams does for a thread
    /// in a channel.
    pub parameters: ConversationParameters,
}

/// Result of [`Client::begin`]: a conversation that exists and whose first turn is saved.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Begun {
    /// The reference with which the conversation can be reached, now and later.
    pub reference: Reference,
    /// True if it had been begun before with the same id.
    pub is_repeat: bool,
    /// Number of earlier calls with this id that were cut off before their result was known. Up to
    /// so many more conversations may exist on the channel, in which nothing was sent.
    pub doubts: u32,
}

/// Error of [`Client::begin`].
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BeginError {
    /// The channel did not create the conversation, or may have. [`client::Error`] tells which.
    #[error(transparent)]
    Channel(#[from] client::Error),
    /// Another call with the same id is creating the conversation right now, or was cut off less
    /// than a minute ago.
    #[error("another call is creating this conversation; try again in a minute with the same id")]
    UnderWay,
    /// A turn was not saved: of the idempotency record, or the first one of the conversation.
    #[error(transparent)]
    Turn(#[from] sayso_turn::Error),
}

impl BeginError {
    /// Reports whether the same call with the same id may succeed later.
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
    /// Creates a conversation and runs a handler as its first turn; returns when that is durable.
    ///
    /// # Guarantees
    /// `id` is an idempotency key. The same id again on this channel, at any instance, returns the
    /// same conversation and runs nothing: the turn is exactly once. So is the creation, as long as
    /// calls run to their end. If one is cut off (a crash, a lost answer of the channel, a store
    /// that is unavailable) after the channel was called and before its answer is recorded, the
    /// next call creates another conversation, and counts that in [`Begun::doubts`]; in the other
    /// one nothing is sent. Teams returns the same conversation again for the same person, so it
    /// has no effect there.
    ///
    /// After a crash nothing continues by itself: call again with the same id.
    ///
    /// The record is the document of the conversation `sayso:begin:{id}` of the channel. It
    /// contains the id of the created conversation and nothing about its members, and is kept as
    /// long as conversations are ([`Ttl::conversation`](sayso_turn::Ttl)); after that the id is
    /// forgotten.
    ///
    /// # Limits
    /// With one member the turn is between the bot and that member. With more it has no user.
    ///
    /// # Errors
    /// [`BeginError`]; nothing was sent. If it [`is_retryable`](BeginError::is_retryable), the same
    /// call can be made again.
    ///
    /// # Cancellation
    /// Dropping the future may leave a call in progress: for a minute, other calls with this id get
    /// [`BeginError::UnderWay`].
    ///
    /// # Example
    /// ```
    /// use sayso_channel::{BeginError, NewConversation, client::Client};
    /// use sayso_turn::{Engine, Turn};
    ///
    /// async fn welcome(
    ///     client: &Client,
    ///     engine: &Engine,
    ///     new: &NewConversation,
    /// ) -> Result<(), BeginError> {
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

    /// Creates the conversation on the channel, and records the result.
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
                    tracing::debug!(%error, "could not release the claim on a new conversation; it expires in a minute");
                }
                return Err(error.into());
            }
        };
        // The channel may name another service URL for later calls, if that is allowed.
        let place = made.service_url.filter(|url| self.at(url).is_ok());
        let conversation = made.id.unwrap_or_default();
        let service_url = place.unwrap_or_else(|| new.service_url.clone());
        Ok(record.keep(Made { conversation, service_url }).await?)
    }
}

/// Builds the reference of the conversation, as its first turn sees it.
fn reference(new: &NewConversation, made: Made) -> Reference {
    let parameters = new.parameters.clone();
    let tenant_id = parameters.tenant().map(Cow::into_owned);
    let conversation = ConversationAccount {
        name: parameters.topic_name,
        is_group: parameters.is_group,
        tenant_id,
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

/// Returns an id that is unique to this call.
fn call_id(engine: &Engine) -> String {
    static CALLS: AtomicU64 = AtomicU64::new(0);
    format!("{}.{}", engine.instance(), CALLS.fetch_add(1, Ordering::Relaxed))
}
