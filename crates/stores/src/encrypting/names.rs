//! Hashed names: keyed hashes in place of the keys of documents (HMAC-SHA-256).

use std::fmt;

use aws_lc_rs::hmac;
use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use sayso_turn::Key;

use super::keys::{KeyRingError, key_bytes};

/// Beginning of every hashed name.
pub(super) const NAMES_PREFIX: &str = "sayso-hashed/";

/// Length of a hash as text.
const HASH_CHARS: usize = 43;

/// Secret with which the keys of documents are hashed. It cannot be rotated: another one means
/// other names, so that every document has to be moved.
#[derive(Clone)]
pub struct NameKey(hmac::Key);

impl NameKey {
    /// Reads a key: 32 bytes as Base64.
    ///
    /// # Errors
    /// [`KeyRingError::NameKey`] when it is something else.
    ///
    /// # Example
    /// ```
    /// use sayso_stores::encrypting::NameKey;
    ///
    /// assert!(NameKey::parse("MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE=").is_ok());
    /// assert!(NameKey::parse("hunter2").is_err());
    /// ```
    pub fn parse(text: &str) -> Result<Self, KeyRingError> {
        let bytes = key_bytes(text.trim()).ok_or(KeyRingError::NameKey)?;
        Ok(Self(hmac::Key::new(hmac::HMAC_SHA256, &bytes)))
    }

    /// The name of a document.
    pub(super) fn name(&self, key: &Key) -> Key {
        let hash = hmac::sign(&self.0, key.as_str().as_bytes());
        let hash = URL_SAFE_NO_PAD.encode(hash.as_ref());
        Key::new(format!("{NAMES_PREFIX}{hash}")).expect("a name is short and not empty")
    }
}

/// Reports whether a key has the form of a hashed name. No conversation's or user's key has it.
pub(super) fn is_name(key: &Key) -> bool {
    let hash = key.as_str().strip_prefix(NAMES_PREFIX);
    hash.is_some_and(|hash| {
        let is_of_hash = |byte: u8| byte.is_ascii_alphanumeric() || b"-_".contains(&byte);
        hash.len() == HASH_CHARS && hash.bytes().all(is_of_hash)
    })
}

impl fmt::Debug for NameKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("[redacted]")
    }
}
