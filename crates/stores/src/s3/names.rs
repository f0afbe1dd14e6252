//! Names in the bucket: documents and their markers.
//!
//! * `<prefix>/d/<key>`: a document. Letters, digits, `-` and `_` of the key stand for themselves,
//!   any other byte is a dot and two hexadecimal digits. So a text that keys begin with is, in the
//!   same spelling, what names begin with. Names that would be too long are cut, and end with a
//!   hash.
//! * `<prefix>/due/<time>/<key>/<write>`: a marker, which says that a document is due. Time and key
//!   are in hexadecimal digits; the order of the names is that of the times. Of a long key only the
//!   beginning is there, and a hash; the marker's content is the key.
//!
//! No part between slashes is empty, a dot or two, or longer than 255 bytes: many servers keep
//! objects in files.

use sayso_turn::{Key, clock::Timestamp};
use sha2::{Digest, Sha256};

/// The longest encoded key, in bytes; longer ones are truncated.
const SPELLING_MAX: usize = 200;

/// The length of an encoded key after truncation.
const SPELLING_CUT: usize = 120;

/// The number of bytes of a key that a marker's name shows.
const MARKED_BYTES_MAX: usize = 100;

#[derive(Clone, Debug)]
pub(super) struct Names {
    /// The prefix: empty, or ends with a slash.
    prefix: String,
}

/// A due document's marker: the time, and the write that set it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Marker {
    pub(super) at: Timestamp,
    pub(super) write: String,
}

/// A marker in a listing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Listed {
    pub(super) name: String,
    /// The key, if the name tells it.
    pub(super) key: Option<Key>,
    pub(super) marker: Marker,
}

impl Names {
    pub(super) fn new(prefix: &str) -> Self {
        Self { prefix: if prefix.is_empty() { String::new() } else { format!("{prefix}/") } }
    }

    pub(super) fn document(&self, key: &Key) -> String {
        let mut spelling = spell(key.as_str());
        if spelling.len() > SPELLING_MAX {
            spelling.truncate(SPELLING_CUT);
            spelling.push('~');
            spelling.push_str(&hash(key));
        }
        format!("{}d/{spelling}", self.prefix)
    }

    /// The prefix of the names of all documents whose keys have a prefix, and of some others.
    pub(super) fn documents(&self, beginning: &str) -> String {
        let mut spelling = spell(beginning);
        spelling.truncate(SPELLING_CUT);
        format!("{}d/{spelling}", self.prefix)
    }

    /// The key of a document's name; `Err` if only the document itself can tell, `None` for a
    /// foreign name.
    pub(super) fn key_of(&self, name: &str) -> Option<Result<Key, Cut>> {
        let spelling = name.strip_prefix(&self.prefix)?.strip_prefix("d/")?;
        if spelling.contains('~') {
            return Some(Err(Cut));
        }
        let key = Key::new(unspell(spelling)?).ok()?;
        (self.document(&key) == name).then_some(Ok(key))
    }

    pub(super) fn marker(&self, key: &Key, marker: &Marker) -> String {
        let (at, write) = (marker.at.as_millis(), &marker.write);
        format!("{}due/{at:016x}/{}/{write}", self.prefix, marked(key))
    }

    /// The prefix of the names of all markers.
    pub(super) fn markers(&self) -> String {
        format!("{}due/", self.prefix)
    }

    /// Parses the name of a marker.
    pub(super) fn marked(&self, name: &str) -> Option<Listed> {
        let rest = name.strip_prefix(&self.prefix)?.strip_prefix("due/")?;
        let (at, rest) = rest.split_once('/')?;
        let (key, write) = rest.rsplit_once('/')?;
        let millis =
            u64::from_str_radix(at, 16).ok().filter(|millis| format!("{millis:016x}") == at)?;
        let marker = Marker { at: Timestamp::from_millis(millis), write: write.to_owned() };
        let key = match key.contains('/') {
            true => None,
            false => Some(Key::new(unhex(key)?).ok()?),
        };
        Some(Listed { name: name.to_owned(), key, marker })
    }

    /// Name of the object that is written to check if the server supports conditional writes.
    pub(super) fn check(&self, write: &str) -> String {
        format!("{}check/{write}", self.prefix)
    }
}

/// Error: the name was truncated and does not tell the key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Cut;

/// Encodes a key for a name, or for the header of a document.
pub(super) fn spell(text: &str) -> String {
    let mut spelling = String::with_capacity(text.len() + 16);
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_' {
            spelling.push(char::from(byte));
        } else {
            spelling.push('.');
            push_hex(&mut spelling, byte);
        }
    }
    spelling
}

pub(super) fn unspell(spelling: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(spelling.len());
    let mut rest = spelling.bytes();
    while let Some(byte) = rest.next() {
        match byte {
            b'.' => bytes.push(digit(rest.next()?)? << 4 | digit(rest.next()?)?),
            byte => bytes.push(byte),
        }
    }
    String::from_utf8(bytes).ok()
}

