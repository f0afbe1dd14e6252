//! The turn as the author of a bot sees it.
//!
//! Everything here changes this attempt only. Saying something adds to a list; state is a copy.
//! What the list and the copy hold becomes real when the attempt commits, all of it together, or
//! never.

mod hooked;
mod hooks;
mod loan;
mod logic;
mod replies;
mod speak;
mod stream;

use std::{future::Future, sync::Arc, time::Duration};

use sayso_activity::{Activity, Raw, Reference};
use serde::Serialize;

use self::hooks::Hooks;
pub(crate) use self::{
    hooks::Hooks as ReplyHooks,
    replies::{Replies, Reply},
};
pub use self::{
    logic::{Logic, Overlap},
    stream::Stream,
};
use crate::{
    Key, KeyError,
    attempt::{Attempt, IdempotencyKey},
    clock::Timestamp,
    id::TurnId,
    ledger::{Response, Timer},
    state::{Property, State, StateError},
    sync::{Mutex, lock},
    versioned::Newer,
};

/// One inbound activity and what the bot makes of it.
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

/// The slot into which a turn returns when its handler lets go of it.
#[derive(Debug, Default)]
pub(crate) struct ReturnSlot(Mutex<Option<Box<Inner>>>);

/// What an attempt starts from, and collects.
#[derive(Debug)]
pub(crate) struct Inner {
    pub(crate) attempt: Arc<Attempt>,
    /// The inbound activity, where a handler has changed it.
    pub(crate) changed: Option<Arc<Activity>>,
    /// The conversation's state first, then the further documents in the order of their loading.
    pub(crate) conversation: State,
    pub(crate) further: Vec<State>,
    /// What sees each reply before it is one.
    pub(crate) hooks: Hooks<Turn>,
    pub(crate) replies: Replies,
    /// How many signs were shown.
    pub(crate) shown: usize,
    pub(crate) timers: Vec<Arc<Timer>>,
    pub(crate) timers_made: usize,
    pub(crate) cancelled: Vec<String>,
    pub(crate) response: Option<Response>,
    /// Whether this stands in for a turn that did not come back from whom it was lent to.
    pub(crate) is_kept: bool,
}

impl Inner {
    /// Whether all replies go into the answer, so that nothing may be shown before.
    fn is_silent(&self) -> bool {
        self.activity().delivery_mode.as_deref() == Some("expectReplies")
    }

    /// The inbound activity, as the handlers see it.
    pub(crate) fn activity(&self) -> &Arc<Activity> {
        self.changed.as_ref().unwrap_or_else(|| self.attempt.origin.activity())
    }

    /// State met in this attempt that a newer build wrote.
    pub(crate) fn newer(&self) -> Option<&Newer> {
        std::iter::once(&self.conversation).chain(&self.further).find_map(State::newer)
    }
}

/// Names a timer, so that a later turn can cancel it. It can be kept in the state.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, serde::Deserialize)]
#[serde(transparent)]
pub struct TimerId(pub(crate) String);

impl TimerId {
    /// The id as text: it is also the `id` of the activity that the timer becomes.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Turn {
    pub(crate) fn new(inner: Box<Inner>, slot: &Arc<ReturnSlot>) -> Self {
        Self { inner: Some(inner), slot: Arc::clone(slot) }
    }

    fn inner(&self) -> &Inner {
        self.inner.as_ref().expect("a turn has its inside until it is dropped")
    }

    fn inner_mut(&mut self) -> &mut Inner {
        self.inner.as_mut().expect("a turn has its inside until it is dropped")
    }

    /// Names this turn: the same on every attempt, instance and redelivery.
    #[must_use]
    pub fn id(&self) -> TurnId {
        self.inner().attempt.id
    }

    /// The inbound activity.
    #[must_use]
    pub fn activity(&self) -> &Activity {
        self.inner().activity()
    }

    /// The inbound activity, to be changed for the handlers that come after: a translated text, for
    /// example. Where replies go and what the turn is called does not change with it.
    pub fn activity_mut(&mut self) -> &mut Activity {
        let Inner { attempt, changed, .. } = self.inner_mut();
        Arc::make_mut(changed.get_or_insert_with(|| Arc::clone(attempt.origin.activity())))
    }

    /// The text of the inbound activity, empty when it has none.
    #[must_use]
    pub fn text(&self) -> &str {
        self.inner().activity().text()
    }

    /// When the activity arrived. The same on every attempt in this process; use it instead of the
    /// machine's clock, so that the logic stays repeatable.
    #[must_use]
    pub fn now(&self) -> Timestamp {
        self.inner().attempt.now
    }

    /// The conversation's state of type `T`, by reference; saved with the turn if it changed.
    ///
    /// # Errors
    /// When what is stored does not fit `T`.
    pub fn conversation<T: Property>(&mut self) -> Result<&mut T, StateError> {
        self.inner_mut().conversation.get()
    }

    /// All of the conversation's properties, by name.
    pub fn state(&mut self) -> &mut State {
        &mut self.inner_mut().conversation
    }

    /// The state of the user on this channel, whatever the conversation.
    ///
    /// # Guarantees
    /// What is changed commits together with the conversation, or not at all. What is only read is
    /// as of the moment of the read: another turn may change it before this one commits. A turn
    /// that touches several further documents sees one state of those that it only reads: if one of
    /// them has changed by the commit, the turn runs again. On a store that shows old versions a
    /// read may be one.
    ///
    /// # Errors
    /// When the activity has no sender, the store cannot be read, or what is stored does not fit.
    pub async fn user<T: Property>(&mut self) -> Result<&mut T, StateError> {
        self.user_state().await?.get()
    }

