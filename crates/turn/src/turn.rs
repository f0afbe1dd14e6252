//! `Turn`: the interface of a turn for bot authors.
//!
//! All changes are local to this attempt: replies are added to a list, state is a copy. They take
//! effect atomically when the attempt commits, or never.

mod hooks;
mod loan;
mod logic;
mod replies;
mod reset;
mod resets;
mod run_hooks;
mod speak;
mod steps;
mod stream;
mod timers;

use std::{future::Future, pin::pin, sync::Arc};

use sayso_activity::{Activity, DeliveryMode, Raw, Reference};
use serde::Serialize;

use self::hooks::Hooks;
pub(crate) use self::{
    hooks::Hooks as ReplyHooks,
    replies::{Replies, Reply},
    resets::Resets,
};
pub use self::{
    logic::{Logic, Overlap},
    steps::{Step, StepError},
    stream::Stream,
    timers::TimerId,
};
use crate::{
    Key, KeyError, KeyKind, KeyScope,
    attempt::{Attempt, IdempotencyKey},
    clock::Timestamp,
    id::TurnId,
    ledger::{Response, Timer},
    property_owners::PropertyOwners,
    state::{Property, State, StateError},
    sync::{Mutex, lock},
    versioned::Newer,
};

/// Turn: one inbound activity, the state, and the bot's replies.
///
/// # Example
/// ```
/// use sayso_turn::{Bot, Turn};
/// use serde::{Deserialize, Serialize};
///
/// #[derive(Default, Serialize, Deserialize)]
/// struct Order { toppings: Vec<String> }
///
/// async fn topping(mut turn: Turn) -> Result<(), sayso_turn::BotError> {
///     let text = turn.text().to_owned();
///     let order = turn.conversation::<Order>()?;
///     order.toppings.push(text);
///     let line = format!("A pizza with {}.", order.toppings.join(" and "));
///     turn.say(line);
///     Ok(())
/// }
///
/// let bot = Bot::new().on_message(topping);
/// ```
#[derive(Debug)]
pub struct Turn {
    /// `None` only while dropping.
    inner: Option<Box<Inner>>,
    slot: Arc<ReturnSlot>,
}

/// Slot into which a turn's data returns when its handler drops it.
#[derive(Debug, Default)]
pub(crate) struct ReturnSlot(Mutex<Option<Box<Inner>>>);

/// Data of a turn: the attempt's input and its output so far.
#[derive(Debug)]
pub(crate) struct Inner {
    pub(crate) attempt: Arc<Attempt>,
    /// The inbound activity, if a handler has changed it.
    pub(crate) changed: Option<Arc<Activity>>,
    /// The conversation's state; further documents follow, in the order of their loading.
    pub(crate) conversation: State,
    pub(crate) further: Vec<State>,
    /// Hooks that see each reply before it is added.
    pub(crate) hooks: Hooks<Turn>,
    pub(crate) replies: Replies,
    /// Number of ephemeral events shown.
    pub(crate) shown: usize,
    pub(crate) timers: Vec<Arc<Timer>>,
    pub(crate) timers_made: usize,
    pub(crate) cancelled: Vec<String>,
    pub(crate) response: Option<Response>,
    /// Properties of the conversation that were reset.
    pub(crate) resets: Resets,
    /// True if this is a placeholder for a turn that its borrower did not give back.
    pub(crate) is_kept: bool,
}

impl Inner {
    /// Reports whether all replies go into the answer, so that no ephemeral events may be shown.
    fn is_silent(&self) -> bool {
        self.activity().delivery_mode == Some(DeliveryMode::ExpectReplies)
    }

    /// Returns the inbound activity, as the handlers see it.
    pub(crate) fn activity(&self) -> &Arc<Activity> {
        self.changed.as_ref().unwrap_or_else(|| self.attempt.origin.activity())
    }

    /// Returns the state written by a newer build that this attempt has met, if any.
    pub(crate) fn newer(&self) -> Option<&Newer> {
        std::iter::once(&self.conversation).chain(&self.further).find_map(State::newer)
    }
}

impl Turn {
    pub(crate) fn new(inner: Box<Inner>, slot: &Arc<ReturnSlot>) -> Self {
        Self { inner: Some(inner), slot: Arc::clone(slot) }
    }

