//! A campaign: many seeds on all cores, one verdict, and proof that every fault was tested.

use std::{
    collections::BTreeMap,
    fmt,
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use crate::{Fault, Plan, Report, Totals, play};

/// Minimum number of times that a fault must fire over a campaign to count as tested.
pub const FIRED_MIN: u64 = 100;

/// Result of a campaign of many runs.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Campaign {
    /// Number of seeds played.
    pub seeds: u64,
    /// Number of turns committed in all.
    pub turns: u64,
    /// Number of times that each fault fired.
    pub faults: BTreeMap<Fault, u64>,
    /// Sums over all instances of all runs.
    pub stats: Totals,
    /// Seeds that broke an invariant, the first few, with what broke.
    pub broken: Vec<(u64, Vec<String>)>,
    /// Duration of the campaign.
    pub took: Duration,
}

impl Campaign {
    /// Plays seeds from `first` on, `count` of them, on so many threads. Stops early after the
    /// first few broken ones.
    #[must_use]
    pub fn run(first: u64, count: u64, threads: usize) -> Self {
        Self::run_plans(first, count, threads, Plan::draw)
    }

    /// The same, of plans that are drawn in another way.
    #[must_use]
    pub fn run_plans(
        first: u64,
        count: u64,
        threads: usize,
        draw: impl Fn(u64) -> Plan + Sync,
    ) -> Self {
        let began = Instant::now();
        let next = AtomicU64::new(first);
        let total = Mutex::new(Self::default());
        thread::scope(|scope| {
            for _ in 0..threads.max(1) {
                scope.spawn(|| {
                    let mut own = Self::default();
                    loop {
                        let seed = next.fetch_add(1, Ordering::Relaxed);
                        if seed >= first + count || own.broken.len() >= 3 {
                            break;
                        }
                        own.take(&play(&draw(seed), false));
                    }
                    total.lock().unwrap_or_else(PoisonError::into_inner).merge(own);
                });
            }
        });
        let mut total = total.into_inner().unwrap_or_else(PoisonError::into_inner);
        total.broken.sort();
        total.took = began.elapsed();
        total
    }

    fn take(&mut self, report: &Report) {
        self.seeds += 1;
        self.turns += report.turns;
        self.stats.add(report.stats);
        for (fault, count) in &report.faults {
            *self.faults.entry(*fault).or_default() += count;
        }
        if !report.violations.is_empty() {
            self.broken.push((report.plan.seed, report.violations.clone()));
        }
    }

    /// Adds the result of another campaign, one that was played after this one or beside it.
    pub fn merge(&mut self, other: Self) {
        self.took += other.took;
        self.seeds += other.seeds;
        self.turns += other.turns;
        self.stats.add(other.stats);
        for (fault, count) in other.faults {
            *self.faults.entry(fault).or_default() += count;
        }
        self.broken.extend(other.broken);
    }

    /// Faults that fired too seldom for the campaign to say anything about them.
    #[must_use]
    pub fn untested(&self) -> Vec<Fault> {
        let fired = |fault: &Fault| self.faults.get(fault).copied().unwrap_or_default();
        Fault::ALL.iter().copied().filter(|fault| fired(fault) < FIRED_MIN).collect()
    }
}

impl fmt::Display for Campaign {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let fired = Fault::ALL.len() - self.untested().len();
        write!(
            f,
            "sim: {} seeds, {} turns, {} broken, {fired}/{} faults, {:.0} s",
            self.seeds,
            self.turns,
            self.broken.len(),
            Fault::ALL.len(),
            self.took.as_secs_f64(),
        )
    }
}

/// Finds a simpler plan that still breaks: fewer faults, instances, conversations, activities.
#[must_use]
pub fn shrink(plan: &Plan) -> Plan {
    let mut smallest = plan.clone();
    // Each step takes something away, so there are few; the bound is for the reader.
    for _ in 0..200 {
        let breaks = |plan: &Plan| !play(plan, false).violations.is_empty();
        match smallest.simpler().into_iter().find(breaks) {
            Some(simpler) => smallest = simpler,
            None => break,
        }
    }
    smallest
}
