//! A conversation at rest, as the checks see it.

use std::collections::BTreeMap;

use sayso_turn::{Key, document::Document};

use crate::{bot::Wish, clients::Said, world::World};

/// A conversation at rest, with everything needed to check it.
pub(super) struct Case<'a> {
    pub(super) world: &'a World,
    pub(super) key: &'a Key,
    pub(super) document: Document,
    /// Its log; several where it was forgotten in between.
    pub(super) logs: Vec<Vec<String>>,
    /// Wishes of its activities and timers, by id.
    pub(super) wishes: BTreeMap<&'a str, (&'a Wish, &'a Said)>,
}

impl Case<'_> {
    pub(super) fn is_applied(&self, id: &str) -> bool {
        self.logs.iter().flatten().any(|known| known == id)
    }
}
