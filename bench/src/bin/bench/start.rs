//! Start-up time until the first reply, memory at rest, and the size of our program.

use std::{
    fs,
    path::Path,
    process::Command,
    time::{Duration, Instant},
};

use anyhow::Context;
use sayso_bench::{
    load::{Client, Sink, new_conversation, wait},
    peer::{self, Logic},
};

use crate::{
    Bench,
    bot::{Bot, Store},
    record::{Log, Record},
    runtime::Runtime,
};

pub(crate) fn run(bench: &Bench) -> anyhow::Result<()> {
    let mut log = Log::create(&bench.results, "start")?;
    let sink = Sink::start()?;
    println!("\nFrom the start to the first reply, memory store; memory at rest before it.");
    for _ in 0..bench.rounds(7) {
        for runtime in &bench.runtimes {
            let record = measure(bench, *runtime, &sink)?;
            let figure = |name: &str| record.figure(name).unwrap_or(f64::NAN);
            println!(
                "  {:<8}{:>8.0} ms ready{:>8.0} ms first reply{:>8.1} MB",
                record.who,
                figure("ready_ms"),
                figure("reply_ms"),
                figure("memory_mb")
            );
            log.note(&record)?;
        }
    }
    let size = Record::new(Runtime::Sayso.name(), "size", 1);
    let size = size.with("program_mb", stripped_mb(bench.programs.own(), &bench.results)?);
    println!("  the program has {:.1} MB", size.figure("program_mb").unwrap_or(f64::NAN));
    log.note(&size)
}

fn measure(bench: &Bench, runtime: Runtime, sink: &Sink) -> anyhow::Result<Record> {
    let bot = Bot::start(&bench.programs, runtime, Logic::Pizza, &Store::Memory, &bench.logs)?;
    let memory = bot.memory()?;
    let (conversation, sent) = (new_conversation(), Instant::now());
    let mut replies = sink.listen(&conversation);
    let message = peer::message(&sink.url(), &conversation, 0, "add ham");
    wait(Client::new(bot.address).send(&message))?;
    let reply = wait(replies.next(Duration::from_secs(20))).context("there is no reply")?;
    let reply = bot.start + reply.at.saturating_duration_since(sent);
    Ok(Record::new(runtime.name(), "start", 1)
        .with("ready_ms", bot.start.as_secs_f64() * 1e3)
        .with("reply_ms", reply.as_secs_f64() * 1e3)
        .with("memory_mb", memory as f64 / f64::from(1 << 20)))
}

/// Size of a program without debug symbols, in MB.
fn stripped_mb(program: &Path, results: &Path) -> anyhow::Result<f64> {
    let copy = results.join("stripped");
    let status = Command::new("strip").arg("-o").arg(&copy).arg(program).status();
    let is_stripped = status.is_ok_and(|status| status.success());
    let bytes = fs::metadata(if is_stripped { &copy } else { program })?.len();
    if is_stripped {
        fs::remove_file(copy)?;
    }
    Ok(bytes as f64 / f64::from(1 << 20))
}
