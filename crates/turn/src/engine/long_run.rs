//! A run that nobody waits for any longer: it goes on after its activity was acknowledged.

use std::sync::Arc;

use super::documents::FurtherDocuments;
use crate::{
    attempt::Attempt,
    error::Failure,
    ledger::{Accepted, Document},
    run::{Made, Running},
};

/// A run of the logic that goes on, or what it made.
#[derive(Debug)]
pub(super) struct LongRun {
    pub(super) attempt: Arc<Attempt>,
    pub(super) documents: Arc<FurtherDocuments>,
    pub(super) progress: Progress,
    /// How many turns had committed when it began.
    turn: u64,
}

/// How far a run is.
#[derive(Debug)]
pub(super) enum Progress {
    Running(Running),
    /// It has ended. What it made is kept until it is committed, or does not hold any more.
    Made(Result<Made, Arc<Failure>>),
}

impl LongRun {
    pub(super) fn new(
        attempt: Arc<Attempt>,
        running: Running,
        documents: Arc<FurtherDocuments>,
        turn: u64,
    ) -> Self {
        Self { attempt, documents, progress: Progress::Running(running), turn }
    }

    /// Has it begun again if what is committed with it was not so when it began.
    pub(super) fn checked(mut self: Box<Self>) -> Box<Self> {
        if self.documents.is_changed() {
            self.outdate();
        }
        self
    }

    /// It does not hold any more: it is begun again, with the receipts that its turn has.
    pub(super) fn outdate(&mut self) {
        self.turn = u64::MAX;
    }

    pub(super) fn is_of(&self, entry: &Accepted) -> bool {
        entry.ids.first().is_some_and(|id| id == self.attempt.id.as_str())
    }

    /// Whether what it began with is still so.
    pub(super) fn holds(&self, document: &Document) -> bool {
        self.turn == document.ledger.turn && self.attempt.bag == document.bag
    }
}