/// Encodes a key for the name of its markers.
fn marked(key: &Key) -> String {
    let bytes = key.as_str().as_bytes();
    match bytes.split_at_checked(MARKED_BYTES_MAX) {
        Some((beginning, [_, ..])) => format!("{}~/{}", hex(beginning), hash(key)),
        _ => hex(bytes),
    }
}

fn hash(key: &Key) -> String {
    hex(&Sha256::digest(key.as_str().as_bytes()))
}

fn hex(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len() * 2);
    for byte in bytes {
        push_hex(&mut text, *byte);
    }
    text
}

fn push_hex(text: &mut String, byte: u8) {
    for half in [byte >> 4, byte & 0xf] {
        text.push(char::from(if half < 10 { b'0' + half } else { b'a' + half - 10 }));
    }
}

fn unhex(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len() / 2);
    let mut digits = text.bytes();
    while let Some(high) = digits.next() {
        bytes.push(digit(high)? << 4 | digit(digits.next()?)?);
    }
    String::from_utf8(bytes).ok()
}

/// Parses a hexadecimal digit. Lower case only, so that no two encodings mean the same.
fn digit(byte: u8) -> Option<u8> {
    match byte {
        b'0'..=b'9' => Some(byte - b'0'),
        b'a'..=b'f' => Some(byte - b'a' + 10),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use sayso_turn::limits::KEY_BYTES_MAX;

    use super::*;

    fn key(text: &str) -> Key {
        Key::new(text).unwrap()
    }

    fn odd() -> Vec<Key> {
        let short =
            ["a", "A", "a/", "/", "//", ".", "..", "../a", "a.2fb", "\0", "é", "e\u{301}", "~"];
        let mut keys: Vec<Key> = short.into_iter().map(key).collect();
        for length in [99, 100, 101, 199, 200, 201, 255, 1024, KEY_BYTES_MAX] {
            keys.push(key(&"k".repeat(length)));
            keys.push(key(&format!("{}b", "k".repeat(length - 1))));
        }
        keys.push(key(&"😀".repeat(KEY_BYTES_MAX / 4)));
        keys
    }

    fn marker() -> Marker {
        Marker { at: Timestamp::from_millis(17), write: "0a-1".to_owned() }
    }

    #[test]
    fn names_fit_servers_that_keep_objects_in_files() {
        let names = Names::new("some/prefix");
        for key in odd() {
            for name in [names.document(&key), names.marker(&key, &marker())] {
                assert!(name.len() <= 512, "{name}");
                for part in name.split('/') {
                    assert!(!["", ".", ".."].contains(&part) && part.len() <= 255, "{name}");
                }
                assert!(
                    object_store::path::Path::parse(&name).is_ok_and(|path| path.as_ref() == name)
                );
            }
        }
    }

    #[test]
    fn no_two_keys_share_a_name() {
        let names = Names::new("");
        let keys = odd();
        for (number, one) in keys.iter().enumerate() {
            for other in keys.get(number + 1..).unwrap_or_default() {
                assert_ne!(names.document(one), names.document(other));
                assert_ne!(names.marker(one, &marker()), names.marker(other, &marker()));
            }
        }
    }

    #[test]
    fn a_name_tells_its_key_unless_it_was_cut() {
        for prefix in ["", "p", "p/q"] {
            let names = Names::new(prefix);
            for key in odd() {
                match names.key_of(&names.document(&key)).unwrap() {
                    Ok(found) => assert_eq!(found, key),
                    Err(Cut) => assert!(spell(key.as_str()).len() > SPELLING_MAX),
                }
                let listed = names.marked(&names.marker(&key, &marker())).unwrap();
                assert_eq!(listed.marker, marker());
                match listed.key {
                    Some(found) => assert_eq!(found, key),
                    None => assert!(key.as_str().len() > MARKED_BYTES_MAX),
                }
            }
        }
        let names = Names::new("p");
        for stray in
            ["", "p", "p/d", "p/d/", "p/d/a/b", "p/d/.2F", "p/d/.2", "p/d/.61", "q/d/a", "d/a"]
        {
            assert_eq!(names.key_of(stray), None, "{stray}");
        }
        for stray in ["", "61", "0000000000000011/61", "11/61/a", "+000000000000011/61/a", "61/1-a"]
        {
            assert_eq!(names.marked(&format!("p/due/{stray}")), None, "{stray}");
        }
    }

    #[test]
    fn a_beginning_is_spelled_as_the_names_begin() {
        let names = Names::new("p");
        for key in odd() {
            for (place, _) in key.as_str().char_indices().take(300) {
                let beginning = names.documents(&key.as_str()[..place]);
                assert!(names.document(&key).starts_with(&beginning));
            }
        }
    }

    #[test]
    fn markers_are_listed_in_the_order_of_their_times() {
        let names = Names::new("p");
        let times = [0, 1, 17, 1_900_000_000_000, u64::MAX >> 1, u64::MAX];
        for (one, other) in times.iter().zip(&times[1..]) {
            let name = |key: &Key, millis: &u64| {
                names.marker(key, &Marker { at: Timestamp::from_millis(*millis), ..marker() })
            };
            for key in odd() {
                assert!(odd().iter().all(|of| name(&key, one) < name(of, other)), "{one} {other}");
            }
        }
    }
}
