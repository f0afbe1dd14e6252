//! Cost of encryption at rest: turns and loads with and without it, in memory and on SQLite.
//!
//! The cases take turns, round by round; what is shown is the median of the rounds and, in
//! brackets, where their middle half lies. A turn of a warm conversation saves and does not load;
//! a load is what the first turn of a conversation adds.
//!
//! `--quick` measures little: a check that everything works, not a result.

#![expect(clippy::print_stdout, reason = "a benchmark prints its figures")]

use std::{path::Path, process::ExitCode, sync::Arc};

use sayso_bench::{
    inputs,
    measure::{Cost, Middle},
    pizza::Cut,
    world::World,
};
use sayso_stores::{
    SqliteStore,
    encrypting::{Encrypting, KeyRing, NameKey},
};
use sayso_turn::store::{MemoryStore, Store};

const KEYS: &str = "a:MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE=";
const NAMES: &str = "bmFtZXMgbmFtZXMgbmFtZXMgbmFtZXMgbmFtZXMgISE=";

/// Conversations in flight on SQLite, whose saves share transactions.
const MANY: usize = 64;

/// Loads of a round.
const LOADS: usize = 500;

/// Extent of the encryption.
#[derive(Clone, Copy)]
enum Extent {
    None,
    Bodies,
    BodiesAndNames,
}

struct Case {
    name: &'static str,
    extent: Extent,
    world: World,
    store: Arc<dyn Store>,
    turns: usize,
    turn: Vec<Cost>,
    load: Vec<Cost>,
}

impl Case {
    fn new(name: &'static str, extent: Extent, store: Arc<dyn Store>, scale: usize) -> Self {
        let keys = KeyRing::parse(KEYS).expect("a key ring");
        let names = NameKey::parse(NAMES).expect("a key for names");
        let store: Arc<dyn Store> = match extent {
            Extent::None => store,
            Extent::Bodies => Arc::new(Encrypting::new(store, keys)),
            Extent::BodiesAndNames => {
                let store = Encrypting::new(store, keys).with_names(names);
                Arc::new(store.expect("nothing is accepted in clear"))
            }
        };
        let (conversations, turns) = match name {
            "memory" => (1, 300 * scale),
            _ => (MANY, 4 * scale),
        };
        let world = World::over(Arc::clone(&store), Cut::Whole, conversations);
        Self { name, extent, world, store, turns, turn: Vec::new(), load: Vec::new() }
    }

    fn measure(&mut self) {
        let messages = self.world.messages(self.turns);
        let steps = messages.len() * self.turns;
        self.turn.push(Cost::of(steps, || self.world.run(messages)));
        let (key, store) = (inputs::key(0), &self.store);
        let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
        self.load.push(Cost::of(LOADS, || {
            runtime.block_on(async {
                for _ in 0..LOADS {
                    let stored = store.load(&key).await.expect("the store answers");
                    assert!(stored.is_some(), "the document exists");
                }
            });
        }));
    }

    fn print(&self, plain: &Self) {
        let extent = match self.extent {
            Extent::None => "in clear",
            Extent::Bodies => "encrypted",
            Extent::BodiesAndNames => "encrypted, hashed names",
        };
        let name = format!("{}, {extent}", self.name);
        let cpu = |costs: &[Cost]| Middle::of(costs.iter().map(|cost| cost.cpu));
        // Round by round, so that what else the machine does meets both.
        let more = |own: &[Cost], plain: &[Cost]| {
            let pairs = own.iter().zip(plain);
            Middle::of(pairs.map(|(own, plain)| (own.cpu / plain.cpu - 1.0) * 100.0))
        };
        let (turn, load) = (cpu(&self.turn), cpu(&self.load));
        let per_second = 1e6 / turn.median;
        print!("{name:<46}{turn:>22}{:>20}%", more(&self.turn, &plain.turn));
        println!("{per_second:>10.0}{load:>20}");
    }
}

fn main() -> ExitCode {
    let is_quick = std::env::args().any(|argument| argument == "--quick");
    let (rounds, scale) = if is_quick { (5, 1) } else { (31, 10) };
    let folder = tempfile::tempdir_in(Path::new(env!("CARGO_TARGET_TMPDIR")));
    let folder = folder.expect("the build folder takes files");
    let sqlite = |name: &str| -> Arc<dyn Store> {
        Arc::new(SqliteStore::open(folder.path().join(name)).expect("the file can be opened"))
    };
    let memory = || -> Arc<dyn Store> { Arc::new(MemoryStore::default()) };
    let mut cases = [
        Case::new("memory", Extent::None, memory(), scale),
        Case::new("memory", Extent::Bodies, memory(), scale),
        Case::new("memory", Extent::BodiesAndNames, memory(), scale),
        Case::new("SQLite, 64 in flight", Extent::None, sqlite("clear"), scale),
        Case::new("SQLite, 64 in flight", Extent::Bodies, sqlite("bodies"), scale),
        Case::new("SQLite, 64 in flight", Extent::BodiesAndNames, sqlite("names"), scale),
    ];
    for _ in 0..rounds {
        cases.iter_mut().for_each(Case::measure);
    }
    let bytes = cases.first().map_or(0, |case| case.world.document_bytes());
    println!("\nA turn of the pizza bot, document {bytes} bytes. Microseconds of CPU time of the");
    println!("process, median of {rounds} rounds (middle half).\n");
    println!(
        "{:<46}{:>22}{:>21}{:>10}{:>20}",
        "", "a turn", "more than in clear", "per CPU s", "a load"
    );
    let [memory, _, _, sqlite, ..] = &cases;
    for case in &cases {
        case.print(if case.name == "memory" { memory } else { sqlite });
    }
    ExitCode::SUCCESS
}
