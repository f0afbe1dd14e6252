//! Runtime for chat bots that say so only when it is so.
//!
//! A bot's turn commits its state, its replies and the fact that it ran in one conditional write,
//! and only then speaks. Any number of instances may share the state: no update is lost, no message
//! says what is not saved, no redelivery counts twice.
//!
//! ```no_run
//! use sayso::prelude::*;
//!
//! #[derive(Default, Serialize, Deserialize)]
//! struct Order { toppings: Vec<String> }
//!
//! async fn topping(mut turn: Turn) -> Result {
//!     let text = turn.text().to_owned();
//!     let order = turn.conversation::<Order>()?;   // by reference; saved if it changed
//!     order.toppings.push(text);
//!     let line = format!("A pizza with {}.", order.toppings.join(" and "));
//!     turn.say(line);                              // sent when, and only when, the order is saved
//!     Ok(())
//! }
//!
//! #[tokio::main]
//! async fn main() -> Result {
//!     serve(Bot::new().on_message(topping)).await  // :3978, embedded store
//! }
//! ```
//!
//! Beside `sayso` a bot depends on `serde` (for the derives) and `tokio`.
//!
//! # Where to look
//! * [`prelude`]: what a bot needs, in one `use`.
//! * [`serve`] and [`Server`]: run a bot behind HTTP. [`open_store`]: choose the store.
//!   [`Config`]: both from a file, the environment and flags.
//! * [`chat()`]: talk to a bot in the terminal.
//! * [`dialog`]: conversations of many turns, written straight down or as dialogs and prompts.
//! * [`testing`]: scripted tests of a bot. [`run()`]: a turn as a pure function, for unit tests.
//! * [`turn`]: the engine and its seams. [`activity`], [`stores`], [`channel`]: the other parts.
//!
//! # Features
//! * `sqlite` (default): the embedded store.
//! * `azure-blob`, `cosmos`, `postgres`, `redis`, `s3`: engines that a bot grows onto; `engines`:
//!   all.
//! * `sim`: the simulator, for tests of a bot.
//! * `languages`: texts in the language of the user.
//! * `jemalloc`: jemalloc as the allocator of the whole process. Turns are many small allocations;
//!   with it they cost less. For the program that is the bot; not for Windows.
//! * `faults`: named points at which a test can kill the process.
//!
//! The `sayso` command is a crate of its own, `sayso-cli`.

pub mod config;
#[cfg(feature = "languages")]
pub mod languages;
pub mod pizza;
pub mod prelude;
pub mod server;

mod announce;
#[cfg(doctest)]
mod book;
#[cfg(unix)]
#[cfg(test)]
#[path = "../tests/it/certificates.rs"]
mod certificates;
mod chat;
mod defaults;
mod log;
mod open;
mod signals;
mod user_tokens;

pub use sayso_activity as activity;
pub use sayso_channel as channel;
pub use sayso_dialog as dialog;
#[cfg(feature = "sim")]
pub use sayso_sim as sim;
pub use sayso_stores as stores;
pub use sayso_turn as turn;

/// Tests of a bot without a server: what a user says, what the bot answers, and recorded dialogues.
pub use sayso_turn::script as testing;

pub use chat::{Chat, chat};
pub use config::{Config, ConfigError};
pub use open::{
    OpenError, Opened, open_configured_store, open_encrypted_store, open_store,
    open_store_with_warnings,
};
pub use sayso_dialog::states::{States, states};
pub use sayso_macros::{FacadeBotState as BotState, FacadeStates as States};
pub use sayso_turn::versioned::BotState;
pub use sayso_turn::{DocumentTtl, Documents, Engine, KeyScheme, Limits, Outcome, Ttl, run};
pub use server::{DEFAULT_ADDRESS, DEFAULT_STORE, Running, ServeError, Server, serve};
pub use user_tokens::UserTokens;

#[cfg(feature = "jemalloc")]
#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

/// The result of a bot's handler: nothing on success, any error on failure.
pub type Result<T = (), E = sayso_turn::BotError> = std::result::Result<T, E>;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
