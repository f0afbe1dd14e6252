//! Several conversations in one bot, each begun by its words.

use std::{collections::BTreeSet, fmt, sync::Arc};

use futures_util::future::BoxFuture;
use sayso_activity::Kind;
use sayso_turn::{Bot, BotError, Turn};

use super::{
    DEADLINE, Flow,
    words::{IntoWords, Words},
};

/// Makes a bot of several conversations, each begun by its words.
///
/// One is under way at a time, and what the user says is for that one until it has ended. Each has
/// a journal of its own: under `Conversation` and its name, unless
/// [`property`](Flow::property) says another.
///
/// # Example
/// ```
/// use sayso_dialog::conversation::{
///     Conversation, Result, conversation, conversations, number, text,
/// };
/// use sayso_turn::script::chat;
///
/// async fn order(c: Conversation) -> Result<()> {
///     let topping = c.ask(text("Which topping?")).await?;
///     c.say(format!("A pizza with {topping}."));
///     Ok(())
/// }
///
/// async fn book(c: Conversation) -> Result<()> {
///     let guests: u8 = c.ask(number("How many guests?")).await?;
///     c.say(format!("A table for {guests}."));
///     Ok(())
/// }
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() {
/// let bot = conversations()
///     .on(["order", "pizza"], conversation("order", order))
///     .on("book", conversation("book", book))
///     .otherwise_say("Say `order` or `book`.")
///     .bot();
/// chat(bot)
///     .user("hi")
///     .expects("Say `order` or `book`.")
///     .user("Pizza!")
///     .expects("Which topping?")
///     .user("book") // an answer, while the order is under way
///     .expects("A pizza with book.")
///     .user("book")
///     .expects("How many guests?")
///     .user("4")
///     .expects("A table for 4.")
///     .await;
/// # }
/// ```
pub fn conversations() -> Conversations {
    Conversations {
        parts: Vec::new(),
        otherwise: None,
        events: BTreeSet::new(),
        joins: false,
        mistakes: Vec::new(),
    }
}

/// Several conversations in one bot. Made by [`conversations`].
#[must_use = "conversations do nothing before they are a `bot`"]
pub struct Conversations {
    parts: Vec<Part>,
    otherwise: Option<Otherwise>,
    events: BTreeSet<String>,
    joins: bool,
    mistakes: Vec<String>,
}

/// A conversation with its words.
struct Part {
    name: String,
    words: Words,
    property: String,
    /// Names of the events that begin it.
    begins_on: Vec<String>,
    begins_on_join: bool,
    handler: Handler,
}

type Handler = Arc<dyn Fn(Turn) -> BoxFuture<'static, Result<(), BotError>> + Send + Sync>;

/// Reaction to a message that begins nothing.
enum Otherwise {
    Part(usize),
    Say(String),
}

impl Conversations {
    /// Adds a conversation that is begun by any of these words.
    pub fn on<T: Send + 'static>(mut self, words: impl IntoWords, flow: Flow<T>) -> Self {
        let words = words.into_words();
        let taken = words.iter().find(|word| self.parts.iter().any(|part| part.words.has(word)));
        if let Some(word) = taken {
            let mistake = format!("two conversations are begun by the word `{word}`");
            self.mistakes.push(mistake);
        }
        self.add(Words::new(words), flow);
        self
    }

    /// Adds the conversation that is begun by any other message.
    pub fn otherwise<T: Send + 'static>(mut self, flow: Flow<T>) -> Self {
        self.otherwise = Some(Otherwise::Part(self.parts.len()));
        self.add(Words::default(), flow);
        self
    }

    /// Sets the reply to a message that begins no conversation.
    pub fn otherwise_say(mut self, text: impl Into<String>) -> Self {
        self.otherwise = Some(Otherwise::Say(text.into()));
        self
    }

    fn add<T: Send + 'static>(&mut self, words: Words, mut flow: Flow<T>) {
        let name = flow.parts.first().map(|part| part.name.clone()).unwrap_or_default();
        flow.separate_property();
        let property = flow.settings.property.clone().into_owned();
        if let Some(other) = self.parts.iter().find(|part| part.property == property) {
            self.mistakes.push(format!(
                "the conversations `{}` and `{name}` keep their journals in one property, \
                 `{property}`; give one of them another name, or another `.property(\"...\")`",
                other.name
            ));
        }
        self.events.extend(flow.all_events());
        self.joins |= flow.beginnings.joins;
        let begins_on = flow.beginnings.events.clone();
        let begins_on_join = flow.beginnings.joins;
        let handler: Handler = Arc::new(flow.handler());
        self.parts.push(Part { name, words, property, begins_on, begins_on_join, handler });
    }

    /// A bot that has these conversations with everybody.
    #[must_use]
    pub fn bot(mut self) -> Bot {
        if self.otherwise.is_none() {
            let mistake = "a message that begins no conversation would have no answer; add \
                           `.otherwise_say(\"...\")` or `.otherwise(conversation(...))`";
            self.mistakes.push(mistake.to_owned());
        }
        let (events, joins) = (std::mem::take(&mut self.events), self.joins);
        let mistakes = std::mem::take(&mut self.mistakes);
        let all = Arc::new(self);
        let handler = move |turn| Arc::clone(&all).dispatch(turn);
        let bot = Bot::new().on_message(handler.clone()).on_event(DEADLINE, handler.clone());
        let bot = if joins { bot.on_joined(handler.clone()) } else { bot };
        let bot = events.into_iter().fold(bot, |bot, name| bot.on_event(name, handler.clone()));
        mistakes.into_iter().fold(bot, Bot::mistake)
    }

    /// Hands a turn to the conversation that it is for.
    fn dispatch(self: Arc<Self>, mut turn: Turn) -> BoxFuture<'static, Result<(), BotError>> {
        let part = self.under_way(&mut turn).or_else(|| self.begun_by(&turn));
        match (part, &self.otherwise) {
            (Some(part), _) => (part.handler)(turn),
            (None, Some(Otherwise::Say(text))) if turn.activity().is_message() => {
                turn.say(text);
                Box::pin(std::future::ready(Ok(())))
            }
            // A deadline that comes late, or an event that nobody waits for.
            (None, _) => Box::pin(std::future::ready(Ok(()))),
        }
    }

    /// The conversation that is under way; of several, the one that a deadline is for.
    fn under_way(&self, turn: &mut Turn) -> Option<&Part> {
        let activity = turn.activity();
        let is_deadline =
            activity.kind == Kind::Event && activity.name.as_deref() == Some(DEADLINE);
        let timer = activity.id.clone().filter(|_| is_deadline);
        self.parts.iter().find(|part| {
            let journal = turn.state().raw(&part.property);
            let is_its = |text: &str| timer.as_ref().is_none_or(|timer| text.contains(&**timer));
            journal.is_some_and(|journal| is_its(journal.as_str()))
        })
    }

    /// The conversation that an activity begins.
    fn begun_by(&self, turn: &Turn) -> Option<&Part> {
        let activity = turn.activity();
        let name = activity.name.as_deref().unwrap_or_default();
        match activity.kind {
            Kind::Message => {
                let by_word = self.parts.iter().find(|part| part.words.has(activity.text()));
                by_word.or_else(|| match self.otherwise {
                    Some(Otherwise::Part(at)) => self.parts.get(at),
                    _ => None,
                })
            }
            Kind::Event => {
                self.parts.iter().find(|part| part.begins_on.iter().any(|event| event == name))
            }
            Kind::ConversationUpdate => self.parts.iter().find(|part| part.begins_on_join),
            _ => None,
        }
    }
}

impl fmt::Debug for Conversations {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.parts.iter().map(|part| &part.name)).finish()
    }
}
