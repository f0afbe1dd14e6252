//! Report of all searches: runs them, compares them with expectations, and puts them into tables.

mod tables;

use std::sync::{Mutex, PoisonError};

use crate::{Bound, Detail, Outcome, Promise, Variant};

/// Possible causes of repeated replies of the shipped protocol: a name, and a bound that has only
/// this cause.
pub const CAUSES: [(&str, Bound); 4] = {
    let calm = Bound::CI.calm();
    [
        ("nothing", calm),
        ("a crash", Bound { crashes: 1, ..calm }),
        ("a fault", Bound { faults: 1, ..calm }),
        ("an early expiry", Bound { expiries: 1, ..calm }),
    ]
};

/// Subject of one search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Subject {
    /// A protocol within the bound of the report.
    Full(Variant),
    /// A protocol with nothing going wrong.
    Calm(Variant),
    /// The shipped protocol without a detail.
    Without(Detail),
    /// The shipped protocol within the same bound.
    With(Detail),
    /// The shipped protocol with one cause of repeats, by its place in [`CAUSES`].
    Cause(usize),
}

/// The results of all searches.
#[derive(Debug)]
pub struct Report {
    bound: Bound,
    outcomes: Vec<(Subject, Outcome)>,
}

impl Report {
    /// Runs all searches, two at a time.
    #[must_use]
    pub fn new(bound: Bound) -> Self {
        let full = Variant::ALL.map(Subject::Full);
        // The long ones come last in the table and first here.
        let subjects = full.into_iter().rev().chain(Variant::ALL.map(Subject::Calm));
        let subjects = subjects.chain(Detail::ALL.map(Subject::Without));
        let subjects = subjects.chain(Detail::ALL.map(Subject::With));
        let subjects = Mutex::new(subjects.chain((0..CAUSES.len()).map(Subject::Cause)));
        let next = || subjects.lock().unwrap_or_else(PoisonError::into_inner).next();
        let work = || {
            let mut outcomes = Vec::new();
            while let Some(subject) = next() {
                outcomes.push((subject, subject.search(bound)));
            }
            outcomes
        };
        let outcomes = std::thread::scope(|scope| {
            let other = scope.spawn(work);
            let mut outcomes = work();
            outcomes.extend(other.join().expect("a search does not panic"));
            outcomes
        });
        Self { bound, outcomes }
    }

    /// The result of one search.
    ///
    /// # Panics
    /// When there was no such search.
    #[must_use]
    pub fn outcome(&self, subject: Subject) -> &Outcome {
        let found = self.outcomes.iter().find(|(known, _)| *known == subject);
        &found.expect("every subject was searched").1
    }

    /// Everything that is not as expected, a line each.
    #[must_use]
    pub fn deviations(&self) -> Vec<String> {
        let mut deviations = Vec::new();
        for (subject, outcome) in &self.outcomes {
            let missing = outcome.missing.iter();
            deviations.extend(missing.map(|what| format!("{subject:?}: never happened: {what}")));
            for (promise, verdict) in &outcome.verdicts {
                let Some(is_expected) = subject.is_to_break(*promise) else { continue };
                if verdict.is_broken() != is_expected {
                    let (should, is) =
                        if is_expected { ("break", "holds") } else { ("hold", "breaks") };
                    let promise = promise.name();
                    deviations.push(format!("{subject:?}: \"{promise}\" should {should} and {is}"));
                }
            }
        }
        deviations
    }
}

impl Subject {
    fn search(self, bound: Bound) -> Outcome {
        match self {
            Self::Full(variant) => variant.check(bound),
            Self::Calm(variant) => variant.check(bound.calm()),
            Self::Without(detail) => detail.check(),
            Self::With(detail) => Variant::Shipped.check(detail.bound()),
            Self::Cause(at) => {
                let bound = CAUSES.get(at).map_or(Bound::CI, |(_, bound)| *bound);
                Variant::Shipped.check(bound)
            }
        }
    }

    /// Reports whether a promise should break; `None` where this search is not about it.
    fn is_to_break(self, promise: Promise) -> Option<bool> {
        match self {
            Self::Full(variant) => Some(variant.breaks().contains(&promise)),
            Self::Calm(variant) => Some(variant.breaks_when_calm().contains(&promise)),
            Self::Without(detail) => (promise == detail.breaks()).then_some(true),
            Self::With(detail) => (promise == detail.breaks()).then_some(false),
            Self::Cause(at) => Some(promise == Promise::NoRepeat && at > 0),
        }
    }
}
