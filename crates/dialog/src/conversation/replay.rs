//! Replay: looks steps up in the journal, and detects code that differs from it.
//!
//! Without leniency the steps of the code must be those of the journal, one after the other. With
//! it they are found by their labels, wherever the journal has them.

use std::mem;

use sayso_activity::Raw;
use serde::de::DeserializeOwned;

use super::{
    Difference, Error,
    journal::{Entry, Failure, Pending},
    run::{Input, RunState, Stop},
};

/// Result of looking a step up in the journal.
#[derive(Debug)]
pub(super) enum Lookup<A> {
    /// It is done.
    Done(Result<A, Error>),
    /// It is waiting, and this is what has come for it.
    Waiting(Pending, Input),
    /// It is a call that has begun.
    Entered,
    /// It is done for the first time.
    New,
    /// It is not done: the run stops.
    Stopped,
}

impl RunState {
    /// Looks a step up and moves on to the next if it is done.
    pub(super) fn find<A: DeserializeOwned>(&mut self, depth: usize, label: &str) -> Lookup<A> {
        if let Err(error @ Error::Over) = self.usable(depth) {
            return Lookup::Done(Err(error));
        }
        while self.stop.is_none() {
            let is_lenient = self.settings.is_lenient();
            let Some(scope) = self.frame.scopes.get_mut(depth) else {
                self.stop(Stop::Failed(Error::Overlapping));
                break;
            };
            let cursor = scope.cursor;
            let is_it = |entry: &Entry| entry.0 == label;
            let most = if is_lenient { usize::MAX } else { 1 };
            let Some(at) = scope.entries.iter().skip(cursor).take(most).position(is_it) else {
                return self.find_open(depth, label);
            };
            if at > 0 {
                let until = scope.entries.get_mut(cursor..=cursor + at);
                until.unwrap_or_default().rotate_right(1);
                self.tolerate(depth, label);
                continue;
            }
            match scope.entries.get(cursor).map(|entry| read(entry, label)) {
                Some(Ok(done)) => {
                    scope.cursor += 1;
                    self.is_live = self.frontier.is_none();
                    self.muted.clear();
                    return Lookup::Done(done);
                }
                // A result of another type than the code now expects is as good as none.
                _ => self.differ(depth, label, &format!("{label} with a result of another type")),
            }
            if let (true, Some(scope)) = (is_lenient, self.frame.scopes.get_mut(depth)) {
                drop(scope.entries.remove(cursor));
            }
        }
        Lookup::Stopped
    }

    /// Looks a step up that has no entry: it is under way, or new.
    fn find_open<A>(&mut self, depth: usize, label: &str) -> Lookup<A> {
        let expected = self.expected(depth).map(str::to_owned);
        let has_rest = self.frame.scopes.get(depth).is_some_and(|s| s.cursor < s.entries.len());
        if !has_rest || self.settings.is_lenient() {
            if self.frontier.as_deref() == Some(label) || expected.is_none() {
                self.frontier = None;
            }
            let inner = self.frame.scopes.get(depth + 1);
            if inner.is_some_and(|inner| inner.label == label && label.starts_with("call")) {
                self.is_live = self.frontier.is_none();
                return Lookup::Entered;
            }
            let can_wait = label.starts_with("ask") || label == "sleep";
            let is_it = |waits: &mut Pending| waits.depth == depth && waits.label == label;
            if can_wait && let Some(pending) = self.frame.pending.take_if(is_it) {
                self.muted.clear();
                return Lookup::Waiting(pending, self.input.take().unwrap_or(Input::Resume));
            }
        }
        if let Some(expected) = expected {
            self.differ(depth, label, &expected);
            if self.stop.is_some() {
                return Lookup::Stopped;
            }
            // New code has likely said what leads to this. Better said twice than never.
            self.unsent.append(&mut self.muted);
        }
        self.is_live = true;
        Lookup::New
    }

    /// The step that the journal expects next.
    fn expected(&self, depth: usize) -> Option<&str> {
        let scope = self.frame.scopes.get(depth)?;
        let entry = scope.entries.get(scope.cursor).map(|entry| &entry.0);
        let inner = self.frame.scopes.get(depth + 1).map(|inner| &inner.label);
        let pending = self.frame.pending.as_ref().filter(|pending| pending.depth >= depth);
        entry.or(inner).or_else(|| pending.map(|pending| &pending.label)).map(String::as_str)
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
        // Beyond the frontier it has been told in the turn that came to it.
        if self.frontier.is_some() && !mem::replace(&mut self.is_changed, true) {
            tracing::warn!(%difference, "a conversation continues although its code has changed");
        }
    }

    /// Checks that one more conversation can be called.
    pub(super) fn check_nesting(&mut self, depth: usize) -> Result<(), Error> {
        let limit = "nested_max";
        if depth + 1 < self.settings.limits.nested_max {
            return Ok(());
        }
        let what = format!("too many conversations call one another in `{}`", self.frame.name);
        Err(self.fail(Error::Limit { what, limit }))
    }

    /// Forgets what is inside a scope: it has ended, or the code has left it. What it waited for,
    /// if it did, is given back.
    pub(super) fn cut(&mut self, depth: usize) -> Option<Pending> {
        self.frame.scopes.truncate(depth + 1);
        self.size = self.frame.size();
        self.frame.pending.take_if(|pending| pending.depth > depth)
    }

    /// A function returns: nothing that the journal has may be left to do.
    pub(super) fn check_end(&mut self, depth: usize) {
        let expected = self.expected(depth).filter(|_| self.stop.is_none());
        let Some(expected) = expected.map(str::to_owned) else { return };
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
        failure: Option<Failure>,
    ) -> Result<(), Error> {
        let entry = Entry(label, result, failure);
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

    /// Records what a frame waits for, and returns what it waited for before.
    pub(super) fn wait(&mut self, mut pending: Pending) -> Option<Pending> {
        self.stop(Stop::Suspended);
        pending.before = self.frontier.take().filter(|label| *label != pending.label);
        self.frame.pending.replace(pending)
    }

    /// Reports whether the journal has been replayed and its last step was done in this turn.
    pub(super) fn is_live(&self) -> bool {
        self.is_live && self.stop.is_none() && !self.is_over
    }

    /// Forgets the steps of a scope so far.
    pub(super) fn keep(&mut self, depth: usize, kept: Raw) {
        if let Some(scope) = self.frame.scopes.get_mut(depth) {
            scope.kept = Some(kept);
            // One more, so that steps before and after have different places even if there were
            // none.
            scope.base = scope.base.saturating_add(scope.cursor as u64 + 1);
            scope.cursor = 0;
            scope.entries.clear();
        }
        self.size = self.frame.size();
    }
}

/// Reads the result of a step, as it was when the step was done.
fn read<A: DeserializeOwned>(
    Entry(_, result, failure): &Entry,
    label: &str,
) -> Result<Result<A, Error>, serde_json::Error> {
    let step = || label.to_owned();
    Ok(match failure {
        None => Ok(result.get()?),
        Some(Failure::Attempts) => Err(Error::Attempts { step: step(), attempts: result.get()? }),
        Some(Failure::Late) => Err(Error::Late { step: step() }),
        Some(Failure::Failed) => {
            let source = result.get::<String>()?.into();
            Err(Error::Failed { step: step(), source })
        }
    })
}
