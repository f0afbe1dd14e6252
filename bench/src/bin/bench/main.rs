//! The benchmark harness: measures whole programs, in process and as servers, beside other
//! runtimes, under growth and when killed. Writes results as lines of JSON, and from them the page
//! with its tables and plots.
//!
//! `scripts/bench` builds it, starts what it needs and calls it.

#![expect(clippy::print_stdout, reason = "a benchmark prints its figures")]

mod azurite;
mod bot;
mod chart;
mod contention;
mod goals;
mod growth;
mod http;
mod idle;
mod in_process;
mod machine;
mod page;
mod record;
mod recovery;
mod runtime;
mod start;

use std::{fs, path::PathBuf};

use clap::{Parser, Subcommand};
use runtime::{Programs, Runtime};

/// Measures this runtime and writes docs/benchmarks.md.
#[derive(Debug, Parser)]
#[command(name = "sayso-bench")]
struct Options {
    #[command(subcommand)]
    part: Part,
    /// Short runs: a check that everything works, not a result.
    #[arg(long, global = true)]
    quick: bool,
    /// The folder of the other runtimes' programs.
    #[arg(long, global = true, env = "SAYSO_BENCH_PEERS")]
    peers: Option<PathBuf>,
    /// The script `azurite-blob` of Azurite.
    #[arg(long, global = true, env = "SAYSO_BENCH_AZURITE")]
    azurite: Option<PathBuf>,
    /// The folder for the results.
    #[arg(long, global = true, default_value = "target/bench")]
    results: PathBuf,
}

#[derive(Clone, Copy, Debug, Subcommand)]
enum Part {
    /// Turns without HTTP, ours beside the other runtimes'.
    Inproc,
    /// Bots as servers on the memory store.
    Http,
    /// Bots as servers on Azurite.
    Blob,
    /// Many messages at once to one conversation, on Azurite.
    Contention,
    /// The cost of a turn as state, ids, replies, conversations and instances grow.
    Growth,
    /// Turns in flight on an instance that is killed.
    Recovery,
    /// From the start to the first answer, memory at rest, size of the program.
    Start,
    /// The page and the plots, of what was measured last.
    Page,
    /// The goals, each met or not, of what was measured last.
    Goals,
    /// Turns on a store with many conversations, in a process of their own.
    #[command(hide = true)]
    Idle {
        /// The number of conversations.
        conversations: u64,
    },
}

/// Options and programs that every part uses.
#[derive(Debug)]
struct Bench {
    is_quick: bool,
    programs: Programs,
    /// The runtimes that are installed.
    runtimes: Vec<Runtime>,
    azurite: Option<PathBuf>,
    results: PathBuf,
    logs: PathBuf,
}

impl Bench {
    fn rounds(&self, all: usize) -> usize {
        if self.is_quick { 1 } else { all }
    }
}

fn main() -> anyhow::Result<()> {
    let Options { part, quick, peers, azurite, results } = Options::parse();
    if let Part::Idle { conversations } = part {
        return idle::run(conversations);
    }
    let logs = results.join("logs");
    fs::create_dir_all(&logs)?;
    match part {
        Part::Page => return page::write(&results),
        Part::Goals => return goals::print(&results),
        _ => {}
    }
    let programs = Programs::find(peers.as_deref())?;
    let (runtimes, missing) = programs.installed();
    let bench = Bench { is_quick: quick, programs, runtimes, azurite, results, logs };
    machine::note(&bench.results, quick)?;
    let is_beside = matches!(part, Part::Inproc | Part::Http | Part::Blob | Part::Contention);
    if is_beside || matches!(part, Part::Start) {
        missing.iter().for_each(|why| println!("{why}"));
    }
    match part {
        Part::Inproc => in_process::run(&bench),
        Part::Http => http::run(&bench, false),
        Part::Blob => http::run(&bench, true),
        Part::Contention => contention::run(&bench),
        Part::Growth => growth::run(&bench),
        Part::Recovery => recovery::run(&bench),
        Part::Start => start::run(&bench),
        Part::Page | Part::Goals | Part::Idle { .. } => Ok(()),
    }
}
