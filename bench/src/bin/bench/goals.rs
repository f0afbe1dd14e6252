//! The performance goals, each with its target, the measured figure and the verdict.

use std::path::Path;

use crate::{
    chart::figure,
    record::{Record, Records},
};

/// A performance goal and its measured figure.
#[derive(Debug)]
pub(crate) struct Goal {
    pub(crate) what: &'static str,
    pub(crate) wanted: String,
    /// The measured figure, and `true` if the goal is met; `None` if it was not measured.
    pub(crate) found: Option<(String, bool)>,
}

/// Results of the last runs, by part.
#[derive(Debug)]
pub(crate) struct Results {
    pub(crate) in_process: Records,
    pub(crate) http: Records,
    pub(crate) blob: Records,
    pub(crate) contention: Records,
    pub(crate) growth: Records,
    pub(crate) recovery: Records,
    pub(crate) start: Records,
    pub(crate) engines: Records,
}

impl Results {
    pub(crate) fn read(results: &Path) -> anyhow::Result<Self> {
        let read = |part| Records::read(results, part);
        Ok(Self {
            in_process: read("inproc")?,
            http: read("http")?,
            blob: read("blob")?,
            contention: read("contention")?,
            growth: read("growth")?,
            recovery: read("recovery")?,
            start: read("start")?,
            engines: read("engines")?,
        })
    }

    pub(crate) fn goals(&self) -> Vec<Goal> {
        let mut goals = self.in_process();
        goals.extend(self.servers());
        goals.extend(self.contended());
        goals.extend(self.own());
        goals
    }

    fn in_process(&self) -> Vec<Goal> {
        let cheaper = |what, logic, who, theirs, times: f64| {
            let cpu = |who, logic| self.in_process.median(who, logic, 1, "cpu_us");
            let found = cpu(who, theirs).zip(cpu("sayso", logic));
            at_least(what, times, "times less CPU", found.map(|(theirs, ours)| theirs / ours))
        };
        vec![
            cheaper("in process, pizza turn, JavaScript", "pizza", "js", "pizza", 20.0),
            cheaper("in process, pizza turn, Python", "pizza", "py", "pizza", 80.0),
            cheaper("in process, waterfall turn, JavaScript", "dialog", "js", "dialog", 80.0),
            cheaper("in process, waterfall turn, Python", "dialog", "py", "dialog", 120.0),
            // Ours recognises words here and theirs only parses.
            cheaper("in process, waterfall turn, JavaScript plain", "dialog", "js", "plain", 50.0),
        ]
    }

    fn servers(&self) -> Vec<Goal> {
        let ratio = |records: &Records, who, name| {
            let of = |who| records.median(who, "pizza", 16, name);
            of(who).zip(of("sayso")).map(|(theirs, ours)| theirs / ours)
        };
        let (http, blob) = (&self.http, &self.blob);
        let slower = ["js", "py"]
            .into_iter()
            .flat_map(|who| ["reply_p50_ms", "reply_p99_ms"].map(|name| ratio(http, who, name)));
        let slower: Option<Vec<f64>> = slower.collect();
        let least = slower.map(|all| all.into_iter().fold(f64::INFINITY, f64::min));
        let cpu = "times less CPU";
        let long = |who| blob.median(who, "pizza, 30 turns", 16, "calls");
        vec![
            at_least(
                "HTTP, memory, pizza turn, JavaScript",
                20.0,
                cpu,
                ratio(http, "js", "cpu_us"),
            ),
            at_least("HTTP, memory, pizza turn, Python", 60.0, cpu, ratio(http, "py", "cpu_us")),
            at_least("HTTP, memory, p50 and p99, both", 1.0, "times shorter", least),
            at_least("Azurite, pizza turn, JavaScript", 5.0, cpu, ratio(blob, "js", "cpu_us")),
            at_least(
                "Azurite, store calls, JavaScript, 3 turns",
                2.0,
                "times fewer calls",
                ratio(blob, "js", "calls"),
            ),
            at_least(
                "Azurite, store calls, JavaScript, 30 turns",
                2.0,
                "times fewer calls",
                long("js").zip(long("sayso")).map(|(theirs, ours)| theirs / ours),
            ),
        ]
    }

