//! Fuzz property of keys: any text as ids, and no two documents with one key.

use crate::{Key, KeyError, KeyScheme, id::TurnId, limits::KEY_BYTES_MAX};

/// Separator of the parts of an input: a byte that is never part of UTF-8.
const SEPARATOR: u8 = 0xff;

/// Checks that parts make a key that can be split into them again, and a distinct turn id.
///
/// The input is a channel, a conversation, a user and an activity id.
pub fn key(data: &[u8]) {
    let parts: Result<Vec<&str>, _> =
        data.split(|byte| *byte == SEPARATOR).map(str::from_utf8).collect();
    let Ok(parts) = parts else { return };
    let part = |at: usize| parts.get(at).copied().unwrap_or_default();
    let (channel, conversation, user, activity) = (part(0), part(1), part(2), part(3));

    check(&[channel], Key::new(channel), channel);
    let shared = Parts { channel, conversation: Some(conversation), user: None };
    let own = Parts { channel, conversation: None, user: Some(user) };
    let private = Parts { channel, conversation: Some(conversation), user: Some(user) };
    check_parts(shared, Key::conversation(channel, conversation));
    check_parts(own, Key::user(channel, user));
    check_parts(private, Key::private(channel, conversation, user));
    scopes_differ((channel, user), (conversation, activity));
    if let Ok(key) = Key::new(conversation) {
        turn_ids_differ(&key, activity);
    }
}

/// Checks that a bot and a tenant have a scope of their own, whatever their ids, and that a key in
/// it is read as one of it.
fn scopes_differ(one: (&str, &str), other: (&str, &str)) {
    let scope = |(bot, tenant): (&str, &str)| {
        KeyScheme::default().bot(bot).by_tenant(true).scope(Some(tenant))
    };
    let (own, theirs) = (scope(one), scope(other));
    assert_eq!(own == theirs, one == other, "{own} and {theirs}");
    if let Ok(key) = own.place(Key::new("~a~b/c").expect("a short key")) {
        assert_eq!(key.scope(), own);
        assert_eq!(key.without_scope(), "~a~b/c");
    }
}

/// Parts of a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Parts<'a> {
    channel: &'a str,
    conversation: Option<&'a str>,
    user: Option<&'a str>,
}

impl<'a> Parts<'a> {
    /// Splits a key. If that returns the original parts, no other parts have the same key.
    fn read(key: &'a str) -> Option<Self> {
        let (channel, rest) = key.split_once('/')?;
        if let Some(user) = rest.strip_prefix("users/") {
            return Some(Self { channel, conversation: None, user: Some(user) });
        }
        let rest = rest.strip_prefix("conversations/")?;
        let (conversation, user) = match rest.split_once("/users/") {
            Some((conversation, user)) => (conversation, Some(user)),
            None => (rest, None),
        };
        Some(Self { channel, conversation: Some(conversation), user })
    }

    /// Reports whether the key can be split unambiguously. The layout is that of the SDKs, which
    /// join the parts without escaping, so a channel with a slash or a conversation with a segment
    /// `users` is ambiguous.
    fn is_unambiguous(self) -> bool {
        !self.channel.contains('/')
            && self.conversation.is_none_or(|id| id.split('/').all(|segment| segment != "users"))
    }
}

fn check_parts(parts: Parts<'_>, key: Result<Key, KeyError>) {
    let Parts { channel, conversation, user } = parts;
    let text = match (conversation, user) {
        (Some(conversation), Some(user)) => {
            format!("{channel}/conversations/{conversation}/users/{user}")
        }
        (Some(conversation), None) => format!("{channel}/conversations/{conversation}"),
        (None, user) => format!("{channel}/users/{}", user.unwrap_or_default()),
    };
    let present = [Some(channel), conversation, user];
    if let Some(key) = check(&present.into_iter().flatten().collect::<Vec<_>>(), key, &text)
        && parts.is_unambiguous()
    {
        assert_eq!(Parts::read(key.as_str()), Some(parts), "other parts have the same key");
    }
}

/// Checks that there is a key exactly when every part is present and the whole is short enough, and
/// that it is the text.
fn check(parts: &[&str], key: Result<Key, KeyError>, text: &str) -> Option<Key> {
    match key {
        Ok(key) => {
            assert_eq!(key.as_str(), text);
            assert!(text.len() <= KEY_BYTES_MAX && parts.iter().all(|part| !part.is_empty()));
            let shown = key.to_string();
            assert!(!shown.contains(char::is_control), "{shown:?} could forge a line of a log");
            Some(key)
        }
        Err(KeyError::Missing(_)) => {
            assert!(parts.iter().any(|part| part.is_empty()));
            None
        }
        Err(KeyError::Reserved(_)) => {
            assert!(parts.first().is_some_and(|channel| channel.starts_with('~')));
            None
        }
        Err(KeyError::Foreign) => unreachable!("nobody's key is made here"),
        Err(KeyError::TooLong(bytes)) => {
            assert!(bytes == text.len() && bytes > KEY_BYTES_MAX);
            None
        }
    }
}

/// Checks that moving a letter from the activity's id to the key changes the turn id.
fn turn_ids_differ(key: &Key, activity: &str) {
    let id = TurnId::new(key, activity);
    assert_eq!(id, TurnId::new(key, activity));
    assert!(id.as_str().bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte)));
    let mut rest = activity.chars();
    let Some(letter) = rest.next() else { return };
    if let Ok(longer) = Key::new(format!("{}{letter}", key.as_str())) {
        assert_ne!(id, TurnId::new(&longer, rest.as_str()));
    }
}
