//! History of documents that expire in the run: the log of each of their incarnations.

use std::{collections::BTreeMap, time::Duration};

use sayso_turn::Key;

/// The logs of all documents, one for each incarnation.
#[derive(Debug, Default)]
pub(crate) struct History {
    pub(crate) logs: BTreeMap<Key, Vec<Vec<String>>>,
    /// When the last turn of each document was saved.
    pub(crate) turned_at: BTreeMap<Key, Duration>,
}

impl History {
    /// Reports whether an id was ever at a place of a log.
    pub(crate) fn has(&self, key: &Key, place: usize, id: &str) -> bool {
        self.logs_of(key).iter().any(|log| log.get(place).is_some_and(|known| known == id))
    }

    /// The logs of a document, each from its creation to its end.
    pub(crate) fn logs_of(&self, key: &Key) -> &[Vec<String>] {
        self.logs.get(key).map(Vec::as_slice).unwrap_or_default()
    }
}
