//! Whole turns on PostgreSQL, Redis and SQLite, beside saves by their client libraries alone.
//!
//! For each engine these take turns, round by round, so that whatever else the machine does meets
//! all of them alike: conditional saves by the client library, one document a statement and, where
//! the engine gains by it, many in one; the same saves by our store; and whole turns, from
//! `Engine::receive` until the reply is with the channel. What is shown is the median of the rounds
//! and, in brackets, where their middle half lies. With `SAYSO_BENCH_RESULTS` every round is noted
//! in a file in that folder.
//!
//! The servers are those that `SAYSO_TEST_POSTGRES` and `SAYSO_TEST_REDIS` name;
//! `scripts/bench engines` starts some. `--quick` measures little: a check that everything works,
//! not a result. `--turns` runs turns and nothing else, for a profiler.

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a benchmark prints its figures")]

mod case;

use std::{
    error::Error,
    fs::File,
    path::{Path, PathBuf},
    process::ExitCode,
    sync::Arc,
    time::Instant,
};

use sayso_bench::{
    inputs,
    raw::{BatchedPostgres, Bodies, Raw, RawPostgres, RawRedis, RawSqlite, ServerCpu},
    saves::Saves,
    world::World,
};
use sayso_stores::{PostgresStore, RedisStore, SqliteStore};
use sayso_turn::store::{MemoryStore, Store};
use tokio::runtime::{Builder, Runtime};

use self::case::{Case, Way};

/// The allocator that we recommend for production; the raw saves run on it, too.
#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

/// Concurrency: saves or turns in flight.
const MANY: usize = 64;

/// Documents in a SQLite file; those that are written lie scattered among them.
const DOCUMENTS: usize = 20_000;

const USAGE: &str = "usage: cargo bench -p sayso-bench --features engines --bench engines -- [--quick] [--turns] [postgres] [redis] [sqlite]";

/// Fixture shared by the measurements of all engines.
struct Bench {
    /// The runtime that bots use: a thread for each core.
    runtime: Arc<Runtime>,
    folder: PathBuf,
    /// Documents as two successive turns saved them.
    bodies: Bodies,
    /// Tells this run from others on the same server.
    name: String,
}

const ALONE: &str = "raw saves";
const BATCHED: &str = "raw saves, batched";

/// Share of the machine's CPU that other programs may take before rates say little.
const QUIET: f64 = 0.1;

/// Whole turns.
struct Turns(World);

impl Bench {
    fn new(folder: &Path) -> Result<Self, Box<dyn Error>> {
        let runtime = Arc::new(Builder::new_multi_thread().enable_all().build()?);
        let store = Arc::new(MemoryStore::default());
        let mut sample = World::small(Arc::clone(&runtime), Arc::clone(&store) as _, 1, vec![0]);
        let mut next = || -> Result<Arc<str>, Box<dyn Error>> {
            let message = sample.messages(1);
            sample.run(message);
            // The reply is with the channel, but still in the document: the next commit takes it
            // out.
            let stored = runtime.block_on(store.load(&inputs::key(0)))?;
            Ok(stored.ok_or("the sample has no document")?.body.into())
        };
        let bodies = [next()?, next()?];
        let name = format!("sayso_bench_{}", std::process::id());
        Ok(Self { runtime, folder: folder.to_owned(), bodies, name })
    }

    fn postgres(&self) -> Result<Case, Box<dyn Error>> {
        let (url, name) = (server("SAYSO_TEST_POSTGRES")?, &self.name);
        let open = |table| {
            let url = with(&url, &format!("schema={name}&table={table}"));
            self.runtime.block_on(async move { PostgresStore::open_url(&url).await })
        };
        let (turns, saves) = (Arc::new(open("turns")?), Arc::new(open("saves")?));
        let (runtime, bodies) = (Arc::clone(&self.runtime), self.bodies.clone());
        let raw = RawPostgres::open(runtime, &url, name, MANY, bodies)?;
        let runtime = Arc::clone(&self.runtime);
        let batched = BatchedPostgres::open(runtime, &url, name, MANY, &self.bodies)?;
        let server_cpu = raw.server_cpu();
        let raw = vec![Way::new(BATCHED, true, batched), Way::new(ALONE, true, raw)];
        let counted = Arc::clone(&turns);
        let flushes = move || Some(counted.stats().commits);
        Ok(self.case("PostgreSQL", MANY, (turns, saves), flushes, raw, server_cpu))
    }

