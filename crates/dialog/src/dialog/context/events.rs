//! Event bubbling: from the innermost dialog out, past those that do not listen.

use std::sync::Arc;

use serde::Serialize;
use serde_json::Value;

use crate::{
    dialog::{DialogContext, Event},
    error::Result,
    json::to_json,
    state::Instance,
};

impl DialogContext {
    /// Sends an event to the dialog on top; `true` when it, or one around it, took care of it.
    ///
    /// # Errors
    /// When a dialog fails at it.
    pub async fn emit(
        &mut self,
        name: &str,
        value: impl Serialize + Send,
        bubbles: bool,
    ) -> Result<bool> {
        let value = to_json(value, "the value of an event")?;
        self.handle_event(&Event { name: name.to_owned().into(), value, bubbles }).await
    }

    /// As [`emit`](Self::emit), beginning with the innermost dialog of the containers on top.
    ///
    /// # Errors
    /// When a dialog fails at it.
    pub async fn emit_from_leaf(&mut self, event: &Event) -> Result<bool> {
        let before = self.levels.len();
        while let Some(inside) = self.active_dialog()?.and_then(|one| one.inside().map(Arc::clone))
        {
            if self.top().is_none_or(|top| top.inner.as_ref().is_none_or(|inner| inner.is_empty()))
            {
                break;
            }
            self.enter(&inside);
        }
        let handled = self.handle_event(event).await;
        self.levels.truncate(before);
        handled
    }

    pub(super) async fn handle_event(&mut self, event: &Event) -> Result<bool> {
        let Some(dialog) = self.active_dialog()? else { return Ok(false) };
        let listens = dialog.listens();
        if listens && dialog.on_event(self, event).await? {
            return Ok(true);
        }
        if event.bubbles && self.has_listener_around() {
            let level = self.levels.pop();
            let handled = Box::pin(self.handle_event(event)).await;
            self.levels.extend(level);
            self.leave_cancelled();
            if handled? {
                return Ok(true);
            }
        }
        if !listens {
            return Ok(false);
        }
        dialog.on_event_after(self, event).await
    }

    /// Returns `true` if a container around this level may handle events. Usually none does, and
    /// then the event need not go outwards.
    fn has_listener_around(&self) -> bool {
        let mut state = &self.root;
        for (level, inside) in self.levels.iter().zip(self.levels.iter().skip(1)) {
            let Some(instance) = state.stack.get(inside.at) else { return true };
            let around = level.dialogs.find(&instance.id);
            // One that is found elsewhere is asked, to be on the safe side.
            if around.is_none_or(|dialog| dialog.listens()) {
                return true;
            }
            let Some(inner) = instance.inner() else { return true };
            state = inner;
        }
        false
    }

    /// Tells the dialogs, from the innermost on, that an activity came.
    pub(super) async fn announce(&mut self) -> Result<()> {
        if self.active().is_none() {
            return Ok(());
        }
        let event = Event { name: Event::ACTIVITY.into(), value: Value::Null, bubbles: true };
        self.emit_from_leaf(&event).await.map(drop)
    }

    /// Leaves levels whose instance is gone: a dialog around may cancel those inside.
    fn leave_cancelled(&mut self) {
        let mut state = Some(&self.root);
        let mut depth = 1;
        for level in self.levels.iter().skip(1) {
            state = state.and_then(|state| state.stack.get(level.at)).and_then(Instance::inner);
            if state.is_none() {
                break;
            }
            depth += 1;
        }
        self.levels.truncate(depth);
    }
}
