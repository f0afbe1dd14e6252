//! Seeded randomness of a run, and the switch that ends all faults.

use std::{
    collections::BTreeMap,
    sync::{
        Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use crate::{Fault, Plan, faults::Tally};

/// Random generator of a run, and the switch that ends all faults.
#[derive(Debug)]
pub(crate) struct Chance {
    rates: BTreeMap<Fault, f64>,
    dice: Mutex<fastrand::Rng>,
    is_calm: AtomicBool,
    is_steady: bool,
    pub(crate) tally: Tally,
}

impl Chance {
    pub(crate) fn new(plan: &Plan) -> Self {
        Self {
            rates: plan.faults.clone(),
            dice: Mutex::new(fastrand::Rng::with_seed(plan.seed)),
            is_calm: AtomicBool::new(false),
            is_steady: plan.is_steady,
            tally: Tally::default(),
        }
    }

    fn dice(&self) -> MutexGuard<'_, fastrand::Rng> {
        self.dice.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Ends all faults: from now on nothing goes wrong.
    pub(crate) fn calm_down(&self) {
        self.is_calm.store(true, Ordering::SeqCst);
    }

    /// Reports whether nothing goes wrong any more.
    pub(crate) fn is_calm(&self) -> bool {
        self.is_calm.load(Ordering::SeqCst)
    }

    /// Reports whether the run has this fault at all.
    pub(crate) fn has(&self, fault: Fault) -> bool {
        self.rates.contains_key(&fault)
    }

    /// Reports whether the fault happens here and now; counted if it does.
    pub(crate) fn fires(&self, fault: Fault) -> bool {
        self.rates.contains_key(&fault) && !self.is_calm() && self.fires_always(fault)
    }

    /// The same, even when nothing else goes wrong any more: for what happens only then.
    pub(crate) fn fires_always(&self, fault: Fault) -> bool {
        let Some(rate) = self.rates.get(&fault) else { return false };
        let fires = self.dice().f64() < *rate;
        if fires {
            self.tally.add(fault);
        }
        fires
    }

    pub(crate) fn one_in(&self, count: usize) -> bool {
        self.is_steady || self.below(count) == 0
    }

    /// Any number below this one.
    pub(crate) fn below(&self, count: usize) -> usize {
        self.dice().usize(..count)
    }

    /// Any number from minus this to this.
    pub(crate) fn around(&self, most: i64) -> i64 {
        self.dice().i64(-most..=most)
    }

    pub(crate) fn up_to(&self, most: Duration) -> Duration {
        if self.is_steady {
            return most / 2;
        }
        most.mul_f64(self.dice().f64())
    }
}
