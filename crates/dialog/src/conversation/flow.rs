//! Builder of a conversation: its function, cancel words, help, interruptions, and the handler of
//! its result.

use std::{borrow::Cow, fmt, sync::Arc};

use futures_util::future::BoxFuture;
use sayso_turn::{BotError, Turn};

use super::{
    Conversation, Limits,
    settings::Settings,
    words::{IntoWords, Words},
};
use crate::{Changed, begin::Beginnings};

/// Makes a bot of a conversation's function. Every message begins a conversation, or goes on with
/// it.
///
/// The name stands in the journal: to rename it is to change the code under the conversations that
/// are under way. A closure gives the function what it needs besides: `|c| order(c, menu.clone())`.
///
/// # Example
/// ```
/// use sayso_dialog::conversation::{Conversation, Result, conversation, text};
///
/// async fn greet(c: Conversation) -> Result<()> {
///     let name = c.ask(text("What is your name?")).await?;
///     c.say(format!("Hello, {name}."));
///     Ok(())
/// }
///
/// let bot = conversation("greet", greet).cancel_words(["cancel", "stop"]).bot();
/// ```
pub fn conversation<T, F, Fut>(name: impl Into<String>, function: F) -> Flow<T>
where
    T: 'static,
    F: Fn(Conversation) -> Fut + Send + Sync + 'static,
    Fut: ConversationFuture<T> + Send + 'static,
{
    let function = Arc::new(function);
    let function: Function<T> = Arc::new(move |c| {
        let function = Arc::clone(&function);
        Box::pin(async move { function(c).await.map(Some) })
    });
    Flow {
        parts: vec![Part { name: name.into(), words: Words::default(), function }],
        done: None,
        events: Vec::new(),
        beginnings: Beginnings::default(),
        settings: Arc::new(Settings::default()),
    }
}

/// Future of a conversation's function. Every async function with that result returns one; nobody
/// implements this by hand.
#[diagnostic::on_unimplemented(
    message = "a conversation is an async function that gives `Result<T>`; this one gives `{Self}`",
    label = "the function given here is not async, or gives something else",
    note = "write `async fn name(c: Conversation) -> Result<()> {{ ...; Ok(()) }}`"
)]
pub trait ConversationFuture<T>: Future<Output = Result<T, BotError>> {}

#[diagnostic::do_not_recommend]
impl<T, F: Future<Output = Result<T, BotError>>> ConversationFuture<T> for F {}

/// A conversation's function with how it is begun, interrupted, cancelled and ended. Made by
/// [`conversation`].
#[must_use = "a conversation does nothing before it is a `bot`"]
pub struct Flow<T> {
    /// The conversation itself first, then those that interrupt it.
    pub(super) parts: Vec<Part<T>>,
    pub(super) done: Option<Done<T>>,
    pub(super) events: Vec<String>,
    pub(super) beginnings: Beginnings,
    pub(super) settings: Arc<Settings>,
}

/// A function that can be on the stack, by its name there.
pub(super) struct Part<T> {
    pub(super) name: String,
    pub(super) words: Words,
    pub(super) function: Function<T>,
}

/// Gives a result only if it is the conversation itself, not an interruption.
pub(super) type Function<T> =
    Arc<dyn Fn(Conversation) -> BoxFuture<'static, Result<Option<T>, BotError>> + Send + Sync>;

type Done<T> = Arc<dyn Fn(Turn, T) -> BoxFuture<'static, Result<(), BotError>> + Send + Sync>;

