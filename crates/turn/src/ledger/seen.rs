//! Deduplication window: ids of recently committed turns, by which redeliveries are recognised.

use crate::id::{TURN_ID_CHARS, TurnId};

/// Ids of the last turns, oldest first, in one string of fixed-width ids.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Seen(String);

impl Seen {
    pub(super) fn parse(text: String) -> Result<Self, String> {
        // Other characters could not be written back between quotes. No early exit, so that the
        // loop is vectorised.
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

    /// Reports whether the turn has committed recently.
    #[must_use]
    pub fn contains(&self, turn: TurnId) -> bool {
        // The ids are hashes, so comparing 8 bytes nearly always tells two apart.
        let (ids, _) = self.0.as_bytes().as_chunks::<TURN_ID_CHARS>();
        let turn = turn.as_bytes();
        ids.iter().any(|id| id.first_chunk::<8>() == turn.first_chunk::<8>() && id == turn)
    }

    /// Adds a turn and drops the oldest beyond `most`.
    pub(crate) fn push(&mut self, turn: TurnId, most: usize) {
        // Dropping first keeps the string within its capacity.
        let over = (self.len() + 1).saturating_sub(most).min(self.len());
        self.0.drain(..over * TURN_ID_CHARS);
        if self.0.is_empty() {
            // Most conversations have a few more turns.
            self.0.reserve(4 * TURN_ID_CHARS);
        }
        self.0.push_str(turn.as_str());
    }

    /// Removes a turn, so that it can run again.
    pub(crate) fn remove(&mut self, turn: TurnId) {
        let (ids, _) = self.0.as_bytes().as_chunks::<TURN_ID_CHARS>();
        if let Some(at) = ids.iter().position(|id| id == turn.as_bytes()) {
            drop(self.0.drain(at * TURN_ID_CHARS..(at + 1) * TURN_ID_CHARS));
        }
    }

    /// Number of turns in the window.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len() / TURN_ID_CHARS
    }

    /// Reports whether the window is empty.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}
