//! The turn engine of Sayso: a turn commits its state, its replies and the fact that it ran in one
//! conditional write, and only then speaks.
//!
//! The engine is written once, over seams: [`store::Store`], [`channel::Channel`], [`clock::Clock`],
//! [`clock::Tasks`] and a seed. Production and simulation differ only in these. Start at [`Engine`] to
//! run a bot, at [`Turn`] to write one, at [`script`] to test one, at [`run()`] to test a single turn.

pub mod channel;
pub mod clock;
pub mod document;
#[cfg(feature = "fuzzing")]
#[doc(hidden)]
pub mod fuzz;
pub mod id;
pub mod limits;
pub mod script;
pub mod store;
pub mod versioned;

mod bot;
mod by_key;
mod effects;
mod engine;
mod error;
mod fault;
mod hooks;
mod key;
mod message;
mod origin;
mod run;
mod state;
mod stats;
mod turn;

pub use sayso_activity as activity;
pub use sayso_macros::BotState;

pub use bot::{ActivityHandler, Bot, HandlerFuture, Middleware, Next, Overlap};
pub use document::Bag;
pub use effects::IdempotencyKey;
pub use engine::{Answer, Broadcast, Builder, Engine, Pace};
pub use error::{Error, Failure};
pub use key::{Key, KeyError, KeyKind};
pub use limits::{Limits, Ttl};
pub use message::MessageId;
pub use run::{Documents, Outcome, run};
pub use state::{Property, State, StateError};
pub use stats::Stats;
pub use turn::{BotError, Logic, Stream, TimerId, Turn};
pub use versioned::BotState;
