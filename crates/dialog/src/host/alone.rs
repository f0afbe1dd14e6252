//! A set of dialogs by itself, without a root: its caller decides what begins.

use std::sync::Arc;

use sayso_turn::Turn;

use crate::{
    changed::Changed,
    dialog::{DialogContext, DialogSet},
    error::{Error, Result},
    state::DialogState,
};

/// Name of the property in which the SDKs keep the stack.
const PROPERTY: &str = "DialogState";

impl DialogSet {
    /// Runs dialogs of this set on a turn, as a ported bot does that makes a context by itself:
    /// what goes on, what begins and what is prompted for is up to `work`. Afterwards the stack is
    /// kept under `DialogState`, and the turn comes back with what `work` has returned.
    ///
    /// # Errors
    /// When the stack cannot be read or written, and those of `work`. Nothing is kept then.
    ///
    /// # Cancellation
    /// Dropping the future drops the turn's attempt; nothing happened.
    ///
    /// # Example
    /// ```
    /// use std::sync::Arc;
    /// use sayso_dialog::{DialogSet, Status, TextPrompt};
    /// use sayso_turn::{Bot, Turn, script::chat};
    ///
    /// # #[tokio::main(flavor = "current_thread")] async fn main() {
    /// let mut dialogs = DialogSet::new();
    /// dialogs.add(TextPrompt::new("name"));
    /// let dialogs = Arc::new(dialogs);
    /// let bot = Bot::new().on_message(move |turn: Turn| {
    ///     let dialogs = Arc::clone(&dialogs);
    ///     async move {
    ///         let (mut turn, ended) = dialogs
    ///             .run(turn, async |dc| match dc.proceed().await? {
    ///                 ended if ended.status == Status::Empty => {
    ///                     dc.prompt("name", "What is your name?").await
    ///                 }
    ///                 ended => Ok(ended),
    ///             })
    ///             .await?;
    ///         if ended.status == Status::Complete {
    ///             let name: String = ended.result()?;
    ///             turn.say(format!("Hello, {name}."));
    ///         }
    ///         Ok(())
    ///     }
    /// });
    /// chat(bot).user("hi").expects("What is your name?").user("Ada").expects("Hello, Ada.").await;
    /// # }
    /// ```
    pub async fn run<T>(
        self: &Arc<Self>,
        turn: Turn,
        work: impl AsyncFnOnce(&mut DialogContext) -> Result<T>,
    ) -> Result<(Turn, T)> {
        self.run_in(PROPERTY, turn, work).await
    }

    /// Runs dialogs of this set on a turn, with the stack under another name than `DialogState`.
    /// Otherwise like [`run`](Self::run).
    ///
    /// # Errors
    /// As [`run`](Self::run).
    ///
    /// # Cancellation
    /// As [`run`](Self::run).
    pub async fn run_in<T>(
        self: &Arc<Self>,
        property: &str,
        mut turn: Turn,
        work: impl AsyncFnOnce(&mut DialogContext) -> Result<T>,
    ) -> Result<(Turn, T)> {
        let state = match turn.state().raw(property) {
            None => DialogState::default(),
            Some(raw) => DialogState::read(raw).map_err(|source| Error::Type {
                what: format!("the dialog stack in the property `{property}`"),
                source,
            })?,
        };
        let changed = Arc::new(Changed::default());
        let mut dc = DialogContext::new(turn, state, Arc::clone(self), changed);
        let done = work(&mut dc).await?;
        dc.leave_all();
        let (mut turn, state) = dc.into_parts();
        let kept = state.to_raw()?;
        if turn.state().raw(property) != Some(&kept) {
            turn.state().set_raw(property, kept)?;
        }
        Ok((turn, done))
    }
}
