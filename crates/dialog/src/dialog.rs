//! The trait of all classic dialogs, with the context and the set of dialogs.
//!
//! The three are one recursive definition: a dialog is called with the context, the context has
//! sets, and a set has dialogs. The methods of the context and of the set are in files of their
//! own.

mod context;
mod event;
mod outcome;
mod set;

use std::{
    fmt,
    sync::{Arc, OnceLock},
};

use async_trait::async_trait;
use sayso_turn::Turn;
use serde_json::Value;

use crate::{
    changed::Changed,
    error::Result,
    json::to_json,
    prompt::PromptOptions,
    state::{DialogState, Instance},
};

pub use self::event::Event;
pub use self::outcome::{DialogTurn, Reason, Status};

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

    /// Returns `true` if it handles events. If not, it is not called for them.
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

/// The context of dialogs during a turn: the turn, the stack and the dialogs that are known.
#[derive(Debug)]
pub struct DialogContext {
    turn: Turn,
    root: DialogState,
    /// The levels that are entered, the current one last.
    levels: Vec<Level>,
    /// The policy for containers that a deployment has changed.
    pub(crate) changed: Arc<Changed>,
    /// True once this turn's activity was announced to the dialogs.
    is_announced: bool,
}

/// A level of nested stacks: its dialogs, and the place of its container on the stack around it.
#[derive(Clone, Debug)]
struct Level {
    dialogs: Arc<DialogSet>,
    at: usize,
}

/// The dialogs that can begin one another.
///
/// Adding another dialog under an id that is taken gives it the next free one (`size`, `size2`,
/// ...), as the SDKs do; adding the same one again does nothing.
#[derive(Clone, Debug, Default)]
pub struct DialogSet {
    dialogs: Vec<(String, Arc<dyn Dialog>)>,
    /// Made when first asked for: by .NET's rule, and by JavaScript's.
    versions: OnceLock<[String; 2]>,
}
