//! Enum state: the states of a conversation as the variants of an enum, a handler for each.
//!
//! The enum is the conversation's state and nothing else is: what a variant holds is what is known
//! in that state, so there is no field that may or may not be there yet. The compiler knows all
//! states and all handlers.

use std::future::Future;

use futures_util::future::BoxFuture;
use sayso_turn::{BotError, Property, Turn};

/// The states of a conversation, one for each variant, each with its handler. Derive it for an
/// enum.
///
/// A handler is an `async fn` that gets the turn and the fields of its variant, and gives the next
/// state: another one to go there, the same one to stay, the default one to end. It is given in
/// `#[handler(function)]`; any path will do. `#[handler(self.method)]` calls a method on the whole
/// state instead, which can be shared by several variants and stays with `Ok(self)`. The error is
/// anything that becomes a [`BotError`].
///
/// The current state is kept as the property named like the enum, so derive `Default`, which is
/// where a conversation starts, and [`BotState`](sayso_turn::BotState), which keeps conversations
/// going when a later build has other variants (`Serialize` and `Deserialize` do too, without
/// that).
///
/// A handler is called for whatever activity [`states`] is registered for: messages, events and
/// timers, invokes. `turn.activity()` tells them apart.
///
/// # Guarantees
/// A handler that fails leaves the conversation in the state that it was in.
///
/// # Example
/// ```
/// use sayso_dialog::{States, states};
/// use sayso_turn::{Bot, BotError, BotState, Turn};
///
/// #[derive(Default, BotState, States)]
/// #[state(version = 1)]
/// enum Order {
///     #[default]
///     #[handler(start)]
///     Start,
///     #[handler(size)]
///     Size,
///     #[handler(toppings)]
///     Toppings { size: String },
/// }
///
/// async fn start(turn: &mut Turn) -> Result<Order, BotError> {
///     turn.say("What size?");
///     Ok(Order::Size)
/// }
///
/// async fn size(turn: &mut Turn) -> Result<Order, BotError> {
///     let size = turn.text().to_owned();
///     if !["small", "large"].contains(&size.as_str()) {
///         turn.say("Small or large?");
///         return Ok(Order::Size); // stays
///     }
///     turn.say("What is on it?");
///     Ok(Order::Toppings { size })
/// }
///
/// async fn toppings(turn: &mut Turn, size: String) -> Result<Order, BotError> {
///     let line = format!("A {size} pizza with {}.", turn.text());
///     turn.say(line);
///     Ok(Order::default()) // ends
/// }
///
/// let bot = Bot::new().on_message(states::<Order>());
/// # let _ = bot;
/// ```
///
/// A state without a handler does not compile:
/// ```compile_fail
/// # use sayso_dialog::States;
/// # use sayso_turn::{BotError, BotState, Turn};
/// #[derive(Default, BotState, States)]
/// #[state(version = 1)]
/// enum Order {
///     #[default]
///     #[handler(start)]
///     Start,
///     Size,
/// }
/// # async fn start(turn: &mut Turn) -> Result<Order, BotError> { Ok(Order::Size) }
/// ```
///
/// Nor does a handler that does not take what its state holds:
/// ```compile_fail,E0308
/// # use sayso_dialog::States;
/// # use sayso_turn::{BotError, BotState, Turn};
/// #[derive(BotState, States)]
/// #[state(version = 1)]
/// enum Order {
///     #[handler(toppings)]
///     Toppings { size: String },
/// }
/// # impl Default for Order { fn default() -> Self { Self::Toppings { size: String::new() } } }
///
/// async fn toppings(turn: &mut Turn, size: u8) -> Result<Order, BotError> {
/// #   Err("not yet".into())
/// }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an enum of states",
    note = "derive `States` for it, and give each variant a `#[handler(function)]`"
)]
pub trait States: Property {
    /// Calls the handler of this state, which gives the next one.
    ///
    /// To keep the state elsewhere than with the conversation (`turn.private()` for one state per
    /// user of a group, say), take it from there, call this, and put the result back.
    ///
    /// # Errors
    /// Those of the handler.
    ///
    /// # Cancellation
    /// Dropping the future drops the handler where it is; what it did to the turn is done.
    fn step(self, turn: &mut Turn) -> impl Future<Output = Result<Self, BotError>> + Send;

    /// Calls the handler of the state that the conversation is in, and keeps the next one. While
    /// the handler runs, the conversation's own property is as it was; what the handler gives
    /// replaces it.
    ///
    /// # Errors
    /// When the stored state does not fit the enum, and those of the handler. The conversation
    /// stays in the state that it was in.
    ///
    /// # Cancellation
    /// Dropping the future leaves the conversation in the state that it was in.
    fn run(turn: &mut Turn) -> impl Future<Output = Result<(), BotError>> + Send {
        async move {
            let state: Self = turn.state().take()?;
            let next = state.step(turn).await?;
            turn.state().put(next);
            Ok(())
        }
    }
}

/// A handler for a [`Bot`](sayso_turn::Bot) that calls the handler of the state that the
/// conversation is in. See [`States`].
pub fn states<S: States>()
-> impl Fn(Turn) -> BoxFuture<'static, Result<(), BotError>> + Clone + Send + Sync + 'static {
    |mut turn| Box::pin(async move { S::run(&mut turn).await })
}
