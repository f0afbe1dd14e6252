//! `sayso state`: inspects, moves and removes stored documents.
//!
//! It goes through the same seam as the runtime, so it works on every engine and beside a running
//! bot: every write and every delete is conditional. What was said is shown by `show` and `export`
//! only.

mod confirm;
mod export;
mod facts;
mod forget;
mod found;
mod import;
mod json;
mod line;
mod ls;
mod migrate;
mod options;
mod output;
mod patience;
mod rm;
mod show;
mod units;

use std::{io, process::ExitCode};

pub(crate) use self::options::State;
use self::options::StateCommand;
use crate::{cli::Log, terminal};

/// Maximum number of documents processed concurrently.
const IN_FLIGHT: usize = 32;

/// Maximum attempts at a change that conflicts with other writers.
const ROUNDS_MAX: usize = 16;

/// Runs a subcommand.
pub(crate) async fn run(options: State) -> anyhow::Result<ExitCode> {
    terminal::start_log(Log::Text, "warn");
    let done = match options.command {
        StateCommand::Ls(options) => Box::pin(ls::run(options)).await,
        StateCommand::Show(options) => Box::pin(show::run(options)).await,
        StateCommand::Rm(options) => Box::pin(rm::run(options)).await,
        StateCommand::Export(options) => Box::pin(export::run(options)).await,
        StateCommand::Import(options) => Box::pin(import::run(options)).await,
        StateCommand::Forget(options) => Box::pin(forget::run(options)).await,
        StateCommand::Migrate(options) => Box::pin(migrate::run(options)).await,
    };
    match done {
        // Whoever read has seen enough.
        Err(error) if is_broken_pipe(&error) => Ok(ExitCode::FAILURE),
        done => done,
    }
}

fn is_broken_pipe(error: &anyhow::Error) -> bool {
    let io = error.downcast_ref::<io::Error>();
    io.is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe)
}

/// Exit code: 0 if all is well, else 1.
fn code(is_well: bool) -> ExitCode {
    if is_well { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
