//! The ladder: the protocol of the published sample, and variants that each add one part to it.
//!
//! These are simple protocols on purpose. Claiming and marking a reply are single steps; the point
//! is to see which promise still breaks on each rung, not to describe something that runs.

mod state;
mod steps;
mod story;

pub use self::{
    state::{Doc, Mark, Phase, State},
    steps::Step,
};
use crate::world::Bound;

/// Parts that a rung of the ladder has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Rules {
    /// The first save of a conversation has no condition.
    pub is_blind_first: bool,
    /// The ids of activities are stored with the state.
    pub has_seen: bool,
    /// Replies are stored with the state and sent after the acknowledgement.
    pub has_outbox: bool,
    /// A sender claims a reply in the store before it sends it.
    pub has_claims: bool,
    /// A claimed reply is never sent again.
    pub is_at_most_once: bool,
    /// The receiver drops a reply id that it has had before.
    pub is_keyed: bool,
}

/// A rung of the ladder, within a bound.
#[derive(Clone, Copy, Debug)]
pub struct Ladder {
    /// The parts that it has.
    pub rules: Rules,
    /// Bound of the search.
    pub bound: Bound,
}
