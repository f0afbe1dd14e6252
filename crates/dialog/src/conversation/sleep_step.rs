//! Steps without a question: `sleep`, on a durable timer, and `cancel`.

use std::{convert::Infallible, time::Duration};

use sayso_activity::{Activity, Raw};

use super::{
    Conversation, DEADLINE, Error,
    journal::Pending,
    label,
    replay::Lookup,
    run::{Input, Stop},
};

impl Conversation {
    /// Sleeps on a durable timer, for any length of time, whatever becomes of this process.
    ///
    /// Messages of the user meanwhile are no answer to anything; see
    /// [`Flow::busy`](super::Flow::busy).
    ///
    /// # Errors
    /// See [`Error`]; hand it on.
    ///
    /// # Cancellation
    /// This is where a turn ends: the function is dropped here and replayed when the time has come.
    pub async fn sleep(&self, time: Duration) -> Result<(), Error> {
        match self.try_sleep(time) {
            Some(done) => done,
            None => Err(self.run.stopped().await),
        }
    }

    /// Ends the conversation as a cancel word would. Nothing after this is run.
    ///
    /// # Errors
    /// Always: it never returns a value.
    ///
    /// # Cancellation
    /// This is where the conversation ends.
    pub async fn cancel(&self) -> Result<Infallible, Error> {
        self.run.lock().stop(Stop::Cancelled);
        Err(self.run.stopped().await)
    }

    fn try_sleep(&self, time: Duration) -> Option<Result<(), Error>> {
        let label = label::named("sleep", "");
        let found = self.run.lock().find(self.depth, &label);
        let mut lent = match found {
            Lookup::Done(done) => return Some(done),
            Lookup::Stopped | Lookup::Entered => return None,
            Lookup::New | Lookup::Waiting(..) => match self.run.lend() {
                Ok(lent) => lent,
                Err(error) => return Some(Err(error)),
            },
        };
        let pending = match found {
            Lookup::Waiting(Pending { late: Some(_), .. }, _) => {
                let done = self.run.lock().record(self.depth, label, Raw::null(), None);
                return Some(done);
            }
            Lookup::Waiting(pending, input) => {
                let busy = self.run.lock().settings.busy.clone();
                if let (Input::Answer, true, Some(busy)) =
                    (input, lent.activity().is_message(), busy)
                {
                    lent.say(busy);
                }
                pending
            }
            _ => {
                let timer = lent.after(time, Activity::event(DEADLINE));
                Pending {
                    label,
                    depth: self.depth,
                    timers: vec![Some(timer)],
                    ..Pending::default()
                }
            }
        };
        self.wait(&mut lent, pending);
        None
    }
}
