//! Maps keys to names in Cosmos DB: `realId`, the key as it is, and `id`, which excludes some
//! characters.
//!
//! Each SDK escapes and shortens in its own way, so each layout has its own names. Ours is the
//! escape of the C# SDK, for control characters too, and with a way to shorten that never gives two
//! keys one name.

use std::{borrow::Cow, fmt::Write as _};

use sayso_turn::Key;
use sha2::{Digest, Sha256};

use crate::Layout;

/// The longest name; longer ones are truncated.
const NAME_MAX: usize = 255;

/// The longest id that Cosmos DB takes. The Python SDK goes that far before it truncates.
const ID_BYTES_MAX: usize = 1023;

/// Hexadecimal digits of a SHA-256.
const HASH_CHARS: usize = 64;

/// Stands before the hash in a name that we truncated. No escape produces it.
const CUT: &str = "**";

/// The beginning of a name that surely survives truncation, whatever character it is cut at.
const KEPT_MIN: usize = NAME_MAX - CUT.len() - HASH_CHARS - 3;

/// The naming rules of one layout.
#[derive(Clone, Copy, Debug)]
pub(super) struct Names {
    layout: Layout,
}

/// The `id` of a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Id {
    pub(super) text: String,
    /// True if other versions of that SDK gave this key other ids, so that only a search by
    /// `realId` finds all of them.
    pub(super) has_others: bool,
}

impl Id {
    /// True if a URL can name it. Only an escape of another SDK produces names that none can.
    pub(super) fn is_sendable(&self) -> bool {
        !is_folder(&self.text) && !self.text.contains(['\t', '\n', '\r'])
    }
}

impl Names {
    pub(super) fn new(layout: Layout) -> Self {
        Self { layout }
    }

    pub(super) fn is_ours(self) -> bool {
        self.layout == Layout::Sayso
    }

    /// The key as the SDK has it. The JavaScript and Python SDKs end some keys with an empty
    /// namespace.
    pub(super) fn real_id(self, key: &Key) -> Cow<'_, str> {
        let has_namespace = match self.layout {
            Layout::Js => is_state(key.as_str()),
            Layout::Python => is_private(key.as_str()),
            Layout::Sayso | Layout::Dotnet | Layout::Sample => false,
        };
        if has_namespace {
            Cow::Owned(format!("{}/", key.as_str()))
        } else {
            Cow::Borrowed(key.as_str())
        }
    }

    /// The key of a `realId`; `None` when no key of ours has that `realId`.
    pub(super) fn key(self, real_id: &str) -> Option<Key> {
        let bare = real_id.strip_suffix('/').unwrap_or(real_id);
        let candidates = [bare, real_id].into_iter().filter_map(|text| Key::new(text).ok());
        candidates.into_iter().find(|key| self.real_id(key) == real_id)
    }

    /// The name under which a document is created.
    pub(super) fn id(self, real_id: &str) -> Id {
        let escaped = self.escape(real_id);
        let (text, has_others) = match self.layout {
            Layout::Sayso if is_folder(&escaped) => (escaped.replace('.', "*2e"), false),
            Layout::Sayso | Layout::Sample => (cut_with_mark(escaped), false),
            Layout::Dotnet => {
                let is_long = escaped.encode_utf16().count() > NAME_MAX;
                (if is_long { cut_as_dotnet(&escaped) } else { escaped }, is_long)
            }
            Layout::Js => {
                let is_long = escaped.encode_utf16().count() > NAME_MAX;
                (if is_long { cut_with_hash(&escaped, char::len_utf16) } else { escaped }, is_long)
            }
            Layout::Python => {
                let is_long = escaped.chars().count() > NAME_MAX;
                let is_refused = escaped.len() > ID_BYTES_MAX;
                (if is_refused { cut_with_hash(&escaped, |_| 1) } else { escaped }, is_long)
            }
        };
        Id { text, has_others }
    }

    /// The prefix of every `id` whose key begins with `prefix`.
    pub(super) fn id_prefix(self, prefix: &str) -> String {
        let mut escaped = self.escape(prefix);
        if is_folder(&escaped) {
            return String::new();
        }
        escaped.truncate(escaped.floor_char_boundary(KEPT_MIN));
        escaped
    }

    fn escape(self, text: &str) -> String {
        let mut escaped = String::with_capacity(text.len() + 8);
        for character in text.chars() {
            let code = u32::from(character);
            let is_special = matches!(character, '\\' | '?' | '/' | '#' | '*');
            let is_blank = matches!(character, '\t' | '\n' | '\r');
            let written = match self.layout {
                Layout::Sayso | Layout::Sample if is_special || character.is_control() => {
                    write!(escaped, "*{code:02x}")
                }
                Layout::Dotnet if is_special => write!(escaped, "*{code:02x}"),
                Layout::Js if is_special || is_blank => write!(escaped, "*{code:x}"),
                Layout::Python if is_special || is_blank => write!(escaped, "*{code}"),
                _ => {
                    escaped.push(character);
                    Ok(())
                }
            };
            written.expect("a string takes any text");
        }
        escaped
    }
}

