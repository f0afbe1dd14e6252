//! Steps of a script, recorded before they are played.

use std::{
    any::TypeId,
    fmt,
    panic::{AssertUnwindSafe, Location, catch_unwind},
    time::Duration,
};

use sayso_activity::{Activity, Kind};

use super::recorded::Recorded;
use crate::{Bag, document::Response, run::MakeError};

/// A step and its location in the code.
pub(super) struct Placed<'a> {
    pub(super) at: &'static Location<'static>,
    /// The line of a recording, if the step is of one.
    pub(super) recorded: Option<Recorded>,
    pub(super) step: Step<'a>,
}

pub(super) enum Step<'a> {
    Receive(Box<Activity>),
    Again,
    Pass(Duration),
    Restart,
    Fail(Box<ForcedCall>),
    Expect(Expectation<'a>),
    State(Scope, Check<'a, Bag>),
}

/// A call that is to fail, and its error.
pub(super) struct ForcedCall {
    pub(super) name: String,
    /// Type of the error: its id and its name.
    pub(super) of: (TypeId, &'static str),
    pub(super) make: MakeError,
}

/// Expectation of the bot's next action.
pub(super) enum Expectation<'a> {
    Text(String),
    AnyText(Vec<String>),
    Containing(String),
    Kind(Kind),
    Card(String),
    Activity(Check<'a, Activity>),
    Nothing,
    Failure,
    Response(Check<'a, Response>),
}

/// Scope of a state check.
#[derive(Clone, Copy, Debug)]
pub(super) enum Scope {
    Conversation,
    User,
}

/// Check by the test's own code; `Err` describes the failure.
pub(super) type Check<'a, T> = Box<dyn FnOnce(&T) -> Result<(), String> + Send + 'a>;

/// Result of a script's check: `bool`, or nothing if it asserts by itself.
///
/// # Example
/// ```
/// # use sayso_turn::{Bot, Turn, script::chat};
/// # #[tokio::main(flavor = "current_thread")] async fn main() {
/// # let bot = || Bot::new().on_message(async |mut turn: Turn| { turn.say("Hello!"); Ok(()) });
/// chat(bot()).user("hi").expects_activity(|a| a.text().ends_with('!')).await;
/// chat(bot()).user("hi").expects_activity(|a| assert_eq!(a.text(), "Hello!")).await;
/// # }
/// ```
pub trait Verdict {
    /// Reports whether the check holds.
    fn holds(self) -> bool;
}

impl Verdict for bool {
    fn holds(self) -> bool {
        self
    }
}

impl Verdict for () {
    fn holds(self) -> bool {
        true
    }
}

/// Makes a check of a closure. A panic becomes an `Err`, so that the dialogue is shown.
pub(super) fn check<'a, T, V: Verdict>(look: impl FnOnce(&T) -> V + Send + 'a) -> Check<'a, T> {
    Box::new(move |value| match catch_unwind(AssertUnwindSafe(|| look(value).holds())) {
        Ok(true) => Ok(()),
        Ok(false) => Err("it is false".to_owned()),
        Err(panic) => {
            let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
            let text = text.or_else(|| panic.downcast_ref::<String>().cloned());
            Err(text.unwrap_or_else(|| "it panics".to_owned()))
        }
    })
}

impl fmt::Debug for Placed<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at {}", self.step.name(), self.at)
    }
}

impl Step<'_> {
    fn name(&self) -> &'static str {
        match self {
            Self::Receive(_) => "activity",
            Self::Again => "again",
            Self::Pass(_) => "passes",
            Self::Restart => "restart",
            Self::Fail(_) => "fails",
            Self::Expect(_) => "expects",
            Self::State(..) => "state",
        }
    }
}
