//! Ids: deterministic ones of turns and replies; unique ones of instances and writes.

use std::{fmt, time::Duration};

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use sha2::{Digest, Sha256};
use smol_str::{SmolStr, SmolStrBuilder};

use crate::{
    Key,
    sync::{AtomicU64, Mutex, Ordering, lock},
};

/// Number of characters of a [`TurnId`].
pub(crate) const TURN_ID_CHARS: usize = 16;

/// Id of a turn: 96 bits of a hash of the conversation's key and the inbound activity's id.
///
/// The same on every attempt, instance and redelivery of an activity. It is the deduplication key
/// (*seen*), and the prefix of reply ids and idempotency keys.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TurnId([u8; TURN_ID_CHARS]);

impl TurnId {
    /// Makes the id of the turn that an activity causes in a conversation.
    #[must_use]
    pub fn new(conversation: &Key, activity_id: &str) -> Self {
        let hash = Sha256::new()
            .chain_update(conversation.as_str())
            // Keeps ("a", "bc") and ("ab", "c") apart, whatever the parts contain.
            .chain_update((conversation.as_str().len() as u64).to_le_bytes())
            .chain_update(activity_id);
        Self::of(hash)
    }

    /// Makes the prefix of the reply ids of a turn that an operator has retried so many times: the
    /// turn's own id if never, because what a failed run has said keeps its ids.
    pub(crate) fn reply_prefix(self, retries: u32) -> Self {
        match retries {
            0 => self,
            _ => Self::of(Sha256::new().chain_update(self.0).chain_update(retries.to_le_bytes())),
        }
    }

    fn of(hash: Sha256) -> Self {
        let hash = hash.finalize();
        let mut text = [0; TURN_ID_CHARS];
        let bytes = hash.first_chunk::<12>().expect("a SHA-256 hash has 32 bytes");
        URL_SAFE_NO_PAD
            .encode_slice(bytes, &mut text)
            .expect("12 bytes encode to 16 base64 characters");
        Self(text)
    }

    pub(crate) fn parse(text: &str) -> Option<Self> {
        let is_of_ids = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
        let bytes: [u8; TURN_ID_CHARS] = text.as_bytes().try_into().ok()?;
        bytes.iter().all(|byte| is_of_ids(*byte)).then_some(Self(bytes))
    }

    pub(crate) fn as_bytes(&self) -> &[u8; TURN_ID_CHARS] {
        &self.0
    }

    /// Returns the id as text: 16 characters that are safe in URLs.
    #[must_use]
    pub fn as_str(&self) -> &str {
        std::str::from_utf8(&self.0).expect("base64 is ASCII")
    }
}

impl fmt::Display for TurnId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl fmt::Debug for TurnId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "TurnId({self})")
    }
}

/// Id of a reply: its turn and its position in the turn. The same on every attempt and instance.
///
/// Replies of a dead letter that an operator retries have another prefix than those of the run that
/// failed, so that neither are taken for the other.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ReplyId(SmolStr);

impl ReplyId {
    pub(crate) fn new(turn: TurnId, index: usize) -> Self {
        // Short enough to be stored inline, because it is cloned often.
        let mut text = SmolStrBuilder::new();
        text.push_str(turn.as_str());
        text.push('.');
        text.push_str(itoa::Buffer::new().format(index));
        Self(text.finish())
    }

    /// Makes the id of a dead letter that is no reply: the turn's id and a word. No reply has it.
    pub(crate) fn of_dead_letter(turn: &str, word: &str) -> Self {
        let mut text = SmolStrBuilder::new();
        [turn, ".", word].into_iter().for_each(|part| text.push_str(part));
        Self(text.finish())
    }

    pub(crate) fn from_text(text: &str) -> Self {
        Self(text.into())
    }

    /// Returns the id as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for ReplyId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Serialize for ReplyId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0)
    }
}

impl<'de> Deserialize<'de> for ReplyId {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer).map(|text| Self(text.into()))
    }
}

/// Source of an instance's name, unique ids and randomness, all from one seed.
#[derive(Debug)]
pub(crate) struct Ids {
    instance: String,
    next: AtomicU64,
    rng: Mutex<fastrand::Rng>,
}

impl Ids {
    /// Seeded, for tests.
    pub(crate) fn new(seed: u64) -> Self {
        let mut rng = fastrand::Rng::with_seed(seed);
        let instance = format!("{:012x}", rng.u64(..) >> 16);
        Self { instance, next: AtomicU64::new(1), rng: Mutex::new(rng) }
    }

    /// Seeded from the system's entropy: machines that boot from the same image must not share a
    /// name.
    pub(crate) fn from_entropy() -> Self {
        let name = getrandom::u64().expect("the system provides entropy");
        let seed = getrandom::u64().expect("the system provides entropy");
        let rng = fastrand::Rng::with_seed(seed);
        Self { instance: format!("{name:016x}"), next: AtomicU64::new(1), rng: Mutex::new(rng) }
    }

    pub(crate) fn instance(&self) -> &str {
        &self.instance
    }

    /// Returns an id that is unique across all instances.
    pub(crate) fn unique(&self) -> String {
        let mut id = String::new();
        self.write_unique(&mut id);
        id
    }

    /// Overwrites a string with a unique id.
    pub(crate) fn write_unique(&self, id: &mut String) {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        id.clear();
        // One allocation: a number has at most twenty digits.
        id.reserve(self.instance.len() + 21);
        id.push_str(&self.instance);
        id.push('.');
        id.push_str(itoa::Buffer::new().format(number));
    }

    /// Full jitter: a random time from zero to `most`.
    pub(crate) fn jitter(&self, most: Duration) -> Duration {
        let mut rng = lock(&self.rng);
        most.mul_f64(rng.f64())
    }

    /// Returns a random number below `count`; `None` for zero.
    pub(crate) fn below(&self, count: usize) -> Option<usize> {
        (count > 0).then(|| lock(&self.rng).usize(..count))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_turn_id_depends_on_both_parts_and_on_nothing_else() {
        let key = |text: &str| Key::new(text).unwrap();
        let id = TurnId::new(&key("a"), "bc");
        assert_eq!(id, TurnId::new(&key("a"), "bc"));
        assert_ne!(id, TurnId::new(&key("ab"), "c"));
        assert_eq!(id.as_str().len(), TURN_ID_CHARS);
        assert_eq!(ReplyId::new(id, 3).as_str(), format!("{id}.3"));
    }

    #[test]
    fn each_retry_of_a_turn_has_reply_ids_of_its_own() {
        let turn = TurnId::new(&Key::new("c").unwrap(), "1");
        assert_eq!(turn.reply_prefix(0), turn, "stored documents and channels know these ids");
        let prefixes = [0, 1, 2].map(|retries| turn.reply_prefix(retries));
        let unique: std::collections::BTreeSet<_> = prefixes.iter().collect();
        assert_eq!(unique.len(), 3);
        assert_eq!(prefixes, [0, 1, 2].map(|retries| turn.reply_prefix(retries)));
    }

    #[test]
    fn instances_of_different_seeds_have_different_names() {
        assert_ne!(Ids::new(1).unique(), Ids::new(2).unique());
        assert_eq!(Ids::new(1).unique(), Ids::new(1).unique());
    }
}
