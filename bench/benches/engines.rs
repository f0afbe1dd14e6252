//! Whole turns on PostgreSQL, Redis and SQLite, beside saves by their client libraries alone.
//!
//! For each engine these take turns, round by round, so that whatever else the machine does meets all of
//! them alike: conditional saves by the client library, one document a statement and, where the engine
//! gains by it, many in one; the same saves by our store; and whole turns, from `Engine::receive` until
//! the reply is with the channel. What is shown is the median of the rounds and, in brackets, where
//! their middle half lies. With `SAYSO_BENCH_RESULTS` every round is noted in a file in that folder.
//!
//! The servers are those that `SAYSO_TEST_POSTGRES` and `SAYSO_TEST_REDIS` name; `scripts/bench engines`
//! starts some. `--quick` measures little: a check that everything works, not a result.

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a benchmark prints its figures")]

use std::{
    error::Error,
    fs::File,
    io::Write,
    path::{Path, PathBuf},
    process::ExitCode,
    sync::Arc,
};

use sayso_bench::{
    inputs,
    measure::{Cost, Middle},
    raw::{BatchedPostgres, Raw, RawPostgres, RawRedis, RawSqlite},
    saves::Saves,
    world::World,
};
use sayso_stores::{PostgresStore, RedisStore, SqliteStore};
use sayso_turn::store::{MemoryStore, Store};
use tokio::runtime::{Builder, Runtime};

/// How many saves or turns are in flight at the same time.
const MANY: usize = 64;

const USAGE: &str =
    "usage: cargo bench -p sayso-bench --bench engines -- [--quick] [postgres] [redis] [sqlite]";

/// What all engines are measured with.
struct Bench {
    /// As bots have it: a thread for each core.
    runtime: Arc<Runtime>,
    folder: PathBuf,
    /// As large as the document that a turn saves.
    body: Arc<str>,
    /// Tells this run from others on the same server.
    name: String,
}

/// How many turns there should be for one raw save by the best pattern.
const GOAL: f64 = 0.85;

/// An engine, several ways.
struct Case {
    name: &'static str,
    /// How many steps each conversation has in a round.
    steps: usize,
    turns: World,
    saves: Saves,
    /// Many saves in one, where that is better.
    batched: Option<Box<dyn Raw>>,
    // Last: it cleans the server up.
    raw: Box<dyn Raw>,
    rounds: Vec<Round>,
}

struct Round {
    raw: Cost,
    batched: Option<Cost>,
    saves: Cost,
    turns: Cost,
    commits: f64,
    /// CPU time of the server for a raw save and for a turn, where it can be asked.
    server: Option<(f64, f64)>,
}

impl Bench {
    fn new(folder: &Path) -> Result<Self, Box<dyn Error>> {
        let runtime = Arc::new(Builder::new_multi_thread().enable_all().build()?);
        let mut sample = World::small(Arc::clone(&runtime), Arc::new(MemoryStore::default()), 1);
        let message = sample.messages(1);
        sample.run(message);
        // The reply is with the channel, but still in the document: the next commit takes it out.
        let body = "x".repeat(sample.document_bytes()).into();
        let name = format!("sayso_bench_{}", std::process::id());
        Ok(Self { runtime, folder: folder.to_owned(), body, name })
    }

    fn postgres(&self) -> Result<Case, Box<dyn Error>> {
        let (url, name) = (server("SAYSO_TEST_POSTGRES")?, &self.name);
        let open = |table| {
            let url = with(&url, &format!("schema={name}&table={table}"));
            self.runtime.block_on(async move { PostgresStore::open_url(&url).await })
        };
        let (turns, saves) = (Arc::new(open("turns")?), Arc::new(open("saves")?));
        let (runtime, body) = (Arc::clone(&self.runtime), Arc::clone(&self.body));
        let raw = Box::new(RawPostgres::open(runtime, &url, name, MANY, body)?);
        let runtime = Arc::clone(&self.runtime);
        let batched = BatchedPostgres::open(runtime, &url, name, MANY, &self.body)?;
        Ok(self.case("PostgreSQL", 20, turns, saves, (raw, Some(Box::new(batched)))))
    }

