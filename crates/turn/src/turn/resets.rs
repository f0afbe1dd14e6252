//! Resets of the conversation's state, as data: the changes that an error handler may commit.

use crate::ledger::Bag;

/// Properties that were reset.
#[derive(Clone, Debug, Default)]
pub(crate) struct Resets {
    pub(super) is_whole: bool,
    pub(super) names: Vec<String>,
}

impl Resets {
    /// Removes what was reset.
    pub(crate) fn apply(&self, bag: &mut Bag) {
        if self.is_whole {
            bag.clear();
        }
        for name in &self.names {
            drop(bag.remove(name));
        }
    }
}
