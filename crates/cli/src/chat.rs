//! `sayso chat`: the pizza bot in the terminal, with the whole engine in this process.

use std::{
    io::{self, BufRead as _, IsTerminal as _},
    process::ExitCode,
    sync::Arc,
    time::{Duration, Instant},
};

use async_trait::async_trait;
use sayso::{
    Engine,
    activity::{Account, Activity, ConversationAccount, DeliveryMode, Kind, Raw},
    open_store, pizza,
    turn::channel::{Channel, Delivery, Parcel},
};
use tokio::sync::mpsc;

use crate::{
    cli::{self, Log},
    terminal::{self, Look, Paint},
};

/// Shutdown timeout: for turns and replies still under way after the last line.
const CLOSE_MAX: Duration = Duration::from_secs(10);

/// Runs the chat until the input ends or a signal comes.
pub(crate) async fn run(options: cli::Chat) -> anyhow::Result<ExitCode> {
    terminal::start_log(Log::Text, "error");
    let store = open_store(&options.store).await?;
    let is_live = io::stdin().is_terminal() && terminal::is_terminal();
    let view = View { paint: Paint::stdout(), is_live };
    let engine = Engine::builder(pizza::bot(), store, Arc::new(view)).start();
    let chat = Chat { engine, view, conversation: options.conversation };
    let done = tokio::select! {
        done = chat.talk() => done,
        stopped = terminal::interrupted() => stopped,
    };
    let left = chat.engine.close(CLOSE_MAX).await;
    done?;
    Ok(if left == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

#[derive(Debug)]
struct Chat {
    engine: Engine,
    view: View,
    conversation: String,
}

/// Output of the chat, and the [`Channel`] that delivers proactive messages.
#[derive(Clone, Copy, Debug)]
struct View {
    paint: Paint,
    /// True if both ends are a terminal; otherwise only the replies are printed.
    is_live: bool,
}

impl Chat {
    async fn talk(&self) -> io::Result<()> {
        if self.view.is_live {
            self.view.note("Every line is a message. /quit or Ctrl-D ends the chat.\n");
            let joined = Activity {
                members_added: Some(vec![Account::new("you")]),
                ..Activity::new(Kind::ConversationUpdate)
            };
            self.turn(joined).await;
        }
        let mut lines = stdin_lines();
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
        activity.id = Some(format!("{:032x}", fastrand::u128(..)));
        activity.channel_id = Some("terminal".to_owned());
        activity.conversation = Some(ConversationAccount::new(&*self.conversation));
        activity.from = Some(Account::new("you"));
        activity.recipient = Some(Account::new("pizza"));
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
                let attempts = self.engine.stats().attempts - attempts;
                self.view.committed(took, attempts);
            }
            Err(error) => self.view.failed(&error),
        }
    }
}

impl View {
    fn prompt(self) {
        if self.is_live {
            terminal::print(&self.paint.text(Look::Cyan, "  you > "));
        }
    }

    fn reply(self, reply: &Activity) {
        let text = reply.text();
        if !reply.is_message() || text.is_empty() {
            return;
        }
        if self.is_live {
            terminal::line(format_args!("{}{text}", self.paint.text(Look::Green, "pizza < ")));
        } else {
            terminal::line(text);
        }
    }

    fn committed(self, took: Duration, attempts: u64) {
        let millis = took.as_secs_f64() * 1e3;
        let s = if attempts == 1 { "" } else { "s" };
        self.note(&format!("        committed in {millis:.1} ms, {attempts} attempt{s}"));
    }

    fn failed(self, error: &sayso::turn::Error) {
        let text = self.paint.text(Look::Red, format_args!("not saved: {error}"));
        terminal::line(if self.is_live { format!("        {text}") } else { text });
    }

    fn note(self, text: &str) {
        if self.is_live {
            terminal::line(self.paint.text(Look::Dim, text));
        }
    }
}

#[async_trait]
impl Channel for View {
    async fn deliver(&self, parcel: &Parcel) -> Delivery {
        self.reply(&parcel.activity);
        Delivery::Delivered { id: None }
    }
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