impl<T: Send + 'static> Flow<T> {
    /// Words that end what is on top at any time: the interruption, else the conversation.
    pub fn cancel_words(mut self, words: impl IntoWords) -> Self {
        self.settings().cancel_words = Words::new(words.into_words());
        self
    }

    /// Sets the reply to a cancelled conversation: `Cancelled.` unless another text is given.
    pub fn on_cancel(mut self, text: impl Into<String>) -> Self {
        self.settings().on_cancel = text.into();
        self
    }

    /// Sets the reply to a help word; then the question that waits is asked again.
    pub fn help(mut self, text: impl Into<String>) -> Self {
        self.settings().help = Some(text.into());
        self
    }

    /// The words that ask for help: `help` and `?` unless others are given.
    pub fn help_words(mut self, words: impl IntoWords) -> Self {
        self.settings().help_words = Words::new(words.into_words());
        self
    }

    /// Another conversation that a word begins at any time. It runs on top of this one; when it has
    /// ended, the question that waits below is asked again. The first word is its name in the
    /// journal.
    pub fn interrupt<U, F, Fut>(mut self, words: impl IntoWords, function: F) -> Self
    where
        F: Fn(Conversation) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<U, BotError>> + Send + 'static,
    {
        let words = Words::new(words.into_words());
        let name = format!("on {}", words.first());
        let function = Arc::new(function);
        let function: Function<T> = Arc::new(move |c| {
            let function = Arc::clone(&function);
            Box::pin(async move { function(c).await.map(|_| None) })
        });
        self.parts.push(Part { name, words, function });
        self
    }

    /// Sets the reply to a message that comes while the conversation sleeps. Without it, there is
    /// none.
    pub fn busy(mut self, text: impl Into<String>) -> Self {
        self.settings().busy = Some(text.into());
        self
    }

    /// Does something with the result when the conversation has ended, in the turn in which it
    /// ends.
    ///
    /// # Example
    /// ```
    /// use sayso_dialog::conversation::{Conversation, Result, conversation, number};
    /// use sayso_turn::Turn;
    ///
    /// async fn age(c: Conversation) -> Result<u8> {
    ///     Ok(c.ask(number("How old are you?")).await?)
    /// }
    ///
    /// let bot = conversation("age", age)
    ///     .on_done(async |mut turn: Turn, age| {
    ///         *turn.state().named::<u8>("age")? = age;
    ///         turn.say("Thank you.");
    ///         Ok(())
    ///     })
    ///     .bot();
    /// ```
    pub fn on_done<F, Fut>(mut self, done: F) -> Self
    where
        F: Fn(Turn, T) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<(), BotError>> + Send + 'static,
    {
        self.done = Some(Arc::new(move |turn, result| Box::pin(done(turn, result))));
        self
    }

    /// Chooses what happens to a conversation under way when the code does something else than it
    /// did.
    ///
    /// - [`Changed::Continue`], the default: steps are found by their labels. One that is new is
    ///   done, one that is gone is forgotten, one that has moved is found. No question that was
    ///   answered is asked again and no call to the outside is made again, unless its label is
    ///   another.
    /// - [`Changed::Restart`]: the journal is dropped and the function begins again, after a
    ///   notice. What was done outside by `once` stays done, and may be done again.
    /// - [`Changed::Fail`]: the turn fails with a [`Difference`](super::Difference), and nothing
    ///   changes.
    pub fn on_change(mut self, changed: Changed) -> Self {
        self.settings().changed = changed;
        self
    }

    /// Sets the bounds of the journal.
    pub fn limits(mut self, limits: Limits) -> Self {
        self.settings().limits = limits;
        self
    }

    /// Keeps the journal under another name than `Conversation`: for a bot that has several.
    pub fn property(mut self, name: impl Into<Cow<'static, str>>) -> Self {
        self.settings().property = name.into();
        self
    }

    /// Hands events of these names to the question that waits, if it understands them.
    pub fn events(mut self, names: impl IntoWords) -> Self {
        self.events.extend(names.into_words());
        self
    }

    /// Begins the conversation also when somebody other than the bot joins.
    pub fn begin_on_join(mut self) -> Self {
        self.beginnings.joins = true;
        self
    }

    /// Begins the conversation also at events of these names: a timer, for example.
    pub fn begin_on(mut self, names: impl IntoWords) -> Self {
        self.beginnings.events.extend(names.into_words());
        self
    }

    /// Keeps the journal under a name with that of the conversation in it, unless its author has
    /// chosen one.
    pub(super) fn separate_property(&mut self) {
        if self.settings.property == Settings::default().property {
            let name = self.parts.first().map(|part| part.name.as_str()).unwrap_or_default();
            let property = format!("Conversation {name}");
            self.settings().property = property.into();
        }
    }

    /// Name of the conversation in errors.
    pub(super) fn owner(&self) -> String {
        let name = self.parts.first().map(|part| part.name.as_str()).unwrap_or_default();
        format!("the conversation `{name}`")
    }

    fn settings(&mut self) -> &mut Settings {
        Arc::make_mut(&mut self.settings)
    }
}

impl<T> fmt::Debug for Flow<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<_> = self.parts.iter().map(|part| &part.name).collect();
        f.debug_struct("Flow").field("parts", &names).finish_non_exhaustive()
    }
}
