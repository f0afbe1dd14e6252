//! Mismatch between script and bot, shown with the dialogue so far.
//!
//! It shows texts and state in full, for a failing test; nothing of it is reachable from a running
//! bot.

use std::{fmt, panic::Location};

use super::{
    Dialogue,
    dialogue::{Row, width},
    recorded::Recorded,
};

/// Error of a failed script. Its text is meant to be read: the dialogue with an arrow.
///
/// # Example
/// ```
/// # use sayso_turn::{Bot, Turn, script::chat};
/// # #[tokio::main(flavor = "current_thread")] async fn main() {
/// # let bot = Bot::new().on_message(async |mut turn: Turn| { turn.say("What size?"); Ok(()) });
/// let mismatch = chat(bot).user("hi").expects("Which size?").run().await.unwrap_err();
/// let text = mismatch.to_string();
/// let (first, dialogue) = text.split_once("\n\n").unwrap();
/// assert!(first.starts_with("the bot says something other than the script expects, at "));
/// assert_eq!(dialogue, concat!(
///     "    user:     hi\n",
///     " -> bot:      What size?\n",
///     "    expected: Which size?\n",
///     "                ^\n",
/// ));
/// # }
/// ```
pub struct Mismatch {
    /// The mismatch in a sentence.
    pub(super) what: String,
    /// Location of the script's step.
    pub(super) at: &'static Location<'static>,
    /// The line of the recording that the step is of.
    pub(super) recorded: Option<Recorded>,
    pub(super) dialogue: Dialogue,
    pub(super) mark: Mark,
    /// Details: labels and texts.
    pub(super) details: Vec<(&'static str, String)>,
}

/// Position of the arrow.
#[derive(Clone, Copy, Debug)]
pub(super) enum Mark {
    /// At a line of the dialogue.
    Line(usize),
    /// At a line that should come next and does not.
    Missing,
    /// At the last line.
    End,
}

impl Mismatch {
    /// Returns the dialogue so far.
    ///
    /// # Example
    /// ```
    /// # use sayso_turn::{Bot, script::chat};
    /// # #[tokio::main(flavor = "current_thread")] async fn main() {
    /// let mismatch = chat(Bot::new()).user("hi").expects("Hello!").run().await.unwrap_err();
    /// assert_eq!(mismatch.dialogue().replies().count(), 0);
    /// # }
    /// ```
    #[must_use]
    pub fn dialogue(&self) -> &Dialogue {
        &self.dialogue
    }
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.recorded {
            Some(recorded) => {
                writeln!(f, "{}, at {recorded} (played at {})\n", self.what, self.at)?
            }
            None => writeln!(f, "{}, at {}\n", self.what, self.at)?,
        }
        let mut rows: Vec<Row> = self.dialogue.lines.iter().map(Row::of).collect();
        if matches!(self.mark, Mark::Missing) {
            rows.push(Row::new("bot", "(nothing)"));
        }
        let marked = match self.mark {
            Mark::Line(line) => line,
            Mark::Missing | Mark::End => rows.len().saturating_sub(1),
        };
        if let Some(row) = rows.get_mut(marked) {
            row.is_marked = true;
        }
        // The details follow the line that they are about.
        let details = self.details.iter().map(|(label, text)| Row::new(*label, text));
        let at = (marked + 1).min(rows.len());
        drop(rows.splice(at..at, details));
        let width = width(&rows);
        rows.iter().try_for_each(|row| row.write(f, width))
    }
}

impl fmt::Debug for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // `unwrap` prints this, so the layout must be kept.
        fmt::Display::fmt(self, f)
    }
}

impl std::error::Error for Mismatch {}

/// Shows the expected text, and a caret at the first difference.
pub(super) fn difference(said: &str, expected: &str) -> Vec<(&'static str, String)> {
    let is_invisible = said.split_whitespace().eq(expected.split_whitespace());
    if is_invisible {
        // They look the same: show the spaces.
        return vec![
            ("expected", expected.to_owned()),
            ("said", format!("{said:?}")),
            ("not", format!("{expected:?}")),
        ];
    }
    let same = said.chars().zip(expected.chars()).take_while(|(a, b)| a == b).count();
    let shared: String = expected.chars().take(same).collect();
    let line = shared.matches('\n').count() + 1;
    let column = shared.chars().rev().take_while(|c| *c != '\n').count();
    let sign = match said.contains('\n') || expected.contains('\n') {
        true => format!("(they part in line {line} at character {})", column + 1),
        false => format!("{}^", " ".repeat(column)),
    };
    vec![("expected", expected.to_owned()), ("", sign)]
}
