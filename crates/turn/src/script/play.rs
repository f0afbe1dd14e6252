//! Execution of a script: step by step, until the end or the first mismatch.

use std::{future::IntoFuture, panic::Location};

use futures_util::future::BoxFuture;

use super::{
    Dialogue, Line, Mismatch, Script, Source,
    mismatch::Mark,
    recorded::Recorded,
    stage::Stage,
    step::{Placed, Step},
};
use crate::run::Unforced;

/// A mismatch without its location in the code.
pub(super) struct Found {
    pub(super) what: String,
    pub(super) mark: Mark,
    pub(super) details: Vec<(&'static str, String)>,
}

pub(super) struct Player<'a> {
    pub(super) stage: Stage<'a>,
    /// Number of lines that the script has consumed.
    pub(super) read: usize,
}

impl<'a> Script<'a> {
    /// Plays the script and returns a `Result`, where `.await` would fail the test.
    ///
    /// # Errors
    /// At the first step that does not match.
    ///
    /// # Cancellation
    /// Dropping the future ends the script; it has no effects outside.
    ///
    /// # Example
    /// ```
    /// # use sayso_turn::{Bot, Turn, script::chat};
    /// # #[tokio::main(flavor = "current_thread")] async fn main() {
    /// # let bot = Bot::new().on_message(async |mut turn: Turn| { turn.say("Hello!"); Ok(()) });
    /// let mismatch = chat(bot).user("hi").run().await.unwrap_err();
    /// assert!(mismatch.to_string().starts_with("the bot says more than the script expects"));
    /// # }
    /// ```
    pub async fn run(self) -> Result<Dialogue, Mismatch> {
        let Self { source, begins, steps, .. } = self;
        let is_restart = |placed: &&Placed<'_>| matches!(placed.step, Step::Restart);
        let wants_restart = match (&source, steps.iter().find(is_restart)) {
            (Source::Factory(_), _) => None,
            (Source::One(_), Some(placed)) => Some(placed.at),
            (Source::One(_), None) => self.is_restarting.then_some(begins),
        };
        let stage = Stage::new(source, self.starts_at, self.starts_with);
        let stage = stage.disturbed(self.is_contended, self.is_restarting);
        let mut player = Player { stage, read: 0 };
        if let Some(at) = wants_restart {
            let what = "a restart needs a way to make the bot anew: begin with `chat_with`";
            return Err(player.mismatch((at, None), Found::new(what, Mark::End)));
        }
        let mut last = (begins, None);
        for Placed { at, recorded, step } in steps {
            last = (at, recorded);
            if let Err(found) = player.step(step).await {
                return Err(player.mismatch(last, found));
            }
        }
        match player.silence().and_then(|()| player.all_failed()) {
            Ok(()) => Ok(player.dialogue()),
            Err(found) => Err(player.mismatch(last, found)),
        }
    }
}

/// Plays the script. The output is the dialogue.
///
/// # Panics
/// At the first step that does not match: that is how a test fails.
impl<'a> IntoFuture for Script<'a> {
    type Output = Dialogue;
    type IntoFuture = BoxFuture<'a, Dialogue>;

    #[expect(clippy::panic, reason = "a script is an assertion: it fails the test that awaits it")]
    fn into_future(self) -> Self::IntoFuture {
        Box::pin(async move {
            match self.run().await {
                Ok(dialogue) => dialogue,
                Err(mismatch) => panic!("{mismatch}"),
            }
        })
    }
}

impl Player<'_> {
    async fn step(&mut self, step: Step<'_>) -> Result<(), Found> {
        // All replies must have been expected before the next input.
        if matches!(step, Step::Receive(_) | Step::Again | Step::Pass(_)) {
            self.silence()?;
        }
        let invalid =
            |error| Found::new(format!("the activity cannot be handled: {error}"), Mark::End);
        match step {
            Step::Receive(activity) => self.stage.receive(*activity).await.map_err(invalid),
            Step::Again => match self.stage.again().await.map_err(invalid)? {
                true => Ok(()),
                false => Err(Found::new("there is no activity to deliver again", Mark::End)),
            },
            Step::Pass(time) => match self.stage.pass(time).await {
                true => Ok(()),
                false => Err(Found::new("timers fire without an end", Mark::End)),
            },
            Step::Restart => {
                self.stage.restart();
                self.stage.lines.push(Line::Note("restart"));
                Ok(())
            }
            Step::Fail(call) => {
                self.stage.failures.add(call.name, call.of, call.make);
                Ok(())
            }
            Step::Expect(expectation) => self.expect(expectation),
            Step::State(scope, check) => self.state(scope, check),
        }
    }

    fn dialogue(self) -> Dialogue {
        Dialogue { lines: self.stage.lines, documents: self.stage.documents }
    }

    /// Checks that every call that was to fail has been made.
    fn all_failed(&self) -> Result<(), Found> {
        let Some(Unforced { name, misfit }) = self.stage.failures.left() else { return Ok(()) };
        let what = match misfit {
            None => format!("the call `{name}` was to fail, and was never made"),
            Some((wanted, made)) => format!(
                "the call `{name}` fails with a {wanted}, and the script has a {made}: use \
                 `fails_with`"
            ),
        };
        Err(Found::new(what, Mark::End))
    }

    fn mismatch(
        self,
        (at, recorded): (&'static Location<'static>, Option<Recorded>),
        found: Found,
    ) -> Mismatch {
        let Found { what, mark, details } = found;
        Mismatch { what, at, recorded, dialogue: self.dialogue(), mark, details }
    }
}

impl Found {
    pub(super) fn new(what: impl Into<String>, mark: Mark) -> Self {
        Self { what: what.into(), mark, details: Vec::new() }
    }
}
