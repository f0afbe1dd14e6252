//! Document keys.
//!
//! A key is built from the parts of an activity in the layout of the Bot Framework SDKs, so that a
//! bot can take over the state of another SDK. It is validated once, here; a store may rely on
//! that.

pub(crate) mod scope;

use std::{
    cmp,
    collections::hash_map::RandomState,
    fmt,
    hash::{BuildHasher, Hash, Hasher},
    sync::{Arc, LazyLock},
};

use smallvec::SmallVec;

use self::scope::MARK;

/// Maximum length of a key in bytes; every store must accept it.
pub const KEY_BYTES_MAX: usize = 2048;

/// Key of a document.
///
/// * It is not empty and has at most [`KEY_BYTES_MAX`] bytes.
/// * Any other text is allowed: slashes, NUL, emoji. Two keys are the same only if their bytes are;
///   a store must not normalise them.
///
/// # Example
/// ```
/// use sayso_turn::Key;
///
/// let key = Key::conversation("webchat", "c1")?;
/// assert_eq!(key.as_str(), "webchat/conversations/c1");
/// assert!(Key::new("").is_err());
/// # Ok::<(), sayso_turn::KeyError>(())
/// ```
#[derive(Clone)]
pub struct Key {
    text: Arc<str>,
    /// Hash of the text, computed once, because a turn looks its key up in five tables.
    hash: u64,
}

/// Randomly seeded hasher: ids are untrusted input, and must not be able to force collisions.
static HASHES: LazyLock<RandomState> = LazyLock::new(RandomState::new);

/// Kind of document, as far as the text of its key tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyKind {
    /// A conversation's state.
    Conversation,
    /// A user's state.
    User,
    /// One user's state in one conversation.
    Private,
    /// Anything else.
    Other,
}

/// Error of a text that cannot be a key.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum KeyError {
    /// A part of the key is missing or empty.
    #[error("{0} is missing or empty, so there is no key to keep the state under")]
    Missing(&'static str),
    /// A part of the key begins as a [scope](crate::KeyScope) does.
    #[error("{0} begins with `{MARK}`, as only a bot and a tenant may")]
    Reserved(&'static str),
    /// The key is of another bot that shares the store, or of another [scheme](crate::KeyScheme).
    #[error("the document is not of this bot: its key is of another scheme")]
    Foreign,
    /// The key is longer than a store must accept.
    #[error("the key has {0} bytes and the limit (KEY_BYTES_MAX) is {KEY_BYTES_MAX}")]
    TooLong(usize),
}

impl Key {
    /// Validates a text and makes it a key.
    ///
    /// # Errors
    /// When it is empty or longer than [`KEY_BYTES_MAX`].
    pub fn new(text: impl Into<Arc<str>>) -> Result<Self, KeyError> {
        let text = text.into();
        match text.len() {
            0 => Err(KeyError::Missing("key")),
            1..=KEY_BYTES_MAX => Ok(Self { hash: HASHES.hash_one(&*text), text }),
            length => Err(KeyError::TooLong(length)),
        }
    }

    /// Makes the key of a conversation's state: `{channel}/conversations/{conversation}`.
    ///
    /// # Errors
    /// When a part is empty or the whole is too long, or the channel's id begins with `~`.
    pub fn conversation(channel_id: &str, conversation_id: &str) -> Result<Self, KeyError> {
        Self::conversation_in("", channel_id, conversation_id)
    }

    pub(crate) fn conversation_in(
        scope: &str,
        channel: &str,
        conversation: &str,
    ) -> Result<Self, KeyError> {
        channel_of(channel)?;
        present(conversation, "conversation.id")?;
        Self::of_parts(&[scope, channel, "/conversations/", conversation])
    }

    /// Joins the parts of a key on the stack, where they usually fit, because every turn does this.
    fn of_parts(parts: &[&str]) -> Result<Self, KeyError> {
        let mut text: SmallVec<[u8; 128]> = SmallVec::new();
        parts.iter().for_each(|part| text.extend_from_slice(part.as_bytes()));
        Self::new(str::from_utf8(&text).expect("concatenated UTF-8 is valid UTF-8"))
    }

    /// Makes the key of a user's state on a channel: `{channel}/users/{user}`.
    ///
    /// # Errors
    /// As [`conversation`](Self::conversation).
    pub fn user(channel_id: &str, user_id: &str) -> Result<Self, KeyError> {
        Self::user_in("", channel_id, user_id)
    }

    pub(crate) fn user_in(scope: &str, channel: &str, user: &str) -> Result<Self, KeyError> {
        channel_of(channel)?;
        present(user, "from.id")?;
        Self::of_parts(&[scope, channel, "/users/", user])
    }

    /// Makes the key of one user's state in one conversation:
    /// `{channel}/conversations/{conversation}/users/{user}`.
    ///
    /// # Errors
    /// As [`conversation`](Self::conversation).
    pub fn private(
        channel_id: &str,
        conversation_id: &str,
        user_id: &str,
    ) -> Result<Self, KeyError> {
        Self::private_in("", channel_id, conversation_id, user_id)
    }

    pub(crate) fn private_in(
        scope: &str,
        channel: &str,
        conversation: &str,
        user: &str,
    ) -> Result<Self, KeyError> {
        channel_of(channel)?;
        present(conversation, "conversation.id")?;
        present(user, "from.id")?;
        Self::of_parts(&[scope, channel, "/conversations/", conversation, "/users/", user])
    }

    /// Returns the key without its [scope](Self::scope).
    #[must_use]
    pub fn without_scope(&self) -> &str {
        self.text.split_at(scope::length(&self.text)).1
    }

    /// Kind of document, guessed from the text. Ids may contain slashes, so it is only used for
    /// retention times.
    #[must_use]
    pub fn kind(&self) -> KeyKind {
        let mut parts = self.without_scope().split('/');
        match parts.nth(1) {
            Some("users") => KeyKind::User,
            Some("conversations") if parts.rev().nth(1) == Some("users") => KeyKind::Private,
            Some("conversations") => KeyKind::Conversation,
            _ => KeyKind::Other,
        }
    }

    /// Returns the key as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }
}

impl PartialEq for Key {
    fn eq(&self, other: &Self) -> bool {
        // Clones of one key share their text, so the comparison can be skipped.
        self.hash == other.hash && (Arc::ptr_eq(&self.text, &other.text) || self.text == other.text)
    }
}

impl Eq for Key {}

impl PartialOrd for Key {
    fn partial_cmp(&self, other: &Self) -> Option<cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Key {
    fn cmp(&self, other: &Self) -> cmp::Ordering {
        self.text.cmp(&other.text)
    }
}

impl Hash for Key {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(self.hash);
    }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Ids are untrusted input: control characters must not forge log lines.
        write!(f, "{}", self.text.escape_debug())
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Key({self})")
    }
}

