//! CPU and wall time of whole turns, in memory and on SQLite.
//!
//! The cases take turns, round by round, so that whatever else the machine does meets all of them
//! alike; what is shown is the median of the rounds and, in brackets, where their middle half lies.
//! A turn is counted from `Engine::receive` until its reply is with the channel. SQLite is compared
//! with the least it could do: conditional saves of documents of the same size, and nothing else.
//!
//! `--quick` measures little: a check that everything works, not a result.

#![expect(clippy::print_stdout, reason = "a benchmark prints its figures")]

use std::{path::Path, process::ExitCode, sync::Arc};

use sayso_bench::{
    inputs,
    measure::{Cost, Middle},
    pizza::{self, Cut},
    saves::Saves,
    world::World,
};

/// Concurrency: conversations in flight, in the cases with more than one.
const MANY: usize = 64;

/// A measured workload: turns, or raw saves.
struct Case {
    name: &'static str,
    work: Work,
    /// Steps per conversation and round.
    steps: usize,
    rounds: Vec<Round>,
}

enum Work {
    Turns(Box<World>),
    Saves(Box<Saves>),
}

/// Measurements of one round, per step.
struct Round {
    cost: Cost,
    commits: f64,
    flushes: f64,
}

impl Case {
    fn turns(name: &'static str, world: World, steps: usize) -> Self {
        Self { name, work: Work::Turns(Box::new(world)), steps, rounds: Vec::new() }
    }

    fn saves(name: &'static str, saves: Saves, steps: usize) -> Self {
        Self { name, work: Work::Saves(Box::new(saves)), steps, rounds: Vec::new() }
    }

    /// Commits and flushes so far.
    fn counts(&self) -> (u64, u64) {
        match &self.work {
            Work::Turns(world) => (world.commits(), world.flushes()),
            Work::Saves(saves) => (saves.commits(), saves.flushes()),
        }
    }

    fn measure(&mut self) {
        let before = self.counts();
        let (steps, cost) = match &mut self.work {
            Work::Turns(world) => {
                let messages = world.messages(self.steps);
                let steps = messages.len() * self.steps;
                (steps, Cost::of(steps, || world.run(messages)))
            }
            Work::Saves(saves) => {
                let steps = saves.conversations() * self.steps;
                (steps, Cost::of(steps, || saves.run(self.steps)))
            }
        };
        let after = self.counts();
        let commits = (after.0 - before.0) as f64 / steps as f64;
        let flushes = (after.1 - before.1) as f64 / steps as f64;
        self.rounds.push(Round { cost, commits, flushes });
    }

    fn middle(&self, figure: impl Fn(&Round) -> f64) -> Middle {
        Middle::of(self.rounds.iter().map(figure))
    }

    fn print(&self) {
        let Self { name, .. } = self;
        let per_second = 1e6 / self.middle(|round| round.cost.wall).median;
        let cpu = self.middle(|round| round.cost.cpu);
        let own = self.middle(|round| round.cost.own);
        let wall = self.middle(|round| round.cost.wall);
        let commits = self.middle(|round| round.commits).median;
        let flushes = self.middle(|round| round.flushes).median;
        print!("{name:<31}{cpu:>22}{own:>21}{wall:>22}");
        println!("{per_second:>8.0}{commits:>9.2}{flushes:>9.3}");
    }

    /// Throughput of these turns relative to the given saves, round by round.
    fn speed_beside(&self, saves: &Self) -> Middle {
        let rounds = self.rounds.iter().zip(&saves.rounds);
        Middle::of(rounds.map(|(turn, save)| save.cost.wall / turn.cost.wall))
    }
}

fn main() -> ExitCode {
    let mut is_quick = false;
    for argument in std::env::args().skip(1) {
        match argument.as_str() {
            "--quick" => is_quick = true,
            // Cargo passes this to every benchmark.
            "--bench" => {}
            _ => {
                println!("usage: cargo bench -p sayso-bench --bench turn -- [--quick]");
                return ExitCode::from(2);
            }
        }
    }
    let folder = tempfile::tempdir_in(Path::new(env!("CARGO_TARGET_TMPDIR")));
    let folder = folder.expect("the build folder takes files");
    let (rounds, scale) = if is_quick { (5, 1) } else { (31, 10) };
    let mut cases = cases(folder.path(), scale);
    for _ in 0..rounds {
        cases.iter_mut().for_each(Case::measure);
    }
    print(&cases, rounds);
    ExitCode::SUCCESS
}

fn cases(folder: &Path, scale: usize) -> [Case; 7] {
    let sub = |name: &str| {
        let path = folder.join(name);
        std::fs::create_dir(&path).expect("the build folder takes folders");
        path
    };
    let one = World::sqlite(&sub("one"), Cut::Whole, 1);
    let many = World::sqlite(&sub("many"), Cut::Whole, MANY);
    let body: Arc<str> = "x".repeat(one.document_bytes()).into();
    let save_one = Saves::new(&sub("save-one"), 1, Arc::clone(&body));
    let save_many = Saves::new(&sub("save-many"), MANY, body);
    [
        Case::turns("memory, 1 in flight", World::memory(Cut::Whole, 1), 300 * scale),
        Case::turns("memory, 1 in flight, apart", World::memory(Cut::Apart, 1), 300 * scale),
        Case::turns("memory, 64 in flight", World::memory(Cut::Whole, MANY), 5 * scale),
        Case::turns("SQLite, 1 in flight", one, 20 * scale),
        Case::saves("SQLite, 1 in flight, raw save", save_one, 20 * scale),
        Case::turns("SQLite, 64 in flight", many, 4 * scale),
        Case::saves("SQLite, 64 in flight, raw save", save_many, 4 * scale),
    ]
}

fn print(cases: &[Case; 7], rounds: usize) {
    let [_, _, _, one, save_one, many, save_many] = cases;
    let Work::Turns(world) = &one.work else { return };
    println!(
        "\nA turn of the pizza bot: state {} bytes, message {} bytes (parsed before), document {} bytes.",
        pizza::STATE_BYTES,
        inputs::MESSAGE_BYTES,
        world.document_bytes(),
    );
    println!("Every turn reads and writes all of the state, or (apart) a small property of it.");
    println!("Microseconds per turn, median of {rounds} rounds (middle half).\n");
    println!(
        "{:<31}{:>22}{:>21}{:>22}{:>8}{:>9}{:>9}",
        "", "CPU", "CPU of the engine", "wall", "per s", "commits", "flushes"
    );
    cases.iter().for_each(Case::print);
    println!("\nTurns for one raw conditional save, by wall time (goal: 0.85):");
    for (name, turns, saves) in [("1 in flight", one, save_one), ("64 in flight", many, save_many)]
    {
        let Middle { median, low, high } = turns.speed_beside(saves);
        println!("  {name:<28}{median:.2} ({low:.2}-{high:.2})");
    }
}
