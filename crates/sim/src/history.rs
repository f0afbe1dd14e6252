//! History of documents that expire in the run: the log of each of their incarnations.

use std::{collections::BTreeMap, time::Duration};

use sayso_turn::Key;

use crate::bot::OwnTtl;

/// The logs of all documents, one for each incarnation.
#[derive(Debug, Default)]
pub(crate) struct History {
    pub(crate) logs: BTreeMap<Key, Vec<Vec<String>>>,
    /// When the last turn of each document was saved.
    pub(crate) turned_at: BTreeMap<Key, Duration>,
    /// The second log of the conversation, by the id of a turn that resets it, when that was first
    /// sent.
    pub(crate) before_reset: BTreeMap<String, Vec<String>>,
    /// The TTLs that wishes ask for, by their ids.
    pub(crate) own_ttls: BTreeMap<String, OwnTtl>,
    /// The TTL that each document should have, by the turns in its log; `None` for ever.
    pub(crate) ttls: BTreeMap<Key, Option<Duration>>,
}

impl History {
    /// Reports whether an id was ever at a place of a log.
    pub(crate) fn has(&self, key: &Key, place: usize, id: &str) -> bool {
        self.logs_of(key).iter().any(|log| log.get(place).is_some_and(|known| known == id))
    }

    /// The TTL that a document should have. What nobody has written has none.
    pub(crate) fn ttl_of(&self, key: &Key) -> Option<Duration> {
        self.ttls.get(key).copied().flatten()
    }

    /// The logs of a document, each from its creation to its end.
    pub(crate) fn logs_of(&self, key: &Key) -> &[Vec<String>] {
        self.logs.get(key).map(Vec::as_slice).unwrap_or_default()
    }
}
