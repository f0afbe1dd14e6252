//! The protocols by name, and the verdicts expected of each.

use crate::{Bound, Outcome, Promise, check::check, ladder, shipped};

/// A protocol under check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Variant {
    /// The published sample: the first save blind, replies from memory.
    Sample,
    /// A condition on every save.
    Cas,
    /// And the ids of activities in the same document.
    Seen,
    /// And the replies in the same document, sent after the acknowledgement.
    Outbox,
    /// And a claim on each reply before it is sent.
    ClaimEach,
    /// And a receiver that drops repeated ids.
    ClaimEachKeyed,
    /// A claim on each reply, and none is sent a second time.
    AtMostOnce,
    /// The protocol that ships.
    Shipped,
    /// The protocol that ships, and a receiver that drops repeated ids.
    ShippedKeyed,
}

impl Variant {
    /// All of them, from the sample to what ships.
    pub const ALL: [Self; 9] = [
        Self::Sample,
        Self::Cas,
        Self::Seen,
        Self::Outbox,
        Self::ClaimEach,
        Self::ClaimEachKeyed,
        Self::AtMostOnce,
        Self::Shipped,
        Self::ShippedKeyed,
    ];

    /// Its name in tables.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Sample => "the sample as published",
            Self::Cas => "a condition on every save",
            Self::Seen => "+ ids of activities in the document",
            Self::Outbox => "+ replies in the document",
            Self::ClaimEach => "+ a claim on each reply",
            Self::ClaimEachKeyed => "+ a receiver that drops repeated ids",
            Self::AtMostOnce => "a claim on each reply, never sent again",
            Self::Shipped => "as shipped: one claim for the outbox",
            Self::ShippedKeyed => "as shipped, and a receiver that drops repeated ids",
        }
    }

    /// The promises that must break within [`Bound::CI`]. All others must hold.
    #[must_use]
    pub fn breaks(self) -> &'static [Promise] {
        use Promise as P;
        match self {
            Self::Sample => &[
                P::AckedApplied,
                P::AppliedOnce,
                P::SavedFirst,
                P::VisibleApplied,
                P::InOrder,
                P::NothingLost,
                P::NoRepeat,
            ],
            Self::Cas => &[P::AppliedOnce, P::InOrder, P::NothingLost, P::NoRepeat],
            Self::Seen | Self::AtMostOnce => &[P::InOrder, P::NothingLost],
            Self::Outbox | Self::Shipped => &[P::NoRepeat],
            Self::ClaimEach => &[P::InOrder, P::NoRepeat],
            Self::ClaimEachKeyed => &[P::InOrder],
            Self::ShippedKeyed => &[],
        }
    }

    /// The promises that must break even with nothing going wrong. All others must hold then.
    #[must_use]
    pub fn breaks_when_calm(self) -> &'static [Promise] {
        use Promise as P;
        match self {
            Self::Sample => &[
                P::AckedApplied,
                P::AppliedOnce,
                P::SavedFirst,
                P::VisibleApplied,
                P::InOrder,
                P::NoRepeat,
            ],
            Self::Cas => &[P::AppliedOnce, P::InOrder, P::NoRepeat],
            Self::Outbox => &[P::NoRepeat],
            Self::Seen | Self::ClaimEach | Self::ClaimEachKeyed | Self::AtMostOnce => &[P::InOrder],
            Self::Shipped | Self::ShippedKeyed => &[],
        }
    }

    /// Searches all its states within a bound.
    #[must_use]
    pub fn check(self, bound: Bound) -> Outcome {
        use ladder::Rules;
        let cas = Rules::default();
        let seen = Rules { has_seen: true, ..cas };
        let outbox = Rules { has_outbox: true, ..seen };
        let claim = Rules { has_claims: true, ..outbox };
        let rung = |rules: Rules| {
            // Only claims expire.
            let can_expire = rules.has_claims && !rules.is_at_most_once;
            let expiries = if can_expire { bound.expiries } else { 0 };
            check(ladder::Ladder { rules, bound: Bound { expiries, ..bound } })
        };
        let shipped = |is_keyed| {
            let rules = shipped::Rules { is_keyed, ..shipped::Rules::default() };
            check(shipped::Shipped { rules, bound })
        };
        match self {
            Self::Sample => rung(Rules { is_blind_first: true, ..cas }),
            Self::Cas => rung(cas),
            Self::Seen => rung(seen),
            Self::Outbox => rung(outbox),
            Self::ClaimEach => rung(claim),
            Self::ClaimEachKeyed => rung(Rules { is_keyed: true, ..claim }),
            Self::AtMostOnce => rung(Rules { is_at_most_once: true, ..claim }),
            Self::Shipped => shipped(false),
            Self::ShippedKeyed => shipped(true),
        }
    }
}

/// A detail of the shipped protocol, left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Detail {
    /// A claim that was given up and made again looks the same.
    ClaimReused,
    /// A write that the courier asks for is judged by the cached document alone.
    CacheTrusted,
    /// That an outbox was taken over is kept in memory, not in the document.
    TakingForgotten,
}

impl Detail {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::ClaimReused, Self::CacheTrusted, Self::TakingForgotten];

    /// Its name in tables: the behaviour of the shipped protocol.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::ClaimReused => "no claim looks like an earlier one",
            Self::CacheTrusted => {
                "an errand that the cached document does not know goes to the store"
            }
            Self::TakingForgotten => "the document says which replies were taken over",
        }
    }

    /// The promise that must break without it and hold with it.
    #[must_use]
    pub fn breaks(self) -> Promise {
        match self {
            Self::ClaimReused => Promise::NoRepeat,
            Self::CacheTrusted => Promise::NoSpinning,
            Self::TakingForgotten => Promise::RepeatsMarked,
        }
    }

    /// A small bound within which that shows.
    #[must_use]
    pub fn bound(self) -> Bound {
        let calm = Bound::CI.calm();
        match self {
            Self::ClaimReused => calm,
            Self::CacheTrusted => Bound { activities: 3, deliveries: 1, expiries: 1, ..calm },
            Self::TakingForgotten => Bound { crashes: 1, faults: 1, ..calm },
        }
    }

    /// Searches all states of the shipped protocol without it.
    #[must_use]
    pub fn check(self) -> Outcome {
        let rules = shipped::Rules {
            is_claim_reused: self == Self::ClaimReused,
            is_cache_trusted: self == Self::CacheTrusted,
            is_taking_forgotten: self == Self::TakingForgotten,
            is_keyed: false,
        };
        check(shipped::Shipped { rules, bound: self.bound() })
    }
}
