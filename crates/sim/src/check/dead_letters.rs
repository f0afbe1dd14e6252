//! Check of dead letters (I6): an operator finds each of them by the index of due documents.

use std::collections::BTreeSet;

use futures_util::FutureExt;
use sayso_turn::{Key, document::Ledger, store::Store};

use crate::world::World;

/// Page size of the look.
const PAGE: usize = 16;

/// Checks that a look to the end of time names every document with dead letters.
pub(super) fn check(world: &World, keys: &BTreeSet<&Key>, broken: &mut Vec<String>) {
    let has_parked = |key: &&&Key| !world.document(key).ledger.parked.is_empty();
    let parked: Vec<_> = keys.iter().filter(has_parked).collect();
    if parked.is_empty() {
        return;
    }
    let named = named(&*world.store);
    for key in parked {
        if !named.contains(*key) {
            broken.push(format!("I6: the dead letters of {key} are in no index"));
        }
    }
}

fn named(store: &dyn Store) -> BTreeSet<Key> {
    let (mut named, mut from) = (BTreeSet::new(), None);
    loop {
        let page = store.due(Ledger::PARKED, from.as_ref(), PAGE).now_or_never();
        let page = page.and_then(Result::ok).expect("the shared store answers at once");
        named.extend(page.found.into_iter().map(|due| due.key));
        from = page.next;
        if from.is_none() {
            return named;
        }
    }
}
