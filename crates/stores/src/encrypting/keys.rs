//! Key ring: the first key encrypts, all of them decrypt.

use std::fmt;

use aws_lc_rs::aead::{AES_256_GCM_SIV, RandomizedNonceKey};
use base64::{
    Engine as _, alphabet,
    engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig},
};

/// Limit on the entries of a key ring.
pub const KEYS_MAX: usize = 16;

/// Length of a key in bytes.
const KEY_BYTES: usize = 32;

/// Maximum length of a key's id.
const ID_BYTES_MAX: usize = 32;

/// Entry that stands for documents in clear.
pub(super) const CLEAR: &str = "clear";

/// Key ring of an [`Encrypting`](super::Encrypting) store.
///
/// The first key encrypts, all of them decrypt. A document is encrypted with the first key when it
/// is saved next. The word `clear` may stand for a key: documents in clear are accepted then, and
/// written if it is the first entry.
///
/// `Debug` shows the ids alone.
#[derive(Debug)]
pub struct KeyRing {
    entries: Vec<Entry>,
}

#[derive(Debug)]
enum Entry {
    Key(DataKey),
    Clear,
}

/// A key that encrypts bodies.
pub(super) struct DataKey {
    id: String,
    aead: RandomizedNonceKey,
}

/// Error of a key ring. It never repeats what was given.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum KeyRingError {
    /// There is no entry.
    #[error("there is no key; write `id:key`, the key as 32 bytes in Base64")]
    Empty,
    /// There are too many entries.
    #[error("there are more than {KEYS_MAX} entries (KEYS_MAX)")]
    TooMany,
    /// An entry is not `id:key`.
    #[error(
        "entry {0} is not `id:key`: the id is up to 32 of a-z, A-Z, 0-9, `.`, `_` and `-`, and the \
         key 32 random bytes in Base64, as `openssl rand -base64 32` prints them"
    )]
    Entry(usize),
    /// A key is no secret.
    #[error("the key of entry {0} is one byte again and again; use `openssl rand -base64 32`")]
    Weak(usize),
    /// Two entries have one id.
    #[error("entry {0} has the id of an earlier one")]
    SameId(usize),
    /// Two entries have one key.
    #[error("entry {0} has the key of an earlier one under another id")]
    SameKey(usize),
    /// The key for names is no key.
    #[error(
        "the key for names is not 32 random bytes in Base64; `openssl rand -base64 32` prints some"
    )]
    NameKey,
    /// Documents in clear are accepted, and names are to be hashed.
    #[error(
        "documents in clear have clear names, so `clear` does not go with a key for names; move \
         them with `sayso state migrate`"
    )]
    ClearNames,
}

impl KeyRing {
    /// Reads entries `id:key`, separated by white space or commas; a key is 32 bytes as Base64. A
    /// line that begins with `#` is a comment.
    ///
    /// # Errors
    /// [`KeyRingError`], which names the entry by its number.
    ///
    /// # Example
    /// ```
    /// use sayso_stores::encrypting::KeyRing;
    ///
    /// let keys = KeyRing::parse("2026:MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE= clear").unwrap();
    /// assert!(keys.accepts_clear());
    /// let error = KeyRing::parse("hunter2").unwrap_err().to_string();
    /// assert!(error.starts_with("entry 1 is not `id:key`") && !error.contains("hunter2"));
    /// ```
    pub fn parse(text: &str) -> Result<Self, KeyRingError> {
        let lines = text.lines().filter(|line| !line.trim_start().starts_with('#'));
        let words = lines.flat_map(|line| line.split([' ', '\t', ',', '\r']));
        let (mut entries, mut known) = (Vec::new(), Vec::new());
        for (index, word) in words.filter(|word| !word.is_empty()).enumerate() {
            let number = index + 1;
            if number > KEYS_MAX {
                return Err(KeyRingError::TooMany);
            }
            if word == CLEAR {
                if entries.iter().any(|entry| matches!(entry, Entry::Clear)) {
                    return Err(KeyRingError::SameId(number));
                }
                entries.push(Entry::Clear);
                continue;
            }
            let parts = word.split_once(':').filter(|(id, _)| is_id(id) && *id != CLEAR);
            let parts = parts.and_then(|(id, key)| Some((id, key_bytes(key)?)));
            let (id, bytes) = parts.ok_or(KeyRingError::Entry(number))?;
            if known.iter().any(|(known, _)| known == id) {
                return Err(KeyRingError::SameId(number));
            }
            if known.iter().any(|(_, known)| *known == bytes) {
                return Err(KeyRingError::SameKey(number));
            }
            let [first, rest @ ..] = &bytes;
            if rest.iter().all(|byte| byte == first) {
                return Err(KeyRingError::Weak(number));
            }
            let aead = RandomizedNonceKey::new(&AES_256_GCM_SIV, &bytes);
            let aead = aead.map_err(|_| KeyRingError::Entry(number))?;
            entries.push(Entry::Key(DataKey { id: id.to_owned(), aead }));
            known.push((id.to_owned(), bytes));
        }
        match entries.is_empty() {
            true => Err(KeyRingError::Empty),
            false => Ok(Self { entries }),
        }
    }

