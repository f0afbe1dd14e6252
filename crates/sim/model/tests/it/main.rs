//! The expected verdict of every protocol on every promise.
//!
//! With optimisation the whole bound is searched. Without, which is ten times slower, each thing
//! that can go wrong is let loose alone, on the simple protocols also a crash with a fault;
//! together these must break what the whole bound breaks.

use sayso_model::{
    Bound, Detail, Promise, Variant,
    report::{CAUSES, Report},
};

#[test]
fn everything_is_as_expected_within_the_bound() {
    if !cfg!(debug_assertions) {
        assert_eq!(Report::new(Bound::CI).deviations(), Vec::<String>::new());
    }
}

#[test]
fn smaller_bounds_break_what_is_expected_and_nothing_else() {
    let both = ("a crash and a fault", Bound { expiries: 0, ..Bound::CI });
    for variant in Variant::ALL {
        let mut broken: Vec<Promise> = Vec::new();
        let is_simple = !matches!(variant, Variant::Shipped | Variant::ShippedKeyed);
        for (cause, bound) in CAUSES.into_iter().chain(is_simple.then_some(both)) {
            let outcome = variant.check(bound);
            assert_eq!(outcome.missing, Vec::<&str>::new(), "{variant:?} with {cause}");
            let verdicts = outcome.verdicts.iter();
            broken.extend(verdicts.filter(|(_, verdict)| verdict.is_broken()).map(|(p, _)| *p));
        }
        let broken = Promise::ALL.into_iter().filter(|promise| broken.contains(promise));
        assert_eq!(broken.collect::<Vec<_>>(), variant.breaks(), "{variant:?}");
    }
}

#[test]
fn with_nothing_going_wrong_what_ships_keeps_every_promise() {
    for variant in Variant::ALL {
        let outcome = variant.check(Bound::CI.calm());
        let verdicts = outcome.verdicts.iter().filter(|(_, verdict)| verdict.is_broken());
        let broken: Vec<_> = verdicts.map(|(promise, _)| *promise).collect();
        assert_eq!(broken, variant.breaks_when_calm(), "{variant:?}");
    }
}

#[test]
fn every_detail_is_needed() {
    for detail in Detail::ALL {
        if cfg!(debug_assertions) && detail == Detail::TakingForgotten {
            continue;
        }
        assert!(detail.check().verdict(detail.breaks()).is_broken(), "{detail:?}");
        let with = Variant::Shipped.check(detail.bound());
        assert!(!with.verdict(detail.breaks()).is_broken(), "{detail:?}");
        assert_eq!(with.missing, Vec::<&str>::new(), "{detail:?}");
    }
}

#[test]
fn a_sequence_reads_like_one() {
    let outcome = Variant::Sample.check(Bound::CI.calm());
    let sayso_model::Verdict::Broken(steps) = outcome.verdict(Promise::VisibleApplied) else {
        panic!("the sample shows what is not so");
    };
    let expected = [
        "instance 1 receives a",
        "instance 1 loads nothing, runs a, will save without a condition",
    ];
    assert_eq!(steps[..2], expected);
    assert_eq!(steps.last().unwrap(), "instance 2 saves: [b], over [a]");
}
