//! Runs of the simulator, a few thousand seeds of them.

#[test]
fn seeds() {
    let mut turns = 0;
    for seed in 0..2000 {
        let plan = sayso_sim::Plan::draw(seed);
        let report = sayso_sim::play(&plan, false);
        turns += report.turns;
        if !report.violations.is_empty() {
            let told = sayso_sim::play(&plan, true);
            println!("{plan:?}\n{}", told.timeline.join("\n"));
            panic!("{:?}", report.violations);
        }
    }
    println!("{turns} turns");
}