    /// Reports whether documents in clear are accepted.
    #[must_use]
    pub fn accepts_clear(&self) -> bool {
        self.entries.iter().any(|entry| matches!(entry, Entry::Clear))
    }

    /// The key that encrypts; `None` if documents are written in clear.
    pub(super) fn current(&self) -> Option<&DataKey> {
        match self.entries.first() {
            Some(Entry::Key(key)) => Some(key),
            Some(Entry::Clear) | None => None,
        }
    }

    pub(super) fn find(&self, id: &str) -> Option<&DataKey> {
        self.entries.iter().find_map(|entry| match entry {
            Entry::Key(key) if key.id == id => Some(key),
            _ => None,
        })
    }
}

impl DataKey {
    pub(super) fn id(&self) -> &str {
        &self.id
    }

    pub(super) fn aead(&self) -> &RandomizedNonceKey {
        &self.aead
    }
}

impl fmt::Debug for DataKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.id)
    }
}

/// Reports whether a text can be the id of a key. A key in Base64 is longer, so that one in its
/// place is never shown.
pub(super) fn is_id(text: &str) -> bool {
    let is_of_id = |byte: u8| byte.is_ascii_alphanumeric() || b"._-".contains(&byte);
    (1..=ID_BYTES_MAX).contains(&text.len()) && text.bytes().all(is_of_id)
}

/// Reads the bytes of a key in Base64, of either alphabet, padded or not.
pub(super) fn key_bytes(text: &str) -> Option<[u8; KEY_BYTES]> {
    let config =
        GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent);
    let alphabet = match text.contains(['-', '_']) {
        true => &alphabet::URL_SAFE,
        false => &alphabet::STANDARD,
    };
    GeneralPurpose::new(alphabet, config).decode(text).ok()?.try_into().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    const ONE: &str = "MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE=";
    const TWO: &str = "YWJjZGVmZ2hpamtsbW5vcHFyc3R1dnd4eXphYmNkZWY";

    #[test]
    fn a_ring_is_read_from_a_variable_or_a_file() {
        for text in [
            format!("a:{ONE} b:{TWO}"),
            format!("a:{ONE},b:{TWO}"),
            format!("# keys of the bot\n  # old: b\na:{ONE}\r\n\n\tb:{TWO}\n"),
        ] {
            let ring = KeyRing::parse(&text).unwrap();
            assert_eq!(ring.current().unwrap().id(), "a");
            assert!(ring.find("b").is_some() && ring.find("c").is_none());
            assert!(!ring.accepts_clear());
            assert_eq!(format!("{ring:?}"), "KeyRing { entries: [Key(a), Key(b)] }");
        }
        let ring = KeyRing::parse(&format!("clear a:{ONE}")).unwrap();
        assert!(ring.current().is_none() && ring.find("a").is_some() && ring.accepts_clear());
    }

    #[test]
    fn a_bad_ring_is_refused_by_number_and_nothing_of_it_is_shown() {
        let long = "A".repeat(43);
        for (text, error) in [
            (String::new(), KeyRingError::Empty),
            ("# a:b".to_owned(), KeyRingError::Empty),
            ("c4n4ry".to_owned(), KeyRingError::Entry(1)),
            (ONE.to_owned(), KeyRingError::Entry(1)),
            (format!("{ONE}:a"), KeyRingError::Entry(1)),
            (format!(":{ONE}"), KeyRingError::Entry(1)),
            (format!("clear:{ONE}"), KeyRingError::Entry(1)),
            (format!("a:{ONE} b:c4n4ry"), KeyRingError::Entry(2)),
            (format!("a:{ONE}MDEy"), KeyRingError::Entry(1)),
            (format!("a:{}", &ONE[..40]), KeyRingError::Entry(1)),
            (format!("a:{long}"), KeyRingError::Weak(1)),
            (format!("a:{ONE} a:{TWO}"), KeyRingError::SameId(2)),
            (format!("a:{ONE} b:{}", ONE.trim_end_matches('=')), KeyRingError::SameKey(2)),
            ("clear clear".to_owned(), KeyRingError::SameId(2)),
        ] {
            let found = KeyRing::parse(&text).unwrap_err();
            assert_eq!(found, error, "{text}");
            let shown = format!("{found} {found:?}");
            assert!(!shown.contains("c4n4ry") && !shown.contains(&ONE[..8]), "{shown}");
        }
        let many: Vec<String> = (0_u8..17)
            .map(|n| {
                let mut bytes = [n; 32];
                bytes[0] = 99;
                format!("k{n}:{}", base64::engine::general_purpose::STANDARD.encode(bytes))
            })
            .collect();
        assert_eq!(KeyRing::parse(&many.join(" ")).unwrap_err(), KeyRingError::TooMany);
        assert!(KeyRing::parse(&many[..16].join(" ")).is_ok());
    }
}
