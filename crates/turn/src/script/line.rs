//! Line of a dialogue.

use std::{borrow::Cow, time::Duration};

use sayso_activity::{Account, Activity, Kind};

/// One line of a [`Dialogue`](super::Dialogue) or a [`Transcript`](super::Transcript).
///
/// # Example
/// ```
/// use sayso_turn::script::{Line, Transcript};
///
/// let transcript = Transcript::parse_chat("user: hi\nbot: Hello!\n")?;
/// let said = transcript.lines().iter().filter_map(|line| match line {
///     Line::Bot(activity) => Some(activity.text()),
///     _ => None,
/// });
/// assert_eq!(said.collect::<Vec<_>>(), ["Hello!"]);
/// # Ok::<(), sayso_turn::script::TranscriptError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Line {
    /// An activity came in from the channel.
    User(Box<Activity>),
    /// The bot sent an activity.
    Bot(Box<Activity>),
    /// A timer fired: the event came in.
    Timer(Box<Activity>),
    /// Time passed.
    Pause(Duration),
    /// The turn failed without an error handler; with the error.
    Failed(String),
    /// A note, such as a restart.
    Note(&'static str),
}

impl Line {
    /// Returns the activity that came in or went out, if the line is one.
    ///
    /// # Example
    /// ```
    /// # use sayso_turn::script::Line;
    /// assert!(Line::Note("a restart").activity().is_none());
    /// ```
    #[must_use]
    pub fn activity(&self) -> Option<&Activity> {
        match self {
            Self::User(activity) | Self::Bot(activity) | Self::Timer(activity) => Some(activity),
            Self::Pause(_) | Self::Failed(_) | Self::Note(_) => None,
        }
    }

    /// Reports whether the line is from the bot and must be expected, unlike typing and trace.
    pub(super) fn is_said(&self) -> bool {
        match self {
            Self::Bot(activity) => !is_optional(activity),
            Self::Failed(_) => true,
            Self::User(_) | Self::Timer(_) | Self::Pause(_) | Self::Note(_) => false,
        }
    }

    /// Returns the speaker's name, if the line has a speaker.
    pub(super) fn who(&self) -> &str {
        match self {
            Self::User(activity) => name(activity.from.as_ref()).unwrap_or("user"),
            Self::Bot(activity) => name(activity.from.as_ref()).unwrap_or("bot"),
            Self::Timer(_) => "timer",
            Self::Failed(_) => "failure",
            Self::Pause(_) | Self::Note(_) => "",
        }
    }

    /// Returns the line as readable text.
    pub(super) fn words(&self) -> Cow<'_, str> {
        match self {
            Self::User(activity) | Self::Bot(activity) | Self::Timer(activity) => words(activity),
            Self::Pause(time) => format!("({time:?} pass)").into(),
            Self::Failed(reason) => reason.into(),
            Self::Note(text) => format!("({text})").into(),
        }
    }
}

/// Reports whether an activity need not be expected: people do not read it.
pub(super) fn is_optional(activity: &Activity) -> bool {
    matches!(activity.kind, Kind::Typing | Kind::Trace)
}

/// Returns the name of an account, or its id.
pub(super) fn name(account: Option<&Account>) -> Option<&str> {
    let account = account?;
    let given = |text: &&str| !text.is_empty();
    account.name.as_deref().filter(given).or_else(|| account.id.as_deref().filter(given))
}

/// Formats a message with its attachments, or the kind of another activity.
fn words(activity: &Activity) -> Cow<'_, str> {
    let attachments = activity.attachments.as_deref().unwrap_or_default();
    if activity.is_message() && attachments.is_empty() {
        return activity.text().into();
    }
    let mut words = match (&activity.kind, &activity.name) {
        (Kind::Message, _) => activity.text().to_owned(),
        (kind, None) => format!("[{kind}]"),
        (kind, Some(name)) => format!("[{kind} {name}]"),
    };
    for attachment in attachments {
        let sort = attachment.name.as_deref().or(attachment.content_type.as_deref());
        let gap = if words.is_empty() { "" } else { " " };
        words = format!("{words}{gap}[Attachment={}]", sort.unwrap_or("?"));
    }
    words.into()
}
