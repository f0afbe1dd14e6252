//! Scripted dialogues for testing a bot, without a server, a store or a clock.
//!
//! A script runs every activity like an attempt of the engine: handlers that fail change nothing, a
//! redelivered activity counts once, timers are durable and fire once. State goes from turn to turn
//! as JSON. Nothing is sent and only the script's own clock advances, so a script takes
//! microseconds and has the same result each time.
//!
//! The methods only record steps; awaiting the script plays them. A bot that says something other
//! than the script expects, or more, or less, fails the test with the dialogue so far and an arrow
//! at the line that differs. Only typing and trace activities need not be expected.
//!
//! # Example
//! ```
//! use sayso_turn::{Bot, Turn, script::chat};
//!
//! # #[tokio::main(flavor = "current_thread")] async fn main() {
//! let bot = Bot::new().on_message(async |mut turn: Turn| {
//!     let size = turn.state().named::<Option<String>>("size")?.clone();
//!     match (size, turn.text().to_owned()) {
//!         (None, text) if text == "hi" => turn.say("What size?"),
//!         (None, text) => {
//!             *turn.state().named("size")? = Some(text);
//!             turn.say("Which topping?")
//!         }
//!         (Some(size), text) => turn.say(format!("A {size} pizza with {text}.")),
//!     };
//!     Ok(())
//! });
//! chat(bot)
//!     .user("hi")
//!     .expects("What size?")
//!     .user("large")
//!     .expects("Which topping?")
//!     .again() // the channel delivers it once more
//!     .expects_nothing()
//!     .user("olives")
//!     .expects("A large pizza with olives.")
//!     .await;
//! # }
//! ```

mod address;
mod chat_text;
mod dialogue;
mod expects;
mod line;
mod matching;
mod mismatch;
mod play;
mod recorded;
mod setting;
mod stage;
mod step;
mod transcript;
mod transcript_error;

pub use dialogue::Dialogue;
pub use line::Line;
pub use mismatch::Mismatch;
pub use step::Verdict;
pub use transcript::Transcript;
pub use transcript_error::TranscriptError;

use std::{
    any::{Any, TypeId, type_name},
    fmt,
    panic::Location,
    sync::Arc,
    time::Duration,
};

use sayso_activity::{Activity, Kind};

use crate::{Bag, BotError, Logic, clock::Timestamp};
use address::Address;
use recorded::Recorded;
use step::{ForcedCall, Placed, Step};

/// Time at which a script's clock starts: noon on a Monday, 2024-01-01T12:00:00Z.
const NOON: Timestamp = Timestamp::from_millis(1_704_110_400_000);

/// Starts a script with a bot. See the [module](self) for an example.
#[track_caller]
pub fn chat<'a>(bot: impl Logic) -> Script<'a> {
    Script::new(Source::One(Arc::new(bot)))
}

/// Starts a script with a factory of the bot, so that [`Script::restart`] can make a new one.
///
/// # Example
/// ```
/// use sayso_turn::{Bot, Turn, script::chat_with};
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() {
/// let bot = || Bot::new().on_message(async |mut turn: Turn| {
///     let count = turn.state().named::<u32>("count")?;
///     *count += 1;
///     let line = format!("{count}");
///     turn.say(line);
///     Ok(())
/// });
/// chat_with(bot).user("a").expects("1").restart().user("b").expects("2").await;
/// # }
/// ```
#[track_caller]
pub fn chat_with<'a, L: Logic>(make: impl Fn() -> L + Send + 'a) -> Script<'a> {
    Script::new(Source::Factory(Box::new(move || Arc::new(make()))))
}

