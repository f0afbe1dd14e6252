//! Driver of a turn: dispatches the activity to a question, a cancel word, help or an interruption,
//! and runs the conversation's function.

use std::{future::poll_fn, sync::Arc, task::Poll};

use sayso_activity::{Activity, Kind};
use sayso_turn::{BotError, Turn};

use super::{
    Conversation, DEADLINE, Difference, Error, Flow,
    flow::Function,
    journal::{Frame, Journal},
    run::{Input, Run, Stop},
    settings::Settings,
};
use crate::Changed;

/// Runs a turn.
pub(super) async fn drive<T: Send + 'static>(
    flow: Arc<Flow<T>>,
    mut turn: Turn,
) -> Result<(), BotError> {
    let settings = &flow.settings;
    turn.state().claim(&settings.property, &flow.owner())?;
    let mut journal = Journal::take(&mut turn, &settings.property)?;
    let mut next = flow.dispatch(&mut turn, &mut journal)?;
    let mut result = None;
    while let Some(input) = next
        && let Some(mut frame) = journal.frames.pop()
    {
        let Some(function) = flow.function(&frame.name) else {
            next = flow.drop_unknown(frame, &mut turn, &mut journal)?;
            continue;
        };
        let (back, ended);
        (back, frame, ended) = perform(function, turn, frame, input, settings).await?;
        turn = back;
        next = match ended {
            Ended::Suspended => {
                journal.frames.push(frame);
                None
            }
            Ended::Done(value) => {
                frame.cancel_timers(&mut turn);
                result = value;
                resume(&journal)
            }
            Ended::Cancelled => flow.cancel(frame, &mut turn, &journal),
            Ended::Changed(difference) => {
                let frame = flow.restart(frame, difference, &mut turn)?;
                journal.frames.push(frame);
                Some(Input::Answer)
            }
        };
    }
    journal.put(&mut turn, &settings.property)?;
    match (result, &flow.done) {
        (Some(result), Some(done)) => done(turn, result).await,
        _ => Ok(()),
    }
}

/// The outcome of running a function in one turn.
enum Ended<T> {
    Suspended,
    Done(Option<T>),
    Cancelled,
    Changed(Difference),
}

/// Runs a function until it waits for something that is not there yet, or ends.
async fn perform<T>(
    function: &Function<T>,
    turn: Turn,
    frame: Frame,
    input: Input,
    settings: &Arc<Settings>,
) -> Result<(Turn, Frame, Ended<T>), BotError> {
    let run = Run::new(turn, frame, input, Arc::clone(settings));
    let mut future = function(Conversation { run: Arc::clone(&run), depth: 0 });
    let returned = poll_fn(|cx| match future.as_mut().poll(cx) {
        Poll::Ready(returned) => Poll::Ready(Some(returned)),
        Poll::Pending if run.has_stopped(cx.waker()) => Poll::Ready(None),
        Poll::Pending => Poll::Pending,
    });
    let returned = returned.await;
    if let Some(Ok(_)) = returned {
        run.lock().check_end(0);
    }
    // The function's handles go before the turn is taken from them.
    drop(future);
    let (turn, frame, stop) = run.end();
    let turn = turn.ok_or(Error::Overlapping)?;
    let ended = match (stop, returned) {
        (Some(Stop::Failed(error)), _) => return Err(error.into()),
        (Some(Stop::Changed(difference)), _) => Ended::Changed(difference),
        (Some(Stop::Cancelled), _) => Ended::Cancelled,
        (None, Some(returned)) => Ended::Done(returned?),
        (Some(Stop::Suspended) | None, _) => Ended::Suspended,
    };
    Ok((turn, frame, ended))
}

