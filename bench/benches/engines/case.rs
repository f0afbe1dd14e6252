//! One storage engine, measured in several ways (turns, saves, raw saves), round by round.

use std::io::Write;

use sayso_bench::{
    measure::{Cost, Middle},
    raw::{Raw, ServerCpu},
};

use crate::MANY;

/// Bounds of the steps per conversation and round, as [`Way::warm_up`] chooses them.
const STEPS_MIN: usize = 1;
const STEPS_MAX: usize = 1000;

/// Goal: throughput of turns as a share of that of the fastest raw saves.
const GOAL: f64 = 0.85;

/// A storage engine, and the ways it is measured in.
pub(crate) struct Case {
    pub(crate) name: &'static str,
    /// Number of flushes by the store under the turns, if it counts them.
    pub(crate) flushes: Box<dyn Fn() -> Option<u64>>,
    pub(crate) server_cpu: ServerCpu,
    /// Turns, saves of our store, then the raw ones. The last one cleans the server up, so it goes
    /// last.
    pub(crate) ways: Vec<Way>,
    pub(crate) rounds: usize,
}

pub(crate) struct Way {
    name: &'static str,
    is_raw: bool,
    work: Box<dyn Raw>,
    /// Steps per conversation and round: chosen so that all ways take equally long.
    steps: usize,
    figures: Vec<Figures>,
}

/// Measurements of one round, per step.
#[derive(Clone, Copy)]
struct Figures {
    wall: f64,
    cpu: f64,
    /// CPU time of the server, where it can be asked.
    server: f64,
    commits: f64,
    /// Commits per flush (group commit).
    together: f64,
}

impl Way {
    pub(crate) fn new(name: &'static str, is_raw: bool, work: impl Raw + 'static) -> Self {
        Self { name, is_raw, work: Box::new(work), steps: 8, figures: Vec::new() }
    }

    /// Warms up, and chooses the number of steps so that a round takes about so many microseconds.
    pub(crate) fn warm_up(&mut self, micros: f64) {
        let cost = Cost::of(self.steps, || self.work.run(self.steps));
        self.work.rest();
        self.steps = ((micros / cost.wall) as usize).clamp(STEPS_MIN, STEPS_MAX);
    }

    fn measure(&mut self, server_cpu: &mut ServerCpu, flushes: &dyn Fn() -> Option<u64>) {
        let Self { work, steps, .. } = self;
        let all = *steps * MANY;
        let before = (server_cpu(), work.commits(), flushes());
        let cost = Cost::of(all, || work.run(*steps));
        let after = (server_cpu(), work.commits(), flushes());
        // What is left must not fall into the time of the next one.
        work.rest();
        let count = |before: Option<u64>, after: Option<u64>| Some((after? - before?) as f64);
        let commits = count(before.1, after.1);
        let flushes = count(before.2, after.2);
        let known = |figure: Option<f64>| figure.unwrap_or(f64::NAN);
        self.figures.push(Figures {
            wall: cost.wall,
            cpu: cost.cpu,
            server: known(before.0.zip(after.0).map(|(from, to)| (to - from) / all as f64)),
            commits: known(commits) / all as f64,
            together: known(commits) / known(flushes),
        });
    }

    /// CPU time of all rounds, of this process and of the server, in microseconds.
    pub(crate) fn cpu(&self) -> f64 {
        let all = (self.steps * MANY) as f64;
        let server = |found: &Figures| if found.server.is_nan() { 0.0 } else { found.server };
        self.figures.iter().map(|found| (found.cpu + server(found)) * all).sum()
    }

    /// Throughput relative to the fastest raw saves, whose wall times per round are given.
    fn ratio(&self, best: &[f64]) -> Middle {
        Middle::of(self.figures.iter().zip(best).map(|(found, best)| best / found.wall))
    }

    fn middle(&self, figure: impl FnMut(&Figures) -> f64) -> Middle {
        Middle::of(self.figures.iter().map(figure))
    }
}

impl Case {
    /// Measures every way once. The order rotates from round to round, so that what one way leaves
    /// behind affects all the others alike.
    pub(crate) fn measure(&mut self) {
        let Self { flushes, server_cpu, ways, .. } = self;
        let first = self.rounds % ways.len();
        let (later, sooner) = ways.split_at_mut(first);
        for way in sooner.iter_mut().chain(later) {
            way.measure(server_cpu, &**flushes);
        }
        self.rounds += 1;
    }

    /// Wall time of a raw save in the fastest raw way, round by round.
    fn best(&self) -> Vec<f64> {
        let in_round = |round: usize| {
            let raw = self.ways.iter().filter(|way| way.is_raw);
            raw.filter_map(move |way| way.figures.get(round)).map(|found| found.wall)
        };
        (0..self.rounds).map(|round| in_round(round).fold(f64::INFINITY, f64::min)).collect()
    }

    /// Writes a line of JSON per round, in the format of the other results.
    pub(crate) fn note(&self, results: &mut impl Write) -> std::io::Result<()> {
        let (Some(turns), Some(raw)) = (self.ways.first(), self.ways.last()) else { return Ok(()) };
        for ((turns, raw), best) in turns.figures.iter().zip(&raw.figures).zip(self.best()) {
            writeln!(
                results,
                r#"{{"who":"sayso","case":"{}","size":{MANY},"figures":{{"turns_s":{},"raw_s":{},"best_raw_s":{},"turns_for_a_save":{},"cpu_us":{}}}}}"#,
                self.name,
                1e6 / turns.wall,
                1e6 / raw.wall,
                1e6 / best,
                best / turns.wall,
                turns.cpu,
            )?;
        }
        Ok(())
    }

    pub(crate) fn print(&self) {
        let best = self.best();
        for way in self.ways.iter().rev() {
            let Middle { median, low, high } = way.middle(|found| 1e6 / found.wall);
            let rates = format!("{median:.0} ({low:.0}-{high:.0})");
            let shown = way.middle(|found| found.cpu);
            let mut server = way.middle(|found| found.server).to_string();
            if server.contains("NaN") {
                server.clear();
            }
            let Middle { median, low, high } = way.ratio(&best);
            let ratio = format!("{median:.2} ({low:.2}-{high:.2})");
            println!(
                "{:<18}{:<20}{rates:>22}{shown:>20}{server:>20}{ratio:>19}",
                self.name, way.name
            );
        }
        let Some(turns) = self.ways.first() else { return };
        let is_met = turns.ratio(&best).median >= GOAL;
        let commits = turns.middle(|found| found.commits).median;
        let together = turns.middle(|found| found.together).median;
        print!(
            "{:<18}goal: at least {GOAL:.2} turns for a raw save: {}; {commits:.2} commits a turn",
            "",
            if is_met { "met" } else { "missed" },
        );
        if together.is_finite() {
            print!(", {together:.0} commits a flush");
        }
        println!("\n");
    }
}
