//! Plays many seeds, prints one line, and fails if anything broke or any fault was not tested.
//!
//! `cargo run --release -p sayso-sim --example campaign -- 100000`

#![expect(clippy::print_stdout, reason = "a tool that prints")]

use std::process::ExitCode;

use sayso_sim::Campaign;

fn main() -> ExitCode {
    let number = |nth, default| {
        std::env::args().nth(nth).and_then(|text| text.parse().ok()).unwrap_or(default)
    };
    let (count, first) = (number(1, 100_000), number(2, 0));
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let campaign = Campaign::run(first, count, threads);
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
    println!("{campaign}");
    if campaign.broken.is_empty() && untested.is_empty() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}
