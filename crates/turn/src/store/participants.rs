//! Participants of a document: the hint that engines keep an index of, for erasure.

use std::sync::Arc;

use sha2::{Digest, Sha256};

/// Somebody who took part in a document: 64 bits of a hash of their id.
///
/// An index of these holds no ids. Two people may share one, so that a lookup may name too many
/// documents.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Participant(u64);

impl Participant {
    /// Makes the participant of an account's id.
    #[must_use]
    pub fn of(id: &str) -> Self {
        let hash = Sha256::new().chain_update("sayso.participant:").chain_update(id).finalize();
        Self(u64::from_le_bytes(*hash.first_chunk().expect("a SHA-256 hash has 32 bytes")))
    }

    /// Returns the 64 bits, as databases keep a number.
    #[must_use]
    pub fn as_i64(self) -> i64 {
        self.0.cast_signed()
    }
}

/// Participants of a document, as a [`Write`](super::Write) tells them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Participants {
    /// Not known, or too many: the document may be anybody's.
    Unknown,
    /// All of them.
    All(Arc<[Participant]>),
}

impl Participants {
    /// Reports whether somebody may be one of them.
    #[must_use]
    pub fn may_include(&self, participant: Participant) -> bool {
        match self {
            Self::Unknown => true,
            Self::All(all) => all.contains(&participant),
        }
    }
}

/// Outcome of [`Store::purge`](super::Store::purge), in sentences for an operator.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Purged {
    /// True if the engine's own files hold nothing any more of documents that were deleted before.
    pub is_whole: bool,
    /// Work that was done.
    pub done: Vec<String>,
    /// Places where copies may be left, and when they go.
    pub left: Vec<String>,
}

impl Purged {
    /// Makes the outcome of an engine that has nothing to do, because others keep its files.
    #[must_use]
    pub fn nothing(left: &[&str]) -> Self {
        let left = left.iter().map(ToString::to_string).collect();
        Self { is_whole: false, done: Vec::new(), left }
    }
}

/// Effort of [`Store::purge`](super::Store::purge).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effort {
    /// Work that goes on beside turns.
    Light,
    /// All files are written anew: turns wait meanwhile.
    Rewrite,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_participant_is_the_same_for_ever() {
        // It is stored: another number would find nobody again.
        assert_eq!(Participant::of("ann").as_i64(), 5_949_442_665_919_132_717);
        assert_ne!(Participant::of("ann"), Participant::of("anna"));
    }
}