/// Script of a dialogue: steps in order. Await it, or [`run`](Self::run) it for a result.
///
/// # Example
/// ```
/// # use sayso_turn::{Bot, Turn, script::{Script, chat}};
/// /// Parts that scripts have in common are functions.
/// fn greets(script: Script<'_>) -> Script<'_> {
///     script.user("hi").expects("Hello!")
/// }
/// # #[tokio::main(flavor = "current_thread")] async fn main() {
/// # let bot = Bot::new().on_message(async |mut turn: Turn| { turn.say("Hello!"); Ok(()) });
/// greets(greets(chat(bot))).await;
/// # }
/// ```
#[must_use = "a script does nothing until it is awaited or run"]
pub struct Script<'a> {
    source: Source<'a>,
    address: Address,
    starts_at: Timestamp,
    starts_with: Option<Bag>,
    is_contended: bool,
    is_restarting: bool,
    begins: &'static Location<'static>,
    /// The line of the recording whose steps are added.
    recorded: Option<Recorded>,
    steps: Vec<Placed<'a>>,
}

/// Source of the bot: an existing one, or a factory.
enum Source<'a> {
    One(Arc<dyn Logic>),
    Factory(Box<dyn FnMut() -> Arc<dyn Logic> + Send + 'a>),
}

impl<'a> Script<'a> {
    #[track_caller]
    fn new(source: Source<'a>) -> Self {
        Self {
            source,
            address: Address::default(),
            starts_at: NOON,
            starts_with: None,
            is_contended: false,
            is_restarting: false,
            begins: Location::caller(),
            recorded: None,
            steps: Vec::new(),
        }
    }

    #[track_caller]
    fn then(mut self, step: Step<'a>) -> Self {
        let recorded = self.recorded.clone();
        self.steps.push(Placed { at: Location::caller(), recorded, step });
        self
    }

    /// Sends a message from the user.
    #[track_caller]
    pub fn user(self, text: impl Into<String>) -> Self {
        self.activity(Activity::message(text))
    }

    /// Sends any activity to the bot. Missing parts of the address (channel, conversation, sender,
    /// recipient, language, id) are filled in.
    ///
    /// # Example
    /// ```
    /// # use sayso_turn::{Bot, Turn, activity::Activity, script::chat};
    /// # #[tokio::main(flavor = "current_thread")] async fn main() {
    /// # let bot = Bot::new().on_event("moved", async |mut turn: Turn| { turn.say("Where to?"); Ok(()) });
    /// chat(bot).activity(Activity::event("moved")).expects("Where to?").await;
    /// # }
    /// ```
    #[track_caller]
    pub fn activity(self, mut activity: Activity) -> Self {
        self.address.fill(&mut activity);
        self.then(Step::Receive(Box::new(activity)))
    }

    /// Lets the user join: a `conversationUpdate` that adds them.
    ///
    /// # Example
    /// ```
    /// # use sayso_turn::{Bot, Turn, script::chat};
    /// # #[tokio::main(flavor = "current_thread")] async fn main() {
    /// # let bot = Bot::new().on_joined(async |mut turn: Turn| { turn.say("Welcome!"); Ok(()) });
    /// chat(bot).joins().expects("Welcome!").await;
    /// # }
    /// ```
    #[track_caller]
    pub fn joins(self) -> Self {
        let members_added = Some(vec![self.address.user.clone()]);
        self.activity(Activity { members_added, ..Activity::new(Kind::ConversationUpdate) })
    }

    /// Redelivers the last activity, as a channel may. If its turn was saved, nothing happens; if
    /// it failed without an error handler, it runs again.
    ///
    /// # Example
    /// ```
    /// # use sayso_turn::{Bot, Turn, script::chat};
    /// # #[tokio::main(flavor = "current_thread")] async fn main() {
    /// # let bot = Bot::new().on_message(async |mut turn: Turn| { turn.say("Hello!"); Ok(()) });
    /// chat(bot).user("hi").expects("Hello!").again().expects_nothing().await;
    /// # }
    /// ```
    #[track_caller]
    pub fn again(self) -> Self {
        self.then(Step::Again)
    }

