//! Engines that keep the documents of a bot, and the suite that every engine must pass.
//!
//! * `sqlite` (feature `sqlite`, on by default): one file, durable, shared by the processes of one
//!   machine. The engine to start with.
//! * `conformance` (feature `conformance`): the contract of [`Store`](sayso_turn::store::Store) as
//!   tests. A new engine is a module and one macro call.
//! * `doubles` (feature `conformance`): stores that count calls or fail on request, for tests of
//!   whatever stands above a store.
//!
//! The memory store is part of `sayso-turn`.

#[cfg(feature = "conformance")]
pub mod conformance;
#[cfg(feature = "conformance")]
pub mod doubles;
#[cfg(feature = "sqlite")]
pub mod sqlite;

#[cfg(feature = "sqlite")]
pub use crate::sqlite::{SqliteStats, SqliteStore};
