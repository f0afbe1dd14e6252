//! Regression tests: seeds that broke something once, and some that never did.

use sayso_sim::{Campaign, Fault, Plan, play};

/// The plan of a line: a seed, and `durable` where nearly every turn took durable steps.
fn plan(line: &str) -> Plan {
    let mut words = line.split_whitespace();
    let seed = words.next().unwrap().parse().unwrap();
    if words.next() == Some("durable:") { Plan::draw_durable(seed) } else { Plan::draw(seed) }
}

fn known() -> Vec<Plan> {
    let lines = include_str!("../../seeds.txt").lines();
    lines.filter(|line| !line.starts_with('#')).map(plan).collect()
}

#[test]
fn seeds_that_once_broke_something_hold() {
    assert!(!known().is_empty());
    for plan in known() {
        assert_eq!(play(&plan, false).violations, [""; 0], "seed {}", plan.seed);
    }
}

#[test]
fn two_hundred_worlds_of_durable_steps_hold() {
    let campaign = Campaign::run_plans(0, 200, 2, Plan::draw_durable);
    assert!(campaign.broken.is_empty(), "{:?}", campaign.broken);
    assert!(campaign.faults[&Fault::Steps] > 1000, "{:?}", campaign.faults);
}

#[test]
fn a_thousand_seeds_hold() {
    let campaign = Campaign::run(0, 1000, 2);
    assert!(campaign.broken.is_empty(), "{:?}", campaign.broken);
    assert!(campaign.turns > 5000, "{campaign}");
}
