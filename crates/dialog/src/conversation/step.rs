//! The lifecycle of a step: it begins, and its result is recorded.

use sayso_activity::Raw;
use sayso_turn::{BotError, Turn};
use serde::{Serialize, de::DeserializeOwned};

use super::{
    Conversation, Error,
    journal::{Failure, Pending},
    replay::Lookup,
    run::LentTurn,
};

/// The beginning of a step.
pub(super) enum StepStart<R, W = LentTurn> {
    Done(Result<R, Error>),
    /// It is to be done with this.
    Work(W),
    Stopped,
}

impl Conversation {
    /// Suspends the run until something comes for a step.
    pub(super) fn wait(&self, lent: &mut LentTurn, pending: Pending) {
        let before = self.run.lock().wait(pending);
        if let Some(before) = before {
            before.cancel_timers(lent);
        }
    }

    /// Forgets what a part waited for that the code has left.
    pub(super) fn cancel_timers_of(&self, pending: Option<Pending>) {
        if let (Some(pending), Ok(mut lent)) = (pending, self.run.lend()) {
            pending.cancel_timers(&mut lent);
        }
    }

    /// A step that is done at once.
    pub(super) fn at_once<R: Serialize + DeserializeOwned>(
        &self,
        label: String,
        work: impl FnOnce(&mut Turn) -> Result<R, BotError>,
    ) -> Result<R, Error> {
        let done = match self.begin(&label) {
            StepStart::Done(done) => return done,
            StepStart::Stopped => return Err(Error::Stopped),
            StepStart::Work(mut lent) => work(&mut lent),
        };
        self.record(label, done)
    }

    /// Begins a step that does not wait for the user.
    pub(super) fn begin<R: DeserializeOwned>(&self, label: &str) -> StepStart<R> {
        let found = self.run.lock().find(self.depth, label);
        match found {
            Lookup::Done(done) => StepStart::Done(done),
            Lookup::New => match self.run.lend() {
                Ok(lent) => StepStart::Work(lent),
                Err(error) => StepStart::Done(Err(error)),
            },
            // The last two are for other kinds of steps.
            Lookup::Stopped | Lookup::Entered | Lookup::Waiting(..) => StepStart::Stopped,
        }
    }

    /// Ends a step: keeps its result, also a failure, and gives it as a replay will give it.
    pub(super) fn record<R: Serialize + DeserializeOwned>(
        &self,
        label: String,
        done: Result<R, BotError>,
    ) -> Result<R, Error> {
        let step = label.clone();
        let mut run = self.run.lock();
        match done {
            Ok(value) => {
                let read = Raw::of(&value).and_then(|raw| Ok((raw.get()?, raw)));
                let (value, raw) = match read {
                    Ok(read) => read,
                    Err(source) => return Err(run.fail(Error::Json { step, source })),
                };
                run.record(self.depth, label, raw, None)?;
                Ok(value)
            }
            Err(source) => {
                let text = Raw::from(serde_json::Value::from(source.to_string()));
                run.record(self.depth, label, text, Some(Failure::Failed))?;
                Err(Error::Failed { step, source })
            }
        }
    }

    /// A name for a step that no other step of this conversation has.
    pub(super) fn effect_name(&self, name: &str) -> String {
        let run = self.run.lock();
        format!("{}/{}/{name}", run.frame.name, run.frame.position(self.depth))
    }
}
