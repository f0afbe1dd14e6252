//! Errors of a step, by what its author can do about them.

use std::{sync::Arc, time::Duration};

use crate::{attempt::Refusal, bot_error::BotError, limits::Exceeded, store};

/// Error of a [step](crate::Turn::step). Nothing of it is saved: a later run makes the call again,
/// under the same key.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StepError {
    /// The call failed in every try.
    #[error("step `{step}` failed in {attempts} of {attempts} attempts")]
    Failed {
        /// Name of the step.
        step: String,
        /// Number of tries.
        attempts: u32,
        /// Error of the last one.
        #[source]
        source: BotError,
    },
    /// The last try took too long.
    #[error("step `{step}` took longer than {after:?} (time_out), {attempts} attempts were made")]
    TimedOut {
        /// Name of the step.
        step: String,
        /// Number of tries.
        attempts: u32,
        /// Longest time of a try.
        after: Duration,
    },
    /// A limit is exceeded. The call may have been made: its result is not saved.
    #[error("{what} (limit {limit})")]
    Limit {
        /// Description of the excess.
        what: String,
        /// The name of the limit in [`Limits`](crate::Limits).
        limit: &'static str,
    },
    /// The result cannot be written as JSON, or what is saved does not fit its type.
    #[error("the result of step `{step}` cannot be written as JSON and read back")]
    Json {
        /// Name of the step.
        step: String,
        /// The cause.
        #[source]
        source: serde_json::Error,
    },
    /// The turn cannot take steps, because no other instance could go on with it.
    #[error(
        "step `{step}` cannot be taken in {place}, which no other instance could go on with; use \
         `once` there, or set a timer (Turn::after) and take the step in its turn"
    )]
    Misplaced {
        /// Name of the step.
        step: String,
        /// Kind of turn.
        place: &'static str,
    },
    /// The store refuses the result for good.
    #[error("the result of step `{step}` cannot be saved: {source}")]
    Store {
        /// Name of the step.
        step: String,
        /// The cause.
        source: Arc<store::Error>,
    },
    /// The run of the turn has ended without the handler: in a spawned task, for example.
    #[error("step `{step}` was taken after its turn had ended")]
    Over {
        /// Name of the step.
        step: String,
    },
}

impl StepError {
    pub(super) fn of(refusal: Refusal, step: &str) -> Self {
        let step = step.to_owned();
        match refusal {
            Refusal::Limit(exceeded) => exceeded.into(),
            Refusal::Store(source) => Self::Store { step, source },
            Refusal::Over => Self::Over { step },
        }
    }

    /// Reports whether the call has failed, so that another try may help.
    pub(super) fn is_of_the_call(&self) -> bool {
        matches!(self, Self::Failed { .. } | Self::TimedOut { .. })
    }
}

impl From<Exceeded> for StepError {
    fn from(Exceeded { what, limit }: Exceeded) -> Self {
        Self::Limit { what, limit }
    }
}
