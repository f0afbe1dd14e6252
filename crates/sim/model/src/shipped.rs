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
//! Some things that only seem to differ are one here. An activity that waits for a busy runner may
//! as well come when the runner starts again. A save that was overtaken can only fail, so its round
//! is over at once. A save or a reply that lands late may land at once, or never: its answer was
//! lost, or it was.

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

/// Where a protocol with one claim differs from the one that ships.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Rules {
    /// A new claim looks like an earlier one of the same instance.
    pub is_claim_reused: bool,
    /// A round on the cached document that writes nothing leaves the courier as it was.
    pub is_cache_trusted: bool,
    /// Who finds that a take-over of its own had succeeded does not mark what it took.
    pub is_taking_forgotten: bool,
    /// The receiver drops a reply id that it has had before.
    pub is_keyed: bool,
}

/// A protocol with one claim for the outbox, within a bound.
#[derive(Clone, Copy, Debug)]
pub struct Shipped {
    /// Where it differs.
    pub rules: Rules,
    /// How much may happen.
    pub bound: Bound,
}