/// Matches names that a URL cannot address: at the end of a path they mean the folder, or its
/// parent.
fn is_folder(name: &str) -> bool {
    matches!(name, "." | "..")
}

/// Matches `{channel}/conversations/...` and `{channel}/users/...`.
fn is_state(key: &str) -> bool {
    let Some((_, rest)) = key.split_once('/') else { return false };
    let parts = ["conversations/", "users/"].map(|kind| rest.strip_prefix(kind));
    parts.into_iter().flatten().any(|id| !id.is_empty())
}

/// Matches `{channel}/conversations/{conversation}/users/{user}`.
fn is_private(key: &str) -> bool {
    let Some((_, rest)) = key.split_once('/') else { return false };
    let parts = rest.strip_prefix("conversations/").and_then(|rest| rest.split_once("/users/"));
    parts.is_some_and(|(conversation, user)| !conversation.is_empty() && !user.is_empty())
}

/// Sayso's truncation: as much of the name as fits, the mark, and the hash of all of it. A short
/// name has no mark, so it never equals a truncated one.
fn cut_with_mark(name: String) -> String {
    if name.len() <= NAME_MAX {
        return name;
    }
    let kept = name.floor_char_boundary(NAME_MAX - CUT.len() - HASH_CHARS);
    let (kept, _) = name.split_at(kept);
    format!("{kept}{CUT}{}", hash(&name))
}

/// Truncation of the JavaScript (to 4.18) and Python SDKs: 191 units and the hash.
fn cut_with_hash(name: &str, units: fn(char) -> usize) -> String {
    format!("{}{}", first_units(name, NAME_MAX - HASH_CHARS, units), hash(name))
}

/// Truncation of the C# SDK since 4.23: a 32-bit hash of two lanes over the UTF-16 units.
fn cut_as_dotnet(name: &str) -> String {
    let mut lanes = [5381_u32.wrapping_mul(65_537); 2];
    for (index, unit) in name.encode_utf16().enumerate() {
        let lane = if index % 2 == 0 { &mut lanes[0] } else { &mut lanes[1] };
        *lane = lane.wrapping_mul(33) ^ u32::from(unit);
    }
    let [even, odd] = lanes;
    let hash = format!("{:x}", even.wrapping_add(odd.wrapping_mul(1_566_083_941)));
    format!("{}{hash}", first_units(name, NAME_MAX - hash.len(), char::len_utf16))
}

/// The first units of a text. Where a character would be cut in two, it is left out.
fn first_units(text: &str, units_max: usize, units: fn(char) -> usize) -> String {
    let mut left = units_max;
    let fits = |character: &char| {
        let fitting = left.checked_sub(units(*character));
        left = fitting.unwrap_or(left);
        fitting.is_some()
    };
    text.chars().take_while(fits).collect()
}

/// SHA-256 in hexadecimal digits.
pub(super) fn hash(text: &str) -> String {
    Sha256::digest(text).iter().fold(String::with_capacity(HASH_CHARS), |mut hex, byte| {
        write!(hex, "{byte:02x}").expect("a string takes any text");
        hex
    })
}

#[cfg(test)]
mod tests;