    fn contended(&self) -> Vec<Goal> {
        let two = "2 processes";
        let of = |who, count, name| self.contention.median(who, two, count, name);
        let runs = || self.contention.of("sayso", two, 50);
        let is_whole = |run: &Record| {
            run.figure("confirmed") == Some(50.0) && run.figure("saved") == Some(50.0)
        };
        let whole = (runs().count() > 0).then(|| {
            let (whole, all) = (runs().filter(|run| is_whole(run)).count(), runs().count());
            (format!("{whole} of {all} runs"), whole == all)
        });
        let time = of("js", 50, "last_ms").zip(of("sayso", 50, "last_ms"));
        let calls = of("sayso", 128, "calls").zip(of("sayso", 2, "calls"));
        vec![
            Goal {
                what: "contention, 50 at once, 2 processes",
                wanted: "all 50 confirmed and saved".to_owned(),
                found: whole,
            },
            at_most("contention, attempts", 1.5, "for a turn", of("sayso", 50, "attempts")),
            at_least(
                "contention, time to the last answer, JavaScript",
                5.0,
                "times shorter",
                time.map(|(theirs, ours)| theirs / ours),
            ),
            at_most(
                "contention, store calls of 128 for those of 2",
                64.0,
                "times",
                calls.map(|(many, few)| many / few),
            ),
        ]
    }

    fn own(&self) -> Vec<Goal> {
        let growth = &self.growth;
        let conversations = |count, name| growth.median("sayso", "conversations", count, name);
        let million = 1_000_000;
        let cost = conversations(million, "active_us").zip(conversations(10, "active_us"));
        let last = self.recovery.median("sayso", "recovery", 1000, "last_s");
        let claim = self.recovery.median("sayso", "recovery", 1000, "claim_s");
        let mut goals: Vec<Goal> = ["PostgreSQL", "SQLite", "Redis"]
            .into_iter()
            .zip(["engine, PostgreSQL", "engine, SQLite", "engine, Redis"])
            .map(|(case, what)| {
                let ratio = self.engines.median("sayso", case, 64, "turns_for_a_save");
                at_least(what, 0.85, "turns for the best raw save", ratio)
            })
            .collect();
        goals.extend([
            at_most(
                "a million idle conversations, memory held",
                // The engine's cache and SQLite's have 64 MiB each; half of that for what is
                // around.
                192.0,
                "MB",
                conversations(million, "held_bytes").map(|bytes| bytes / f64::from(1 << 20)),
            ),
            at_most(
                "a million idle conversations, cost of a turn",
                1.3,
                "times that with ten",
                cost.map(|(many, few)| many / few),
            ),
            at_most(
                "recovery, 1,000 turns in flight",
                2.0,
                "claim times",
                last.zip(claim).map(|(last, claim)| last / claim),
            ),
            at_most(
                "cost by size of the state",
                2.0,
                "times one JSON parse and write",
                self.slope(),
            ),
        ]);
        goals
    }

    /// Marginal CPU cost of a byte of state, relative to parsing and writing that byte as JSON.
    fn slope(&self) -> Option<f64> {
        let of = |kib, name| self.growth.median("sayso", "state", kib, name);
        let rise = |name| Some(of(256, name)? - of(16, name)?);
        rise("cpu_us").zip(rise("json_us")).map(|(turn, json)| turn / json)
    }
}

fn at_least(what: &'static str, least: f64, unit: &str, found: Option<f64>) -> Goal {
    let wanted = format!("at least {least} {unit}");
    Goal { what, wanted, found: found.map(|found| (figure(found), found >= least)) }
}

fn at_most(what: &'static str, most: f64, unit: &str, found: Option<f64>) -> Goal {
    let wanted = format!("at most {most} {unit}");
    Goal { what, wanted, found: found.map(|found| (figure(found), found <= most)) }
}

impl Goal {
    /// The measured figure and the verdict, as shown in tables.
    pub(crate) fn verdict(&self) -> (&str, &'static str) {
        match &self.found {
            Some((found, true)) => (found, "met"),
            Some((found, false)) => (found, "not met"),
            None => ("-", "not measured"),
        }
    }
}

/// Prints every goal in a line.
pub(crate) fn print(results: &Path) -> anyhow::Result<()> {
    println!("\n{:<50}{:<42}{:>14}  ", "goal", "wanted", "measured");
    for goal in Results::read(results)?.goals() {
        let (found, verdict) = goal.verdict();
        println!("{:<50}{:<42}{found:>14}  {verdict}", goal.what, goal.wanted);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_goal_is_met_at_its_limit_and_missed_beyond_it() {
        let verdict = |goal: Goal| goal.verdict().1;
        assert_eq!(verdict(at_least("a", 20.0, "times", Some(20.0))), "met");
        assert_eq!(verdict(at_least("a", 20.0, "times", Some(19.9))), "not met");
        assert_eq!(verdict(at_most("a", 1.5, "times", Some(1.5))), "met");
        assert_eq!(verdict(at_most("a", 1.5, "times", Some(1.6))), "not met");
        assert_eq!(verdict(at_most("a", 1.5, "times", None)), "not measured");
    }
}