    fn redis(&self) -> Result<Case, Box<dyn Error>> {
        let (url, name) = (server("SAYSO_TEST_REDIS")?, &self.name);
        let open = |part| {
            let url = with(&url, &format!("prefix={name}:{part}"));
            self.runtime.block_on(async move { RedisStore::open_url(&url).await })
        };
        let (turns, saves) = (Arc::new(open("turns")?), Arc::new(open("saves")?));
        let (runtime, bodies) = (Arc::clone(&self.runtime), self.bodies.clone());
        let raw = RawRedis::open(runtime, &url, name, MANY, bodies)?;
        let server_cpu = raw.server_cpu();
        let raw = vec![Way::new(ALONE, true, raw)];
        let counted = Arc::clone(&turns);
        let flushes = move || Some(counted.stats().commits);
        Ok(self.case("Redis", MANY, (turns, saves), flushes, raw, server_cpu))
    }

    fn sqlite(&self, name: &'static str, documents: usize) -> Result<Case, Box<dyn Error>> {
        let open = |name| {
            SqliteStore::open(self.folder.join(format!("{name}-{documents}.sqlite"))).map(Arc::new)
        };
        let (turns, saves) = (open("turns")?, open("saves")?);
        let numbers = inputs::scattered(MANY, documents);
        let raw =
            |batch| RawSqlite::open(&self.folder, documents, &numbers, batch, self.bodies.clone());
        let raw = vec![Way::new(BATCHED, true, raw(MANY)?), Way::new(ALONE, true, raw(1)?)];
        let counted = Arc::clone(&turns);
        let flushes = move || Some(counted.stats().commits);
        Ok(self.case(name, documents, (turns, saves), flushes, raw, Box::new(|| None)))
    }

    fn case(
        &self,
        name: &'static str,
        documents: usize,
        (turns, saves): (Arc<dyn Store>, Arc<dyn Store>),
        flushes: impl Fn() -> Option<u64> + 'static,
        raw: Vec<Way>,
        server_cpu: ServerCpu,
    ) -> Case {
        let numbers = inputs::scattered(MANY, documents);
        let (runtime, bodies) = (Arc::clone(&self.runtime), self.bodies.clone());
        let saves = Saves::on(Arc::clone(&runtime), saves, bodies, documents, &numbers);
        let world = World::small(runtime, turns, documents, numbers);
        let mut ways = vec![
            Way::new("turns", false, Turns(world)),
            Way::new("saves of our store", false, saves),
        ];
        ways.extend(raw);
        Case { name, flushes: Box::new(flushes), server_cpu, ways, rounds: 0 }
    }
}

impl Raw for Turns {
    fn run(&mut self, count: usize) {
        self.0.talk(count);
    }

    fn rest(&mut self) {
        self.0.rest();
    }

    fn commits(&self) -> Option<u64> {
        Some(self.0.commits())
    }
}

