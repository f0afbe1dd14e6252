//! Confirmation prompts for what cannot be undone.

use std::io;

use crate::terminal;

/// Asks a question on standard error and takes `y` or `yes` for an answer; no answer is a no.
pub(super) async fn ask(question: &str) -> io::Result<bool> {
    terminal::ask(&format!("{question} [y/N] "));
    let answer = line().await?.unwrap_or_default();
    Ok(matches!(answer.trim().to_ascii_lowercase().as_str(), "y" | "yes"))
}

/// Reads the next line of standard input; `None` at its end.
pub(super) async fn line() -> io::Result<Option<String>> {
    let read = tokio::task::spawn_blocking(|| {
        let mut line = String::new();
        io::stdin().read_line(&mut line).map(|length| (length > 0).then_some(line))
    });
    read.await.map_err(io::Error::other)?
}
