//! One line of a dialogue: who did what.

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
    /// The turn failed and no error handler minded: why.
    Failed(String),
    /// Something that nobody said, such as a restart.
    Note(&'static str),
}

impl Line {
    /// The activity that came in or went out, if the line is one.
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

    /// Whether the line is the bot's and must be expected: typing and trace need not.
    pub(super) fn is_said(&self) -> bool {
        match self {
            Self::Bot(activity) => !is_aside(activity),
            Self::Failed(_) => true,
            Self::User(_) | Self::Timer(_) | Self::Pause(_) | Self::Note(_) => false,
        }
    }

    /// Who the line is from, as far as it is from somebody.
    pub(super) fn who(&self) -> &str {
        match self {
            Self::User(activity) => name(activity.from.as_ref()).unwrap_or("user"),
            Self::Bot(activity) => name(activity.from.as_ref()).unwrap_or("bot"),
            Self::Timer(_) => "timer",
            Self::Failed(_) => "failure",
            Self::Pause(_) | Self::Note(_) => "",
        }
    }

    /// What the line says, for people.
    pub(super) fn words(&self) -> Cow<'_, str> {
        match self {
            Self::User(activity) | Self::Bot(activity) | Self::Timer(activity) => words(activity),
            Self::Pause(time) => format!("({time:?} pass)").into(),
            Self::Failed(reason) => reason.into(),
            Self::Note(text) => format!("({text})").into(),
        }
    }
}

/// Whether an activity is one that people do not read.
pub(super) fn is_aside(activity: &Activity) -> bool {
    matches!(activity.kind, Kind::Typing | Kind::Trace)
}

/// The name of an account, or its id.
pub(super) fn name(account: Option<&Account>) -> Option<&str> {
    let account = account?;
    let given = |text: &&str| !text.is_empty();
    account.name.as_deref().filter(given).or_else(|| account.id.as_deref().filter(given))
}

/// The text of a message and its attachments, or what else the activity is.
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