    fn redis(&self) -> Result<Case, Box<dyn Error>> {
        let (url, name) = (server("SAYSO_TEST_REDIS")?, &self.name);
        let open = |part| {
            let url = with(&url, &format!("prefix={name}:{part}"));
            self.runtime.block_on(async move { RedisStore::open_url(&url).await })
        };
        let (turns, saves) = (Arc::new(open("turns")?), Arc::new(open("saves")?));
        let (runtime, body) = (Arc::clone(&self.runtime), Arc::clone(&self.body));
        let raw = Box::new(RawRedis::open(runtime, &url, name, MANY, body)?);
        Ok(self.case("Redis", 60, turns, saves, (raw, None)))
    }

    fn sqlite(&self) -> Result<Case, Box<dyn Error>> {
        let open = |name| SqliteStore::open(self.folder.join(name)).map(Arc::new);
        let (turns, saves) = (open("turns.sqlite")?, open("saves.sqlite")?);
        let raw = |batch| RawSqlite::open(&self.folder, MANY, batch, Arc::clone(&self.body));
        let (raw, batched) = (Box::new(raw(1)?), Box::new(raw(MANY)?));
        Ok(self.case("SQLite", 10, turns, saves, (raw, Some(batched))))
    }

    fn case(
        &self,
        name: &'static str,
        steps: usize,
        turns: Arc<dyn Store>,
        saves: Arc<dyn Store>,
        (raw, batched): (Box<dyn Raw>, Option<Box<dyn Raw>>),
    ) -> Case {
        let turns = World::small(Arc::clone(&self.runtime), turns, MANY);
        let (runtime, body) = (Arc::clone(&self.runtime), Arc::clone(&self.body));
        let saves = Saves::on(runtime, saves, MANY, body);
        Case { name, steps, turns, saves, batched, raw, rounds: Vec::new() }
    }
}

impl Round {
    /// What a raw save takes by the best pattern.
    fn best(&self) -> f64 {
        self.batched.map_or(self.raw.wall, |batched| batched.wall.min(self.raw.wall))
    }
}

impl Case {
    fn measure(&mut self, scale: usize) {
        let steps = self.steps * scale;
        let Self { raw, batched, saves, turns, .. } = self;
        let began = raw.cpu_of_server();
        let raw_cost = Cost::of(steps * MANY, || raw.run(steps));
        let has_saved = raw.cpu_of_server();
        let batched = batched.as_mut().map(|batched| Cost::of(steps * MANY, || batched.run(steps)));
        let saves = Cost::of(steps * MANY, || saves.run(steps));
        let (messages, before) = (turns.messages(steps), turns.commits());
        let begins_turns = raw.cpu_of_server();
        let turns_cost = Cost::of(steps * MANY, || turns.run(messages));
        let has_turned = raw.cpu_of_server();
        let each = |count: f64| count / (steps * MANY) as f64;
        let commits = each((turns.commits() - before) as f64);
        let between = |from: Option<f64>, to: Option<f64>| Some(each(to? - from?));
        let server = between(began, has_saved).zip(between(begins_turns, has_turned));
        // What is left must not fall into the time of the next one.
        self.turns.rest();
        let (raw, turns) = (raw_cost, turns_cost);
        self.rounds.push(Round { raw, batched, saves, turns, commits, server });
    }

    /// Notes what every round showed as a line of JSON, in the form of the other results.
    fn note(&self, results: &mut impl Write) -> std::io::Result<()> {
        for round in &self.rounds {
            let best = round.best();
            writeln!(
                results,
                r#"{{"who":"sayso","case":"{}","size":{MANY},"figures":{{"turns_s":{},"raw_s":{},"best_raw_s":{},"turns_for_a_save":{},"cpu_us":{}}}}}"#,
                self.name,
                1e6 / round.turns.wall,
                1e6 / round.raw.wall,
                1e6 / best,
                best / round.turns.wall,
                round.turns.cpu,
            )?;
        }
        Ok(())
    }

