//! Message ids: names of sent messages, usable before the channel has assigned an id.

use std::{
    fmt,
    hash::{Hash, Hasher},
    sync::Arc,
};

use sayso_activity::Activity;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use crate::{
    id::{ReplyId, TurnId},
    sync::{AtomicU64, Ordering},
};

/// Prefix of an id assigned by the channel.
const CHANNEL: &str = "channel:";

/// Id of a message that the bot sent: [`say`](crate::Turn::say) returns it,
/// [`update`](crate::Turn::update) and [`delete`](crate::Turn::delete) take it, in the same turn or
/// in any later one.
///
/// It can be stored in the state. Once the message is delivered it is resolved to the channel's own
/// id, which is kept for messages whose `MessageId` was serialised or displayed, the last
/// [`sent_max`](crate::Limits::sent_max) of them.
///
/// # Example
/// ```
/// use sayso_turn::{Bot, BotError, MessageId, Turn, activity::Activity};
/// use serde::{Deserialize, Serialize};
///
/// #[derive(Default, Serialize, Deserialize)]
/// struct Board { count: u32, message: Option<MessageId> }
///
/// async fn count(mut turn: Turn) -> Result<(), BotError> {
///     let board = turn.conversation::<Board>()?;
///     board.count += 1;
///     let (line, message) = (format!("{} so far", board.count), board.message.clone());
///     match message {
///         Some(message) => turn.update(&message, Activity::message(line)), // the same bubble
///         None => {
///             let message = turn.say(line);
///             turn.conversation::<Board>()?.message = Some(message);
///         }
///     }
///     Ok(())
/// }
/// let bot = Bot::new().on_message(count);
/// ```
#[derive(Clone)]
pub struct MessageId {
    name: Name,
    /// Records that the id was serialised or displayed, so that a later turn may use it.
    kept: Option<Arc<KeptIds>>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Name {
    /// The n-th reply of a turn.
    Ours(TurnId, usize),
    /// A message with an id assigned by the channel.
    Channels(String),
    /// No message: a hook dropped it.
    Nothing,
}

impl MessageId {
    /// Makes the id of a message from the channel's id: for example the message whose button was
    /// pressed, which is the `replyToId` of the press.
    #[must_use]
    pub fn of_channel(id: impl Into<String>) -> Self {
        Self { name: Name::Channels(id.into()), kept: None }
    }

    pub(crate) fn ours(turn: TurnId, number: usize, kept: &Arc<KeptIds>) -> Self {
        Self { name: Name::Ours(turn, number), kept: Some(Arc::clone(kept)) }
    }

    pub(crate) fn nothing() -> Self {
        Self { name: Name::Nothing, kept: None }
    }

    /// Returns the reply's number if it belongs to that turn.
    pub(crate) fn number_in(&self, turn: TurnId) -> Option<usize> {
        match self.name {
            Name::Ours(of, number) if of == turn => Some(number),
            _ => None,
        }
    }

    pub(crate) fn is_nothing(&self) -> bool {
        self.name == Name::Nothing
    }

    /// Returns the id as text, without recording that it was serialised.
    pub(crate) fn text(&self) -> String {
        match &self.name {
            Name::Ours(turn, number) => ReplyId::new(*turn, *number).as_str().to_owned(),
            Name::Channels(id) => format!("{CHANNEL}{id}"),
            Name::Nothing => String::new(),
        }
    }

    fn parse(text: &str) -> Option<Self> {
        let name = if text.is_empty() {
            Name::Nothing
        } else if let Some(id) = text.strip_prefix(CHANNEL) {
            Name::Channels(id.to_owned())
        } else {
            let (turn, number) = text.split_once('.')?;
            Name::Ours(TurnId::parse(turn)?, number.parse().ok()?)
        };
        Some(Self { name, kept: None })
    }

    fn note(&self) {
        if let (Name::Ours(_, number), Some(kept)) = (&self.name, &self.kept) {
            kept.note(*number);
        }
    }
}

/// Target message of a stored update or deletion.
pub(crate) enum Target {
    /// The channel's id.
    Channels(String),
    /// A reply of ours, whose channel id is looked up.
    Ours(ReplyId),
}

impl Target {
    /// Returns the target of an update or deletion; `None` for an activity to be sent.
    pub(crate) fn of(activity: &Activity) -> Option<Self> {
        use sayso_activity::Kind::{MessageDelete, MessageUpdate};
        if !matches!(activity.kind, MessageUpdate | MessageDelete) {
            return None;
        }
        let text = activity.id.as_deref().unwrap_or_default();
        Some(match text.strip_prefix(CHANNEL) {
            Some(id) => Self::Channels(id.to_owned()),
            None => Self::Ours(ReplyId::from_text(text)),
        })
    }
}

/// Replies of a turn whose ids were serialised or displayed: their channel ids must be kept.
#[derive(Debug, Default)]
pub(crate) struct KeptIds(AtomicU64);

impl KeptIds {
    fn note(&self, number: usize) {
        self.0.fetch_or(Self::bit(number), Ordering::Relaxed);
    }

    pub(crate) fn contains(&self, number: usize) -> bool {
        self.0.load(Ordering::Relaxed) & Self::bit(number) != 0
    }

    /// The last bit stands for all higher numbers: keeping one id too many costs little.
    fn bit(number: usize) -> u64 {
        1 << number.min(63)
    }
}

impl PartialEq for MessageId {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for MessageId {}

impl Hash for MessageId {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.name.hash(state);
    }
}

impl fmt::Debug for MessageId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "MessageId({})", self.text())
    }
}

impl fmt::Display for MessageId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.note();
        f.write_str(&self.text())
    }
}

impl Serialize for MessageId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for MessageId {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Self::parse(&text).ok_or_else(|| de::Error::custom("this does not name a message"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Key;

    #[test]
    fn a_name_comes_back_as_it_was_written() {
        let turn = TurnId::new(&Key::new("c").unwrap(), "1");
        let kept = Arc::default();
        let (ours, channels) = (MessageId::ours(turn, 7, &kept), MessageId::of_channel("a.b:c"));
        for id in [&ours, &channels, &MessageId::nothing()] {
            assert!(!kept.contains(7) || id != &ours);
            let text = serde_json::to_string(id).unwrap();
            assert_eq!(serde_json::from_str::<MessageId>(&text).unwrap(), *id);
        }
        assert!(kept.contains(7), "a written name may come back");
        assert!(!kept.contains(6));
        assert_eq!(ours.number_in(turn), Some(7));
        for bad in ["x", "x.1", "0123456789abcde/.1", "0123456789abcdef.", "0123456789abcdef.-1"] {
            assert!(MessageId::parse(bad).is_none(), "{bad}");
        }
    }

    #[test]
    fn the_last_bit_stands_for_all_beyond() {
        let kept = KeptIds::default();
        kept.note(99);
        assert!(kept.contains(64) && !kept.contains(62));
    }
}
