//! Transcripts: recorded dialogues in files, replayed as tests.
//!
//! A `.transcript` is a JSON list of activities as they went over the wire; a `.chat` is the same
//! as plain lines of text. Both come from the Bot Framework's tools.

use std::{fs, path::Path};

use sayso_activity::{Account, Activity, Kind};
use serde_json::value::RawValue;

use super::{Line, Script, TranscriptError, chat, chat_text, line::is_optional, recorded::Places};
use crate::Logic;

/// Recorded dialogue, to be replayed word for word.
///
/// # Example
/// ```
/// # use sayso_turn::{Bot, Turn, script::Transcript};
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), sayso_turn::script::TranscriptError> {
/// let bot = Bot::new().on_message(async |mut turn: Turn| {
///     let line = format!("You said {}.", turn.text());
///     turn.say(line);
///     Ok(())
/// });
/// Transcript::parse_chat("
///     user=Ann
///     bot=Echo
///
///     Ann: one
///     Echo: You said one.
/// ")?.replay(bot).await;
/// # Ok(()) }
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Transcript {
    pub(super) lines: Vec<Line>,
    pub(super) places: Places,
}

impl Transcript {
    /// Reads the text of a `.chat` file.
    ///
    /// The headings `user=name` (one for each user of a group) and `bot=name` may name the
    /// speakers. Then `name: text` starts a line; text without a name continues it. Markup in
    /// brackets stands for what is not text: `[Attachment=file]` (with a content type after a
    /// space; the file is named and not read, see [`load`](Self::load)), `[Typing]`,
    /// `[Delay=milliseconds]`, `[Event=name]`, `[EndOfConversation]`, and `[ConversationUpdate]`
    /// for a user who joins.
    ///
    /// The bot joins before the first line, and the user too if the bot speaks first.
    ///
    /// # Errors
    /// [`TranscriptError::Line`] when a text comes before any name.
    ///
    /// # Example
    /// ```
    /// use sayso_turn::script::Transcript;
    ///
    /// let transcript = Transcript::parse_chat("user: two\nlines\n\nbot: Thanks.")?;
    /// assert_eq!(transcript.lines()[1].activity().unwrap().text(), "two\nlines");
    /// # Ok::<(), sayso_turn::script::TranscriptError>(())
    /// ```
    pub fn parse_chat(text: &str) -> Result<Self, TranscriptError> {
        Self::of_chat(text, None)
    }

    fn of_chat(text: &str, folder: Option<&Path>) -> Result<Self, TranscriptError> {
        let (numbers, lines) = chat_text::parse(text, folder)?.into_iter().unzip();
        Ok(Self { lines, places: Places { file: None, numbers } })
    }

    /// Reads the text of a `.transcript` file: a JSON list of activities. Those whose `from` has
    /// the role `bot` are the bot's; all others are inbound.
    ///
    /// # Errors
    /// [`TranscriptError::Json`] or [`TranscriptError::Activity`] when it is something else.
    ///
    /// # Example
    /// ```
    /// use sayso_turn::script::{Line, Transcript};
    ///
    /// let transcript = Transcript::parse_transcript(r#"[
    ///     {"type":"message","from":{"id":"u","role":"user"},"text":"hi"},
    ///     {"type":"message","from":{"id":"b","role":"bot"},"text":"Hello!"}
    /// ]"#)?;
    /// assert!(matches!(transcript.lines(), [Line::User(_), Line::Bot(_)]));
    /// # Ok::<(), sayso_turn::script::TranscriptError>(())
    /// ```
    pub fn parse_transcript(text: &str) -> Result<Self, TranscriptError> {
        let text = text.trim_start_matches('\u{feff}');
        let elements: Vec<&RawValue> = serde_json::from_str(text)?;
        let numbers = elements.iter().map(|raw| line_of(text, raw.get())).collect();
        let read = |(index, raw): (usize, &&RawValue)| {
            Activity::from_json(raw.get().as_bytes())
                .map_err(|source| TranscriptError::Activity { index: index + 1, source })
        };
        let activities = elements.iter().enumerate().map(read);
        let mut activities = activities.collect::<Result<Vec<Activity>, _>>()?;
        let bot = activities.iter().find_map(|activity| {
            let accounts = [activity.from.as_ref(), activity.recipient.as_ref()];
            let added = activity.members_added.iter().flatten();
            accounts.into_iter().flatten().chain(added).find(|a| has_role(a, "bot")).cloned()
        });
        let users = activities.iter().filter_map(|activity| activity.from.as_ref());
        let user = users.clone().find(|from| has_role(from, "user")).cloned();
        let is_bot = |activity: &Activity| {
            let Some(from) = &activity.from else { return false };
            let is_known =
                from.role.is_none() && from.id == bot.as_ref().and_then(|b| b.id.clone());
            has_role(from, "bot") || (is_known && from.id.is_some())
        };
        for activity in &mut activities {
            // Tools often leave out the sender and recipient of a join.
            if activity.kind == Kind::ConversationUpdate {
                activity.from = activity.from.take().or_else(|| user.clone());
                activity.recipient = activity.recipient.take().or_else(|| bot.clone());
            }
        }
        let lines = activities.into_iter().map(|activity| {
            let is_sent = activity.kind != Kind::ConversationUpdate && is_bot(&activity);
            if is_sent { Line::Bot(Box::new(activity)) } else { Line::User(Box::new(activity)) }
        });
        Ok(Self { lines: lines.collect(), places: Places { file: None, numbers } })
    }

    /// Reads a file whose name ends in `.chat` or `.transcript`. A mismatch in its replay names its
    /// line.
    ///
    /// A file that `[Attachment=file]` in a `.chat` file names is read, from the folder of the
    /// `.chat` file, else from the working directory, and put into the message as Microsoft's
    /// `chatdown` does: JSON and texts as the attachment's `content`, anything else as a data URL.
    /// Its type follows from the name's ending, or stands after a space, of cards in short
    /// (`herocard`, `adaptivecard`). What begins with `http` is a `contentUrl`, and not read.
    ///
    /// # Errors
    /// A [`TranscriptError`] when it cannot be read or is something else.
    ///
    /// # Example
    /// ```
    /// use sayso_turn::script::Transcript;
    ///
    /// let error = Transcript::load("not/there.chat").unwrap_err();
    /// assert_eq!(error.to_string(), "not/there.chat: cannot be read");
    /// ```
    pub fn load(path: impl AsRef<Path>) -> Result<Self, TranscriptError> {
        let path = path.as_ref();
        let shown = || path.display().to_string();
        let is_chat = match path.extension().and_then(|extension| extension.to_str()) {
            Some("chat") => true,
            Some("transcript") => false,
            _ => return Err(TranscriptError::Name { path: shown() }),
        };
        let text = fs::read_to_string(path)
            .map_err(|source| TranscriptError::Read { path: shown(), source })?;
        let mut transcript = match is_chat {
            true => Self::of_chat(&text, Some(path.parent().unwrap_or(Path::new(""))))?,
            false => Self::parse_transcript(&text)?,
        };
        transcript.places.file = Some(shown().into());
        Ok(transcript)
    }

    /// Returns the lines in order.
    ///
    /// # Example
    /// ```
    /// # use sayso_turn::script::Transcript;
    /// let transcript = Transcript::parse_chat("user: hi\nbot: Hello!")?;
    /// assert_eq!(transcript.lines().len(), 3, "the bot joins first");
    /// # Ok::<(), sayso_turn::script::TranscriptError>(())
    /// ```
    #[must_use]
    pub fn lines(&self) -> &[Line] {
        &self.lines
    }

    /// Makes a script that replays the transcript: the same inbound activities, and the bot must
    /// say the same, word for word. Typing and trace activities are skipped. Await it, or add to
    /// it.
    ///
    /// # Example
    /// ```
    /// # use sayso_turn::{Bot, script::Transcript};
    /// # #[tokio::main(flavor = "current_thread")] async fn main() {
    /// let transcript = Transcript::parse_chat("user: hi\nbot: Hello!").unwrap();
    /// let mismatch = transcript.replay(Bot::new()).run().await.unwrap_err();
    /// assert!(mismatch.to_string().starts_with("the bot says nothing"));
    /// # }
    /// ```
    #[track_caller]
    pub fn replay<'a>(&self, bot: impl Logic) -> Script<'a> {
        self.play(chat(bot))
    }

    /// Adds the transcript to a script with another setup, such as one that restarts.
    ///
    /// # Example
    /// ```
    /// # use sayso_turn::{Bot, Turn, script::{Transcript, chat_with}};
    /// # #[tokio::main(flavor = "current_thread")] async fn main() {
    /// # let bot = || Bot::new().on_message(async |mut turn: Turn| { turn.say("Hello!"); Ok(()) });
    /// let transcript = Transcript::parse_chat("user: hi\nbot: Hello!").unwrap();
    /// transcript.play(chat_with(bot).restarting().contended()).await;
    /// # }
    /// ```
    #[track_caller]
    pub fn play<'a>(&self, mut script: Script<'a>) -> Script<'a> {
        for (index, line) in self.lines.iter().enumerate() {
            script.recorded = self.places.of(index);
            script = match line {
                Line::User(activity) => script.activity((**activity).clone()),
                Line::Bot(activity) if is_optional(activity) => script,
                Line::Bot(activity) if activity.is_message() => script.expects(activity.text()),
                Line::Bot(activity) => script.expects_kind(activity.kind.clone()),
                Line::Pause(time) => script.passes(*time),
                Line::Timer(_) | Line::Failed(_) | Line::Note(_) => script,
            };
        }
        script.recorded = None;
        script
    }

    /// Returns the text of a `.chat` file. Traces, invokes and other activities that the format
    /// cannot express are left out, and so are blank lines at the ends of texts.
    ///
    /// # Example
    /// ```
    /// # use sayso_turn::script::Transcript;
    /// let text = "user=user\nbot=bot\n\nuser: hi\nbot: Hello!\n";
    /// assert_eq!(Transcript::parse_chat(text)?.to_chat(), text);
    /// # Ok::<(), sayso_turn::script::TranscriptError>(())
    /// ```
    #[must_use]
    pub fn to_chat(&self) -> String {
        chat_text::write(&self.lines)
    }

    /// Returns the text of a `.transcript` file: every activity in full. Pauses are left out.
    ///
    /// # Example
    /// ```
    /// # use sayso_turn::script::Transcript;
    /// let transcript = Transcript::parse_chat("user: hi\nbot: Hello!")?;
    /// assert_eq!(Transcript::parse_transcript(&transcript.to_transcript())?, transcript);
    /// # Ok::<(), sayso_turn::script::TranscriptError>(())
    /// ```
    #[must_use]
    pub fn to_transcript(&self) -> String {
        let activities: Vec<&Activity> = self.lines.iter().filter_map(Line::activity).collect();
        serde_json::to_string_pretty(&activities).expect("an activity is always JSON")
    }
}

/// The line of a part of a text, from 1.
fn line_of(text: &str, part: &str) -> usize {
    let offset = (part.as_ptr() as usize).saturating_sub(text.as_ptr() as usize);
    let before = text.as_bytes().get(..offset).unwrap_or_default();
    1 + before.iter().filter(|byte| **byte == b'\n').count()
}

fn has_role(account: &Account, role: &str) -> bool {
    account.role.as_deref().is_some_and(|known| known.eq_ignore_ascii_case(role))
}
