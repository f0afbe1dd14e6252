//! Waterfall dialogs: a sequence of steps.

use std::{fmt, sync::Arc};

use async_trait::async_trait;
use futures_util::future::BoxFuture;
use sayso_turn::Turn;
use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;

use crate::{
    dialog::{Dialog, DialogContext, DialogTurn, Reason},
    error::{Error, Result},
    json::{from_json, to_json},
    prompt::PromptOptions,
    state::{Members, OPTIONS},
};

/// The result of a step: what it began, waits for or ended with, or the next step.
pub type StepResult = Result<Go>;

/// Control flow of a waterfall after a step.
#[derive(Debug)]
pub enum Go {
    /// Straight to the next step, with a result for it.
    Next(Value),
    /// The turn's outcome of a dialog that the step has called.
    Turn(DialogTurn),
}

impl From<DialogTurn> for Go {
    fn from(turn: DialogTurn) -> Self {
        Self::Turn(turn)
    }
}

type BoxStep = Arc<dyn for<'a> Fn(Step<'a>) -> BoxFuture<'a, StepResult> + Send + Sync>;

/// A step of a waterfall: every `async fn(Step<'_>) -> StepResult` is one.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a step of a waterfall",
    note = "a step is an `async fn name(step: Step<'_>) -> StepResult`"
)]
pub trait StepFn<'a>: Send + Sync + 'static {
    /// Runs the step.
    fn run(&self, step: Step<'a>) -> BoxFuture<'a, StepResult>;
}

/// Future of a step. Every async function with that result returns one; nobody implements this by
/// hand.
#[diagnostic::on_unimplemented(
    message = "a step is an async function that gives `StepResult`; this one gives `{Self}`",
    label = "the step given here is not async, or gives something else",
    note = "write `async fn name(step: Step<'_>) -> StepResult {{ ... }}`, and end it with what \
            `step.prompt(..).await`, `step.next(..)` or `step.end(..).await` gives"
)]
pub trait StepFuture: Future<Output = StepResult> {}

#[diagnostic::do_not_recommend]
impl<F: Future<Output = StepResult>> StepFuture for F {}

