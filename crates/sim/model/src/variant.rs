//! The protocols by name, and what is expected of each.

use std::sync::{Mutex, PoisonError};

use crate::{Bound, Outcome, Promise, check::check, ladder, shipped};

/// A protocol.
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
    /// One claim for the outbox, but a new claim can look like an old one.
    ClaimReused,
    /// One claim for the outbox, but the courier waits for a cached document to change.
    CacheTrusted,
    /// One claim for the outbox, but only memory knows what was taken over.
    TakingForgotten,
    /// The protocol that ships.
    Shipped,
    /// The protocol that ships, and a receiver that drops repeated ids.
    ShippedKeyed,
}

/// A variant and what the search said about it.
#[derive(Clone, Debug)]
pub struct Trial {
    /// The protocol.
    pub variant: Variant,
    /// What may go wrong within the bound.
    pub outcome: Outcome,
    /// The same with nothing going wrong.
    pub calm: Outcome,
}

impl Variant {
    /// All of them, from the sample to what ships.
    pub const ALL: [Self; 12] = [
        Self::Sample,
        Self::Cas,
        Self::Seen,
        Self::Outbox,
        Self::ClaimEach,
        Self::ClaimEachKeyed,
        Self::AtMostOnce,
        Self::ClaimReused,
        Self::CacheTrusted,
        Self::TakingForgotten,
        Self::Shipped,
        Self::ShippedKeyed,
    ];

    /// How it is called in tables.
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
            Self::ClaimReused => "one claim, but it can look like an earlier one",
            Self::CacheTrusted => "one claim, but the courier relies on the cache",
            Self::TakingForgotten => "one claim, but a take-over is only remembered",
            Self::Shipped => "**as shipped: one claim for the outbox**",
            Self::ShippedKeyed => "**as shipped, and a receiver that drops repeated ids**",
        }
    }

    /// The promises that must break, within [`Bound::CI`]. All others must hold.
    #[must_use]
    pub fn breaks(self) -> &'static [Promise] {
        use Promise as P;
        match self {
            Self::Sample => {
                &[P::AckedApplied, P::AppliedOnce, P::SavedFirst, P::VisibleApplied, P::InOrder]
            }
            Self::Cas => &[P::AppliedOnce],
            Self::Seen => &[],
            _ => &[],
        }
    }

    /// The promises that must break with nothing going wrong. All others must hold.
    #[must_use]
    pub fn breaks_when_calm(self) -> &'static [Promise] {
        &[]
    }

    /// Looks at everything that can happen to it.
    #[must_use]
    pub fn check(self, bound: Bound) -> Outcome {
        match self.family() {
            Family::Ladder(rules) => {
                let expiries =
                    if rules.has_claims && !rules.is_at_most_once { bound.expiries } else { 0 };
                check(ladder::Ladder { rules, bound: Bound { expiries, ..bound } })
            }
            Family::Shipped(rules) => check(shipped::Shipped { rules, bound }),
        }
    }

    fn family(self) -> Family {
        let cas = ladder::Rules::default();
        let seen = ladder::Rules { has_seen: true, ..cas };
        let outbox = ladder::Rules { has_outbox: true, ..seen };
        let claim = ladder::Rules { has_claims: true, ..outbox };
        let shipped = shipped::Rules::default();
        match self {
            Self::Sample => Family::Ladder(ladder::Rules { is_blind_first: true, ..cas }),
            Self::Cas => Family::Ladder(cas),
            Self::Seen => Family::Ladder(seen),
            Self::Outbox => Family::Ladder(outbox),
            Self::ClaimEach => Family::Ladder(claim),
            Self::ClaimEachKeyed => Family::Ladder(ladder::Rules { is_keyed: true, ..claim }),
            Self::AtMostOnce => Family::Ladder(ladder::Rules { is_at_most_once: true, ..claim }),
            Self::ClaimReused => {
                Family::Shipped(shipped::Rules { is_claim_reused: true, ..shipped })
            }
            Self::CacheTrusted => {
                Family::Shipped(shipped::Rules { is_cache_trusted: true, ..shipped })
            }
            Self::TakingForgotten => {
                Family::Shipped(shipped::Rules { is_taking_forgotten: true, ..shipped })
            }
            Self::Shipped => Family::Shipped(shipped),
            Self::ShippedKeyed => Family::Shipped(shipped::Rules { is_keyed: true, ..shipped }),
        }
    }
}

enum Family {
    Ladder(ladder::Rules),
    Shipped(shipped::Rules),
}

/// Checks variants, two at a time, and gives the results in their order.
#[must_use]
pub fn trials(variants: &[Variant], bound: Bound) -> Vec<Trial> {
    let next = Mutex::new(variants.iter().copied());
    let next = || next.lock().unwrap_or_else(PoisonError::into_inner).next();
    let run = || {
        let mut done = Vec::new();
        while let Some(variant) = next() {
            let (outcome, calm) = (variant.check(bound), variant.check(bound.calm()));
            done.push(Trial { variant, outcome, calm });
        }
        done
    };
    let mut done = std::thread::scope(|scope| {
        let other = scope.spawn(run);
        let mut done = run();
        done.extend(other.join().expect("a search does not panic"));
        done
    });
    let place = |trial: &Trial| variants.iter().position(|known| *known == trial.variant);
    done.sort_by_key(place);
    done
}
