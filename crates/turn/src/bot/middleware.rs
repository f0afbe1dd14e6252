//! Middleware: code that runs around every handler of a bot.

use std::{fmt, future::Future, sync::Arc};

use futures_util::future::BoxFuture;

use super::handlers::Handlers;
use crate::{BotError, HandlerFuture, Turn};

/// Middleware: runs around the rest of the bot, for every activity.
///
/// Middleware runs in the order in which it was added; what stands after `next` runs in the reverse
/// order. One that does not call `next` ends the turn there, without an error. The error of a
/// handler comes out of `next`, to be passed on with `?` or caught. All of it is one turn: what any
/// of them says or keeps commits together, or not at all.
///
/// An async closure is middleware; so is a type of one's own.
///
/// # Limits
/// A panic is not caught by middleware. The handler for errors
/// ([`Bot::on_error`](crate::Bot::on_error)) runs outside of it.
///
/// # Example
/// ```
/// use sayso_turn::{Bot, BotError, Middleware, Next, Turn};
///
/// struct Greeter { greeting: String }
///
/// impl Middleware for Greeter {
///     async fn run(&self, mut turn: Turn, next: Next) -> Result<(), BotError> {
///         turn.say(&self.greeting);
///         next.run(&mut turn).await
///     }
/// }
///
/// let bot = Bot::new()
///     .with(Greeter { greeting: "Welcome!".to_owned() })
///     .with(async |mut turn: Turn, next: Next| {
///         if turn.text() == "stop" {
///             turn.say("Stopped.");
///             return Ok(()); // no handler runs
///         }
///         if let Err(error) = next.run(&mut turn).await {
///             turn.say(format!("Sorry: {error}"));
///         }
///         Ok(())
///     });
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not middleware",
    label = "expected middleware",
    note = "write `async |mut turn: Turn, next: Next| {{ ...; next.run(&mut turn).await }}` or \
            `impl Middleware for` a type of your own",
    note = "it must give `Result<(), BotError>`, and hold nothing across an `.await` that is not `Send`"
)]
pub trait Middleware: Send + Sync + 'static {
    /// Runs around `next`.
    fn run(&self, turn: Turn, next: Next) -> impl Future<Output = Result<(), BotError>> + Send;
}

#[diagnostic::do_not_recommend]
impl<F, Fut> Middleware for F
where
    F: Fn(Turn, Next) -> Fut + Send + Sync + 'static,
    Fut: HandlerFuture + Send,
{
    fn run(&self, turn: Turn, next: Next) -> impl Future<Output = Result<(), BotError>> + Send {
        self(turn, next)
    }
}

/// Rest of the chain: the middleware that was added later, and the handlers.
pub struct Next {
    layers: Arc<Vec<Layer>>,
    handlers: Arc<Handlers>,
    /// Index of the next middleware.
    at: usize,
}

/// Type-erased middleware.
pub(super) type Layer =
    Arc<dyn Fn(Turn, Next) -> BoxFuture<'static, Result<(), BotError>> + Send + Sync>;

pub(super) fn layer(middleware: impl Middleware) -> Layer {
    let middleware = Arc::new(middleware);
    Arc::new(move |turn, next| {
        let middleware = Arc::clone(&middleware);
        Box::pin(async move { middleware.run(turn, next).await })
    })
}

impl Next {
    pub(super) fn new(layers: &Arc<Vec<Layer>>, handlers: &Arc<Handlers>) -> Self {
        Self { layers: Arc::clone(layers), handlers: Arc::clone(handlers), at: 0 }
    }

    /// Runs the rest of the bot on the turn.
    ///
    /// # Errors
    /// Those of the handlers; and [`Failure::Kept`](crate::Failure::Kept) when a handler kept the
    /// turn, in a spawned task for example. The turn then fails even if the error is caught.
    ///
    /// # Cancellation
    /// Dropping the future drops the handler where it waits; replies that it added until then stay
    /// in the turn.
    pub async fn run(self, turn: &mut Turn) -> Result<(), BotError> {
        turn.lend(|turn| self.start(turn)).await
    }

    pub(super) fn start(mut self, turn: Turn) -> BoxFuture<'static, Result<(), BotError>> {
        match self.layers.get(self.at).cloned() {
            Some(layer) => {
                self.at += 1;
                layer(turn, self)
            }
            None => self.handlers.dispatch(turn),
        }
    }
}

impl fmt::Debug for Next {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Next")
            .field("handlers", &self.handlers)
            .field("middleware", &self.layers.len())
            .field("at", &self.at)
            .finish()
    }
}