impl<'a, F, Fut> StepFn<'a> for F
where
    F: Fn(Step<'a>) -> Fut + Send + Sync + 'static,
    Fut: StepFuture + Send + 'a,
{
    fn run(&self, step: Step<'a>) -> BoxFuture<'a, StepResult> {
        Box::pin(self(step))
    }
}

/// A dialog of steps: each one asks something or goes straight on, and gets what was answered to
/// the one before it. After the last step the dialog ends with the last answer.
///
/// # Example
/// ```
/// use sayso_dialog::{Step, StepResult, WaterfallDialog};
///
/// async fn ask(step: Step<'_>) -> StepResult {
///     step.prompt("text", "What is your name?").await
/// }
///
/// async fn greet(mut step: Step<'_>) -> StepResult {
///     let name: String = step.result()?;
///     step.say(format!("Hello, {name}."));
///     step.end(name).await
/// }
///
/// let hello = WaterfallDialog::new("hello").step(ask).step(greet);
/// # drop(hello);
/// ```
pub struct WaterfallDialog {
    id: String,
    steps: Vec<(Option<String>, BoxStep)>,
}

/// A step that runs.
#[derive(Debug)]
pub struct Step<'a> {
    dc: &'a mut DialogContext,
    index: usize,
    reason: Reason,
    result: Value,
}

mod member {
    pub(super) const VALUES: &str = "values";
    pub(super) const INSTANCE: &str = "instanceId";
    pub(super) const INDEX: &str = "stepIndex";
    /// Ours: finds the step again after a deployment that moved it.
    pub(super) const NAME: &str = "stepName";
}

impl WaterfallDialog {
    /// A waterfall without steps.
    #[must_use]
    pub fn new(id: impl Into<String>) -> Self {
        Self { id: id.into(), steps: Vec::new() }
    }

    /// Adds a step.
    #[must_use]
    pub fn step(mut self, step: impl for<'a> StepFn<'a>) -> Self {
        self.steps.push((None, Arc::new(move |context| step.run(context))));
        self
    }

    /// Adds a step with a name. A conversation that waits in it finds it again by its name when a
    /// later version of the bot has it at another place.
    #[must_use]
    pub fn named(mut self, name: impl Into<String>, step: impl for<'a> StepFn<'a>) -> Self {
        self.steps.push((Some(name.into()), Arc::new(move |context| step.run(context))));
        self
    }

    /// Runs steps from this one on until one of them waits or ends.
    async fn run(
        &self,
        dc: &mut DialogContext,
        mut index: usize,
        mut reason: Reason,
        mut result: Value,
    ) -> Result<DialogTurn> {
        loop {
            let Some((name, step)) = self.steps.get(index) else { return dc.end(result).await };
            if let Some(top) = dc.top_mut() {
                set_position(&mut top.state, index, name.as_deref());
            }
            match step(Step { dc: &mut *dc, index, reason, result }).await? {
                Go::Turn(turn) => return Ok(turn),
                Go::Next(value) => (index, reason, result) = (index + 1, Reason::Next, value),
            }
        }
    }

    /// The index of the current step: by the name of the step, or else by its number.
    fn index(&self, dc: &DialogContext) -> Result<usize, Error> {
        let name = dc.top().and_then(|top| top.state.get(member::NAME)).and_then(Value::as_str);
        let by_name = name.and_then(|name| {
            self.steps.iter().position(|(known, _)| known.as_deref() == Some(name))
        });
        match by_name {
            Some(index) => Ok(index),
            None => Ok(dc.kept(member::INDEX)?.unwrap_or_default()),
        }
    }
}

#[async_trait]
impl Dialog for WaterfallDialog {
    fn id(&self) -> &str {
        &self.id
    }

    fn version(&self) -> String {
        format!("{}:{}", self.id, self.steps.len())
    }

    fn listens(&self) -> bool {
        false
    }

    async fn begin(&self, dc: &mut DialogContext, options: Value) -> Result<DialogTurn> {
        let id = instance_id(dc);
        let state = dc.state();
        state.insert(OPTIONS.to_owned(), options);
        state.insert(member::VALUES.to_owned(), Members::new().into());
        state.insert(member::INSTANCE.to_owned(), id.into());
        self.run(dc, 0, Reason::Begin, Value::Null).await
    }

    async fn proceed(&self, dc: &mut DialogContext) -> Result<DialogTurn> {
        if !dc.turn().activity().is_message() {
            return Ok(DialogTurn::waiting());
        }
        let text = dc.turn().text().to_owned();
        self.resume(dc, Reason::Continue, text.into()).await
    }

    async fn resume(
        &self,
        dc: &mut DialogContext,
        reason: Reason,
        result: Value,
    ) -> Result<DialogTurn> {
        let index = self.index(dc)?;
        self.run(dc, index + 1, reason, result).await
    }
}

/// Records the index and the name of the step that runs.
fn set_position(state: &mut Members, index: usize, name: Option<&str>) {
    match state.get_mut(member::INDEX) {
        Some(kept) => *kept = index.into(),
        None => drop(state.insert(member::INDEX.to_owned(), index.into())),
    }
    match name {
        Some(name) => drop(state.insert(member::NAME.to_owned(), name.into())),
        None => drop(state.remove(member::NAME)),
    }
}

/// An id for a new instance: the same on every attempt of the turn, unlike the SDKs' random one.
fn instance_id(dc: &mut DialogContext) -> String {
    use sha2::{Digest, Sha256};
    let mut hash = Sha256::new();
    hash.update(dc.turn().id().to_string());
    hash.update(dc.path());
    let bytes = hash.finalize();
    // As a version 4 UUID has it: 8-4-4-4-12 digits, the first of the third group is 4, of the
    // fourth 8.
    let mut id = String::with_capacity(36);
    for (place, byte) in bytes.iter().take(16).enumerate() {
        if matches!(place, 4 | 6 | 8 | 10) {
            id.push('-');
        }
        let first = match place {
            6 => 4,
            8 => 8,
            _ => byte >> 4,
        };
        id.extend(
            [first, byte & 15].map(|digit| char::from_digit(digit.into(), 16).unwrap_or('0')),
        );
    }
    id
}

impl Step<'_> {
    /// The index of the step, from 0.
    #[must_use]
    pub fn index(&self) -> usize {
        self.index
    }

    /// The reason why it runs.
    #[must_use]
    pub fn reason(&self) -> Reason {
        self.reason
    }

    /// The result of the step before it: an answer, the result of a dialog, or what it passed on.
    ///
    /// # Errors
    /// When it is of another type.
    pub fn result<T: DeserializeOwned>(&self) -> Result<T, Error> {
        from_json(&self.result, || format!("the result that step {} got", self.index))
    }

    /// The options that the waterfall was begun with.
    ///
    /// # Errors
    /// When it is of another type.
    pub fn options<T: DeserializeOwned>(&self) -> Result<T, Error> {
        match self.dc.kept(OPTIONS)? {
            Some(options) => Ok(options),
            None => from_json(&Value::Null, || "the options of the waterfall".to_owned()),
        }
    }

    /// The values that the steps of this instance share.
    pub fn values(&mut self) -> &mut Members {
        let top = self.dc.top_mut().expect("a waterfall is on the stack while a step runs");
        let values = top.state.entry(member::VALUES).or_insert_with(|| Members::new().into());
        if !values.is_object() {
            *values = Members::new().into();
        }
        values.as_object_mut().expect("set to an object above")
    }

    /// A value that an earlier step has kept.
    ///
    /// # Errors
    /// When there is none, or it is of another type.
    pub fn value<T: DeserializeOwned>(&mut self, name: &str) -> Result<T, Error> {
        let null = Value::Null;
        let value = self.values().get(name).unwrap_or(&null);
        from_json(value, || format!("the value `{name}` of the waterfall"))
    }

    /// Keeps a value for later steps.
    ///
    /// # Errors
    /// When it cannot be written as JSON.
    pub fn keep(&mut self, name: &str, value: impl Serialize) -> Result<(), Error> {
        let value = to_json(value, "a value of a waterfall")?;
        self.values().insert(name.to_owned(), value);
        Ok(())
    }

    /// The turn.
    pub fn turn(&mut self) -> &mut Turn {
        self.dc.turn()
    }

    /// The context of the dialogs, for what a step has no method of its own.
    pub fn context(&mut self) -> &mut DialogContext {
        self.dc
    }

    /// Says something: it leaves when, and only when, the turn is saved.
    pub fn say(&mut self, text: impl Into<String>) {
        self.dc.turn().say(text);
    }

    /// Asks with a prompt; the next step gets the answer.
    ///
    /// # Errors
    /// When there is no such prompt.
    pub async fn prompt(self, id: &str, options: impl Into<PromptOptions>) -> StepResult {
        Ok(self.dc.prompt(id, options).await?.into())
    }

    /// Begins a dialog; the next step gets its result.
    ///
    /// # Errors
    /// When there is no such dialog, or it fails.
    pub async fn begin(self, id: &str, options: impl Serialize + Send) -> StepResult {
        Ok(self.dc.begin(id, options).await?.into())
    }

    /// Goes straight to the next step.
    ///
    /// # Errors
    /// When the value cannot be written as JSON.
    pub fn next(self, result: impl Serialize) -> StepResult {
        Ok(Go::Next(to_json(result, "what a step passes on")?))
    }

    /// Waits for a message; the next step gets its text.
    ///
    /// # Errors
    /// Never; it is a result so that a step can end with it.
    pub fn wait(self) -> StepResult {
        Ok(DialogTurn::waiting().into())
    }

    /// Ends the waterfall.
    ///
    /// # Errors
    /// When a dialog that goes on fails.
    pub async fn end(self, result: impl Serialize + Send) -> StepResult {
        Ok(self.dc.end(result).await?.into())
    }

    /// Ends the waterfall and begins another dialog, or itself again, in its place.
    ///
    /// # Errors
    /// When there is no such dialog, or it fails.
    pub async fn replace(self, id: &str, options: impl Serialize + Send) -> StepResult {
        Ok(self.dc.replace(id, options).await?.into())
    }

    /// Cancels every dialog of this level.
    ///
    /// # Errors
    /// When a dialog fails while it is cancelled.
    pub async fn cancel_all(self) -> StepResult {
        Ok(self.dc.cancel_all().await?.into())
    }
}

impl fmt::Debug for WaterfallDialog {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<Option<&str>> = self.steps.iter().map(|(name, _)| name.as_deref()).collect();
        f.debug_struct("WaterfallDialog").field("id", &self.id).field("steps", &names).finish()
    }
}
