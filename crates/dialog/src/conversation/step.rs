//! What all steps have in common: they begin, and their results are kept.

use sayso_activity::Raw;
use sayso_turn::{BotError, Turn};
use serde::{Serialize, de::DeserializeOwned};

use super::{
    Conversation, Error,
    journal::{Lost, Pending},
    replay::Found,
    run::Lent,
};

/// How a step begins.
pub(super) enum Begun<R, W = Lent> {
    Done(Result<R, Error>),
    /// It is to be done with this.
    Work(W),
    Stopped,
}

impl Conversation {
    /// Suspends the run until something comes for a step.
    pub(super) fn wait(&self, lent: &mut Lent, pending: Pending) {
        let before = self.run.lock().wait(pending);
        if let Some(before) = before {
            before.let_go(lent);
        }
    }

    /// Forgets what a part waited for that the code has left.
    pub(super) fn let_go(&self, pending: Option<Pending>) {
        if let (Some(pending), Ok(mut lent)) = (pending, self.run.lend()) {
            pending.let_go(&mut lent);
        }
    }

    /// A step that is done at once.
    pub(super) fn step<R: Serialize + DeserializeOwned>(
        &self,
        label: String,
        work: impl FnOnce(&mut Turn) -> Result<R, BotError>,
    ) -> Result<R, Error> {
        let done = match self.begin(&label) {
            Begun::Done(done) => return done,
            Begun::Stopped => return Err(Error::Stopped),
            Begun::Work(mut lent) => work(&mut lent),
        };
        self.record(label, done)
    }

    /// Begins a step that does not wait for the user.
    pub(super) fn begin<R: DeserializeOwned>(&self, label: &str) -> Begun<R> {
        let found = self.run.lock().find(self.depth, label);
        match found {
            Found::Done(done) => Begun::Done(done),
            Found::New => match self.run.lend() {
                Ok(lent) => Begun::Work(lent),
                Err(error) => Begun::Done(Err(error)),
            },
            // The last two are for other kinds of steps.
            Found::Stopped | Found::Begun | Found::Waiting(..) => Begun::Stopped,
        }
    }

    /// Ends a step: keeps its result, also a failure, and gives it as a replay will give it.
    pub(super) fn record<R: Serialize + DeserializeOwned>(
        &self,
        label: String,
        done: Result<R, BotError>,
    ) -> Result<R, Error> {
        let step = label.clone();
        let mut inside = self.run.lock();
        match done {
            Ok(value) => {
                let read = Raw::of(&value).and_then(|raw| Ok((raw.get()?, raw)));
                let (value, raw) = match read {
                    Ok(read) => read,
                    Err(source) => return Err(inside.fail(Error::Json { step, source })),
                };
                inside.record(self.depth, label, raw, None)?;
                Ok(value)
            }
            Err(source) => {
                let text = Raw::from(serde_json::Value::from(source.to_string()));
                inside.record(self.depth, label, text, Some(Lost::Failed))?;
                Err(Error::Failed { step, source })
            }
        }
    }

    /// A name for a step that no other step of this conversation has.
    pub(super) fn effect_name(&self, name: &str) -> String {
        let inside = self.run.lock();
        format!("{}/{}/{name}", inside.frame.name, inside.frame.position(self.depth))
    }
}
