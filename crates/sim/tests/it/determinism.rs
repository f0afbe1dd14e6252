//! The same seed gives the same run, to the last line of its time line.

use sayso_sim::{Plan, play};

#[test]
fn a_seed_replays_alone_and_exactly() {
    for seed in 0..200 {
        let plan = Plan::draw(seed);
        let (first, again) = (play(&plan, true), play(&plan, true));
        assert_eq!(first.timeline, again.timeline, "seed {seed}");
        assert_eq!(first.faults, again.faults, "seed {seed}");
        assert_eq!(play(&plan, false).turns, first.turns, "telling changes nothing");
    }
}

#[test]
fn a_calm_world_has_no_faults_and_every_turn_once() {
    for seed in 0..200 {
        let plan = Plan::calm(seed);
        let report = play(&plan, false);
        assert_eq!(report.violations, [""; 0], "seed {seed}");
        assert!(report.faults.is_empty());
        assert_eq!(report.turns, plan.activities as u64, "seed {seed}");
        assert_eq!(report.stats.repeats, 0, "seed {seed}");
    }
}
