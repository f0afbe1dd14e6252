//! Output of a chat, and the channel that delivers what the bot says on its own account.

use std::{
    env,
    error::Error as _,
    fmt,
    io::{self, IsTerminal as _, Write as _},
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use async_trait::async_trait;
use sayso_activity::Activity;
use sayso_turn::{
    Error,
    channel::{Channel, Delivery, Parcel},
};

/// Escape sequences of the few styles.
const CYAN: &str = "36";
const GREEN: &str = "32";
const DIM: &str = "2";
const RED: &str = "1;31";

/// Destination of the output.
#[derive(Clone, Debug)]
pub(super) enum Output {
    Stdout,
    /// A text, for tests.
    #[cfg_attr(not(test), expect(dead_code, reason = "for tests"))]
    Text(Arc<Mutex<String>>),
}

/// The chat as people see it.
#[derive(Clone, Debug)]
pub(super) struct View {
    output: Output,
    /// The bot's name.
    name: Arc<str>,
    /// True if both ends are a terminal; otherwise only the replies are printed.
    pub(super) is_live: bool,
    is_coloured: bool,
}

impl View {
    pub(super) fn new(output: Output, name: &str, is_live: bool) -> Self {
        let wants_colour = env::var_os("NO_COLOR").is_none_or(|value| value.is_empty());
        let is_coloured = is_live && wants_colour && matches!(output, Output::Stdout);
        Self { output, name: name.into(), is_live, is_coloured }
    }

    pub(super) fn prompt(&self) {
        if self.is_live {
            self.print(&self.paint(CYAN, format_args!("{:>1$} > ", "you", self.width())));
        }
    }

    pub(super) fn reply(&self, reply: &Activity) {
        let words = words(reply);
        if words.is_empty() {
            return;
        }
        if self.is_live {
            let who = format_args!("{:>1$} < ", self.name, self.width());
            self.line(format_args!("{}{words}", self.paint(GREEN, who)));
        } else {
            self.line(words);
        }
    }

    pub(super) fn committed(&self, took: Duration, attempts: u64) {
        let millis = took.as_secs_f64() * 1e3;
        let s = if attempts == 1 { "" } else { "s" };
        let gap = self.width() + 3;
        self.note(&format!("{:gap$}committed in {millis:.1} ms, {attempts} attempt{s}", ""));
    }

    pub(super) fn failed(&self, error: &Error) {
        let gap = if self.is_live { self.width() + 3 } else { 0 };
        let mut text = format!("not saved: {error}");
        let mut cause = match error {
            Error::Failed(failure) => failure.source(),
            other => other.source(),
        };
        while let Some(error) = cause {
            let more = error.to_string();
            // What stands in the sentence already is not said again.
            if !text.contains(&more) {
                text = format!("{text}: {more}");
            }
            cause = error.source();
        }
        self.line(format_args!("{:gap$}{}", "", self.paint(RED, text)));
    }

    pub(super) fn note(&self, text: &str) {
        if self.is_live {
            self.line(self.paint(DIM, text));
        }
    }

    /// Width of the column with the names.
    fn width(&self) -> usize {
        self.name.chars().count().max("you".len())
    }

    fn paint(&self, style: &str, text: impl fmt::Display) -> String {
        match self.is_coloured {
            true => format!("\x1b[{style}m{text}\x1b[0m"),
            false => text.to_string(),
        }
    }

    fn line(&self, text: impl fmt::Display) {
        self.print(&format!("{text}\n"));
    }

    fn print(&self, text: &str) {
        match &self.output {
            Output::Stdout => {
                let mut stdout = io::stdout().lock();
                // Nobody reading is no reason to stop.
                drop(stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()));
            }
            Output::Text(written) => {
                written.lock().unwrap_or_else(PoisonError::into_inner).push_str(text);
            }
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

/// Reports whether standard output is a terminal that understands escape sequences.
pub(super) fn is_terminal() -> bool {
    io::stdout().is_terminal() && env::var_os("TERM").is_none_or(|term| term != "dumb")
}

/// A message as text: its words, then its attachments and suggested answers in brackets.
fn words(reply: &Activity) -> String {
    if !reply.is_message() {
        return String::new();
    }
    let attachments = reply.attachments.iter().flatten().map(|attachment| {
        let kind = attachment.content_type.as_deref().unwrap_or("attachment");
        format!("[{}]", attachment.name.as_deref().unwrap_or(kind))
    });
    let buttons = reply.buttons();
    let buttons =
        buttons.iter().filter_map(|button| Some(format!("[{}]", button.title.as_deref()?)));
    let text = Some(reply.text().to_owned()).filter(|text| !text.is_empty());
    text.into_iter().chain(attachments).chain(buttons).collect::<Vec<_>>().join(" ")
}
