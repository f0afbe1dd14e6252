//! Terminal output: colours, width, errors and the log.
//!
//! Colour is for people at a terminal only: not into a pipe, and not when `NO_COLOR` is set.

use std::{
    env, fmt,
    io::{self, IsTerminal as _, Write as _},
};

use tracing_subscriber::{
    EnvFilter, fmt as log, layer::SubscriberExt as _, util::SubscriberInitExt as _,
};

use crate::cli::Log;

/// Width and height assumed when the terminal's size is unknown.
const SIZE_DEFAULT: (usize, usize) = (80, 24);

/// Style of a piece of text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Look {
    Plain,
    Bold,
    Dim,
    Red,
    Green,
    Yellow,
    Cyan,
}

/// Applies styles to texts, if colours are wanted.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Paint {
    is_on: bool,
}

impl Paint {
    /// Styles for standard output: off unless it is a terminal and colours are wanted.
    pub(crate) fn stdout() -> Self {
        Self { is_on: is_terminal() && wants_colour() }
    }

    /// No styles.
    #[cfg(test)]
    pub(crate) fn off() -> Self {
        Self { is_on: false }
    }

    /// Returns a text in a style.
    pub(crate) fn text(self, look: Look, text: impl fmt::Display) -> String {
        let code = match look {
            _ if !self.is_on => return text.to_string(),
            Look::Plain => return text.to_string(),
            Look::Bold => "1",
            Look::Dim => "2",
            Look::Red => "1;31",
            Look::Green => "32",
            Look::Yellow => "33",
            Look::Cyan => "36",
        };
        format!("\x1b[{code}m{text}\x1b[0m")
    }
}

/// Reports whether standard output is a terminal that understands escape sequences.
pub(crate) fn is_terminal() -> bool {
    io::stdout().is_terminal() && env::var_os("TERM").is_none_or(|term| term != "dumb")
}

/// Width of the terminal in columns.
pub(crate) fn width() -> usize {
    size().0
}

/// Height of the terminal in lines.
pub(crate) fn height() -> usize {
    size().1
}

fn size() -> (usize, usize) {
    let size = terminal_size::terminal_size();
    size.map_or(SIZE_DEFAULT, |(width, height)| (usize::from(width.0), usize::from(height.0)))
}

/// Writes a text to standard output and flushes it. Errors are ignored, such as a closed pipe.
pub(crate) fn print(text: &str) {
    let mut stdout = io::stdout().lock();
    drop(stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()));
}

/// Writes a line to standard output.
pub(crate) fn line(text: impl fmt::Display) {
    print(&format!("{text}\n"));
}

/// Prints the readiness line, for programs that wait until requests are accepted, and a line for
/// the address of the statistics.
pub(crate) fn ready(url: &str, admin: Option<&str>) {
    line(format_args!("ready {url}"));
    if let Some(admin) = admin {
        line(format_args!("admin {admin}"));
    }
}

/// Writes a line to standard error: for people, beside what programs read.
pub(crate) fn note(text: &str) {
    ask(&format!("{text}\n"));
}

/// Writes a text to standard error at once, without a line end.
pub(crate) fn ask(text: &str) {
    let mut stderr = io::stderr().lock();
    drop(stderr.write_all(text.as_bytes()).and_then(|()| stderr.flush()));
}

/// Reports whether standard error is a terminal that understands escape sequences.
pub(crate) fn is_error_terminal() -> bool {
    io::stderr().is_terminal() && env::var_os("TERM").is_none_or(|term| term != "dumb")
}

/// Breaks a text between words so that no line is wider, unless a single word is.
pub(crate) fn wrap(text: &str, width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if line.chars().count() + 1 + word.chars().count() <= width => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

/// Resolves on Ctrl-C and, on Unix, on SIGTERM.
pub(crate) async fn interrupted() -> io::Result<()> {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        let mut terminate = signal(SignalKind::terminate())?;
        tokio::select! {
            _ = terminate.recv() => Ok(()),
            done = tokio::signal::ctrl_c() => done,
        }
    }
    #[cfg(not(unix))]
    tokio::signal::ctrl_c().await
}

/// Prints an error with its causes on standard error.
pub(crate) fn complain(error: &anyhow::Error) {
    let is_on = io::stderr().is_terminal() && wants_colour();
    let head = Paint { is_on }.text(Look::Red, "error:");
    drop(writeln!(io::stderr().lock(), "{head} {error:#}"));
}

/// Starts the log on standard error. `SAYSO_LOG` or else `RUST_LOG` says what is in it.
pub(crate) fn start_log(form: Log, default: &str) {
    let filter = ["SAYSO_LOG", "RUST_LOG"]
        .iter()
        .find_map(|name| env::var(name).ok().filter(|value| !value.is_empty()))
        .unwrap_or_else(|| default.to_owned());
    let is_on = io::stderr().is_terminal() && wants_colour();
    let registry = tracing_subscriber::registry().with(EnvFilter::new(filter));
    let started = match form {
        Log::Text => {
            registry.with(log::layer().with_writer(io::stderr).with_ansi(is_on)).try_init()
        }
        Log::Json => registry.with(log::layer().json().with_writer(io::stderr)).try_init(),
    };
    // It fails only when a log is running already, which then goes on.
    drop(started);
}

fn wants_colour() -> bool {
    env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
}

#[cfg(test)]
mod tests {
    use super::wrap;

    #[test]
    fn lines_break_between_words_and_a_long_word_stays_whole() {
        assert_eq!(wrap("a bb ccc", 4), ["a bb", "ccc"]);
        assert_eq!(wrap("a incomprehensible", 4), ["a", "incomprehensible"]);
        assert!(wrap("", 4).is_empty());
    }
}
