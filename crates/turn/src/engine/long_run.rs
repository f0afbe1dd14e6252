//! Long run: a run that continues after its activity was acknowledged.

use std::{sync::Arc, time::Duration};

use super::documents::FurtherDocuments;
use crate::{
    attempt::Attempt,
    error::Failure,
    ledger::{Accepted, Document},
    run::{RunOutput, Running},
};

/// A continued run of the logic, or its finished output.
#[derive(Debug)]
pub(super) struct LongRun {
    pub(super) attempt: Arc<Attempt>,
    pub(super) documents: Arc<FurtherDocuments>,
    pub(super) progress: Progress,
    /// True if the store refused what the error handler said: it is not asked again.
    pub(super) is_mute: bool,
    /// True if it has saved a step since the last setback.
    pub(super) has_progressed: bool,
    /// Time at which it was first waited for as a long turn.
    pub(super) began: Option<Duration>,
    /// Number of turns that had committed when it began.
    turn: u64,
}

/// Progress of a run.
#[derive(Debug)]
#[expect(clippy::large_enum_variant, reason = "the large variant is the common one")]
pub(super) enum Progress {
    Running(Running),
    /// It has ended. Its output is kept until it is committed or outdated.
    Done(Result<RunOutput, Arc<Failure>>),
}

impl LongRun {
    pub(super) fn new(
        attempt: Arc<Attempt>,
        running: Running,
        documents: Arc<FurtherDocuments>,
        turn: u64,
    ) -> Self {
        documents.end_deadline();
        let progress = Progress::Running(running);
        let (is_mute, has_progressed, began) = (false, false, None);
        Self { attempt, documents, progress, is_mute, has_progressed, began, turn }
    }

    /// Marks the run as outdated if a commit changes the further documents it works on.
    pub(super) fn checked(mut self: Box<Self>) -> Box<Self> {
        if self.documents.is_changed() {
            self.outdate();
        }
        self
    }

    /// Marks the run as outdated: it starts again, with the receipts of its turn.
    pub(super) fn outdate(&mut self) {
        self.turn = u64::MAX;
    }

    /// Drops the run with its calls in progress: its turn has no later attempt in this process.
    pub(super) fn abandon(&mut self) {
        if let Progress::Running(running) = &mut self.progress {
            running.abandon();
        }
    }

    pub(super) fn is_of(&self, entry: &Accepted) -> bool {
        entry.ids.first().is_some_and(|id| id == self.attempt.id.as_str())
    }

    /// Reports whether the run is still based on the current document. What its steps are to save
    /// may be in there already.
    pub(super) fn holds(&self, document: &Document) -> bool {
        self.turn == document.ledger.turn
            && self.attempt.bag == document.bag
            && self.attempt.steps.settle(document.ledger.steps_of(self.attempt.id))
    }
}
