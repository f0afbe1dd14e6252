//! Regression tests: seeds that broke something once, and some that never did.

use sayso_sim::{Campaign, Plan, play};

fn known() -> Vec<u64> {
    let lines = include_str!("../../seeds.txt").lines();
    let seeds = lines.filter(|line| !line.starts_with('#'));
    seeds.map(|line| line.split_whitespace().next().unwrap().parse().unwrap()).collect()
}

#[test]
fn seeds_that_once_broke_something_hold() {
    assert!(!known().is_empty());
    for seed in known() {
        assert_eq!(play(&Plan::draw(seed), false).violations, [""; 0], "seed {seed}");
    }
}

#[test]
fn a_thousand_seeds_hold() {
    let campaign = Campaign::run(0, 1000, 2);
    assert!(campaign.broken.is_empty(), "{:?}", campaign.broken);
    assert!(campaign.turns > 5000, "{campaign}");
}
