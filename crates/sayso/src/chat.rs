//! A bot in the terminal, with the whole engine in this process: every line is a message.

mod view;

use std::{
    fmt,
    io::{self, BufRead as _, IsTerminal as _},
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, Instant, SystemTime, UNIX_EPOCH},
};

use sayso_activity::{Account, Activity, ConversationAccount, DeliveryMode, Kind, Raw};
use sayso_turn::{
    Engine, Limits, Logic,
    store::{MemoryStore, Store},
};
use tokio::sync::mpsc;

use self::view::{Output, View};
use crate::{Result, signals::Signals};

/// Shutdown timeout: for turns and replies still under way after the last line.
const CLOSE_MAX: Duration = Duration::from_secs(10);

/// Deadline of a turn: nobody but the person at the terminal waits for it.
const TURN_MAX: Duration = Duration::from_secs(600);

/// Talks to a bot in the terminal, without a server: every line is a message. Nothing is kept when
/// it ends; for anything else there is [`Chat`].
///
/// At a terminal it says after each turn how long the commit took and how many attempts it needed.
/// When input is piped in, it reads all of it, prints the replies alone, and returns.
///
/// # Errors
/// When standard input cannot be read.
///
/// # Cancellation
/// Dropping the future leaves what the bot is doing unfinished.
///
/// # Example
/// ```no_run
/// use sayso::prelude::*;
///
/// async fn echo(mut turn: Turn) -> Result {
///     let line = format!("Echo: {}", turn.text());
///     turn.say(line);
///     Ok(())
/// }
///
/// #[tokio::main]
/// async fn main() -> Result {
///     let bot = Bot::new().on_message(echo);
///     match std::env::args().nth(1).as_deref() {
///         Some("chat") => sayso::chat(bot).await, // cargo run chat
///         _ => serve(bot).await,
///     }
/// }
/// ```
pub async fn chat(bot: impl Logic) -> Result {
    Chat::new(bot).run().await?;
    Ok(())
}

/// Builder of a chat in the terminal.
///
/// # Example
/// ```no_run
/// use sayso::{Chat, pizza};
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> sayso::Result {
/// let store = sayso::open_store("sqlite:data/chat.sqlite").await?; // the pizza is kept
/// Chat::new(pizza::bot()).store(store).conversation("friday").name("pizza").run().await?;
/// # Ok(()) }
/// ```
#[derive(Debug)]
#[must_use = "a chat does nothing until it is run"]
pub struct Chat<L> {
    bot: L,
    store: Option<Arc<dyn Store>>,
    conversation: String,
    name: String,
    locale: Option<String>,
}

impl<L: Logic> Chat<L> {
    /// A chat with this bot, in a conversation of its own that is forgotten when it ends.
    pub fn new(bot: L) -> Self {
        let (conversation, name) = ("terminal".to_owned(), "bot".to_owned());
        Self { bot, store: None, conversation, name, locale: None }
    }

    /// Sets where state is kept.
    pub fn store(mut self, store: Arc<dyn Store>) -> Self {
        self.store = Some(store);
        self
    }

    /// Sets the id of the conversation.
    pub fn conversation(mut self, id: impl Into<String>) -> Self {
        self.conversation = id.into();
        self
    }

    /// Sets the bot's name, which stands before its replies.
    pub fn name(mut self, name: impl Into<String>) -> Self {
        self.name = name.into();
        self
    }

    /// Sets the language of the person at the terminal, such as `fr-FR`.
    pub fn locale(mut self, locale: impl Into<String>) -> Self {
        self.locale = Some(locale.into());
        self
    }

    /// Runs the chat until the input ends, somebody says `/quit`, or a signal comes. Returns the
    /// number of conversations that were left unfinished.
    ///
    /// # Errors
    /// When standard input cannot be read.
    ///
    /// # Cancellation
    /// As [`chat`].
    pub async fn run(self) -> io::Result<usize> {
        let mut signals = Signals::new()?;
        let is_live = io::stdin().is_terminal() && view::is_terminal();
        self.talk(stdin_lines(), Output::Stdout, is_live, signals.next()).await
    }

    async fn talk(
        self,
        lines: mpsc::Receiver<io::Result<String>>,
        output: Output,
        is_live: bool,
        stop: impl Future<Output = ()>,
    ) -> io::Result<usize> {
        let view = View::new(output, &self.name, is_live);
        let store = self.store.unwrap_or_else(|| Arc::new(MemoryStore::default()));
        let limits = Limits { deadline: TURN_MAX, ..Limits::default() };
        let engine =
            Engine::builder(self.bot, store, Arc::new(view.clone())).limits(limits).start();
        let talk = Talk {
            engine,
            view,
            conversation: self.conversation,
            name: self.name,
            locale: self.locale,
        };
        let done = tokio::select! {
            done = talk.go_on(lines) => done,
            () = stop => Ok(()),
        };
        let left = talk.engine.close(CLOSE_MAX).await;
        done.map(|()| left)
    }
}

/// A chat that goes on.
struct Talk {
    engine: Engine,
    view: View,
    conversation: String,
    name: String,
    locale: Option<String>,
}

impl Talk {
    async fn go_on(&self, mut lines: mpsc::Receiver<io::Result<String>>) -> io::Result<()> {
        if self.view.is_live {
            self.view.note("Every line is a message. /quit or Ctrl-D ends the chat.\n");
            let joined = Activity {
                members_added: Some(vec![Account::new("you")]),
                ..Activity::new(Kind::ConversationUpdate)
            };
            self.turn(joined).await;
        }
        self.view.prompt();
        while let Some(line) = lines.recv().await {
            let line = line?;
            match line.trim() {
                "/quit" => break,
                "" => {}
                text => self.turn(Activity::message(text)).await,
            }
            self.view.prompt();
        }
        Ok(())
    }

    /// One turn. Its replies come with the answer, so they stand before the next prompt.
    async fn turn(&self, mut activity: Activity) {
        activity.id = Some(new_id());
        activity.channel_id = Some("terminal".to_owned());
        activity.conversation = Some(ConversationAccount::new(&*self.conversation));
        activity.from = Some(Account::new("you"));
        activity.recipient = Some(Account::new(&*self.name));
        activity.locale.clone_from(&self.locale);
        activity.delivery_mode = Some(DeliveryMode::ExpectReplies);
        let attempts = self.engine.stats().attempts;
        let began = Instant::now();
        let answer = self.engine.receive(activity).await;
        let took = began.elapsed();
        match answer {
            Ok(answer) => {
                answer.replies.iter().filter_map(|raw| Raw::get(raw).ok()).for_each(|reply| {
                    self.view.reply(&reply);
                });
                self.view.committed(took, self.engine.stats().attempts - attempts);
            }
            Err(error) => self.view.failed(&error),
        }
    }
}

impl fmt::Debug for Talk {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Talk").field("conversation", &self.conversation).finish_non_exhaustive()
    }
}

/// An id that no earlier chat on the same store has used: else a message would count as delivered
/// before.
fn new_id() -> String {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_nanos();
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    format!("{now:x}.{:x}.{count}", std::process::id())
}

/// Lines from standard input, read by a thread of its own, since such a read cannot be cancelled.
fn stdin_lines() -> mpsc::Receiver<io::Result<String>> {
    let (sender, receiver) = mpsc::channel(16);
    std::thread::spawn(move || {
        for line in io::stdin().lock().lines() {
            let is_over = line.is_err();
            if sender.blocking_send(line).is_err() || is_over {
                return;
            }
        }
    });
    receiver
}

#[cfg(test)]
mod tests;