    /// Advances the clock. Timers that become due fire, each at its time and in order.
    ///
    /// # Example
    /// ```
    /// # use std::time::Duration;
    /// # use sayso_turn::{Bot, Turn, activity::Activity, script::chat};
    /// # #[tokio::main(flavor = "current_thread")] async fn main() {
    /// let bot = Bot::new()
    ///     .on_message(async |mut turn: Turn| {
    ///         turn.after(Duration::from_secs(60), Activity::event("late"));
    ///         Ok(())
    ///     })
    ///     .on_event("late", async |mut turn: Turn| { turn.say("Still there?"); Ok(()) });
    /// chat(bot)
    ///     .user("hi")
    ///     .passes(Duration::from_secs(59))
    ///     .expects_nothing()
    ///     .passes(Duration::from_secs(1))
    ///     .expects("Still there?")
    ///     .await;
    /// # }
    /// ```
    #[track_caller]
    pub fn passes(self, time: Duration) -> Self {
        self.then(Step::Pass(time))
    }

    /// Makes the next [step](crate::Turn::step) of this name fail at every try, or the next call of
    /// [`once`](crate::Turn::once), in place of making it; the bot's own code sees the error. A
    /// call of `once` whose errors are not [`BotError`]s needs
    /// [`fails_with`](Self::fails_with).
    ///
    /// # Example
    /// ```
    /// # use sayso_turn::{Bot, BotError, Turn, script::chat};
    /// # #[tokio::main(flavor = "current_thread")] async fn main() {
    /// let bot = Bot::new().on_message(async |mut turn: Turn| {
    ///     let paid = turn.once("pay", async |_| Ok::<_, BotError>("receipt 7")).await;
    ///     turn.say(paid.unwrap_or("That card was refused; another one?"));
    ///     Ok(())
    /// });
    /// chat(bot)
    ///     .fails("pay")
    ///     .user("here is my card")
    ///     .expects("That card was refused; another one?")
    ///     .user("this one, then")
    ///     .expects("receipt 7")
    ///     .await;
    /// # }
    /// ```
    #[track_caller]
    pub fn fails(self, name: impl Into<String>) -> Self {
        self.fails_with(name, || BotError::from("the script makes this call fail"))
    }

    /// Makes the next call under this name fail with an error of its own type.
    ///
    /// # Example
    /// ```
    /// # use sayso_turn::{Bot, BotError, Turn, script::chat};
    /// # #[tokio::main(flavor = "current_thread")] async fn main() {
    /// #[derive(Debug)]
    /// enum Refused { NoMoney }
    ///
    /// let bot = Bot::new().on_message(async |mut turn: Turn| {
    ///     let paid = turn.once("pay", async |_| Ok::<_, Refused>("receipt 7")).await;
    ///     turn.say(match paid {
    ///         Ok(receipt) => receipt,
    ///         Err(Refused::NoMoney) => "There is no money on that card.",
    ///     });
    ///     Ok(())
    /// });
    /// chat(bot)
    ///     .fails_with("pay", || Refused::NoMoney)
    ///     .user("here is my card")
    ///     .expects("There is no money on that card.")
    ///     .await;
    /// # }
    /// ```
    #[track_caller]
    pub fn fails_with<E: Send + 'static>(
        self,
        name: impl Into<String>,
        error: impl Fn() -> E + Send + Sync + 'static,
    ) -> Self {
        let make = Box::new(move || Box::new(error()) as Box<dyn Any + Send>);
        let of = (TypeId::of::<E>(), type_name::<E>());
        self.then(Step::Fail(Box::new(ForcedCall { name: name.into(), of, make })))
    }

    /// Simulates a restart of the process: the bot is made anew, state is read from its JSON. Needs
    /// [`chat_with`]; see there for an example.
    #[track_caller]
    pub fn restart(self) -> Self {
        self.then(Step::Restart)
    }
}

impl fmt::Debug for Script<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Script").field("steps", &self.steps).finish_non_exhaustive()
    }
}