impl<T: Send + 'static> Flow<T> {
    /// Decides what an activity is for. `None` when nothing is to be run.
    fn dispatch(&self, turn: &mut Turn, journal: &mut Journal) -> Result<Option<Input>, Error> {
        let settings = &self.settings;
        let activity = turn.activity();
        if activity.kind == Kind::Event && activity.name.as_deref() == Some(DEADLINE) {
            let timer = activity.id.as_deref().unwrap_or_default();
            return Ok(journal.ring(timer).then_some(Input::Resume));
        }
        if !activity.is_message() {
            if journal.frames.is_empty() && self.begins(activity)? {
                journal.frames.extend(self.parts.first().map(|part| Frame::new(&part.name)));
            }
            return Ok((!journal.frames.is_empty()).then_some(Input::Answer));
        }
        let waits = journal.frames.last().and_then(|frame| frame.pending.as_ref());
        if waits.is_none_or(|pending| !pending.literal) {
            let text = activity.text();
            if settings.cancel_words.has(text) {
                return Ok(match journal.frames.pop() {
                    Some(frame) => self.cancel(frame, turn, journal),
                    None => {
                        turn.say(&settings.on_cancel);
                        None
                    }
                });
            }
            if let Some(help) = settings.help.as_ref().filter(|_| settings.help_words.has(text)) {
                turn.say(help);
                return Ok(resume(journal));
            }
            if let Some(part) = self.parts.iter().find(|part| part.words.has(text)) {
                self.interrupted(&part.name, journal)?;
            }
        }
        if journal.frames.is_empty() {
            journal.frames.extend(self.parts.first().map(|part| Frame::new(&part.name)));
        }
        Ok(Some(Input::Answer))
    }

    /// Reports whether an activity begins the conversation. One that a question may wait for does
    /// not.
    fn begins(&self, activity: &Activity) -> Result<bool, Error> {
        let name = activity.name.as_deref().unwrap_or_default();
        let is_answer = activity.kind == Kind::Event && self.events.iter().any(|own| own == name);
        match self.beginnings.begin(activity, &self.owner()) {
            Err(_) if is_answer => Ok(false),
            begun => Ok(begun?),
        }
    }

    /// Puts a conversation on top, unless it is under way already: then the word is an answer.
    fn interrupted(&self, name: &str, journal: &mut Journal) -> Result<(), Error> {
        if journal.frames.iter().any(|frame| frame.name == name) {
            return Ok(());
        }
        if journal.frames.len() >= self.settings.limits.nested_max {
            let what = format!("too many conversations interrupt one another with `{name}`");
            return Err(Error::Limit { what, limit: "nested_max" });
        }
        journal.frames.push(Frame::new(name));
        Ok(())
    }

    fn function(&self, name: &str) -> Option<&Function<T>> {
        self.parts.iter().find(|part| part.name == name).map(|part| &part.function)
    }

    /// Ends a frame before its time, and goes on with the one below.
    fn cancel(&self, mut frame: Frame, turn: &mut Turn, journal: &Journal) -> Option<Input> {
        frame.cancel_timers(turn);
        turn.say(&self.settings.on_cancel);
        resume(journal)
    }

    /// Begins a frame again whose function has changed, if that is the policy.
    fn restart(&self, frame: Frame, found: Difference, turn: &mut Turn) -> Result<Frame, Error> {
        let name = frame.name.clone();
        self.drop_changed(frame, found, turn)?;
        Ok(Frame::new(name))
    }

    /// Goes on without a frame whose function the code does not have any more.
    fn drop_unknown(
        &self,
        frame: Frame,
        turn: &mut Turn,
        journal: &mut Journal,
    ) -> Result<Option<Input>, Error> {
        let found = Difference {
            conversation: frame.name.clone(),
            position: "0".to_owned(),
            recorded: format!("the conversation {}", frame.name),
            now: "no conversation of this name".to_owned(),
            policy: self.settings.policy(),
        };
        self.drop_changed(frame, found, turn)?;
        if let (true, Some(part)) = (journal.frames.is_empty(), self.parts.first()) {
            journal.frames.push(Frame::new(&part.name));
            return Ok(Some(Input::Answer));
        }
        Ok(resume(journal))
    }

    fn drop_changed(
        &self,
        mut frame: Frame,
        difference: Difference,
        turn: &mut Turn,
    ) -> Result<(), Error> {
        if self.settings.changed == Changed::Fail {
            return Err(difference.into());
        }
        tracing::warn!(%difference, "a conversation was dropped");
        frame.cancel_timers(turn);
        if let Changed::Restart(Some(notice)) = &self.settings.changed {
            turn.say(notice);
        }
        Ok(())
    }
}

/// Asks again what waits, if anything does.
fn resume(journal: &Journal) -> Option<Input> {
    (!journal.frames.is_empty()).then_some(Input::Resume)
}
