//! Methods of the context: the stack, the dialogs that can be on it, and the turn itself.
//!
//! It owns the turn and the stack for the length of one attempt, so dialogs change both by
//! reference. A container does not get a context of its own: it enters its level and leaves it
//! again, so the way to the dialogs around is always there.

mod events;

use std::sync::Arc;

use sayso_turn::Turn;
use serde::Serialize;
use serde_json::Value;

use super::{Dialog, DialogContext, DialogSet, DialogTurn, Event, Level, Reason};
use crate::{
    changed::Changed,
    error::{Error, Result},
    json::{from_json, to_json},
    prompt::PromptOptions,
    state::{DialogState, Instance, Members, OPTIONS},
};

/// Maximum depth of a stack; a deeper one is taken for an endless loop.
const STACK_MAX: usize = 64;

impl DialogContext {
    pub(crate) fn new(
        turn: Turn,
        root: DialogState,
        dialogs: Arc<DialogSet>,
        changed: Arc<Changed>,
    ) -> Self {
        let levels = vec![Level { dialogs, at: 0 }];
        Self { turn, root, levels, changed, is_announced: false }
    }

    pub(crate) fn into_parts(self) -> (Turn, DialogState) {
        (self.turn, self.root)
    }

    /// The turn.
    pub fn turn(&mut self) -> &mut Turn {
        &mut self.turn
    }

    /// The dialogs on the stack of this level, the top last.
    #[must_use]
    pub fn stack(&self) -> &[Instance] {
        &self.here().stack
    }

    /// The id of the dialog on top, if any.
    #[must_use]
    pub fn active(&self) -> Option<&str> {
        self.stack().last().map(Instance::id)
    }

    /// The state that the dialog on top keeps.
    ///
    /// # Panics
    /// When no dialog is on the stack; there always is one while a dialog is called.
    pub fn state(&mut self) -> &mut Members {
        let top = self.here_mut().stack.last_mut();
        top.expect("a dialog is on the stack while it is called").members()
    }

    pub(crate) fn top(&self) -> Option<&Instance> {
        self.here().stack.last()
    }

    pub(crate) fn top_mut(&mut self) -> Option<&mut Instance> {
        self.here_mut().stack.last_mut()
    }

    /// The ids of all running dialogs, outermost first.
    pub(crate) fn path(&self) -> String {
        let mut ids = Vec::new();
        let mut state = Some(&self.root);
        while let Some(here) = state {
            ids.extend(here.ids());
            state = here.stack.last().and_then(Instance::inner);
        }
        ids.join(" > ")
    }

    pub(crate) fn root(&self) -> &DialogState {
        &self.root
    }

    fn here(&self) -> &DialogState {
        let inside = self.levels.iter().skip(1);
        inside.fold(&self.root, |state, level| {
            let inner = state.stack.get(level.at).and_then(|instance| instance.inner.as_deref());
            inner.expect("a level is entered through an instance that has a stack inside")
        })
    }

    fn here_mut(&mut self) -> &mut DialogState {
        let inside = self.levels.iter().skip(1);
        inside.fold(&mut self.root, |state, level| {
            let instance = state.stack.get_mut(level.at);
            let inner = instance.and_then(|instance| instance.inner.as_deref_mut());
            inner.expect("a level is entered through an instance that has a stack inside")
        })
    }

    /// Enters the container on top.
    pub(crate) fn enter(&mut self, dialogs: &Arc<DialogSet>) {
        let shape = self.root.shape;
        let here = self.here_mut();
        let at = here.stack.len().saturating_sub(1);
        if let Some(top) = here.stack.last_mut()
            && top.inner.is_none()
        {
            top.inner = Some(Box::new(DialogState::of(shape)));
        }
        self.levels.push(Level { dialogs: Arc::clone(dialogs), at });
    }

    /// The number of levels that are entered, with the outermost.
    pub(crate) fn depth(&self) -> usize {
        self.levels.len()
    }

    /// Returns to a level, if it was not left already: dialogs inside may cancel those around.
    pub(crate) fn leave(&mut self, depth: usize) {
        self.levels.truncate(depth.max(1));
    }

    /// Forgets every dialog, without asking any.
    pub(crate) fn clear(&mut self) {
        self.leave_all();
        self.root.stack.clear();
    }

    /// Returns to the outermost level, whatever was left in the middle.
    pub(crate) fn leave_all(&mut self) {
        self.levels.truncate(1);
    }

    /// The dialog of this id: here, or else in the containers around.
    #[must_use]
    pub fn find(&self, id: &str) -> Option<Arc<dyn Dialog>> {
        self.levels.iter().rev().find_map(|level| level.dialogs.find(id)).map(Arc::clone)
    }

    fn known(&self, id: &str) -> Result<Arc<dyn Dialog>, Error> {
        self.find(id).ok_or_else(|| {
            let known: Vec<&str> =
                self.levels.iter().rev().flat_map(|level| level.dialogs.ids()).collect();
            Error::Unknown { id: id.to_owned(), known: known.join(", ") }
        })
    }

    fn active_dialog(&self) -> Result<Option<Arc<dyn Dialog>>, Error> {
        self.active().map(|id| self.known(id)).transpose()
    }

