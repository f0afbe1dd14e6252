//! One run of a conversation's function, shared by the driver and the handles.
//!
//! The function holds a handle to this; so may clones of the handle that it leaks. Nobody's code is
//! called while the lock is held: the turn is taken out for as long as code of others works on it.

use std::{
    mem,
    ops::{Deref, DerefMut},
    pin::Pin,
    sync::{Arc, Mutex, MutexGuard},
    task::{Context, Poll, Waker},
};

use sayso_activity::Activity;
use sayso_turn::Turn;

use super::{
    Difference, Error,
    journal::{Frame, Scope},
    settings::Settings,
};
use crate::sync::lock;

/// A run, shared by the driver and the handles.
#[derive(Debug)]
pub(super) struct Run(Mutex<RunState>);

#[derive(Debug)]
pub(super) struct RunState {
    /// `None` while it is lent out, and when the run is over.
    turn: Option<Turn>,
    pub(super) frame: Frame,
    /// The scope whose steps are expected.
    pub(super) depth: usize,
    /// True if the last step was done in this turn: what is said after it has not been said before.
    pub(super) is_live: bool,
    /// The label of the step at which the last turn stopped. `None` once this turn has reached it:
    /// no earlier turn has said anything after that, even if the journal has further entries.
    pub(super) frontier: Option<String>,
    pub(super) input: Option<Input>,
    /// Said, and not yet handed to the turn.
    pub(super) unsent: Vec<Activity>,
    /// Said since the last step of a replay: an earlier turn has said it, unless the code is new.
    pub(super) muted: Vec<Activity>,
    pub(super) stop: Option<Stop>,
    pub(super) is_over: bool,
    /// The waker of the task that polls the function, and those of stopped steps.
    driver: Option<Waker>,
    waiting: Vec<Waker>,
    /// The number of entries, and the number of their bytes.
    pub(super) size: (usize, usize),
    /// True once a difference was tolerated.
    pub(super) is_changed: bool,
    pub(super) settings: Arc<Settings>,
}

/// The turn's input for the question that is waiting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Input {
    /// Its activity may be an answer.
    Answer,
    /// Nothing: a deadline has passed, or the question must be asked again after an interruption.
    Resume,
}

/// The reason why a run does not go on in this turn.
#[derive(Debug)]
pub(super) enum Stop {
    Suspended,
    Cancelled,
    Changed(Difference),
    Failed(Error),
}

impl Run {
    pub(super) fn new(
        turn: Turn,
        mut frame: Frame,
        input: Input,
        settings: Arc<Settings>,
    ) -> Arc<Self> {
        if frame.scopes.is_empty() {
            frame.scopes.push(Scope::default());
        }
        let is_fresh = frame.pending.is_none();
        let waits = frame.pending.as_ref();
        let frontier = waits.map(|waits| waits.before.as_ref().unwrap_or(&waits.label).clone());
        let size = frame.size();
        Arc::new(Self(Mutex::new(RunState {
            turn: Some(turn),
            frame,
            depth: 0,
            is_live: is_fresh,
            frontier,
            input: Some(input),
            unsent: Vec::new(),
            muted: Vec::new(),
            stop: None,
            is_over: false,
            driver: None,
            waiting: Vec::new(),
            size,
            is_changed: false,
            settings,
        })))
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, RunState> {
        lock(&self.0)
    }

    /// Lends the turn out.
    pub(super) fn lend(self: &Arc<Self>) -> Result<LentTurn, Error> {
        let mut run = self.lock();
        run.send_unsent();
        match run.turn.take() {
            Some(turn) => Ok(LentTurn { run: Arc::clone(self), turn: Some(turn) }),
            None if run.is_over => Err(Error::Over),
            None => Err(Error::Overlapping),
        }
    }

    /// Reports whether the run stops in this turn; if not, the waker is called when it does.
    pub(super) fn has_stopped(&self, waker: &Waker) -> bool {
        let mut run = self.lock();
        if run.stop.is_none() {
            run.driver = Some(waker.clone());
        }
        run.stop.is_some()
    }

    /// Ends the run for every handle, and gives what it was made of. The turn is missing when a
    /// task that outlives the function holds it.
    pub(super) fn end(&self) -> (Option<Turn>, Frame, Option<Stop>) {
        let mut run = self.lock();
        run.is_over = true;
        run.send_unsent();
        let parts = (run.turn.take(), mem::take(&mut run.frame), run.stop.take());
        let waiting = mem::take(&mut run.waiting);
        drop(run);
        waiting.into_iter().for_each(Waker::wake);
        parts
    }

    /// Waits for the run to end: for ever, unless the waiting one outlives it.
    pub(super) fn stopped(self: &Arc<Self>) -> Stopped {
        Stopped(Arc::clone(self))
    }
}

impl RunState {
    /// Checks that a handle can be used: not beyond its turn, not for two things at a time.
    pub(super) fn usable(&mut self, depth: usize) -> Result<(), Error> {
        if self.is_over {
            return Err(Error::Over);
        }
        if self.stop.is_none() && (depth != self.depth || self.turn.is_none()) {
            self.stop(Stop::Failed(Error::Overlapping));
        }
        match self.stop {
            Some(_) => Err(Error::Stopped),
            None => Ok(()),
        }
    }

    /// Fails the turn, whatever the code makes of the error that it gets.
    pub(super) fn fail(&mut self, error: Error) -> Error {
        self.stop(Stop::Failed(error));
        Error::Stopped
    }

    /// Ends the run in this turn. The first reason counts.
    pub(super) fn stop(&mut self, stop: Stop) {
        self.stop.get_or_insert(stop);
        if let Some(driver) = self.driver.take() {
            driver.wake();
        }
    }

    /// Sends something, unless an earlier turn has sent it.
    pub(super) fn send(&mut self, activity: Activity) {
        if self.is_over {
            tracing::warn!(
                "a message was sent in a conversation after its turn was over; it is dropped"
            );
        } else if self.stop.is_some() {
            // The code goes on after an error that it should have handed on.
        } else if self.is_live {
            self.unsent.push(activity);
        } else {
            self.muted.push(activity);
        }
    }

    fn send_unsent(&mut self) {
        if let Some(turn) = &mut self.turn {
            for activity in self.unsent.drain(..) {
                turn.send(activity);
            }
        }
    }
}

/// The turn, lent out. It goes back when this is dropped.
#[derive(Debug)]
pub(super) struct LentTurn {
    run: Arc<Run>,
    /// `None` only while dropping.
    turn: Option<Turn>,
}

impl Deref for LentTurn {
    type Target = Turn;

    fn deref(&self) -> &Turn {
        self.turn.as_ref().expect("a lent turn is there until it is given back")
    }
}

impl DerefMut for LentTurn {
    fn deref_mut(&mut self) -> &mut Turn {
        self.turn.as_mut().expect("a lent turn is there until it is given back")
    }
}

impl Drop for LentTurn {
    fn drop(&mut self) {
        let mut run = self.run.lock();
        // A run that is over has no use for it: the turn goes where it came from.
        if !run.is_over {
            run.turn = self.turn.take();
        }
    }
}

/// See [`Run::stopped`].
#[derive(Debug)]
pub(super) struct Stopped(Arc<Run>);

impl Future for Stopped {
    type Output = Error;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Error> {
        let mut run = self.0.lock();
        if run.is_over {
            return Poll::Ready(Error::Over);
        }
        if !run.waiting.iter().any(|waker| waker.will_wake(cx.waker())) {
            run.waiting.push(cx.waker().clone());
        }
        Poll::Pending
    }
}
