//! `sayso chat`: the pizza bot in the terminal, with the whole engine in this process.

use std::process::ExitCode;

use sayso::{Chat, open_store, pizza};

use crate::{
    cli::{self, Log},
    terminal,
};

/// Runs the chat until the input ends or a signal comes.
pub(crate) async fn run(options: cli::Chat) -> anyhow::Result<ExitCode> {
    terminal::start_log(Log::Text, "error");
    let store = open_store(&options.store).await?;
    let chat = Chat::new(pizza::bot()).store(store).conversation(options.conversation);
    let left = chat.name("pizza").run().await?;
    Ok(if left == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
