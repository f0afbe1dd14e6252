//! `HandlerFuture`: the trait of a handler's future, with compiler messages for common mistakes.

use std::future::Future;

use crate::BotError;

/// Future of a handler: resolves to `Result<T, BotError>`. Every async function or closure with
/// that result returns one; nobody implements this by hand.
///
/// # Example
/// A handler that is not async does not compile, and the compiler says what to write:
/// ```compile_fail,E0277
/// # use sayso_turn::{Bot, BotError, Turn};
/// fn hello(mut turn: Turn) -> Result<(), BotError> {
///     turn.say("hello");
///     Ok(())
/// }
/// let bot = Bot::new().on_message(hello);
/// ```
/// Nor does one that returns something else:
/// ```compile_fail,E0277
/// # use sayso_turn::{Bot, Turn};
/// let bot = Bot::new().on_message(async |mut turn: Turn| turn.say("hello"));
/// ```
/// Nor one that holds a value that is not `Send` across an `.await`:
/// ```compile_fail
/// # use sayso_turn::{Bot, Turn};
/// let bot = Bot::new().on_message(async |mut turn: Turn| {
///     let name = std::rc::Rc::new("Ann");
///     turn.user::<String>().await?.push_str(&name);
///     Ok(())
/// });
/// ```
/// Nor one that takes something other than a `Turn`:
/// ```compile_fail,E0631
/// # use sayso_turn::{Bot, BotError, Turn};
/// async fn hello(turn: &mut Turn) -> Result<(), BotError> { Ok(()) }
/// let bot = Bot::new().on_message(hello);
/// ```
#[diagnostic::on_unimplemented(
    message = "a handler is an async function that gives `Result<{T}, BotError>`; this one gives `{Self}`",
    label = "the handler given here is not async, or gives something else",
    note = "write `async fn name(mut turn: Turn) -> Result<{T}, BotError> {{ ... }}` or \
            `async |mut turn: Turn| {{ ...; Ok(..) }}`",
    note = "an error of any type becomes a `BotError` by `?` or `.into()`"
)]
pub trait HandlerFuture<T = ()>: Future<Output = Result<T, BotError>> {}

#[diagnostic::do_not_recommend]
impl<T, F: Future<Output = Result<T, BotError>>> HandlerFuture<T> for F {}
