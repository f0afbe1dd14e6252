//! TTLs of single documents: set by a turn, or declared by the types that the bot keeps.

use std::time::Duration;

use sayso_turn::{Bag, BotError, Key, State, Turn};
use serde::{Deserialize, Serialize};

/// TTL that a wish asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum OwnTtl {
    /// So many seconds.
    After(u64),
    Never,
    /// That of the types and the kind of document.
    Default,
}

/// The only property of a document that has no other.
#[derive(Default, sayso_turn::BotState)]
#[state(version = 1, ttl = "50m")]
struct Visits {
    log: Vec<String>,
}

/// The TTL that the type of a property declares, if it declares one. The order's is in `builds`.
pub(crate) fn declared(property: &str) -> Option<Duration> {
    match property {
        "Order" => Some(Duration::from_secs(60 * 60)),
        "Visits" => Some(Duration::from_secs(50 * 60)),
        _ => None,
    }
}

/// The longest TTL that a type declares.
pub(crate) const DECLARED_MAX: Duration = Duration::from_secs(60 * 60);

/// The key of the document that has only visits in it.
pub(crate) fn visits_key() -> Key {
    Key::new("visits").expect("a short key")
}

/// The visits in a document.
pub(crate) fn visits(bag: &Bag) -> Vec<String> {
    bag.get::<Visits>("Visits").ok().flatten().unwrap_or_default().log
}

/// Adds a visit.
pub(super) async fn visit(turn: &mut Turn, id: &str) -> Result<(), BotError> {
    turn.custom(visits_key()).await?.get::<Visits>()?.log.push(id.to_owned());
    Ok(())
}

impl OwnTtl {
    /// Sets the TTL of a document.
    pub(super) fn set(self, state: &mut State) {
        match self {
            Self::After(seconds) => state.expire_after(Duration::from_secs(seconds)),
            Self::Never => state.never_expire(),
            Self::Default => state.expire_by_default(),
        }
    }
}
