//! Plays seeds and prints what broke.
fn main() {
    let mut args = std::env::args().skip(1).map(|a| a.parse::<u64>().unwrap());
    let (from, to) = (args.next().unwrap(), args.next().unwrap());
    let told = args.next().is_some();
    for seed in from..to {
        let began = std::time::Instant::now();
        eprintln!("seed {seed}");
        let plan = sayso_sim::Plan::draw(seed);
        let report = sayso_sim::play(&plan, told);
        let took = began.elapsed();
        if told {
            println!("{plan:?}\n{}", report.timeline.join("\n"));
        }
        if took.as_millis() > 100 || !report.violations.is_empty() {
            println!(
                "seed {seed}: {:?} {} turns {:?} sim {:?}",
                took, report.turns, report.violations, report.simulated
            );
        }
    }
}
