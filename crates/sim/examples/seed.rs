//! Plays one seed and prints its time line: who did what, and when. A broken one is shrunk first.
//!
//! `cargo run --release -p sayso-sim --example seed -- 1574`, or `-- 1574 durable` for a world in
//! which nearly every turn takes durable steps.

#![expect(clippy::print_stdout, reason = "a tool that prints")]

use sayso_sim::{Plan, play, shrink};

fn main() {
    let seed = std::env::args().nth(1).and_then(|text| text.parse().ok());
    let Some(seed) = seed else {
        println!(
            "which seed? for example: cargo run --release -p sayso-sim --example seed -- 1574"
        );
        return;
    };
    let plan = match std::env::args().nth(2).as_deref() {
        Some("durable") => Plan::draw_durable(seed),
        _ => Plan::draw(seed),
    };
    let is_broken = !play(&plan, false).violations.is_empty();
    let plan = if is_broken { shrink(&plan) } else { plan };
    let report = play(&plan, true);
    println!("{plan:#?}\n");
    println!("{}", report.timeline.join("\n"));
    println!("\n{} turns in {:?} of simulated time", report.turns, report.simulated);
    match report.violations.as_slice() {
        [] => println!("every invariant holds"),
        broken => println!("broken, and shrunk to this:\n  {}", broken.join("\n  ")),
    }
}
