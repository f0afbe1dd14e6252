//! The `sayso` command: make a crate with a bot, serve the pizza bot, talk to it, watch two
//! processes race for one pizza, see to the state that a bot keeps, or to its configuration.

mod chat;
mod classic;
mod cli;
mod config;
mod doctor;
mod new;
mod place;
mod race;
mod serve;
mod state;
mod terminal;

use std::process::ExitCode;

use clap::Parser as _;

use self::cli::{Cli, Command};

#[tokio::main]
async fn main() -> ExitCode {
    let cli = Cli::parse();
    let done = match cli.command {
        None => Box::pin(serve::run(cli.serve)).await,
        Some(Command::New(new)) => new::run(&new),
        Some(Command::Serve(serve)) => Box::pin(serve::run(serve)).await,
        Some(Command::Chat(chat)) => Box::pin(chat::run(chat)).await,
        Some(Command::Race(race)) => Box::pin(race::run(race)).await,
        Some(Command::State(state)) => Box::pin(state::run(state)).await,
        Some(Command::Config(show)) => config::run(&show),
        Some(Command::Doctor(doctor)) => Box::pin(doctor::run(doctor)).await,
    };
    done.unwrap_or_else(|error| {
        terminal::complain(&error);
        ExitCode::FAILURE
    })
}
