//! Steps: calls of a turn whose results are saved before the turn goes on (`Turn::step`).
//!
//! The handler asks and the runner of its conversation answers, because it alone writes there. It
//! is asked twice for every step. Before each try of the call, for permission: the turn is in the
//! inbox then, and nobody else can have taken it over. After the call, to save the result.

use std::{
    pin::pin,
    sync::Arc,
    task::{Context, Waker},
};

use sayso_activity::Raw;
use tokio::sync::Notify;

use crate::{
    Limits,
    ledger::{StepResult, TurnSteps},
    limits::Exceeded,
    store,
    sync::{Mutex, MutexGuard, lock},
};

/// Steps of one run of the logic.
#[derive(Debug)]
pub(crate) struct Steps {
    place: StepPlace,
    state: Mutex<State>,
    /// Notified when the runner has answered.
    answered: Notify,
}

/// Place where a turn runs, which says who saves the results of its steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StepPlace {
    /// The runner of its conversation.
    Engine,
    /// Nobody: a pure run.
    Memory,
    /// It cannot take steps; with the reason.
    Nowhere(&'static str),
}

#[derive(Debug, Default)]
struct State {
    saved: Vec<StepResult>,
    /// Results that are to be saved, and those that cannot be.
    unsaved: Vec<StepResult>,
    refused: Vec<(StepResult, Refusal)>,
    /// Number of permissions asked for, and how many of them are answered.
    asked: u64,
    granted: u64,
    /// True once the run has ended: nobody answers any more.
    is_over: bool,
    /// Wakes the runner.
    runner: Option<Waker>,
}

/// Reason why a result is not saved.
#[derive(Clone, Debug)]
pub(crate) enum Refusal {
    Limit(Exceeded),
    Store(Arc<store::Error>),
    /// The run has ended.
    Over,
}

impl State {
    fn has_asked(&self) -> bool {
        self.granted < self.asked || !self.unsaved.is_empty()
    }

    fn call_runner(&mut self) {
        if let Some(runner) = self.runner.take() {
            runner.wake();
        }
    }

    fn bytes(&self) -> usize {
        self.saved.iter().chain(&self.unsaved).map(StepResult::bytes).sum()
    }
}

impl Steps {
    /// Starts from the results that the turn has saved before.
    pub(crate) fn new(place: StepPlace, stored: Option<&Arc<TurnSteps>>) -> Self {
        let saved = stored.map(|steps| steps.done.clone()).unwrap_or_default();
        let state = Mutex::new(State { saved, ..State::default() });
        Self { place, state, answered: Notify::new() }
    }

    /// Makes those of the error handler, which takes none.
    pub(crate) fn none() -> Self {
        Self::new(StepPlace::Nowhere("the error handler"), None)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        lock(&self.state)
    }