    /// Has the names of the bot's properties checked from now on.
    pub(crate) fn check_owners(&mut self, owners: &Arc<PropertyOwners>) {
        self.inner_mut().conversation.check_owners(KeyKind::Conversation, owners);
    }

    fn inner(&self) -> &Inner {
        self.inner.as_ref().expect("the data is taken only when the turn is dropped")
    }

    fn inner_mut(&mut self) -> &mut Inner {
        self.inner.as_mut().expect("the data is taken only when the turn is dropped")
    }

    /// Returns the id of this turn: the same on every attempt, instance and redelivery.
    #[must_use]
    pub fn id(&self) -> TurnId {
        self.inner().attempt.id
    }

    /// Returns the inbound activity.
    #[must_use]
    pub fn activity(&self) -> &Activity {
        self.inner().activity()
    }

    /// Returns the inbound activity for modification by middleware: a translated text, for example.
    /// The reply address and the turn's id do not change with it.
    pub fn activity_mut(&mut self) -> &mut Activity {
        let Inner { attempt, changed, .. } = self.inner_mut();
        Arc::make_mut(changed.get_or_insert_with(|| Arc::clone(attempt.origin.activity())))
    }

    /// Returns the text of the inbound activity, empty when it has none.
    #[must_use]
    pub fn text(&self) -> &str {
        self.inner().activity().text()
    }

    /// Returns the time of the activity's arrival. It is the same on every attempt in this process;
    /// use it instead of the system clock, so that the logic stays repeatable.
    #[must_use]
    pub fn now(&self) -> Timestamp {
        self.inner().attempt.now
    }

    /// Returns the conversation's state of type `T`, by reference; saved with the turn if it
    /// changed.
    ///
    /// # Errors
    /// When the stored value does not fit `T`.
    pub fn conversation<T: Property>(&mut self) -> Result<&mut T, StateError> {
        self.inner_mut().conversation.get()
    }

    /// Returns all of the conversation's properties, by name.
    pub fn state(&mut self) -> &mut State {
        &mut self.inner_mut().conversation
    }

    /// Returns the state of the user on this channel, across conversations.
    ///
    /// # Guarantees
    /// Changes commit atomically with the conversation. A document that is only read is as of the
    /// moment of the read: another turn may change it before this one commits. A turn that reads
    /// several further documents gets a consistent snapshot: if one of them has changed by the
    /// commit, the turn runs again. On an eventually consistent store a read may return an old
    /// version.
    ///
    /// # Errors
    /// When the activity has no sender, the store cannot be read, or the stored value does not fit.
    pub async fn user<T: Property>(&mut self) -> Result<&mut T, StateError> {
        self.user_state().await?.get()
    }

    /// Returns all properties of the user.
    ///
    /// # Errors
    /// When the activity has no sender or the store cannot be read.
    pub async fn user_state(&mut self) -> Result<&mut State, StateError> {
        let (channel, _, user) = self.parts();
        let key = self.scope().user(channel, user)?;
        self.further(key, KeyKind::User).await
    }

    /// Returns the state of the user in this conversation.
    ///
    /// # Errors
    /// When the activity has no sender, the store cannot be read, or the stored value does not fit.
    pub async fn private<T: Property>(&mut self) -> Result<&mut T, StateError> {
        self.private_state().await?.get()
    }

    /// Returns all properties of the user in this conversation.
    ///
    /// # Errors
    /// When the activity has no sender or the store cannot be read.
    pub async fn private_state(&mut self) -> Result<&mut State, StateError> {
        let (channel, conversation, user) = self.parts();
        let key = self.scope().private(channel, conversation, user)?;
        self.further(key, KeyKind::Private).await
    }

    /// Returns any other document, under a key of the bot's own, in the [scope](KeyScope) of this
    /// turn. It commits atomically with the conversation.
    ///
    /// # Errors
    /// When the store cannot be read.
    ///
    /// # Cancellation
    /// Dropping the future leaves the turn unchanged.
    pub async fn custom(&mut self, key: Key) -> Result<&mut State, StateError> {
        let key = self.scope().place(key)?;
        self.further(key, KeyKind::Other).await
    }

