//! Host of dialogs: runs them as a pure function, and as a bot on the turn engine.
//!
//! The stack is taken out of the conversation's state, handed to the dialogs by reference, and put
//! back. A turn that fails puts nothing back, because the engine keeps nothing of it.

use std::{fmt, sync::Arc};

use futures_util::future::BoxFuture;
use sayso_activity::{Activity, Kind, Raw};
use sayso_turn::{Bag, Bot, BotError, Documents, Key, Turn};
use serde_json::Value;

use crate::{
    changed::{Changed, Restart},
    dialog::{Dialog, DialogContext, DialogSet, DialogTurn, Event, Status},
    error::{Error, Result},
    oauth,
    prompt::DEADLINE,
    skill,
    state::{DialogState, Shape, StackCache},
};

/// The most errors in one turn that dialogs may take care of.
const ERRORS_MAX: usize = 4;

/// Settings of the dialog host.
#[derive(Clone, Debug)]
struct Settings {
    property: String,
    shape: Option<Shape>,
    changed: Arc<Changed>,
}

type Done = Arc<dyn Fn(Turn, Value) -> BoxFuture<'static, Result<()>> + Send + Sync>;

/// A root dialog, ready to run.
///
/// # Example
/// ```
/// use sayso_dialog::{ComponentDialog, Dialogs, Step, StepResult, TextPrompt, WaterfallDialog};
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
/// let root = ComponentDialog::new("root")
///     .with(WaterfallDialog::new("hello").step(ask).step(greet))
///     .with(TextPrompt::new("text"));
/// let bot = Dialogs::new(root).bot();
/// # drop(bot);
/// ```
#[derive(Clone)]
pub struct Dialogs {
    set: Arc<DialogSet>,
    root: String,
    settings: Arc<Settings>,
    done: Option<Done>,
    stacks: Arc<StackCache>,
}

impl Dialogs {
    /// Dialogs that begin with this one.
    #[must_use]
    pub fn new(dialog: impl Dialog) -> Self {
        let mut set = DialogSet::new();
        let root = set.add(dialog).to_owned();
        let property = "DialogState".to_owned();
        let settings = Settings { property, shape: None, changed: Arc::default() };
        let (set, settings) = (Arc::new(set), Arc::new(settings));
        Self { set, root, settings, done: None, stacks: Arc::default() }
    }

    /// Keeps the stack under another name than `DialogState`.
    #[must_use]
    pub fn property(mut self, name: impl Into<String>) -> Self {
        Arc::make_mut(&mut self.settings).property = name.into();
        self
    }

    /// Writes the stack as this SDK does. Without this it is written as it was found.
    #[must_use]
    pub fn shape(mut self, shape: Shape) -> Self {
        Arc::make_mut(&mut self.settings).shape = Some(shape);
        self
    }

    /// Chooses what happens to conversations inside a container that was changed.
    #[must_use]
    pub fn on_change(mut self, changed: Changed) -> Self {
        Arc::make_mut(&mut self.settings).changed = Arc::new(changed);
        self
    }

    /// Does something with the result when the root dialog has ended.
    #[must_use]
    pub fn on_done<F, Fut>(mut self, done: F) -> Self
    where
        F: Fn(Turn, Value) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<()>> + Send + 'static,
    {
        self.done = Some(Arc::new(move |turn, result| Box::pin(done(turn, result))));
        self
    }

    /// A bot whose messages go to these dialogs, and the events and invokes that prompts wait for.
    /// If another bot calls it, as its skill, and ends the conversation, all dialogs end.
    #[must_use]
    pub fn bot(self) -> Bot {
        let dialogs = Arc::new(self);
        let on_turn = move |turn| {
            let dialogs = Arc::clone(&dialogs);
            async move { dialogs.handle(turn).await }
        };
        Bot::new()
            .on_message(on_turn.clone())
            .on_end_of_conversation(on_turn.clone())
            .on_event(DEADLINE, on_turn.clone())
            .on_event(oauth::TOKEN_RESPONSE, on_turn.clone())
            .on_invoke(oauth::VERIFY_STATE, on_turn.clone())
            .on_invoke(oauth::TOKEN_EXCHANGE, on_turn)
    }