    /// Begins a dialog on top of the one that runs.
    ///
    /// # Errors
    /// When there is no such dialog here or around, the stack is full, or the dialog fails.
    pub async fn begin(&mut self, id: &str, options: impl Serialize + Send) -> Result<DialogTurn> {
        let dialog = self.known(id)?;
        let options = to_json(options, "an option of a dialog")?;
        self.push(id)?;
        dialog.begin(self, options).await
    }

    fn push(&mut self, id: &str) -> Result<(), Error> {
        let stack = &mut self.here_mut().stack;
        if stack.len() >= STACK_MAX {
            return Err(Error::Depth(STACK_MAX));
        }
        stack.push(Instance::new(id));
        Ok(())
    }

    /// Asks with a prompt: begins it with these options.
    ///
    /// # Errors
    /// As [`begin`](Self::begin).
    pub async fn prompt(
        &mut self,
        id: &str,
        options: impl Into<PromptOptions>,
    ) -> Result<DialogTurn> {
        let dialog = self.known(id)?;
        self.push(id)?;
        dialog.begin_prompt(self, options.into()).await
    }

    /// Lets the dialog on top go on with this turn's activity.
    ///
    /// # Errors
    /// When the dialog is not known any more, or fails.
    pub async fn proceed(&mut self) -> Result<DialogTurn> {
        if !std::mem::replace(&mut self.is_announced, true) {
            self.announce().await?;
        }
        match self.active_dialog()? {
            Some(dialog) => dialog.proceed(self).await,
            None => Ok(DialogTurn::empty()),
        }
    }

    /// Ends the dialog on top. The one beneath goes on with the result.
    ///
    /// # Errors
    /// When a dialog that goes on fails.
    pub async fn end(&mut self, result: impl Serialize + Send) -> Result<DialogTurn> {
        let result = to_json(result, "the result of a dialog")?;
        self.pop(Reason::End).await?;
        match self.active_dialog()? {
            Some(dialog) => dialog.resume(self, Reason::End, result).await,
            None => Ok(DialogTurn::complete(result)),
        }
    }

    /// Ends the dialog on top and begins another one in its place.
    ///
    /// # Errors
    /// As [`begin`](Self::begin).
    pub async fn replace(
        &mut self,
        id: &str,
        options: impl Serialize + Send,
    ) -> Result<DialogTurn> {
        self.pop(Reason::Replace).await?;
        self.begin(id, options).await
    }

    /// Takes every dialog of this level off the stack.
    ///
    /// # Errors
    /// When a dialog fails while it is cancelled.
    pub async fn cancel_all(&mut self) -> Result<DialogTurn> {
        self.cancel_all_for(Event::CANCEL, Value::Null, false).await
    }

    /// Takes every dialog off the stack, of the containers around too if `parents`. Each one but
    /// the first hears of it by an event, and can stop it by taking care of that.
    ///
    /// # Errors
    /// When a dialog fails while it is cancelled.
    pub async fn cancel_all_for(
        &mut self,
        event: &str,
        value: Value,
        parents: bool,
    ) -> Result<DialogTurn> {
        let event = Event { name: event.to_owned().into(), value, bubbles: false };
        let mut is_first = true;
        loop {
            if self.active().is_none() {
                if !parents || self.depth() == 1 {
                    break;
                }
                self.leave(self.depth() - 1);
            } else if is_first || !self.handle_event(&event).await? {
                is_first = false;
                self.pop(Reason::Cancel).await?;
            } else {
                break;
            }
        }
        Ok(if is_first { DialogTurn::empty() } else { DialogTurn::cancelled() })
    }

    /// Lets the dialog on top ask again.
    ///
    /// # Errors
    /// When it fails.
    pub async fn reprompt(&mut self) -> Result<()> {
        let event = Event { name: Event::REPROMPT.into(), value: Value::Null, bubbles: false };
        if self.handle_event(&event).await? {
            return Ok(());
        }
        match self.active_dialog()? {
            Some(dialog) => dialog.reprompt(self).await,
            None => Ok(()),
        }
    }

    /// Takes the dialog on top off the stack.
    async fn pop(&mut self, reason: Reason) -> Result<()> {
        let Some(dialog) = self.active().and_then(|id| self.find(id)) else {
            drop(self.here_mut().stack.pop());
            return Ok(());
        };
        // A container cancels what is inside while it is still on the stack.
        if reason == Reason::Cancel
            && let Some(inside) = dialog.inside()
        {
            let depth = self.depth();
            self.enter(inside);
            let cancelled = Box::pin(self.cancel_all()).await;
            self.leave(depth);
            drop(cancelled?);
        }
        let Some(instance) = self.here_mut().stack.pop() else { return Ok(()) };
        dialog.ended(self, &instance, reason).await
    }

    /// Reads a value that the dialog on top keeps.
    pub(crate) fn kept<T: serde::de::DeserializeOwned>(
        &self,
        name: &str,
    ) -> Result<Option<T>, Error> {
        let what = || format!("the value `{name}` of a dialog");
        let Some(top) = self.top() else { return Ok(None) };
        if name == OPTIONS {
            return top.options().map_err(|source| Error::Type { what: what(), source });
        }
        top.state.get(name).map(|value| from_json(value, what)).transpose()
    }
}
