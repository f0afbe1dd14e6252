//! Straight-line conversations. The bot is made anew for every turn, and only documents go from one
//! turn to the next: that is a process that restarts between any two messages.

mod basics;
mod called;
mod changed;
mod deadlines;
mod journal;
mod questions;
mod steps;
mod words;

use futures_util::FutureExt;
use sayso_activity::{Account, Activity, ConversationAccount};
use sayso_dialog::conversation::{Conversation, Flow, Result, conversation, text};
use sayso_turn::{Bot, Documents, Error, Failure, clock::Timestamp, run};

/// A conversation with a bot that is made anew for every turn.
pub(crate) struct Chat {
    bot: Box<dyn Fn() -> Bot>,
    pub(crate) documents: Documents,
    /// The events that were asked for and have not come, in the order of asking.
    pub(crate) timers: Vec<(Timestamp, Activity)>,
    count: usize,
}

impl Chat {
    pub(crate) fn new(bot: impl Fn() -> Bot + 'static) -> Self {
        let documents = Documents::new();
        Self { bot: Box::new(bot), documents, timers: Vec::new(), count: 0 }
    }

    /// A chat with a function that is all of the bot.
    pub(crate) fn with<T, F, Fut>(function: F) -> Self
    where
        T: Send + 'static,
        F: Fn(Conversation) -> Fut + Copy + Send + Sync + 'static,
        Fut: Future<Output = Result<T>> + Send + 'static,
    {
        Self::new(move || conversation("test", function).bot())
    }

    /// Changes the code under the conversation, as a deployment does.
    pub(crate) fn deploy(&mut self, bot: impl Fn() -> Bot + 'static) {
        self.bot = Box::new(bot);
    }

    /// Sends a text and returns what the bot says.
    #[track_caller]
    pub(crate) fn says(&mut self, text: &str) -> Vec<String> {
        self.hears(Activity::message(text)).expect("the turn succeeds")
    }

    /// The words of the error, with its sources, when a text makes the turn fail.
    #[track_caller]
    pub(crate) fn fails(&mut self, text: &str) -> String {
        let error = self.hears(Activity::message(text)).expect_err("the turn fails");
        let Error::Failed(failure) = error else { return error.to_string() };
        let Failure::Error(error) = &*failure else { return failure.to_string() };
        let mut words = error.to_string();
        let mut next = error.source();
        while let Some(error) = next {
            words += &format!(": {error}");
            next = error.source();
        }
        words
    }

    /// Rings the timer at a place, which is then gone, and returns what the bot says.
    #[track_caller]
    pub(crate) fn rings(&mut self, at: usize) -> Vec<String> {
        let (_, timer) = self.timers.remove(at);
        self.hears(timer).expect("the turn succeeds")
    }

    /// Any activity; it gets what a channel adds, unless it has it.
    pub(crate) fn hears(
        &mut self,
        mut activity: Activity,
    ) -> std::result::Result<Vec<String>, Error> {
        self.count += 1;
        activity.id.get_or_insert_with(|| format!("m{}", self.count));
        activity.channel_id = Some("test".to_owned());
        activity.conversation = Some(ConversationAccount::new("c"));
        activity.from = Some(Account::new("ann"));
        activity.recipient = Some(Account::new("bot"));
        let bot = (self.bot)();
        let outcome = run(&bot, activity, self.documents.clone());
        let outcome = outcome.now_or_never().expect("nothing here waits")?;
        self.documents = outcome.documents;
        self.timers.extend(outcome.timers);
        Ok(outcome.replies.iter().map(|reply| reply.text().to_owned()).collect())
    }

    /// A property of the conversation, as it is stored.
    pub(crate) fn property(&self, name: &str) -> Option<String> {
        let bag = self.documents.values().next()?;
        bag.get_raw(name).map(|raw| raw.as_str().to_owned())
    }

    /// The stored journal.
    pub(crate) fn journal(&self) -> Option<String> {
        self.property("Conversation")
    }
}

/// A function that asks for some texts and tells them.
pub(crate) fn asks(
    questions: &'static [&'static str],
) -> impl Fn(Conversation) -> futures_util::future::BoxFuture<'static, Result<()>> + Copy {
    move |c| {
        Box::pin(async move {
            let mut answers = Vec::new();
            for question in questions {
                let answer = c.ask(text(*question)).await?;
                c.say(format!("Noted: {answer}"));
                answers.push(answer);
            }
            c.say(format!("All: {}", answers.join(" ")));
            Ok(())
        })
    }
}

/// A bot that asks for some texts and tells them.
pub(crate) fn asking(questions: &'static [&'static str]) -> Flow<()> {
    conversation("test", asks(questions))
}
