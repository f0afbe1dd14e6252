//! Resets by the error handler: a second log, which begins anew with each apology that resets it.

use sayso_turn::{Bag, BotError, Turn};

use crate::{Fault, outside::Outside};

/// Name of the second log.
const PROPERTY: &str = "since_reset";

/// Appends an id to the second log. Only worlds whose turns panic have one.
pub(super) fn append(turn: &mut Turn, outside: &Outside, id: &str) -> Result<(), BotError> {
    if outside.world.plan.has(Fault::Panic) {
        turn.state().named::<Vec<String>>(PROPERTY)?.push(id.to_owned());
    }
    Ok(())
}

/// Empties the second log, in an error handler.
pub(super) fn reset(turn: &mut Turn) {
    turn.reset_property(PROPERTY);
}

/// The second log of a document.
pub(crate) fn since_reset(bag: &Bag) -> Vec<String> {
    bag.get(PROPERTY).ok().flatten().unwrap_or_default()
}