    /// All properties of the user.
    ///
    /// # Errors
    /// When the activity has no sender or the store cannot be read.
    pub async fn user_state(&mut self) -> Result<&mut State, StateError> {
        let (channel, _, user) = self.parts();
        let key = Key::user(channel, user)?;
        self.custom(key).await
    }

    /// The state of the user in this conversation.
    ///
    /// # Errors
    /// When the activity has no sender, the store cannot be read, or what is stored does not fit.
    pub async fn private<T: Property>(&mut self) -> Result<&mut T, StateError> {
        let (channel, conversation, user) = self.parts();
        let key = Key::private(channel, conversation, user)?;
        self.custom(key).await?.get()
    }

    /// Any other document, under a key of the bot's own. It commits together with the conversation.
    ///
    /// # Errors
    /// When the store cannot be read.
    ///
    /// # Cancellation
    /// Dropping the future leaves the turn as it was.
    pub async fn custom(&mut self, key: Key) -> Result<&mut State, StateError> {
        let inner = self.inner_mut();
        if key == *inner.conversation.key() {
            return Ok(&mut inner.conversation);
        }
        let at = match inner.further.iter().position(|state| *state.key() == key) {
            Some(at) => at,
            None => {
                let bag = inner.attempt.source.bag(&key).await?;
                inner.further.push(State::new(key.clone(), bag));
                inner.further.len() - 1
            }
        };
        inner.further.get_mut(at).ok_or(StateError::Key(KeyError::Missing("key")))
    }

    /// Answers an `invoke`. A redelivery gets the same answer.
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

    /// The answer to the `invoke`, if it was given already.
    #[must_use]
    pub fn response(&self) -> Option<&Response> {
        self.inner().response.as_ref()
    }

    /// Makes a call to the outside once, however many attempts this turn takes in this process, and
    /// hands it an idempotency key that is the same on every attempt, instance and redelivery.
    ///
    /// # Guarantees
    /// A success is kept until the turn commits, whatever happens to its attempts; a failure is
    /// not. A name that was used before in the same attempt makes another call, under a key of its
    /// own: in a loop each pass has its call. After a crash a call is made again under the same
    /// key: the called service must honour it for exactly-once.
    ///
    /// # Limits
    /// [`effects_max`](crate::Limits::effects_max) turns of a process have their receipts kept.
    ///
    /// # Errors
    /// Those of the call.
    ///
    /// # Cancellation
    /// Dropping the future drops the call; the next attempt makes it again, under the same key. So
    /// does a conflict that ends an attempt in the middle of a slow call.
    ///
    /// # Example
    /// ```
    /// # use sayso_turn::{BotError, Turn};
    /// async fn pay(mut turn: Turn) -> Result<(), BotError> {
    ///     let receipt = turn.once("pay", |key| async move {
    ///         // post(...).header("Idempotency-Key", key.as_str()) ...
    ///         Ok::<_, BotError>(format!("receipt for {key}"))
    ///     }).await?;
    ///     turn.say(receipt);
    ///     Ok(())
    /// }
    /// ```
    pub async fn once<T, E, F, Fut>(&self, name: &str, call: F) -> Result<T, E>
    where
        T: Clone + Send + 'static,
        F: FnOnce(IdempotencyKey) -> Fut + Send,
        Fut: Future<Output = Result<T, E>> + Send,
    {
        let attempt = &self.inner().attempt;
        let mut pending = attempt.effects.begin(name);
        if let Some(value) = pending.receipt() {
            return Ok(value);
        }
        let key = IdempotencyKey::new(attempt.id, name, pending.number());
        let value = call(key).await?;
        attempt.source.keep(attempt.id, pending.succeed(&value));
        Ok(value)
    }

    /// Asks for an event to this conversation later. It is durable with this turn, happens once, on
    /// whatever instance is alive then, and arrives as an activity from the same user.
    ///
    /// A turn of it that fails is tried again with back-off, [`timer_attempts_max`] times; then it
    /// is parked with its cause, where an operator can try it again.
    ///
    /// [`timer_attempts_max`]: crate::Limits::timer_attempts_max
    pub fn after(&mut self, wait: Duration, event: Activity) -> TimerId {
        let inner = self.inner_mut();
        // Counted, not measured by the list: a number is never used again, whatever is cancelled.
        let id = format!("{}.t{}", inner.attempt.id, inner.timers_made);
        inner.timers_made += 1;
        let at = inner.attempt.now.after(wait);
        let activity = addressed(event, inner.activity(), &id);
        let raw = Raw::of(&activity).expect("an activity is always JSON");
        inner.timers.push(Arc::new(Timer { id: id.clone(), at, tries: 0, activity: raw }));
        TimerId(id)
    }

    /// Cancels a timer of this conversation, if its turn has not begun yet.
    pub fn cancel(&mut self, timer: &TimerId) {
        let inner = self.inner_mut();
        inner.timers.retain(|new| new.id != timer.0);
        inner.cancelled.push(timer.0.clone());
    }

    /// How to reach this conversation later.
    #[must_use]
    pub fn reference(&self) -> Reference {
        self.inner().attempt.origin.reference()
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
    /// What came back, once the handler is done.
    pub(crate) fn take(&self) -> Option<Box<Inner>> {
        lock(&self.0).take()
    }
}

/// The event as it will come in: from the same user, to the same bot, in the same conversation.
fn addressed(mut event: Activity, inbound: &Activity, id: &str) -> Activity {
    event.id = Some(id.to_owned());
    event.channel_id.clone_from(&inbound.channel_id);
    event.service_url.clone_from(&inbound.service_url);
    event.conversation.clone_from(&inbound.conversation);
    event.from.clone_from(&inbound.from);
    event.recipient.clone_from(&inbound.recipient);
    event.locale = event.locale.or_else(|| inbound.locale.clone());
    event
}