fn channel_of(channel: &str) -> Result<(), KeyError> {
    present(channel, "channelId")?;
    if channel.starts_with(MARK) { Err(KeyError::Reserved("channelId")) } else { Ok(()) }
}

fn present(part: &str, name: &'static str) -> Result<(), KeyError> {
    if part.is_empty() { Err(KeyError::Missing(name)) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_have_the_layout_of_the_sdks() {
        assert_eq!(Key::user("msteams", "29:1").unwrap().as_str(), "msteams/users/29:1");
        let private = Key::private("webchat", "c", "u").unwrap();
        assert_eq!(private.as_str(), "webchat/conversations/c/users/u");
    }

    #[test]
    fn a_key_tells_its_kind() {
        let kinds = [
            (Key::conversation("webchat", "users").unwrap(), KeyKind::Conversation),
            (Key::conversation("webchat", "a/b").unwrap(), KeyKind::Conversation),
            (Key::user("webchat", "conversations").unwrap(), KeyKind::User),
            (Key::private("webchat", "c", "u").unwrap(), KeyKind::Private),
            (Key::new("orders").unwrap(), KeyKind::Other),
            (Key::new("shop/orders/7").unwrap(), KeyKind::Other),
        ];
        for (key, kind) in kinds {
            assert_eq!(key.kind(), kind, "{key}");
        }
    }

    #[test]
    fn an_empty_part_or_a_long_key_is_refused_by_name() {
        assert_eq!(Key::conversation("", "c"), Err(KeyError::Missing("channelId")));
        assert_eq!(Key::conversation("x", ""), Err(KeyError::Missing("conversation.id")));
        let long = Key::new("k".repeat(KEY_BYTES_MAX + 1));
        assert!(long.unwrap_err().to_string().contains("KEY_BYTES_MAX"));
    }

    #[test]
    fn a_key_is_shown_without_control_characters() {
        assert_eq!(Key::new("a\nb").unwrap().to_string(), "a\\nb");
    }
}
