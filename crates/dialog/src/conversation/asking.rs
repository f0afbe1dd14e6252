//! The step that waits for the user: a question is put, and later its answer is understood.

use sayso_activity::{Activity, Raw};
use sayso_turn::Turn;

use super::{
    Ask, Asking, Conversation, DEADLINE, Error, Late, Question,
    journal::{Lost, Pending},
    replay::Found,
    run::{Input, Lent, Stop},
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
            Found::Done(answer) => return Some(answer),
            Found::Stopped | Found::Begun => return None,
            Found::New => None,
            Found::Waiting(pending, input) => Some((pending, input)),
        };
        let mut lent = match self.run.lend() {
            Ok(lent) => lent,
            Err(error) => return Some(Err(error)),
        };
        let Some((mut pending, input)) = waiting else {
            self.put(&ask, label, &mut lent);
            return None;
        };
        match hear(ask, &mut pending, input, &mut lent) {
            Heard::Nothing => self.wait(&mut lent, pending),
            Heard::Cancelled => {
                pending.let_go(&mut lent);
                self.run.lock().stop(Stop::Cancelled);
            }
            Heard::Answer(answer) => {
                pending.let_go(&mut lent);
                drop(lent);
                return Some(self.record(label, Ok(answer)));
            }
            Heard::Lost(lost, attempts) => {
                pending.let_go(&mut lent);
                drop(lent);
                let step = label.clone();
                let result = Raw::from(serde_json::Value::from(attempts));
                let recorded = self.run.lock().record(self.depth, label, result, Some(lost));
                return Some(Err(match (recorded, lost) {
                    (Err(error), _) => error,
                    (Ok(()), Lost::Attempts) => Error::Attempts { step, attempts },
                    (Ok(()), _) => Error::Late { step },
                }));
            }
        }
        None
    }

    /// Puts a question for the first time.
    fn put<Q: Question>(&self, ask: &Ask<Q>, label: String, lent: &mut Lent) {
        prompt(ask, lent, 0, None);
        let deadline = |lent: &mut Lent, time| lent.after(time, Activity::event(DEADLINE));
        let timers = ask.deadlines.iter().map(|(time, _)| Some(deadline(lent, *time))).collect();
        let literal = ask.is_literal;
        let pending = Pending { label, depth: self.depth, timers, literal, ..Pending::default() };
        self.wait(lent, pending);
    }
}

enum Heard<A> {
    Answer(A),
    Lost(Lost, u32),
    Cancelled,
    Nothing,
}

fn asking<'a>(turn: &'a Turn, attempts: u32, words: Option<&'a str>) -> Asking<'a> {
    Asking { inbound: turn.activity(), now: turn.now(), attempts, words }
}

fn prompt<Q: Question>(ask: &Ask<Q>, turn: &mut Turn, attempts: u32, words: Option<&str>) {
    let activity = ask.question.render(&asking(turn, attempts, words));
    turn.send(activity);
}

/// What has come for a question that waits.
fn hear<Q: Question>(
    mut ask: Ask<Q>,
    pending: &mut Pending,
    input: Input,
    lent: &mut Lent,
) -> Heard<Q::Answer> {
    if let Some(late) = pending.late.take() {
        // There may be fewer deadlines than when it was asked, if the code has changed.
        if late < ask.deadlines.len() {
            match ask.deadlines.swap_remove(late).1 {
                Late::Remind => {}
                Late::Default(answer) => return Heard::Answer(answer),
                Late::Cancel => return Heard::Cancelled,
                Late::Fail => return Heard::Lost(Lost::Late, pending.attempts),
            }
        }
    }
    if input == Input::Resume {
        prompt(&ask, lent, pending.attempts, None);
        return Heard::Nothing;
    }
    let understood = {
        let asking = asking(lent, pending.attempts, None);
        ask.question.recognize(asking.inbound, &asking)
    };
    let objection = match understood {
        Some(answer) => match ask.objection(&answer) {
            None => return Heard::Answer(answer),
            objection => objection,
        },
        // An event or a sign of typing is no wrong answer.
        None if !lent.activity().is_message() => return Heard::Nothing,
        None => None,
    };
    pending.attempts = pending.attempts.saturating_add(1);
    if ask.attempts_max.is_some_and(|most| pending.attempts >= most) {
        return Heard::Lost(Lost::Attempts, pending.attempts);
    }
    let words = objection.as_deref().or(ask.retry.as_deref());
    prompt(&ask, lent, pending.attempts, words);
    Heard::Nothing
}
