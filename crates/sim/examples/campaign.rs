//! Plays many seeds, prints one line, and fails if anything broke or any fault was not tested.
//!
//! `cargo run --release -p sayso-sim --example campaign -- 100000`: so many seeds, from seed 0.
//! `cargo run --release -p sayso-sim --example campaign -- 30m 1000000`: for 30 minutes, from seed
//! 1000000. `cargo run --release -p sayso-sim --example campaign -- 10000 0 steps`: several
//! documents in nearly every turn, on a store without transactions, while instances die. With
//! `durable` in its place nearly every turn takes durable steps, while instances die and freeze.

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a tool that prints")]

use std::{
    process::ExitCode,
    time::{Duration, Instant},
};

use sayso_sim::{Campaign, FIRED_MIN, Plan};

/// Number of seeds between two reports of progress.
const STEP: u64 = 10_000;

fn main() -> ExitCode {
    let argument = |nth| std::env::args().nth(nth);
    let most = argument(1).unwrap_or_else(|| "100000".to_owned());
    let minutes: Option<u64> = most.strip_suffix('m').and_then(|minutes| minutes.parse().ok());
    let time = minutes.map(|minutes| Duration::from_secs(60 * minutes));
    let seeds: u64 = if time.is_some() { u64::MAX } else { most.parse().unwrap_or(100_000) };
    let first = argument(2).and_then(|text| text.parse().ok()).unwrap_or(0);

    let draw = match argument(3).as_deref() {
        Some("steps") => Plan::draw_in_steps,
        Some("durable") => Plan::draw_durable,
        _ => Plan::draw,
    };

    let campaign = run(first, seeds, time, draw);
    for (fault, count) in &campaign.faults {
        println!("{count:>9}  {}", fault.name());
    }
    println!("{:?}", campaign.stats);
    for (seed, what) in &campaign.broken {
        println!(
            "seed {seed}: {what:?}\n  cargo run --release -p sayso-sim --example seed -- {seed}"
        );
    }
    let untested = campaign.untested();
    if !untested.is_empty() {
        println!("not tested, because they hardly happened: {untested:?}");
    }
    let stats = &campaign.stats;
    let rare = [stats.fenced, stats.expired, stats.newer, stats.withheld, stats.outdated];
    let rare = rare.into_iter().min().unwrap_or_default();
    if rare < FIRED_MIN {
        println!(
            "not tested: fences, expired documents, newer builds, or replies that were withheld or \
             outdated, seen only {rare} times"
        );
    }
    println!("{campaign}");
    if rare >= FIRED_MIN && campaign.broken.is_empty() && untested.is_empty() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

/// Plays until the seeds or the time run out or a seed breaks, and reports progress now and then.
fn run(first: u64, seeds: u64, time: Option<Duration>, draw: fn(u64) -> Plan) -> Campaign {
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let began = Instant::now();
    let mut campaign = Campaign::default();
    while campaign.seeds < seeds && campaign.broken.is_empty() {
        if time.is_some_and(|time| began.elapsed() >= time) {
            break;
        }
        let step = STEP.min(seeds - campaign.seeds);
        campaign.merge(Campaign::run_plans(first + campaign.seeds, step, threads, draw));
        if campaign.seeds.is_multiple_of(10 * STEP) {
            eprintln!("  ... {campaign}");
        }
    }
    campaign
}
