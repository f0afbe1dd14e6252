//! Ids of committed turns, for deduplication: a redelivered activity is recognised by its turn's
//! id.

use crate::id::{TURN_ID_CHARS, TurnId};

/// The ids of the last turns, oldest first, in one text of fixed-width ids.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Seen(String);

impl Seen {
    pub(super) fn parse(text: String) -> Result<Self, String> {
        // Anything else than the alphabet of ids could not be written back between quotes. No early
        // end: so it is a vector loop.
        let is_of_ids = text.bytes().fold(true, |is_of_ids, byte| {
            is_of_ids & (byte.is_ascii_alphanumeric() | (byte == b'-') | (byte == b'_'))
        });
        if !text.len().is_multiple_of(TURN_ID_CHARS) || !is_of_ids {
            return Err("$sayso.seen is not a list of turn ids".to_owned());
        }
        Ok(Self(text))
    }

    pub(super) fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether the turn is among the last ones.
    #[must_use]
    pub fn contains(&self, turn: TurnId) -> bool {
        // Whole ids of fixed width. They are hashes: nearly always one comparison of 8 bytes tells
        // two apart.
        let (ids, _) = self.0.as_bytes().as_chunks::<TURN_ID_CHARS>();
        let turn = turn.as_bytes();
        ids.iter().any(|id| id.first_chunk::<8>() == turn.first_chunk::<8>() && id == turn)
    }

    /// Adds a turn and forgets the oldest beyond `most`.
    pub(crate) fn push(&mut self, turn: TurnId, most: usize) {
        // Forgetting first keeps the text within its capacity.
        let over = (self.len() + 1).saturating_sub(most).min(self.len());
        self.0.drain(..over * TURN_ID_CHARS);
        if self.0.is_empty() {
            // Most conversations have some more.
            self.0.reserve(4 * TURN_ID_CHARS);
        }
        self.0.push_str(turn.as_str());
    }

    /// Forgets a turn, so that it can run again.
    pub(crate) fn remove(&mut self, turn: TurnId) {
        let (ids, _) = self.0.as_bytes().as_chunks::<TURN_ID_CHARS>();
        if let Some(at) = ids.iter().position(|id| id == turn.as_bytes()) {
            drop(self.0.drain(at * TURN_ID_CHARS..(at + 1) * TURN_ID_CHARS));
        }
    }

    /// How many turns are remembered.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len() / TURN_ID_CHARS
    }

    /// Whether no turn is remembered.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}