fn main() -> ExitCode {
    let (mut is_quick, mut is_profiled, mut chosen) = (false, false, Vec::new());
    for argument in std::env::args().skip(1) {
        match argument.as_str() {
            "--quick" => is_quick = true,
            "--turns" => is_profiled = true,
            // Cargo passes this to every benchmark.
            "--bench" => {}
            "postgres" | "redis" | "sqlite" => chosen.push(argument),
            _ => {
                eprintln!("{USAGE}");
                return ExitCode::from(2);
            }
        }
    }
    match run(is_quick, is_profiled, &chosen) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("engines: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(is_quick: bool, is_profiled: bool, chosen: &[String]) -> Result<(), Box<dyn Error>> {
    let folder = tempfile::tempdir_in(Path::new(env!("CARGO_TARGET_TMPDIR")))?;
    let bench = Bench::new(folder.path())?;
    let is_chosen = |name: &str| chosen.is_empty() || chosen.iter().any(|chosen| chosen == name);
    let mut cases = Vec::new();
    if is_chosen("postgres") {
        cases.push(bench.postgres()?);
    }
    if is_chosen("redis") {
        cases.push(bench.redis()?);
    }
    if is_chosen("sqlite") {
        cases.push(bench.sqlite("SQLite", DOCUMENTS)?);
        cases.push(bench.sqlite("SQLite, no others", MANY)?);
    }
    if is_profiled {
        for way in cases.iter_mut().filter_map(|case| case.ways.first_mut()) {
            way.warm_up(5e6);
            way.warm_up(0.0);
        }
        return Ok(());
    }
    // Long enough that a slow flush or two do not decide a round.
    let (rounds, micros) = if is_quick { (5, 5e4) } else { (61, 12e4) };
    let ways = cases.iter_mut().flat_map(|case| &mut case.ways);
    ways.for_each(|way| way.warm_up(micros));
    let (began, before) = (Instant::now(), cpu_of_machine());
    for _ in 0..rounds {
        cases.iter_mut().for_each(Case::measure);
    }
    let (took, after) = (began.elapsed(), cpu_of_machine());
    let ours: f64 = cases.iter().flat_map(|case| &case.ways).map(Way::cpu).sum();
    println!(
        "\n{MANY} in flight, documents of {} bytes, messages of {} bytes (copies of a parsed one).",
        bench.bodies[1].len(),
        inputs::MESSAGE_BYTES,
    );
    println!(
        "Raw saves: by the client library alone, one document a statement or (batched) many, all durable."
    );
    println!(
        "CPU us each: of this process, and of the server. Median of {rounds} rounds (middle half).\n"
    );
    println!(
        "{:<38}{:>22}{:>20}{:>20}{:>19}",
        "", "per second", "CPU", "of the server", "for the best raw"
    );
    cases.iter().for_each(Case::print);
    if let Some((before, after)) = before.zip(after) {
        let cores = std::thread::available_parallelism()?.get() as f64;
        let others = (after - before - ours) / (took.as_micros() as f64 * cores);
        print!("Other programs took {:.0} % of the machine's CPU.", others.max(0.0) * 100.0);
        if others > QUIET {
            print!(
                " That is too much for rates: what waits for one thread or one flush suffers more than \
                 what waits for many. Compare the CPU times."
            );
        }
        println!();
    }
    if let Some(folder) = std::env::var_os("SAYSO_BENCH_RESULTS") {
        let mut results = File::create(Path::new(&folder).join("engines.jsonl"))?;
        cases.iter().try_for_each(|case| case.note(&mut results))?;
    }
    Ok(())
}

/// CPU time of all programs on this machine since it started, in microseconds, if the system tells.
fn cpu_of_machine() -> Option<f64> {
    let stat = std::fs::read_to_string("/proc/stat").ok()?;
    let mut ticks = stat.lines().next()?.split_whitespace().skip(1).map(str::parse::<f64>);
    let mut next = || ticks.next()?.ok();
    let (user, nice, system) = (next()?, next()?, next()?);
    let (_idle, _waiting, irq, softirq, stolen) = (next()?, next()?, next()?, next()?, next()?);
    // A hundred ticks are a second on every Linux.
    Some((user + nice + system + irq + softirq + stolen) * 1e4)
}

/// The URL of a server.
fn server(variable: &str) -> Result<String, String> {
    std::env::var(variable).map_err(|_| {
        format!(
            "{variable} does not name a server; run `scripts/bench engines`, which starts one, or \
             set it to the URL of one that may be written to"
        )
    })
}

/// A URL with further parameters.
fn with(url: &str, parameters: &str) -> String {
    let separator = if url.contains('?') { '&' } else { '?' };
    format!("{url}{separator}{parameters}")
}
