//! Sealing and opening of payloads with AES-256-GCM-SIV.
//!
//! A nonce is 96 random bits. GCM-SIV bears a repeated one: it tells only that two bodies of one
//! document are the same.

use aws_lc_rs::aead::{Aad, NONCE_LEN, Nonce};
use sayso_turn::Key;

use super::{envelope::Envelope, keys::DataKey, versions::Version};

/// Length of the authentication tag in bytes.
const TAG_LEN: usize = 16;

/// Length of what stands before the body: a mark, lineage and number of the version.
const HEAD_LEN: usize = 17;

/// Mark of a payload without its key.
const WITHOUT_KEY: u8 = 0;

/// Mark of a payload with its key.
const WITH_KEY: u8 = 1;

/// Content of a sealed body.
#[derive(Debug)]
pub(super) struct Payload<'a> {
    pub(super) version: Version,
    /// The document's key, if its stored name does not tell.
    pub(super) key: Option<&'a str>,
    pub(super) body: &'a str,
}

/// Content of a body that was opened.
pub(super) struct Opened {
    pub(super) version: Version,
    pub(super) key: Option<String>,
    pub(super) body: String,
}

const FAILED: &str = "it does not decrypt: it was changed, or it was stored under another key, or \
                      the encryption key of this id is another one";

/// Bytes that are sealed beside a body.
pub(super) fn overhead(key: Option<&str>) -> usize {
    NONCE_LEN + HEAD_LEN + key.map_or(0, |key| 2 + key.len()) + TAG_LEN
}

/// Seals a payload that is stored under a name. Gives nonce, ciphertext and tag.
pub(super) fn seal(
    with: &DataKey,
    name: &Key,
    payload: &Payload<'_>,
) -> Result<Vec<u8>, &'static str> {
    let Payload { version, key, body } = payload;
    let mut bytes = Vec::with_capacity(overhead(*key) + body.len());
    bytes.extend_from_slice(&[0; NONCE_LEN]);
    bytes.push(if key.is_some() { WITH_KEY } else { WITHOUT_KEY });
    bytes.extend_from_slice(&version.lineage.to_be_bytes());
    bytes.extend_from_slice(&version.number.to_be_bytes());
    if let Some(key) = key {
        let length = u16::try_from(key.len()).map_err(|_| "the key is too long")?;
        bytes.extend_from_slice(&length.to_be_bytes());
        bytes.extend_from_slice(key.as_bytes());
    }
    bytes.extend_from_slice(body.as_bytes());
    let (head, clear) = bytes.split_at_mut(NONCE_LEN);
    let sealed = with.aead().seal_in_place_separate_tag(associated(with, name), clear);
    let (nonce, tag) = sealed.map_err(|_| "the encryption failed")?;
    head.copy_from_slice(nonce.as_ref());
    bytes.extend_from_slice(tag.as_ref());
    Ok(bytes)
}

/// Opens what was sealed for a name; the reason says nothing of what is inside.
pub(super) fn open(
    with: &DataKey,
    name: &Key,
    envelope: &Envelope<'_>,
) -> Result<Opened, &'static str> {
    let (nonce, sealed) = envelope.sealed.split_at_checked(NONCE_LEN).ok_or(FAILED)?;
    let nonce = Nonce::try_assume_unique_for_key(nonce).map_err(|_| FAILED)?;
    let mut bytes = sealed.to_vec();
    let length = with.aead().open_in_place(nonce, associated(with, name), &mut bytes);
    let length = length.map_err(|_| FAILED)?.len();
    bytes.truncate(length);
    unpack(bytes).ok_or("it decrypts to something that this build does not understand")
}

fn unpack(mut bytes: Vec<u8>) -> Option<Opened> {
    let (mark, rest) = bytes.split_first()?;
    let (lineage, rest) = rest.split_first_chunk()?;
    let (number, rest) = rest.split_first_chunk()?;
    let version =
        Version { lineage: u64::from_be_bytes(*lineage), number: u64::from_be_bytes(*number) };
    let (key, body_at) = match *mark {
        WITHOUT_KEY => (None, HEAD_LEN),
        WITH_KEY => {
            let (length, rest) = rest.split_first_chunk()?;
            let length = usize::from(u16::from_be_bytes(*length));
            let key = str::from_utf8(rest.get(..length)?).ok()?;
            (Some(key.to_owned()), HEAD_LEN + 2 + length)
        }
        _ => return None,
    };
    drop(bytes.drain(..body_at));
    Some(Opened { version, key, body: String::from_utf8(bytes).ok()? })
}

/// The associated data: what must be the same when a body is opened.
fn associated(with: &DataKey, name: &Key) -> Aad<Vec<u8>> {
    let parts = ["sayso encrypted 1", with.id(), name.as_str()];
    Aad::from(parts.join("\0").into_bytes())
}
