//! Dialogue: the lines of a played script, and the documents after it.

use std::fmt;

use sayso_activity::Activity;

use super::{Line, Transcript, recorded::Places};
use crate::Documents;

/// Result of a script: the lines in order, and the documents at its end.
///
/// # Example
/// ```
/// # use sayso_turn::{Bot, Turn, script::chat};
/// # #[tokio::main(flavor = "current_thread")] async fn main() {
/// # let bot = Bot::new().on_message(async |mut turn: Turn| { turn.say("Hello!"); Ok(()) });
/// let dialogue = chat(bot).user("hi").expects("Hello!").await;
/// assert_eq!(dialogue.to_string(), "    user: hi\n    bot:  Hello!\n");
/// # }
/// ```
#[derive(Clone, Debug, Default)]
pub struct Dialogue {
    pub(super) lines: Vec<Line>,
    pub(super) documents: Documents,
}

impl Dialogue {
    /// Returns the lines in order.
    ///
    /// # Example
    /// ```
    /// # use sayso_turn::{Bot, script::{Line, chat}};
    /// # #[tokio::main(flavor = "current_thread")] async fn main() {
    /// let dialogue = chat(Bot::new()).user("hi").expects_nothing().await;
    /// assert!(matches!(dialogue.lines(), [Line::User(_), Line::Note("no handler")]));
    /// # }
    /// ```
    #[must_use]
    pub fn lines(&self) -> &[Line] {
        &self.lines
    }

    /// Returns everything that the bot sent, including typing and trace activities.
    ///
    /// # Example
    /// ```
    /// # use sayso_turn::{Bot, Turn, activity::Activity, script::chat};
    /// # #[tokio::main(flavor = "current_thread")] async fn main() {
    /// # let bot = Bot::new().on_message(async |mut turn: Turn| {
    /// #     turn.send(Activity::typing());
    /// #     turn.say("Hello!");
    /// #     Ok(())
    /// # });
    /// let dialogue = chat(bot).user("hi").expects("Hello!").await;
    /// assert_eq!(dialogue.replies().count(), 2);
    /// # }
    /// ```
    pub fn replies(&self) -> impl Iterator<Item = &Activity> {
        self.lines.iter().filter_map(|line| match line {
            Line::Bot(activity) => Some(&**activity),
            _ => None,
        })
    }

    /// Returns the stored documents by key.
    ///
    /// # Example
    /// ```
    /// # use sayso_turn::{Bot, Key, Turn, script::chat};
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), sayso_turn::KeyError> {
    /// # let bot = Bot::new().on_message(async |mut turn: Turn| {
    /// #     *turn.custom(Key::new("shops/rome")?).await?.named::<u32>("orders")? += 1;
    /// #     Ok(())
    /// # });
    /// let dialogue = chat(bot).user("a pizza").await;
    /// assert_eq!(dialogue.documents()[&Key::new("shops/rome")?].to_json(), r#"{"orders":1}"#);
    /// # Ok(()) }
    /// ```
    #[must_use]
    pub fn documents(&self) -> &Documents {
        &self.documents
    }

    /// Returns the dialogue as a transcript, to be replayed or written to a file.
    ///
    /// # Example
    /// ```
    /// # use sayso_turn::{Bot, Turn, script::chat};
    /// # #[tokio::main(flavor = "current_thread")] async fn main() {
    /// # let bot = || Bot::new().on_message(async |mut turn: Turn| { turn.say("Hello!"); Ok(()) });
    /// let dialogue = chat(bot()).user("hi").expects("Hello!").await;
    /// dialogue.transcript().replay(bot()).await;
    /// # }
    /// ```
    #[must_use]
    pub fn transcript(&self) -> Transcript {
        let is_kept = |line: &&Line| matches!(line, Line::User(_) | Line::Bot(_) | Line::Pause(_));
        let lines = self.lines.iter().filter(is_kept).cloned().collect();
        Transcript { lines, places: Places::default() }
    }

    /// Returns the dialogue as the text of a `.chat` file; see [`Transcript::to_chat`].
    ///
    /// # Example
    /// ```
    /// # use sayso_turn::{Bot, Turn, script::chat};
    /// # #[tokio::main(flavor = "current_thread")] async fn main() {
    /// # let bot = Bot::new().on_message(async |mut turn: Turn| { turn.say("Hello!"); Ok(()) });
    /// let dialogue = chat(bot).from_user("Ann").user("hi").expects("Hello!").await;
    /// assert_eq!(dialogue.to_chat(), "user=Ann\nbot=bot\n\nAnn: hi\nbot: Hello!\n");
    /// # }
    /// ```
    #[must_use]
    pub fn to_chat(&self) -> String {
        self.transcript().to_chat()
    }
}

impl fmt::Display for Dialogue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let rows: Vec<Row> = self.lines.iter().map(Row::of).collect();
        let width = width(&rows);
        rows.iter().try_for_each(|row| row.write(f, width))
    }
}

/// A formatted line: a label, and a text beside it.
pub(super) struct Row {
    pub(super) label: String,
    pub(super) text: String,
    /// True if an arrow points at it.
    pub(super) is_marked: bool,
}

impl Row {
    pub(super) fn of(line: &Line) -> Self {
        Self::new(line.who(), line.words())
    }

    pub(super) fn new(label: impl Into<String>, text: impl Into<String>) -> Self {
        Self { label: label.into(), text: text.into(), is_marked: false }
    }

    /// Writes the row; further lines of its text are aligned under the first.
    pub(super) fn write(&self, f: &mut fmt::Formatter<'_>, width: usize) -> fmt::Result {
        let arrow = if self.is_marked { " ->" } else { "   " };
        let colon = if self.label.is_empty() { "" } else { ":" };
        let mut head = format!("{}{colon}", self.label);
        // An empty text is still a line.
        for (index, text) in self.text.split('\n').enumerate() {
            let arrow = if index == 0 { arrow } else { "   " };
            let line = format!("{arrow} {head:<width$} {text}");
            writeln!(f, "{}", line.trim_end())?;
            head.clear();
        }
        Ok(())
    }
}

/// Returns the width of the labels of these rows, with their colon.
pub(super) fn width(rows: &[Row]) -> usize {
    let labels = rows.iter().filter(|row| !row.label.is_empty());
    labels.map(|row| row.label.chars().count() + 1).max().unwrap_or_default()
}
