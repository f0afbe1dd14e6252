//! `sayso state`: inspects, moves and removes stored documents.
//!
//! It goes through the same seam as the runtime, so it works on every engine and beside a running
//! bot: every write and every delete is conditional. What was said is shown by `show` and `export`
//! only.

mod backup;
mod confirm;
mod exit;
mod expiry;
mod export;
mod facts;
mod forget;
mod found;
mod import;
mod index;
mod json;
mod limits;
mod line;
mod ls;
mod migrate;
mod options;
mod output;
mod patience;
mod reencrypt;
mod rm;
mod scope;
mod show;
mod units;

use std::{io, process::ExitCode};

pub(crate) use self::options::State;
use self::options::StateCommand;
use crate::{cli::Log, terminal};

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
        StateCommand::Reencrypt(options) => Box::pin(reencrypt::run(options)).await,
        StateCommand::Backup(options) => Box::pin(backup::run(options)).await,
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
