//! Turns in process, without HTTP, on the memory store: each runtime's own program, one after the
//! other in every round.

use anyhow::{Context, ensure};
use sayso_bench::peer::Logic;
use serde_json::Value;

use crate::{
    Bench,
    record::{Log, Record},
    runtime::Runtime,
};

pub(crate) fn run(bench: &Bench) -> anyhow::Result<()> {
    let mut log = Log::create(&bench.results, "inproc")?;
    println!("\nIn process, memory store, one turn at a time: CPU us of a turn.");
    for logic in [Logic::Pizza, Logic::Dialog, Logic::Plain] {
        for _ in 0..bench.rounds(15) {
            for runtime in &bench.runtimes {
                let figures = measure(bench, *runtime, logic)?;
                let figure = |name: &str| {
                    let figure = figures.get(name).and_then(Value::as_f64);
                    figure.with_context(|| format!("{} tells no {name}", runtime.name()))
                };
                let cpu = figure("cpu_us_turn")?;
                let record = Record::new(runtime.name(), logic.name(), 1)
                    .with("cpu_us", cpu)
                    .with("wall_us", figure("wall_us_turn")?)
                    .with("memory_mb", figure("peak_mb")?);
                log.note(&record)?;
                println!("  {:<8}{:<8}{cpu:>10.1}", logic.name(), runtime.name());
            }
        }
    }
    Ok(())
}

fn measure(bench: &Bench, runtime: Runtime, logic: Logic) -> anyhow::Result<Value> {
    // What warms up (a compiler in the runtime) has a run before. More for who is quick about it,
    // or there would be little to measure; not so many that memory grows beyond the others' in what
    // is kept of each conversation.
    let (conversations, runs) = match runtime {
        Runtime::Sayso => (3000, "7"),
        Runtime::JavaScript | Runtime::Agents => (600, "3"),
        Runtime::Python => (150, "3"),
    };
    let conversations = if bench.is_quick { conversations / 3 } else { conversations };
    let output = bench
        .programs
        .in_process(runtime)?
        .args(["scaleout", logic.name(), "memory", &conversations.to_string(), runs])
        .output()
        .with_context(|| format!("cannot start {}", runtime.name()))?;
    let complaint = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "{} in process failed: {complaint}", runtime.name());
    let line = String::from_utf8_lossy(&output.stdout);
    let line = line.lines().last().unwrap_or_default();
    serde_json::from_str(line).with_context(|| format!("{} printed {line:?}", runtime.name()))
}
