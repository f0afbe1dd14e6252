//! Results of steps: what a turn that has not ended has saved, beside the inbox.
//!
//! They are a member of the ledger and not of the inbox entry: a build that does not know them
//! keeps them, and those of a timer that failed outlive the entry, until the timer fires again.

use std::sync::Arc;

use sayso_activity::Raw;
use serde::{Deserialize, Serialize};

use super::{Ledger, answers::AROUND};
use crate::{Key, id::TurnId};

/// Results of the finished steps of a turn that has not ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TurnSteps {
    /// Id of the turn.
    pub turn: String,
    /// The results, in the order in which they were saved.
    pub done: Vec<StepResult>,
}

/// Result of a finished step.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StepResult {
    /// Name of the step.
    pub name: String,
    /// Its number among the calls of that name, from 1.
    #[serde(default = "one", skip_serializing_if = "is_one")]
    pub number: u32,
    /// The result.
    pub result: Raw,
}

impl TurnSteps {
    /// Approximate size as JSON, in bytes.
    pub(crate) fn bytes(&self) -> usize {
        AROUND + self.done.iter().map(StepResult::bytes).sum::<usize>()
    }
}

impl StepResult {
    /// Approximate size as JSON, in bytes.
    pub(crate) fn bytes(&self) -> usize {
        const MEMBERS: usize = 48;
        MEMBERS + self.name.len() + self.result.as_str().len()
    }

    /// Reports whether it is the result of this step.
    pub(crate) fn is_of(&self, name: &str, number: u32) -> bool {
        self.name == name && self.number == number
    }
}

impl Ledger {
    /// Returns the saved results of a turn.
    pub(crate) fn steps_of(&self, turn: TurnId) -> Option<&Arc<TurnSteps>> {
        self.steps.iter().find(|steps| steps.turn == turn.as_str())
    }

    /// Adds results of a turn.
    pub(crate) fn add_steps(&mut self, turn: TurnId, results: Vec<StepResult>) {
        match self.steps.iter_mut().find(|steps| steps.turn == turn.as_str()) {
            Some(steps) => Arc::make_mut(steps).done.extend(results),
            None => {
                self.steps.push(Arc::new(TurnSteps { turn: turn.to_string(), done: results }));
            }
        }
    }

    /// Drops the results of turns that have ended: neither their activity nor their timer is in the
    /// document of this key any more.
    pub(crate) fn prune_steps(&mut self, key: &Key) {
        let Self { steps, inbox, timers, .. } = self;
        steps.retain(|steps| {
            inbox.iter().any(|accepted| accepted.ids.contains(&steps.turn))
                || timers.iter().any(|timer| TurnId::new(key, &timer.id).as_str() == steps.turn)
        });
    }
}

fn one() -> u32 {
    1
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks for a reference")]
fn is_one(number: &u32) -> bool {
    *number == 1
}
