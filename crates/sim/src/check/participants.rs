//! Checks of erasure: who spoke in a conversation is found by the store's lookup, and nobody else.

use futures_util::{FutureExt as _, TryStreamExt as _};
use sayso_turn::{Key, store::Participant};

use super::case::Case;
use crate::world::World;

/// I11: a conversation is found by everybody who spoke in it, and by nobody who did not. One that
/// was forgotten is found by nobody.
pub(super) fn check(case: &Case<'_>, broken: &mut Vec<String>) {
    let Case { world, key, .. } = case;
    if is_found(world, key, "nobody") {
        broken.push(format!("I11: {key} is found by somebody who never spoke in it"));
    }
    for id in world.log(key) {
        let Some((_, said)) = case.wishes.get(id.as_str()) else { continue };
        let from = said.activity.from.as_ref().and_then(|from| from.id.as_deref());
        if from.is_some_and(|from| !is_found(world, key, from)) {
            broken.push(format!("I11: {key} is not found by who said {id}"));
        }
    }
}

/// Reports whether the store's lookup names a document for somebody.
fn is_found(world: &World, key: &Key, id: &str) -> bool {
    let listed = world.store.list_with(Participant::of(id), key.as_str());
    let listed = listed.expect("the memory store keeps participants");
    let keys = listed.try_collect::<Vec<Key>>().now_or_never();
    keys.expect("memory is at once").is_ok_and(|keys| keys.contains(key))
}
