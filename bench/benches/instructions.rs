//! Instruction counts of the stages of a turn, and of whole turns, under callgrind.
//!
//! Every count is of many steps; the id of a benchmark says how many, and `scripts/bench` divides.
//! The state is one property that a turn reads and writes (`whole`), or the turn touches only a
//! small one of two (`apart`).
//!
//! Stages and turns in memory are counted from the entry of the benchmark's function to its end, on
//! its thread. SQLite works on threads of its own, so there the whole process is counted, once with
//! few turns and once with more: the difference is what the turns between them cost.

#![expect(missing_docs, clippy::exit, unused_qualifications, reason = "the macros of the harness")]

use std::{hint::black_box, path::Path};

use gungraun::{Callgrind, EntryPoint, EventKind, prelude::*};
use sayso_activity::Activity;
use sayso_bench::{
    inputs,
    peer::{self, Logic},
    pizza::{self, Cut},
    world::World,
};
use sayso_turn::{Bot, Documents, document::Document};
use tempfile::TempDir;
use tokio::runtime::{Builder, Runtime};

/// Bodies of requests.
fn messages(count: u64) -> Vec<String> {
    (0..count).map(|number| inputs::message(0, number)).collect()
}

#[library_benchmark]
#[bench::times_100(args = (100), setup = messages)]
fn parse_message(messages: Vec<String>) -> Vec<Activity> {
    let parse = |body: &String| Activity::from_json(black_box(body.as_bytes()));
    messages.iter().map(parse).collect::<Result<_, _>>().expect("our messages are activities")
}

/// Inputs of a number of pure runs.
struct Runs {
    runtime: Runtime,
    bot: Bot,
    inputs: Vec<(Activity, Documents)>,
}

/// Runs on a state that an earlier run wrote, so that it need not be read twice to see what
/// changed.
fn runs(cut: Cut, count: u64) -> Runs {
    let runtime = Builder::new_current_thread().build().expect("the system gives a runtime");
    let documents = Documents::from([(inputs::key(0), pizza::state(cut))]);
    let inputs = (0..count).map(|number| (inputs::activity(0, number), documents.clone()));
    Runs { runtime, bot: pizza::bot(), inputs: inputs.collect() }
}

#[library_benchmark]
#[bench::whole_100(args = (Cut::Whole, 100), setup = runs)]
#[bench::apart_100(args = (Cut::Apart, 100), setup = runs)]
fn run_logic(runs: Runs) -> (Runtime, Bot) {
    run_all(runs)
}

fn run_all(runs: Runs) -> (Runtime, Bot) {
    let Runs { runtime, bot, inputs } = runs;
    runtime.block_on(async {
        for (activity, documents) in inputs {
            let outcome = sayso_turn::run(&bot, black_box(activity), documents).await;
            drop(black_box(outcome.expect("a run of our bots succeeds")));
        }
    });
    (runtime, bot)
}

/// Steps in the middle of a waterfall: recognise a number, keep it, ask for another.
fn waterfall(count: u64) -> Runs {
    let runtime = Builder::new_current_thread().build().expect("the system gives a runtime");
    let bot = peer::bot(Logic::Dialog);
    let asked = sayso_turn::run(&bot, peer::activity("c", 0, "hi"), Documents::new());
    let documents = runtime.block_on(asked).expect("the dialog begins").documents;
    let inputs = (1..=count).map(|number| (peer::activity("c", number, "10"), documents.clone()));
    let inputs = inputs.collect();
    Runs { runtime, bot, inputs }
}

#[library_benchmark]
#[bench::times_100(args = (100), setup = waterfall)]
fn run_waterfall(runs: Runs) -> (Runtime, Bot) {
    run_all(runs)
}

/// Stored documents.
fn documents(count: usize) -> Vec<String> {
    vec![inputs::document(Cut::Whole); count]
}

#[library_benchmark]
#[bench::times_100(args = (100), setup = documents)]
fn document_parse(bodies: Vec<String>) -> Vec<String> {
    let key = inputs::key(0);
    for body in &bodies {
        drop(black_box(Document::parse(&key, black_box(body)).expect("our document is one")));
    }
    bodies
}

/// Documents to be stored.
fn parsed(count: usize) -> Vec<Document> {
    let parse = |body: String| Document::parse(&inputs::key(0), &body);
    documents(count).into_iter().map(parse).collect::<Result<_, _>>().expect("our document is one")
}

#[library_benchmark]
#[bench::times_100(args = (100), setup = parsed)]
fn document_write(documents: Vec<Document>) -> Vec<Document> {
    for document in &documents {
        drop(black_box(black_box(document).to_json()));
    }
    documents
}

type Turns = (World, Vec<Vec<Activity>>);

fn in_memory(cut: Cut, count: usize) -> Turns {
    let mut world = World::memory(cut, 1);
    let messages = world.messages(count);
    (world, messages)
}

#[library_benchmark]
#[bench::whole_100(args = (Cut::Whole, 100), setup = in_memory)]
#[bench::apart_100(args = (Cut::Apart, 100), setup = in_memory)]
fn turn_memory((world, messages): Turns) -> World {
    world.run(black_box(messages));
    world
}

fn on_sqlite(count: usize) -> (TempDir, Turns) {
    let folder = tempfile::tempdir_in(Path::new(env!("CARGO_TARGET_TMPDIR")));
    let folder = folder.expect("the build folder takes files");
    let mut world = World::sqlite(folder.path(), Cut::Whole, 1);
    // As many for both counts, so that making them does not differ.
    let mut messages = world.messages(300);
    messages.iter_mut().for_each(|messages| drop(messages.split_off(count)));
    (folder, (world, messages))
}

#[library_benchmark(config = LibraryBenchmarkConfig::default()
    .tool(Callgrind::default().entry_point(EntryPoint::None)))]
#[bench::from_100(args = (100), setup = on_sqlite)]
#[bench::to_300(args = (300), setup = on_sqlite)]
fn turn_sqlite((folder, (world, messages)): (TempDir, Turns)) {
    world.run(black_box(messages));
    drop(world);
    drop(folder);
}

library_benchmark_group!(
    name = stages,
    benchmarks = [parse_message, run_logic, run_waterfall, document_parse, document_write]
);
library_benchmark_group!(name = turns, benchmarks = [turn_memory, turn_sqlite]);

main!(
    config = LibraryBenchmarkConfig::default()
        .tool(Callgrind::default().format([EventKind::Ir, EventKind::EstimatedCycles])),
    library_benchmark_groups = [stages, turns]
);
