//! Serves the bot as `sayso.toml` and the environment say; `cargo run chat` talks to it here.

use sayso::prelude::*;

#[tokio::main]
async fn main() -> Result {
    let bot = {{crate}}::bot();
    match std::env::args().nth(1).as_deref() {
        Some("chat") => sayso::chat(bot).await,
        _ => serve(bot).await,
    }
}
