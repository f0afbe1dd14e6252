//! Host of dialogs: runs them as a pure function, and as a bot on the turn engine.
//!
//! The stack is taken out of the conversation's state, handed to the dialogs by reference, and put
//! back. A turn that fails puts nothing back, because the engine keeps nothing of it.

mod alone;

use std::{fmt, sync::Arc};

use futures_util::future::BoxFuture;
use sayso_activity::{Activity, Kind, Raw};
use sayso_turn::{Bag, Bot, BotError, Documents, Key, Turn};
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::{
    begin::Beginnings,
    changed::{Changed, Restart},
    dialog::{Dialog, DialogContext, DialogSet, DialogTurn, Event, Status},
    error::{Error, Result},
    json::from_json,
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
    beginnings: Beginnings,
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
    /// Name of these dialogs in errors.
    owner: String,
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
        let owner = format!("the dialogs of `{root}`");
        let property = "DialogState".to_owned();
        let (changed, beginnings) = (Arc::default(), Beginnings::default());
        let settings = Settings { property, shape: None, changed, beginnings };
        let (set, settings) = (Arc::new(set), Arc::new(settings));
        Self { set, root, owner, settings, done: None, stacks: Arc::default() }
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

    /// Begins the root dialog also when somebody other than the bot joins.
    #[must_use]
    pub fn begin_on_join(mut self) -> Self {
        Arc::make_mut(&mut self.settings).beginnings.joins = true;
        self
    }

    /// Begins the root dialog also at events of these names.
    #[must_use]
    pub fn begin_on(mut self, events: impl IntoIterator<Item = impl Into<String>>) -> Self {
        let names = events.into_iter().map(Into::into);
        Arc::make_mut(&mut self.settings).beginnings.events.extend(names);
        self
    }

    /// Does something with the result when the root dialog has ended, as the type that it is.
    ///
    /// # Example
    /// ```
    /// use sayso_dialog::{Dialogs, Step, StepResult, WaterfallDialog};
    /// use sayso_turn::Turn;
    ///
    /// async fn count(step: Step<'_>) -> StepResult {
    ///     step.end(3_u32).await
    /// }
    ///
    /// let bot = Dialogs::new(WaterfallDialog::new("count").step(count))
    ///     .on_result(async |mut turn: Turn, count: u32| {
    ///         turn.say(format!("{count} it is."));
    ///         Ok(())
    ///     })
    ///     .bot();
    /// # drop(bot);
    /// ```
    #[must_use]
    pub fn on_result<T, F, Fut>(mut self, done: F) -> Self
    where
        T: DeserializeOwned + 'static,
        F: Fn(Turn, T) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<()>> + Send + 'static,
    {
        let root = self.root.clone();
        self.done = Some(Arc::new(move |turn, result| {
            match from_json::<T>(&result, || format!("the result of the dialog `{root}`")) {
                Ok(result) => Box::pin(done(turn, result)),
                Err(error) => Box::pin(std::future::ready(Err(error.into()))),
            }
        }));
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
        let Beginnings { joins, events } = self.settings.beginnings.clone();
        let dialogs = Arc::new(self);
        let on_turn = move |turn| {
            let dialogs = Arc::clone(&dialogs);
            async move { dialogs.handle(turn).await }
        };
        let bot = Bot::new()
            .on_message(on_turn.clone())
            .on_end_of_conversation(on_turn.clone())
            .on_event(DEADLINE, on_turn.clone())
            .on_event(oauth::TOKEN_RESPONSE, on_turn.clone())
            .on_invoke(oauth::VERIFY_STATE, on_turn.clone())
            .on_invoke(oauth::TOKEN_EXCHANGE, on_turn.clone());
        let bot = if joins { bot.on_joined(on_turn.clone()) } else { bot };
        events.into_iter().fold(bot, |bot, event| bot.on_event(event, on_turn.clone()))
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
        turn.state().claim(name, &self.owner)?;
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
        if turn.status == Status::Empty && self.begins(dc.turn().activity())? {
            return dc.begin(&self.root, Value::Null).await;
        }
        Ok(turn)
    }

    /// Reports whether an activity begins the root dialog. A timer that comes late, or an event
    /// that no prompt waits for any more, does not.
    fn begins(&self, activity: &Activity) -> Result<bool, Error> {
        let name = activity.name.as_deref().unwrap_or_default();
        let is_ours = [DEADLINE, oauth::TOKEN_RESPONSE].contains(&name);
        if activity.kind == Kind::Event && is_ours {
            return Ok(false);
        }
        Ok(self.settings.beginnings.begin(activity, &self.owner)?)
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