    fn print(&self) {
        let middle = |figure: fn(&Round) -> f64| Middle::of(self.rounds.iter().map(figure));
        let line = |name: &str, wall: fn(&Round) -> f64, cpu: fn(&Round) -> f64| {
            let rates = Middle::of(self.rounds.iter().map(|round| 1e6 / wall(round)));
            let ratio = Middle::of(self.rounds.iter().map(|round| round.best() / wall(round)));
            let (Middle { median, low, high }, cpu) = (rates, middle(cpu));
            let rates = format!("{median:.0} ({low:.0}-{high:.0})");
            let Middle { median, low, high } = ratio;
            let shown = format!("{median:.2} ({low:.2}-{high:.2})");
            println!("{:<12}{name:<22}{rates:>24}{cpu:>24}{shown:>20}", self.name);
            median
        };
        line("raw saves", |round| round.raw.wall, |round| round.raw.cpu);
        if self.batched.is_some() {
            let wall = |round: &Round| round.batched.map_or(f64::NAN, |cost| cost.wall);
            line("raw saves, batched", wall, |round| {
                round.batched.map_or(f64::NAN, |cost| cost.cpu)
            });
        }
        line("saves of our store", |round| round.saves.wall, |round| round.saves.cpu);
        let ratio = line("turns", |round| round.turns.wall, |round| round.turns.cpu);
        let commits = middle(|round| round.commits).median;
        let servers: Vec<_> = self.rounds.iter().filter_map(|round| round.server).collect();
        if !servers.is_empty() {
            let raw = Middle::of(servers.iter().map(|(raw, _)| *raw));
            let turn = Middle::of(servers.iter().map(|(_, turn)| *turn));
            println!("{:<12}CPU us of the server: {raw} a raw save, {turn} a turn", "");
        }
        println!(
            "{:<12}goal: at least {GOAL:.2} turns for a raw save: {}; {commits:.2} commits a turn\n",
            "",
            if ratio >= GOAL { "met" } else { "missed" },
        );
    }
}

fn main() -> ExitCode {
    let (mut is_quick, mut chosen) = (false, Vec::new());
    for argument in std::env::args().skip(1) {
        match argument.as_str() {
            "--quick" => is_quick = true,
            // Cargo passes this to every benchmark.
            "--bench" => {}
            "postgres" | "redis" | "sqlite" => chosen.push(argument),
            _ => {
                eprintln!("{USAGE}");
                return ExitCode::from(2);
            }
        }
    }
    match run(is_quick, &chosen) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("engines: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(is_quick: bool, chosen: &[String]) -> Result<(), Box<dyn Error>> {
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
        cases.push(bench.sqlite()?);
    }
    let (rounds, scale) = if is_quick { (5, 1) } else { (31, 4) };
    for _ in 0..rounds {
        cases.iter_mut().for_each(|case| case.measure(scale));
    }
    println!(
        "\n{MANY} in flight, documents of {} bytes, messages of {} bytes (parsed before).",
        bench.body.len(),
        inputs::MESSAGE_BYTES,
    );
    println!(
        "Raw saves: by the client library alone, one document a statement or (batched) many, all durable."
    );
    println!("CPU of this process, without the server. Median of {rounds} rounds (middle half).\n");
    println!("{:<34}{:>24}{:>24}{:>20}", "", "per second", "CPU us each", "for the best raw");
    cases.iter().for_each(Case::print);
    if let Some(folder) = std::env::var_os("SAYSO_BENCH_RESULTS") {
        let mut results = File::create(Path::new(&folder).join("engines.jsonl"))?;
        cases.iter().try_for_each(|case| case.note(&mut results))?;
    }
    Ok(())
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
