//! The protocol that ships: one claim for the whole outbox, hand-overs recorded when convenient.
//!
//! It follows the engine: `runner` its rounds, drafts and claims, `courier` its courier and
//! recovery, `state` its document and its desk. Within an instance the runner and the courier move
//! independently, as they do in the engine, and the cache may be as stale as it likes.
//!
//! Time is left out. What the engine decides by time may happen at any moment, with one exception:
//! a claim counts as lapsed by itself only when the very claim that was seen is gone or nobody
//! minds it; else that is an early expiry, of which there is a limited number. Also left out:
//! orderly shut-down (a claim given up on purpose), parking, timers, further documents.
//!
//! Equivalent behaviours are merged to keep the search small. An activity that waits for a busy
//! runner may as well come when the runner starts again. A save that was overtaken can only fail,
//! so its round is over at once. A save or a reply that lands late may land at once, or never: its
//! answer was lost, or it was.

mod code;
mod courier;
mod model;
mod runner;
mod state;
mod store;
mod story;

pub use self::{
    model::Step,
    state::{Claim, Doc, Draft, Foreign, Instance, Stage, State, Take, Work},
};
use crate::world::Bound;

/// Differences of a protocol with one claim from the one that ships.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Rules {
    /// A new claim looks like an earlier one of the same instance.
    pub is_claim_reused: bool,
    /// A round on the cached document that writes nothing leaves the courier as it was.
    pub is_cache_trusted: bool,
    /// An instance that finds a take-over of its own to have succeeded does not mark the replies it
    /// took.
    pub is_taking_forgotten: bool,
    /// The receiver drops a reply id that it has had before.
    pub is_keyed: bool,
}

/// A protocol with one claim for the outbox, within a bound.
#[derive(Clone, Copy, Debug)]
pub struct Shipped {
    /// Its differences from the protocol that ships.
    pub rules: Rules,
    /// Bound of the search.
    pub bound: Bound,
}
