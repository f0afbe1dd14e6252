//! Results of steps: what a turn that has not ended has saved, beside the inbox.
//!
//! They are a member of the ledger and not of the inbox entry: a build that does not know them
//! keeps them, and those of a timer that failed outlive the entry, until the timer fires again.

use sayso_activity::Raw;
use serde::{Deserialize, Serialize};

use super::answers::AROUND;

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

fn one() -> u32 {
    1
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks for a reference")]
fn is_one(number: &u32) -> bool {
    *number == 1
}