    /// Returns the reason why the turn can take no steps, if there is one.
    pub(crate) fn refusal(&self) -> Option<&'static str> {
        match self.place {
            StepPlace::Nowhere(place) => Some(place),
            StepPlace::Engine | StepPlace::Memory => None,
        }
    }

    /// Returns the saved result of a step.
    pub(crate) fn saved(&self, name: &str, number: u32) -> Option<Raw> {
        let state = self.state();
        let saved = state.saved.iter().find(|saved| saved.is_of(name, number));
        saved.map(|saved| saved.result.clone())
    }

    /// Checks that the turn may take one step more.
    pub(crate) fn check_count(&self, limits: &Limits) -> Result<(), Exceeded> {
        let state = self.state();
        match state.saved.len() + state.unsaved.len() < limits.steps_max {
            true => Ok(()),
            false => Err(Exceeded {
                what: format!("the turn takes more than {} steps", limits.steps_max),
                limit: "steps_max",
            }),
        }
    }

    /// Waits until the call of a step may be made: the turn is durable, and is this instance's.
    pub(crate) async fn permission(&self) -> Result<(), Refusal> {
        if self.place == StepPlace::Memory {
            return Ok(());
        }
        let number = {
            let mut state = self.state();
            state.asked += 1;
            state.call_runner();
            state.asked
        };
        loop {
            let mut answered = pin!(self.answered.notified());
            answered.as_mut().enable();
            {
                let state = self.state();
                if state.granted >= number {
                    return Ok(());
                }
                if state.is_over {
                    return Err(Refusal::Over);
                }
            }
            answered.await;
        }
    }

    /// Saves a result, and returns the one that is stored.
    pub(crate) async fn save(&self, result: StepResult, limits: &Limits) -> Result<Raw, Refusal> {
        {
            let mut state = self.state();
            let bytes = state.bytes() + result.bytes();
            if bytes > limits.steps_bytes_max {
                let most = limits.steps_bytes_max;
                return Err(Refusal::Limit(Exceeded {
                    what: format!(
                        "the results of the turn's steps have {bytes} bytes, at most {most}"
                    ),
                    limit: "steps_bytes_max",
                }));
            }
            match self.place {
                StepPlace::Engine => state.unsaved.push(result.clone()),
                _ => state.saved.push(result.clone()),
            }
            state.call_runner();
        }
        loop {
            let mut answered = pin!(self.answered.notified());
            answered.as_mut().enable();
            if let Some(ended) = self.ended(&result) {
                return ended;
            }
            answered.await;
        }
    }

    /// Returns the stored result of a step, or the reason why it was not saved.
    fn ended(&self, result: &StepResult) -> Option<Result<Raw, Refusal>> {
        let StepResult { name, number, .. } = result;
        let mut state = self.state();
        if let Some(saved) = state.saved.iter().find(|saved| saved.is_of(name, *number)) {
            return Some(Ok(saved.result.clone()));
        }
        let is_it = |refused: &mut (StepResult, Refusal)| refused.0.is_of(name, *number);
        let refused = state.refused.extract_if(.., is_it).next();
        if let Some((_, refusal)) = refused {
            return Some(Err(refusal));
        }
        state.is_over.then_some(Err(Refusal::Over))
    }

    /// Reports whether the runner is asked for something; if not, it is woken when it is.
    pub(crate) fn poll_asked(&self, context: &Context<'_>) -> bool {
        let mut state = self.state();
        let has_asked = state.has_asked();
        if !has_asked && !state.runner.as_ref().is_some_and(|w| w.will_wake(context.waker())) {
            state.runner = Some(context.waker().clone());
        }
        has_asked
    }

    /// Reports whether the runner is asked for something.
    pub(crate) fn has_asked(&self) -> bool {
        self.state().has_asked()
    }

    /// Returns the results that are to be saved.
    pub(crate) fn unsaved(&self) -> Vec<StepResult> {
        self.state().unsaved.clone()
    }

    /// Gives permission to those who have asked for it.
    pub(crate) fn grant(&self) {
        let mut state = self.state();
        state.granted = state.asked;
        drop(state);
        self.answered.notify_waiters();
    }

    /// Refuses the results that are to be saved.
    pub(crate) fn refuse(&self, refusal: &Refusal) {
        let mut state = self.state();
        let unsaved = std::mem::take(&mut state.unsaved);
        state.refused.extend(unsaved.into_iter().map(|result| (result, refusal.clone())));
        drop(state);
        self.answered.notify_waiters();
    }

    /// Compares the run with what is stored: a result that is to be saved may be there already.
    /// Returns false if another instance has gone on with the turn meanwhile.
    pub(crate) fn settle(&self, stored: Option<&Arc<TurnSteps>>) -> bool {
        let mut state = self.state();
        if stored.is_none() && state.saved.is_empty() {
            return true;
        }
        let stored = stored.map_or(&[][..], |steps| &steps.done);
        let State { saved, unsaved, .. } = &mut *state;
        if !stored.starts_with(saved) {
            return false;
        }
        for result in stored.iter().skip(saved.len()) {
            let is_it = |one: &StepResult| one.is_of(&result.name, result.number);
            let Some(at) = unsaved.iter().position(is_it) else { return false };
            drop(unsaved.remove(at));
            saved.push(result.clone());
        }
        drop(state);
        self.answered.notify_waiters();
        true
    }

    /// Ends the run: nobody answers any more.
    pub(crate) fn close(&self) {
        let mut state = self.state();
        state.is_over = true;
        drop(state);
        self.answered.notify_waiters();
    }
}