    /// Runs the dialogs on a turn, as a handler of a [`Bot`] would. If another bot called this one
    /// as its skill and the root dialog has ended, that bot is told so, with the result
    /// (`endOfConversation`); unless there is [`on_done`](Self::on_done), which says what it wants.
    ///
    /// # Errors
    /// When a dialog fails.
    pub async fn handle(&self, turn: Turn) -> Result<()> {
        let inbound = turn.activity();
        if inbound.kind == Kind::EndOfConversation && !skill::is_ended(inbound) {
            return Ok(());
        }
        let (mut turn, ended) = self.run(turn).await?;
        match (&self.done, skill::end(turn.activity(), &ended)?) {
            (Some(done), _) if ended.status == Status::Complete => done(turn, ended.result).await,
            (_, Some(end)) => {
                turn.send(end);
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// Runs the dialogs on a turn, and gives the turn back with what they made of it.
    ///
    /// # Errors
    /// When a dialog fails.
    ///
    /// # Cancellation
    /// Dropping the future drops the turn's attempt; nothing happened.
    pub async fn run(&self, mut turn: Turn) -> Result<(Turn, DialogTurn)> {
        let name = &self.settings.property;
        let mut state = match turn.state().raw(name) {
            Some(raw) => self.read(raw)?,
            None => DialogState::default(),
        };
        if let Some(shape) = self.settings.shape {
            state.set_shape(shape);
        }
        let (set, changed) = (Arc::clone(&self.set), Arc::clone(&self.settings.changed));
        let mut dc = DialogContext::new(turn, state, set, changed);
        let ended = self.run_in(&mut dc).await;
        let ended = ended.map_err(|source| inside(&dc, source))?;
        let (mut turn, state) = dc.into_parts();
        let kept = state.to_raw()?;
        if turn.state().raw(name) != Some(&kept) {
            turn.state().set_raw(name, kept.clone())?;
            self.stacks.keep(kept, state);
        }
        Ok((turn, ended))
    }

    fn read(&self, raw: &Raw) -> Result<DialogState> {
        if let Some(state) = self.stacks.take(raw) {
            return Ok(state);
        }
        DialogState::read(raw).map_err(|source| {
            let what = format!("the dialog stack in the property `{}`", self.settings.property);
            Error::Type { what, source }.into()
        })
    }

    async fn run_in(&self, dc: &mut DialogContext) -> Result<DialogTurn> {
        if skill::is_ended(dc.turn().activity()) {
            dc.clear();
            return Ok(DialogTurn { status: Status::Empty, result: Value::Null });
        }
        for _ in 0..ERRORS_MAX {
            let error = match self.proceed_or_begin(dc).await {
                Ok(turn) => return Ok(turn),
                Err(error) => error,
            };
            dc.leave_all();
            match error.downcast::<Restart>() {
                Ok(restart) => Self::restart(dc, *restart),
                Err(error) => {
                    let event = Event {
                        name: Event::ERROR.into(),
                        value: error.to_string().into(),
                        bubbles: true,
                    };
                    if !dc.emit_from_leaf(&event).await? {
                        return Err(error);
                    }
                }
            }
        }
        self.proceed_or_begin(dc).await
    }

    async fn proceed_or_begin(&self, dc: &mut DialogContext) -> Result<DialogTurn> {
        let turn = dc.proceed().await?;
        // A timer that comes late, or an event that nobody waits for, begins nothing.
        if turn.status == Status::Empty && dc.turn().activity().is_message() {
            return dc.begin(&self.root, Value::Null).await;
        }
        Ok(turn)
    }

    fn restart(dc: &mut DialogContext, Restart(notice): Restart) {
        dc.clear();
        if let Some(notice) = notice {
            dc.turn().say(notice);
        }
    }
}

impl fmt::Debug for Dialogs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Dialogs")
            .field("root", &self.root)
            .field("settings", &self.settings)
            .finish_non_exhaustive()
    }
}

fn inside(dc: &DialogContext, source: BotError) -> BotError {
    let dialog = dc.path();
    let dialog = dialog.rsplit(" > ").next().unwrap_or_default().to_owned();
    Error::Inside { dialog, stack: dc.path(), source }.into()
}

/// Dialogs as a pure function.
#[derive(Clone, Copy, Debug)]
pub struct DialogHost;

impl DialogHost {
    /// Runs dialogs once on an activity and the old state: gives what they say and the new state.
    /// Nothing is sent and nothing is stored. Members of the state that are not theirs are kept.
    ///
    /// # Errors
    /// When the activity names no conversation, or a dialog fails.
    ///
    /// # Example
    /// ```
    /// use sayso_dialog::{DialogHost, Dialogs, Step, StepResult, WaterfallDialog};
    /// use sayso_turn::{Bag, activity::Activity};
    ///
    /// async fn count(mut step: Step<'_>) -> StepResult {
    ///     step.say("One.");
    ///     step.wait()
    /// }
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), sayso_turn::Error> {
    /// let dialogs = Dialogs::new(WaterfallDialog::new("count").step(count));
    /// let hi = Activity::from_json(
    ///     br#"{"type":"message","id":"1","channelId":"test",
    ///          "conversation":{"id":"c"},"text":"hi"}"#,
    /// ).unwrap();
    /// let (said, state) = DialogHost::run(&dialogs, hi, Bag::default()).await?;
    /// assert_eq!(said[0].text(), "One.");
    /// assert!(state.get_raw("DialogState").is_some());
    /// # Ok(()) }
    /// ```
    pub async fn run(
        dialogs: &Dialogs,
        activity: Activity,
        old_state: Bag,
    ) -> Result<(Vec<Activity>, Bag), sayso_turn::Error> {
        let channel = activity.channel_id.as_deref().unwrap_or_default();
        let conversation = activity.conversation.as_ref().and_then(|one| one.id.as_deref());
        let key = Key::conversation(channel, conversation.unwrap_or_default())?;
        let documents = Documents::from([(key.clone(), old_state)]);
        let mut outcome = sayso_turn::run(&dialogs.clone().bot(), activity, documents).await?;
        Ok((outcome.replies, outcome.documents.remove(&key).unwrap_or_default()))
    }
}