    async fn further(&mut self, key: Key, kind: KeyKind) -> Result<&mut State, StateError> {
        let inner = self.inner_mut();
        if key == *inner.conversation.key() {
            return Ok(&mut inner.conversation);
        }
        let at = match inner.further.iter().position(|state| *state.key() == key) {
            Some(at) => at,
            None => {
                let bag = inner.attempt.source.bag(&key).await?;
                let mut state = State::new(key.clone(), bag);
                // Documents under keys of the bot's own may each use a name in their way.
                if let (Some(owners), true) = (inner.conversation.owners(), kind != KeyKind::Other)
                {
                    state.check_owners(kind, owners);
                }
                inner.further.push(state);
                inner.further.len() - 1
            }
        };
        inner.further.get_mut(at).ok_or(StateError::Key(KeyError::Missing("key")))
    }

    /// Responds to an `invoke`. A redelivery gets the same response.
    ///
    /// # Errors
    /// When the body cannot be written as JSON.
    pub fn respond<T: Serialize + ?Sized>(
        &mut self,
        status: u16,
        body: &T,
    ) -> Result<(), serde_json::Error> {
        let body = Some(Raw::of(body)?);
        self.inner_mut().response = Some(Response { status, body });
        Ok(())
    }

    /// Returns the response to the `invoke`, if it was given already.
    #[must_use]
    pub fn response(&self) -> Option<&Response> {
        self.inner().response.as_ref()
    }

    /// Makes an external call once per process and memoises its result in memory; a crash forgets
    /// it, unlike that of a [`step`](Self::step).
    ///
    /// It costs no write. Its idempotency key is the same on every attempt, instance and
    /// redelivery.
    ///
    /// # Guarantees
    /// A success is kept until the turn commits, whatever happens to its attempts; a failure is
    /// not. If an attempt is stopped in a call, the call goes on, and the next attempt waits for
    /// its result. Reusing a name in the same attempt is another call with a key of its own. After
    /// a crash a call is made again under the same key: the called service must honour it for
    /// exactly-once.
    ///
    /// # Limits
    /// The results of [`effects_max`](crate::Limits::effects_max) turns are kept per process. A
    /// call of a stopped attempt has [`long_deadline`](crate::Limits::long_deadline) from then on.
    ///
    /// # Errors
    /// Those of the call.
    ///
    /// # Cancellation
    /// Dropping the future drops the call; it can be made again, under the same key.
    ///
    /// # Example
    /// ```
    /// # use sayso_turn::{BotError, Turn};
    /// async fn pay(mut turn: Turn) -> Result<(), BotError> {
    ///     let receipt = turn.once("pay", |key| async move { // posts, with the key in a header
    ///         Ok::<_, BotError>(format!("receipt for {key}"))
    ///     }).await?;
    ///     turn.say(receipt);
    ///     Ok(())
    /// }
    /// ```
    pub async fn once<T, E: 'static, F, Fut>(&self, name: &str, call: F) -> Result<T, E>
    where
        T: Clone + Send + 'static,
        F: FnOnce(IdempotencyKey) -> Fut + Send,
        Fut: Future<Output = Result<T, E>> + Send,
    {
        let attempt = &self.inner().attempt;
        let mut pending = attempt.effects.begin(name);
        if let Some(value) = pending.receipt().await {
            return Ok(value);
        }
        attempt.forced_failure::<E>(name)?;
        let keep = |receipts: &_| attempt.source.keep(attempt.id, receipts);
        // From now on: the next attempt is to find a call in progress, too.
        keep(pending.receipts());
        let key = IdempotencyKey::new(attempt.id, name, pending.number());
        // Pinned in place, so that a large future is not moved into another one.
        pending.make(pin!(call(key)), keep).await
    }

    /// Returns the conversation reference, for proactive messages later.
    #[must_use]
    pub fn reference(&self) -> Reference {
        self.inner().attempt.origin.reference()
    }

    /// Returns the scope of all documents of this turn.
    fn scope(&self) -> KeyScope<'_> {
        self.inner().attempt.key.scope()
    }

    fn parts(&self) -> (&str, &str, &str) {
        let activity = self.inner().activity();
        (
            activity.channel_id.as_deref().unwrap_or_default(),
            activity.conversation.as_ref().and_then(|c| c.id.as_deref()).unwrap_or_default(),
            activity.from.as_ref().and_then(|from| from.id.as_deref()).unwrap_or_default(),
        )
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        *lock(&self.slot.0) = self.inner.take();
    }
}

impl ReturnSlot {
    /// Takes the returned data, once the handler is done.
    pub(crate) fn take(&self) -> Option<Box<Inner>> {
        lock(&self.0).take()
    }
}
