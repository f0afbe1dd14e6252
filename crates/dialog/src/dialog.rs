//! The trait of all classic dialogs, and its results and events.

use std::{borrow::Cow, fmt, sync::Arc};

use async_trait::async_trait;
use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;

use crate::{
    context::DialogContext,
    error::{Error, Result},
    prompt::PromptOptions,
    set::DialogSet,
    state::Instance,
};

/// A dialog: something that begins, waits for activities and ends, perhaps with a result.
///
/// It keeps nothing in itself: one value serves every conversation. What belongs to a conversation
/// is in [`DialogContext::state`].
///
/// # Example
/// A dialog that says the same thing until it hears `bye`:
/// ```
/// use async_trait::async_trait;
/// use sayso_dialog::{Dialog, DialogContext, DialogTurn, Result};
/// use serde_json::Value;
///
/// #[derive(Debug)]
/// struct Parrot;
///
/// #[async_trait]
/// impl Dialog for Parrot {
///     fn id(&self) -> &str { "parrot" }
///
///     async fn begin(&self, dc: &mut DialogContext, _options: Value) -> Result<DialogTurn> {
///         dc.turn().say("Polly?");
///         Ok(DialogTurn::waiting())
///     }
///
///     async fn proceed(&self, dc: &mut DialogContext) -> Result<DialogTurn> {
///         if dc.turn().text() == "bye" {
///             return dc.end("said bye").await;
///         }
///         dc.turn().say("Polly!");
///         Ok(DialogTurn::waiting())
///     }
/// }
/// ```
#[async_trait]
pub trait Dialog: fmt::Debug + Send + Sync + 'static {
    /// The name by which it is begun, and under which it is kept on the stack.
    fn id(&self) -> &str;

    /// Changes when the dialog changes so that a conversation inside it may not fit any more.
    fn version(&self) -> String {
        self.id().to_owned()
    }

    /// Begins the dialog. The instance is on top of the stack, with an empty state.
    async fn begin(&self, dc: &mut DialogContext, options: Value) -> Result<DialogTurn>;

    /// Begins the dialog with the options of a prompt. A dialog that is no prompt gets them as
    /// JSON.
    async fn begin_prompt(
        &self,
        dc: &mut DialogContext,
        options: PromptOptions,
    ) -> Result<DialogTurn> {
        self.begin(dc, to_json(options, "the options of a prompt")?).await
    }

    /// Goes on with the activity of this turn. Ends without a result unless there is more to do.
    async fn proceed(&self, dc: &mut DialogContext) -> Result<DialogTurn> {
        dc.end(Value::Null).await
    }

    /// Goes on after a dialog that it began has ended. Ends with the same result by default.
    async fn resume(
        &self,
        dc: &mut DialogContext,
        _reason: Reason,
        result: Value,
    ) -> Result<DialogTurn> {
        dc.end(result).await
    }

    /// Asks again what it has asked.
    async fn reprompt(&self, _dc: &mut DialogContext) -> Result<()> {
        Ok(())
    }

    /// Called when the dialog was taken off the stack, with the reason.
    async fn ended(
        &self,
        _dc: &mut DialogContext,
        _instance: &Instance,
        _reason: Reason,
    ) -> Result<()> {
        Ok(())
    }

    /// Reports whether it handles events at all. One that says no is not even asked.
    fn listens(&self) -> bool {
        true
    }

    /// Handles an event before the dialogs around it do; `true` when it needs no more care.
    async fn on_event(&self, _dc: &mut DialogContext, _event: &Event) -> Result<bool> {
        Ok(false)
    }

    /// Handles an event that no dialog around took care of.
    async fn on_event_after(&self, _dc: &mut DialogContext, _event: &Event) -> Result<bool> {
        Ok(false)
    }

    /// The dialogs inside, when this is a container.
    fn inside(&self) -> Option<&Arc<DialogSet>> {
        None
    }
}

/// The status of a dialog at the end of a turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Status {
    /// There is none.
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

/// Something that happened, for dialogs to take care of.
#[derive(Clone, Debug)]
pub struct Event {
    /// Its name: one of the constants here, or the author's own.
    pub name: Cow<'static, str>,
    /// The value that goes with it, or null.
    pub value: Value,
    /// True if the dialogs around get it when it was not taken care of.
    pub bubbles: bool,
}

impl Event {
    /// A dialog is to be cancelled.
    pub const CANCEL: &'static str = "cancelDialog";
    /// A dialog is to ask again.
    pub const REPROMPT: &'static str = "repromptDialog";
    /// An activity came; once in a turn, before any dialog goes on.
    pub const ACTIVITY: &'static str = "activityReceived";
    /// A container was changed while a conversation was inside it.
    pub const CHANGED: &'static str = "versionChanged";
    /// A dialog failed.
    pub const ERROR: &'static str = "error";
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

/// Reads a value.
pub(crate) fn from_json<T: DeserializeOwned>(
    value: &Value,
    what: impl FnOnce() -> String,
) -> Result<T, Error> {
    T::deserialize(value).map_err(|source| Error::Type { what: what(), source })
}

/// Writes a value.
pub(crate) fn to_json<T: Serialize>(value: T, what: &str) -> Result<Value, Error> {
    serde_json::to_value(value).map_err(|source| Error::Type { what: what.to_owned(), source })
}
