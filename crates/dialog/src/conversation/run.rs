//! One run of a conversation's function: the journal is replayed, then new steps are added to it.
//!
//! The function holds a handle to this; so may clones of the handle that it leaks. Nobody's code is
//! called while the lock is held: the turn is taken out for as long as code of others works on it.

use std::{
    mem,
    ops::{Deref, DerefMut},
    pin::Pin,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    task::{Context, Poll, Waker},
};

use sayso_activity::{Activity, Raw};
use sayso_turn::Turn;
use serde::de::DeserializeOwned;

use super::{
    Difference, Error,
    flow::Settings,
    journal::{Entry, Frame, Lost, Pending, Scope},
};

/// A run, shared by the driver and the handles.
#[derive(Debug)]
pub(super) struct Run(Mutex<Inside>);

#[derive(Debug)]
pub(super) struct Inside {
    /// `None` while it is lent out, and when the run is over.
    turn: Option<Turn>,
    pub(super) frame: Frame,
    /// The scope whose steps are expected.
    pub(super) depth: usize,
    /// Whether the last step was done in this turn: what is said after it has not been said before.
    is_live: bool,
    /// The step that no earlier turn came beyond. `None` when this turn has come to it: then nothing has
    /// been said before, whatever the journal still has.
    frontier: Option<String>,
    input: Option<Input>,
    /// Said, and not yet handed to the turn.
    unsent: Vec<Activity>,
    /// Said since the last step of a replay: an earlier turn has said it, unless the code is new.
    muted: Vec<Activity>,
    stop: Option<Stop>,
    is_over: bool,
    /// Who polls the function, and who waits in it for nothing.
    driver: Option<Waker>,
    waiting: Vec<Waker>,
    /// How many entries there are, and how many bytes they take.
    size: (usize, usize),
    /// Whether a difference was put up with.
    is_changed: bool,
    pub(super) settings: Arc<Settings>,
}

/// What the turn has for the question that is waiting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Input {
    /// Its activity may be an answer.
    Answer,
    /// Nothing: a deadline has passed, or the question must be asked again after an interruption.
    Resume,
}

/// Why a run does not go on in this turn.
#[derive(Debug)]
pub(super) enum Stop {
    Suspended,
    Cancelled,
    Changed(Difference),
    Failed(Error),
}

