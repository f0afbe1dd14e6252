//! The step `ask`: sends a question, waits for the user, and recognises the answer.

use sayso_activity::{Activity, Raw};
use sayso_turn::Turn;

use super::{
    Ask, Conversation, DEADLINE, Error, Late, Question, QuestionContext,
    journal::{Failure, Pending},
    replay::Lookup,
    run::{Input, LentTurn, Stop},
};

impl Conversation {
    /// Asks, and gives the answer: later, in another turn, on any instance.
    ///
    /// # Errors
    /// [`Error::Attempts`] and [`Error::Late`] when the question says so. Others are to be handed
    /// on.
    ///
    /// # Cancellation
    /// This is where a turn ends: the function is dropped here, and replayed when something comes.
    ///
    /// # Example
    /// ```
    /// use sayso_dialog::conversation::{Conversation, Error, Result, choice, number};
    ///
    /// async fn order(c: Conversation) -> Result<()> {
    ///     let size = c.ask(choice("What size?", ["small", "large"])).await?;
    ///     let count: u32 = match c.ask(number("How many?").attempts(3)).await {
    ///         Err(Error::Attempts { .. }) => 1,
    ///         count => count?,
    ///     };
    ///     c.say(format!("{count} {size} ones."));
    ///     Ok(())
    /// }
    /// ```
    pub async fn ask<Q: Question>(&self, ask: Ask<Q>) -> Result<Q::Answer, Error> {
        match self.try_ask(ask) {
            Some(answer) => answer,
            None => Err(self.run.stopped().await),
        }
    }

    /// The answer, or nothing when the run stops to wait for it.
    fn try_ask<Q: Question>(&self, ask: Ask<Q>) -> Option<Result<Q::Answer, Error>> {
        let label = ask.label();
        let found = self.run.lock().find(self.depth, &label);
        let waiting = match found {
            Lookup::Done(answer) => return Some(answer),
            Lookup::Stopped | Lookup::Entered => return None,
            Lookup::New => None,
            Lookup::Waiting(pending, input) => Some((pending, input)),
        };
        let mut lent = match self.run.lend() {
            Ok(lent) => lent,
            Err(error) => return Some(Err(error)),
        };
        let Some((mut pending, input)) = waiting else {
            self.put(&ask, label, &mut lent);
            return None;
        };
        match apply_input(ask, &mut pending, input, &mut lent) {
            Outcome::Nothing => self.wait(&mut lent, pending),
            Outcome::Cancelled => {
                pending.cancel_timers(&mut lent);
                self.run.lock().stop(Stop::Cancelled);
            }
            Outcome::Answer(answer) => {
                pending.cancel_timers(&mut lent);
                drop(lent);
                return Some(self.record(label, Ok(answer)));
            }
            Outcome::Failure(failure, attempts) => {
                pending.cancel_timers(&mut lent);
                drop(lent);
                let step = label.clone();
                let result = Raw::from(serde_json::Value::from(attempts));
                let recorded = self.run.lock().record(self.depth, label, result, Some(failure));
                return Some(Err(match (recorded, failure) {
                    (Err(error), _) => error,
                    (Ok(()), Failure::Attempts) => Error::Attempts { step, attempts },
                    (Ok(()), _) => Error::Late { step },
                }));
            }
        }
        None
    }

    /// Puts a question for the first time.
    fn put<Q: Question>(&self, ask: &Ask<Q>, label: String, lent: &mut LentTurn) {
        prompt(ask, lent, 0, None);
        let deadline = |lent: &mut LentTurn, time| lent.after(time, Activity::event(DEADLINE));
        let timers = ask.deadlines.iter().map(|(time, _)| Some(deadline(lent, *time))).collect();
        let literal = ask.is_literal;
        let pending = Pending { label, depth: self.depth, timers, literal, ..Pending::default() };
        self.wait(lent, pending);
    }
}

enum Outcome<A> {
    Answer(A),
    Failure(Failure, u32),
    Cancelled,
    Nothing,
}

fn context<'a>(turn: &'a Turn, attempts: u32, words: Option<&'a str>) -> QuestionContext<'a> {
    QuestionContext { inbound: turn.activity(), now: turn.now(), attempts, words }
}

fn prompt<Q: Question>(ask: &Ask<Q>, turn: &mut Turn, attempts: u32, words: Option<&str>) {
    let asked = ask.question.render(&context(turn, attempts, words));
    turn.send(ask.dress(asked, words.is_none()));
}

/// Applies the turn's input to a question that waits.
fn apply_input<Q: Question>(
    mut ask: Ask<Q>,
    pending: &mut Pending,
    input: Input,
    lent: &mut LentTurn,
) -> Outcome<Q::Answer> {
    if let Some(late) = pending.late.take() {
        // There may be fewer deadlines than when it was asked, if the code has changed.
        if late < ask.deadlines.len() {
            match ask.deadlines.swap_remove(late).1 {
                Late::Remind => {}
                Late::Default(answer) => return Outcome::Answer(answer),
                Late::Cancel => return Outcome::Cancelled,
                Late::Fail => return Outcome::Failure(Failure::Late, pending.attempts),
            }
        }
    }
    if input == Input::Resume {
        prompt(&ask, lent, pending.attempts, None);
        return Outcome::Nothing;
    }
    let understood = {
        let context = context(lent, pending.attempts, None);
        ask.question.recognize(context.inbound, &context)
    };
    let objection = match understood {
        Some(answer) => match ask.objection(&answer) {
            None => return Outcome::Answer(answer),
            objection => objection,
        },
        // An event or a sign of typing is no wrong answer.
        None if !lent.activity().is_message() => return Outcome::Nothing,
        None => None,
    };
    pending.attempts = pending.attempts.saturating_add(1);
    if ask.attempts_max.is_some_and(|most| pending.attempts >= most) {
        return Outcome::Failure(Failure::Attempts, pending.attempts);
    }
    let words = objection.as_deref().or(ask.retry.as_deref());
    prompt(&ask, lent, pending.attempts, words);
    Outcome::Nothing
}
