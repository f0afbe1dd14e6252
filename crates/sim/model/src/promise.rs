//! The promises of a turn protocol, each a predicate on states.

use stateright::{Model, Property};

use crate::{
    seq::{Seq, Set},
    world::{Bound, World},
};

/// A protocol whose promises can be checked and whose steps can be told.
pub trait Protocol: Model + Sized {
    /// Bound of the search.
    fn bound(&self) -> &Bound;
    /// The part of a state that the outside has seen.
    fn world(state: &Self::State) -> &World;
    /// The turns in the stored state, in commit order.
    fn applied(state: &Self::State) -> Seq;
    /// Reports whether nothing is left to do: only the outside can make something happen now.
    fn is_at_rest(&self, state: &Self::State) -> bool;
    /// Reports whether the protocol marks repeats and has writes that the instance itself asks for.
    fn has_errands(&self) -> bool;
    /// Situations of its own that must be reachable, else the search proves nothing.
    fn situations<M: Model<State = Self::State>>(&self) -> Vec<Property<M>>;
    /// Describes a step in words.
    fn tell(&self, before: &Self::State, step: &Self::Action, after: &Self::State) -> String;
}

/// A safety property that a protocol should keep, whatever happens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Promise {
    /// An acknowledged turn stays in the state.
    AckedApplied,
    /// No turn is in the state twice.
    AppliedOnce,
    /// Nothing is acknowledged before it is stored.
    SavedFirst,
    /// Users see only replies of stored turns.
    VisibleApplied,
    /// Users see no reply twice.
    NoRepeat,
    /// Users see replies in the order of their turns, by first appearance.
    InOrder,
    /// When nothing is left to do, users have seen the reply of every stored turn.
    NothingLost,
    /// Of the tries of one reply, at most one is not marked as a repeat.
    RepeatsMarked,
    /// An instance never asks itself for the same write again and again.
    NoSpinning,
}

impl Promise {
    /// All of them, in the order of the table.
    pub const ALL: [Self; 9] = [
        Self::AckedApplied,
        Self::AppliedOnce,
        Self::SavedFirst,
        Self::VisibleApplied,
        Self::InOrder,
        Self::NothingLost,
        Self::NoRepeat,
        Self::RepeatsMarked,
        Self::NoSpinning,
    ];

    /// Its name in tables.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::AckedApplied => "acked is applied",
            Self::AppliedOnce => "applied once",
            Self::SavedFirst => "saved before acked",
            Self::VisibleApplied => "visible is applied",
            Self::NoRepeat => "no repeated reply",
            Self::InOrder => "in commit order",
            Self::NothingLost => "no lost reply",
            Self::RepeatsMarked => "repeats are marked",
            Self::NoSpinning => "no spinning",
        }
    }

    /// Reports whether it applies to this protocol.
    #[must_use]
    pub fn concerns(self, protocol: &impl Protocol) -> bool {
        !matches!(self, Self::RepeatsMarked | Self::NoSpinning) || protocol.has_errands()
    }

    /// Reports whether a state keeps it.
    #[must_use]
    pub fn is_kept<P: Protocol>(self, protocol: &P, state: &P::State) -> bool {
        let (world, applied) = (P::world(state), P::applied(state));
        match self {
            Self::AckedApplied => world.acked.iter().all(|activity| applied.contains(activity)),
            Self::AppliedOnce => {
                let mut known = Set::default();
                applied.iter().all(|activity| known.insert(activity))
            }
            Self::SavedFirst => !world.is_acked_early,
            Self::VisibleApplied => world.visible.iter().all(|reply| applied.contains(reply)),
            Self::NoRepeat => !world.is_repeated,
            Self::InOrder => {
                world.visible.iter().filter_map(|reply| applied.position(reply)).is_sorted()
            }
            Self::NothingLost => {
                let is_well = |reply| world.visible.contains(reply) || world.is_owed(reply);
                applied.iter().all(is_well) || !protocol.is_at_rest(state)
            }
            Self::RepeatsMarked => !world.is_unmarked_twice,
            Self::NoSpinning => !world.is_spinning,
        }
    }
}