/// What the journal knows of a step.
#[derive(Debug)]
pub(super) enum Found<A> {
    /// It is done.
    Done(Result<A, Error>),
    /// It is waiting, and this is what has come for it.
    Waiting(Pending, Input),
    /// It is a call that has begun.
    Begun,
    /// It is done for the first time.
    New,
    /// It is not done: the run stops.
    Stopped,
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
        Arc::new(Self(Mutex::new(Inside {
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

    pub(super) fn lock(&self) -> MutexGuard<'_, Inside> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Lends the turn out.
    pub(super) fn lend(self: &Arc<Self>) -> Result<Lent, Error> {
        let mut inside = self.lock();
        inside.send_unsent();
        match inside.turn.take() {
            Some(turn) => Ok(Lent { run: Arc::clone(self), turn: Some(turn) }),
            None if inside.is_over => Err(Error::Over),
            None => Err(Error::Overlapping),
        }
    }

    /// Whether the run stops in this turn; if not, who to wake when it does.
    pub(super) fn has_stopped(&self, waker: &Waker) -> bool {
        let mut inside = self.lock();
        if inside.stop.is_none() {
            inside.driver = Some(waker.clone());
        }
        inside.stop.is_some()
    }

    /// Ends the run for every handle, and gives what it was made of. The turn is missing when a task
    /// that outlives the function holds it.
    pub(super) fn end(&self) -> (Option<Turn>, Frame, Option<Stop>) {
        let mut inside = self.lock();
        inside.is_over = true;
        inside.send_unsent();
        let parts = (inside.turn.take(), mem::take(&mut inside.frame), inside.stop.take());
        let waiting = mem::take(&mut inside.waiting);
        drop(inside);
        waiting.into_iter().for_each(Waker::wake);
        parts
    }

    /// Waits for the run to end: for ever, unless the waiting one outlives it.
    pub(super) fn stopped(self: &Arc<Self>) -> Stopped {
        Stopped(Arc::clone(self))
    }
}

impl Inside {
    /// Looks a step up and moves on to the next if it is done.
    pub(super) fn find<A: DeserializeOwned>(&mut self, depth: usize, label: &str) -> Found<A> {
        if let Err(error @ Error::Over) = self.usable(depth) {
            return Found::Done(Err(error));
        }
        while self.stop.is_none() {
            let is_lenient = self.settings.is_lenient();
            let Some(scope) = self.frame.scopes.get_mut(depth) else { break };
            let cursor = scope.cursor;
            let is_it = |entry: &Entry| entry.0 == label;
            let most = if is_lenient { usize::MAX } else { 1 };
            match scope.entries.iter().skip(cursor).take(most).position(is_it) {
                Some(0) => {}
                Some(later) => {
                    let until = scope.entries.get_mut(cursor..=cursor + later);
                    until.unwrap_or_default().rotate_right(1);
                    self.tolerate(depth, label);
                    continue;
                }
                None => {
                    let Some(at) = scope.spare.iter().position(is_it) else {
                        return self.find_open(depth, label);
                    };
                    let spare = scope.spare.remove(at);
                    scope.entries.insert(cursor, spare);
                }
            }
            match scope.entries.get(cursor).map(|entry| read(entry, label)) {
                Some(Ok(done)) => {
                    scope.cursor += 1;
                    self.is_live = self.frontier.is_none();
                    self.muted.clear();
                    return Found::Done(done);
                }
                // A result of another type than the code now expects is as good as none.
                _ => self.differ(depth, label, &format!("{label} with a result of another type")),
            }
            if let (true, Some(scope)) = (is_lenient, self.frame.scopes.get_mut(depth)) {
                drop(scope.entries.remove(cursor));
            }
        }
        Found::Stopped
    }

    /// Looks a step up that has no entry: it is under way, or new.
    fn find_open<A>(&mut self, depth: usize, label: &str) -> Found<A> {
        let expected = self.expected(depth).map(str::to_owned);
        let has_rest = self.frame.scopes.get(depth).is_some_and(|s| s.cursor < s.entries.len());
        if self.frontier.as_deref() == Some(label) || (expected.is_none() && !has_rest) {
            self.pass_frontier(depth);
        }
        if !has_rest || self.settings.is_lenient() {
            let inner = self.frame.scopes.get(depth + 1);
            if inner.is_some_and(|inner| inner.label == label && label.starts_with("call")) {
                self.is_live = self.frontier.is_none();
                return Found::Begun;
            }
            let can_wait = label.starts_with("ask") || label == "sleep";
            let is_it = |waits: &mut Pending| waits.depth == depth && waits.label == label;
            if can_wait && let Some(pending) = self.frame.pending.take_if(is_it) {
                self.muted.clear();
                return Found::Waiting(pending, self.input.take().unwrap_or(Input::Resume));
            }
        }
        if let Some(expected) = expected {
            self.differ(depth, label, &expected);
            if self.stop.is_some() {
                return Found::Stopped;
            }
            // New code has likely said what leads to this. Better said twice than never.
            self.unsent.append(&mut self.muted);
        }
        self.is_live = true;
        Found::New
    }

    /// The code has come to where no earlier turn came beyond.
    fn pass_frontier(&mut self, depth: usize) {
        if !self.settings.is_lenient() || self.frontier.take().is_none() {
            return;
        }
        for scope in self.frame.scopes.iter_mut().take(depth + 1) {
            let rest = scope.cursor.min(scope.entries.len());
            scope.spare.extend(scope.entries.drain(rest..));
        }
    }

    /// The step that the journal expects next.
    fn expected(&self, depth: usize) -> Option<&str> {
        let scope = self.frame.scopes.get(depth)?;
        let entry = scope.entries.get(scope.cursor).map(|entry| &entry.0);
        let inner = self.frame.scopes.get(depth + 1).map(|inner| &inner.label);
        let pending = self.frame.pending.as_ref().filter(|pending| pending.depth >= depth);
        entry.or(inner).or(pending.map(|pending| &pending.label)).map(String::as_str)
    }

    /// The code does something else than the journal expects, and that is put up with.
    fn tolerate(&mut self, depth: usize, now: &str) {
        let next = self.frame.scopes.get(depth).and_then(|s| s.entries.get(s.cursor + 1));
        let recorded = next.map(|entry| entry.0.clone()).unwrap_or_default();
        self.differ(depth, now, &recorded);
    }

    /// The code does something else than the journal expects.
    pub(super) fn differ(&mut self, depth: usize, now: &str, recorded: &str) {
        let difference = Difference {
            conversation: self.frame.name.clone(),
            position: self.frame.position(depth),
            recorded: recorded.to_owned(),
            now: now.to_owned(),
            policy: self.settings.policy(),
        };
        if !self.settings.is_lenient() {
            return self.stop(Stop::Changed(difference));
        }
        if !mem::replace(&mut self.is_changed, true) {
            tracing::warn!(%difference, "a conversation goes on under other code");
        }
    }

    /// Whether a handle can be used: not beyond its turn, not for two things at a time.
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

    /// Whether one more conversation can be called.
    pub(super) fn check_nesting(&mut self, depth: usize) -> Result<(), Error> {
        let limit = "nested_max";
        if depth + 1 < self.settings.limits.nested_max {
            return Ok(());
        }
        let what = format!("too many conversations call one another in `{}`", self.frame.name);
        Err(self.fail(Error::Limit { what, limit }))
    }

    /// Forgets what is inside a scope: it has ended, or the code has left it. What it waited for, if
    /// it did, is given back.
    pub(super) fn cut(&mut self, depth: usize) -> Option<Pending> {
        self.frame.scopes.truncate(depth + 1);
        self.size = self.frame.size();
        self.frame.pending.take_if(|pending| pending.depth > depth)
    }

    /// A function returns: nothing that the journal has may be left to do.
    pub(super) fn check_end(&mut self, depth: usize) {
        let Some(expected) = self.expected(depth).map(str::to_owned) else { return };
        self.differ(depth, "the end", &expected);
        if self.stop.is_none() && depth == 0 {
            self.unsent.append(&mut self.muted);
        }
    }

    /// Adds a step that is done.
    pub(super) fn record(
        &mut self,
        depth: usize,
        label: String,
        result: Raw,
        lost: Option<Lost>,
    ) -> Result<(), Error> {
        let entry = Entry(label, result, lost);
        let size = (self.size.0 + 1, self.size.1 + entry.bytes());
        let limits = &self.settings.limits;
        let name = &self.frame.name;
        let over = match size {
            (entries, _) if entries > limits.entries_max => ("steps", "entries_max"),
            (_, bytes) if bytes > limits.bytes_max => ("bytes", "bytes_max"),
            _ => {
                self.size = size;
                self.is_live = true;
                if let Some(scope) = self.frame.scopes.get_mut(depth) {
                    scope.entries.insert(scope.cursor.min(scope.entries.len()), entry);
                    scope.cursor += 1;
                }
                return Ok(());
            }
        };
        let what = format!("the journal of the conversation `{name}` has too many {}", over.0);
        Err(self.fail(Error::Limit { what, limit: over.1 }))
    }

    /// Says that a frame waits; what it waited for before is given back.
    pub(super) fn wait(&mut self, mut pending: Pending) -> Option<Pending> {
        self.stop(Stop::Suspended);
        pending.before = self.frontier.take().filter(|label| *label != pending.label);
        self.frame.pending.replace(pending)
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
            tracing::warn!("something was said in a conversation after its turn; nobody hears it");
        } else if self.stop.is_some() {
            // The code goes on after an error that it should have handed on.
        } else if self.is_live {
            self.unsent.push(activity);
        } else {
            self.muted.push(activity);
        }
    }

    /// Whether the journal has been replayed and its last step was done in this turn.
    pub(super) fn is_live(&self) -> bool {
        self.is_live && self.stop.is_none() && !self.is_over
    }

    /// Forgets the steps of a scope so far.
    pub(super) fn keep(&mut self, depth: usize, kept: Raw) {
        if let Some(scope) = self.frame.scopes.get_mut(depth) {
            scope.kept = Some(kept);
            // One more, so that steps before and after have different places even if there were none.
            scope.base += scope.cursor as u64 + 1;
            scope.cursor = 0;
            scope.entries.clear();
            scope.spare.clear();
        }
        self.size = self.frame.size();
    }

    fn send_unsent(&mut self) {
        if let Some(turn) = &mut self.turn {
            self.unsent.drain(..).for_each(|activity| turn.send(activity));
        }
    }
}

/// What a step gave, as it gave it when it was done.
fn read<A: DeserializeOwned>(
    Entry(_, result, lost): &Entry,
    label: &str,
) -> Result<Result<A, Error>, serde_json::Error> {
    let step = || label.to_owned();
    Ok(match lost {
        None => Ok(result.get()?),
        Some(Lost::Attempts) => Err(Error::Attempts { step: step(), attempts: result.get()? }),
        Some(Lost::Late) => Err(Error::Late { step: step() }),
        Some(Lost::Failed) => {
            let source = result.get::<String>()?.into();
            Err(Error::Failed { step: step(), source })
        }
    })
}

/// The turn, lent out. It goes back when this is dropped.
#[derive(Debug)]
pub(super) struct Lent {
    run: Arc<Run>,
    /// `None` only while dropping.
    turn: Option<Turn>,
}

impl Deref for Lent {
    type Target = Turn;

    fn deref(&self) -> &Turn {
        self.turn.as_ref().expect("a lent turn is there until it is given back")
    }
}

impl DerefMut for Lent {
    fn deref_mut(&mut self) -> &mut Turn {
        self.turn.as_mut().expect("a lent turn is there until it is given back")
    }
}

impl Drop for Lent {
    fn drop(&mut self) {
        let mut inside = self.run.lock();
        // A run that is over has no use for it: the turn goes where it came from.
        if !inside.is_over {
            inside.turn = self.turn.take();
        }
    }
}

/// See [`Run::stopped`].
#[derive(Debug)]
pub(super) struct Stopped(Arc<Run>);

impl Future for Stopped {
    type Output = Error;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Error> {
        let mut inside = self.0.lock();
        if inside.is_over {
            return Poll::Ready(Error::Over);
        }
        if !inside.waiting.iter().any(|waker| waker.will_wake(cx.waker())) {
            inside.waiting.push(cx.waker().clone());
        }
        Poll::Pending
    }
}
