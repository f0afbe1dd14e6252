//! The turn engine of Sayso: a turn commits its state, its replies and the fact that it ran in one
//! conditional write, and only then speaks.
//!
//! The engine is written once, over seams: [`store::Store`], [`channel::Channel`],
//! [`clock::Clock`], [`clock::Tasks`] and a seed. Production and simulation differ only in these.
//! Start at [`Engine`] to run a bot, at [`Turn`] to write one, at [`script`] to test one, at
//! [`run()`] to test a single turn.

pub mod channel;
pub mod clock;
#[doc(hidden)]
pub mod document;
#[cfg(feature = "fuzzing")]
#[doc(hidden)]
pub mod fuzz;
pub mod id;
pub mod limits;
pub mod script;
pub mod store;
pub mod versioned;

mod attempt;
mod backoff;
mod bot;
mod bot_error;
mod by_key;
mod delivery;
mod delivery_policy;
mod engine;
mod error;
mod fault;
mod key;
mod key_scheme;
mod ledger;
mod message_id;
mod panic_place;
mod property_owners;
mod recovery;
mod reentrancy;
mod run;
mod runtime;
#[cfg(test)]
#[cfg(shuttle)]
mod schedules;
mod state;
mod stats;
mod sync;
mod turn;

pub use sayso_activity as activity;
pub use sayso_macros::BotState;

pub use attempt::IdempotencyKey;
pub use bot::{ActivityHandler, Bot, HandlerFuture, Middleware, Next, StatefulBot, TextMatch};
pub use bot_error::BotError;
pub use delivery_policy::{DeliveryPolicy, OnDoubt};
pub use engine::Answer;
pub use error::{Error, Failure};
pub use key::{Key, KeyError, KeyKind};
pub use key_scheme::{KeyScheme, KeyScope};
pub use ledger::{Bag, DocumentTtl, Parked, ParkedKind, Response};
pub use limits::{Limits, Ttl};
pub use message_id::MessageId;
pub use panic_place::note_panics;
pub use run::{Documents, Outcome, run};
pub use runtime::{Broadcast, Builder, Engine, Pace};
pub use state::{Property, State, StateError};
pub use stats::Stats;
pub use turn::{Logic, Overlap, Step, StepError, Stream, TimerId, Turn};
pub use versioned::BotState;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
