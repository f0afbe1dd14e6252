//! Handle of a conversation's function: replies and the reference. Its steps are in other files.

use std::{fmt, sync::Arc};

use sayso_activity::{Activity, Reference};

use super::{Error, run::Run};

/// A conversation under way, as its function sees it.
///
/// A clone is the same conversation. Every method but [`say`](Self::say) and [`send`](Self::send)
/// is a *step*: done once, kept in the journal, and answered from it when the function is replayed.
/// The code between its steps must depend on nothing but their results.
#[derive(Clone)]
pub struct Conversation {
    pub(super) run: Arc<Run>,
    /// The scope that this handle was made for.
    pub(super) depth: usize,
}

impl Conversation {
    /// Says something. It leaves when, and only when, the turn is saved; a replay does not say it
    /// again.
    pub fn say(&self, text: impl Into<String>) {
        self.send(Activity::message(text));
    }

    /// Sends an activity. It leaves when, and only when, the turn is saved; a replay does not send
    /// it again.
    pub fn send(&self, activity: Activity) {
        self.run.lock().send(activity);
    }

    /// The reference by which this conversation is reached later. Not a step.
    ///
    /// # Errors
    /// [`Error::Over`] when the turn is over.
    pub fn reference(&self) -> Result<Reference, Error> {
        Ok(self.run.lend()?.reference())
    }
}

impl fmt::Debug for Conversation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Conversation").field("depth", &self.depth).finish_non_exhaustive()
    }
}
