//! Outcome of a dialog's turn, and the reason for a call of a dialog.

use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::{
    error::{Error, Result},
    json::from_json,
};

/// The status of a dialog at the end of a turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Status {
    /// No dialog is on the stack.
    Empty,
    /// It waits for an activity.
    Waiting,
    /// It has ended, with or without a result.
    Complete,
    /// It was cancelled.
    Cancelled,
    /// It has ended, and the turn is over although others wait beneath it.
    CompleteAndWait,
}

/// The reason why a dialog is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Reason {
    /// It was begun.
    Begin,
    /// An activity came.
    Continue,
    /// The dialog above it ended.
    End,
    /// Another one takes its place.
    Replace,
    /// It is cancelled.
    Cancel,
    /// The step before it went straight on.
    Next,
}

/// The outcome of a dialog's turn.
#[derive(Clone, Debug, PartialEq)]
pub struct DialogTurn {
    /// Its status.
    pub status: Status,
    /// Its result, or null.
    pub result: Value,
}

impl DialogTurn {
    /// The turn is over; the dialog waits.
    #[must_use]
    pub const fn waiting() -> Self {
        Self { status: Status::Waiting, result: Value::Null }
    }

    /// No dialog is on the stack.
    #[must_use]
    pub const fn empty() -> Self {
        Self { status: Status::Empty, result: Value::Null }
    }

    /// The dialog has ended.
    #[must_use]
    pub const fn complete(result: Value) -> Self {
        Self { status: Status::Complete, result }
    }

    /// The dialog was cancelled.
    #[must_use]
    pub const fn cancelled() -> Self {
        Self { status: Status::Cancelled, result: Value::Null }
    }

    /// Reports whether the dialog waits.
    #[must_use]
    pub fn is_waiting(&self) -> bool {
        self.status == Status::Waiting
    }

    /// The result as the type that it must be.
    ///
    /// # Errors
    /// When it is of another type.
    pub fn result<T: DeserializeOwned>(&self) -> Result<T, Error> {
        from_json(&self.result, || "the result of the dialog".to_owned())
    }
}
