//! Keys as names of blobs, in our layout and in those of the SDKs.
//!
//! A name of ours has nothing in it that a service, a client or a namespace of folders reads in its
//! own way, and no two keys share one. The SDKs' names are as they are: some keys have none, and
//! some share one. The first are refused; against the second every blob that we write remembers its
//! key.

mod escape;

use std::borrow::Cow;

use sayso_turn::Key;
use sha2::{Digest, Sha256};

use self::escape::{DOTNET, JS, OURS};
use crate::Layout;

/// The longest name of a blob, in characters.
const NAME_MAX: usize = 1024;

/// The number of characters of a long key that its name shows.
const HEAD_MAX: usize = 512;

/// Separates the head of a long key from its hash. No escaped text contains it.
const HASHED: &str = "~~";

const ASTRAY: &str = "the SDK of this layout has no safe name for a key of slashes or dots, or with \
     backslashes or control characters";

/// Maps keys to blob names and back, in one layout.
#[derive(Clone, Copy, Debug)]
pub(super) struct Names(pub(super) Layout);

/// The key that a blob's name tells, as far as it does.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Named {
    /// The name tells the key.
    Key(Key),
    /// Only the blob's metadata tell the key.
    Recorded,
    /// The SDK truncated the name; this is the rest of the key.
    Cut(Key),
    /// It is not a name of this layout.
    Foreign,
}

impl Names {
    /// The name of a key's blob, or the reason why it cannot have one.
    pub(super) fn name(self, key: &Key) -> Result<String, &'static str> {
        let text = key.as_str();
        let name = match self.0 {
            Layout::Sayso => return Ok(ours(text)),
            Layout::Dotnet => DOTNET.escape(text),
            Layout::Js => {
                let mut name = JS.escape(&without_empty_parts(text));
                name.truncate(NAME_MAX);
                name
            }
            Layout::Python => python(text).into_owned(),
            _ => text.to_owned(),
        };
        if name.chars().count() > NAME_MAX {
            return Err("the SDK of this layout has no name for so long a key");
        }
        let is_raw = !matches!(self.0, Layout::Dotnet | Layout::Js);
        let goes_astray = name.is_empty()
            || name.split('/').any(|part| part == "." || part == "..")
            || is_raw && name.contains(|letter: char| letter == '\\' || letter.is_control());
        if goes_astray {
            return Err(ASTRAY);
        }
        Ok(name)
    }

    /// The prefix of the names of all keys with this prefix. Other names may have it, too.
    pub(super) fn prefix(self, prefix: &str) -> String {
        match self.0 {
            Layout::Sayso => head(&OURS.escape(prefix)).to_owned(),
            Layout::Dotnet => DOTNET.escape(prefix),
            Layout::Js => {
                let mut name = JS.escape(&without_empty_parts(prefix));
                name.truncate(NAME_MAX);
                name
            }
            _ => prefix.to_owned(),
        }
    }

    /// The key that a name stands for.
    pub(super) fn key(self, name: &str) -> Named {
        let text = match self.0 {
            Layout::Sayso if name.contains(HASHED) => return Named::Recorded,
            Layout::Sayso => OURS.restore(name),
            Layout::Dotnet => DOTNET.restore(name),
            Layout::Js if name.len() == NAME_MAX => {
                let left = JS.restore_start(name).and_then(|left| Key::new(left).ok());
                return left.map_or(Named::Foreign, Named::Cut);
            }
            Layout::Js => JS.restore(name),
            Layout::Python if is_private(name) => name.strip_suffix('/').map(str::to_owned),
            _ => Some(name.to_owned()),
        };
        let key = text.and_then(|text| Key::new(text).ok());
        // This layout would have given the key another name, so this one is foreign.
        key.filter(|key| self.name(key).is_ok_and(|own| own == name))
            .map_or(Named::Foreign, Named::Key)
    }
}

/// Encodes a key for a header.
pub(super) fn record(key: &Key) -> String {
    OURS.escape(key.as_str())
}

/// Decodes a key that was recorded.
pub(super) fn recorded(text: &str) -> Option<Key> {
    OURS.restore(text).and_then(|text| Key::new(text).ok())
}

fn ours(key: &str) -> String {
    let escaped = OURS.escape(key);
    if escaped.len() <= NAME_MAX {
        return escaped;
    }
    let hash = Sha256::digest(key.as_bytes());
    let hash: String = hash.iter().map(|byte| format!("{byte:02x}")).collect();
    format!("{}{HASHED}{hash}", head(&escaped))
}

/// The first part of an escaped text, without half an escape at its end.
fn head(escaped: &str) -> &str {
    let mut end = HEAD_MAX.min(escaped.len());
    if let Some(start) = escaped.get(..end).and_then(|head| head.rfind('~'))
        && start + 3 > end
    {
        end = start;
    }
    escaped.get(..end).unwrap_or_default()
}

/// The JavaScript SDK leaves out the empty parts of a key, save one at the beginning, and from the
/// 255th part on the slashes.
fn without_empty_parts(key: &str) -> String {
    let mut parts = key.split('/');
    let mut text = parts.next().unwrap_or_default().to_owned();
    for (index, part) in parts.enumerate().filter(|(_, part)| !part.is_empty()) {
        if index + 1 < 255 {
            text.push('/');
        }
        text.push_str(part);
    }
    text
}

/// The Python SDK ends the key of a user's state in a conversation, and only that one, with a
/// slash.
fn python(key: &str) -> Cow<'_, str> {
    let with_slash = format!("{key}/");
    if is_private(&with_slash) { with_slash.into() } else { key.into() }
}

/// Matches `{channel}/conversations/{conversation}/users/{user}/`.
fn is_private(name: &str) -> bool {
    let Some(name) = name.strip_suffix('/') else { return false };
    let Some((_, rest)) = name.split_once("/conversations/") else { return false };
    rest.split_once("/users/").is_some_and(|(_, user)| !user.is_empty() && !user.ends_with('/'))
}

#[cfg(test)]
mod tests;
