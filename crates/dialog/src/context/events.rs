//! Events: who hears them, from the inside out, and who is not even asked.

use std::sync::Arc;

use serde::Serialize;
use serde_json::Value;

use super::DialogContext;
use crate::{
    dialog::{Event, to_json},
    error::Result,
    state::Instance,
};

impl DialogContext {
    /// Tells the dialog on top of something; `true` when it, or one around it, took care of it.
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
        self.hear(&Event { name: name.to_owned().into(), value, bubbles }).await
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
        let heard = self.hear(event).await;
        self.levels.truncate(before);
        heard
    }

    pub(super) async fn hear(&mut self, event: &Event) -> Result<bool> {
        let Some(dialog) = self.active_dialog()? else { return Ok(false) };
        let listens = dialog.listens();
        if listens && dialog.on_event(self, event).await? {
            return Ok(true);
        }
        if event.bubbles && self.is_heard_around() {
            let level = self.levels.pop();
            let heard = Box::pin(self.hear(event)).await;
            self.levels.extend(level);
            self.mend();
            if heard? {
                return Ok(true);
            }
        }
        if !listens {
            return Ok(false);
        }
        dialog.on_event_after(self, event).await
    }

    /// Whether a container around this level listens: most do not, and then nobody need be asked.
    fn is_heard_around(&self) -> bool {
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

    /// Leaves levels whose instance is gone: one around may cancel those inside.
    fn mend(&mut self) {
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
