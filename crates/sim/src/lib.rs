//! Deterministic simulation tests of Sayso: the production engine, unchanged, in a world where
//! every fault is possible and every chance comes from one seed.
//!
//! A run draws a [`Plan`] from its seed: some instances, some conversations, some activities, a
//! random subset of the [`Fault`]s. [`play`] plays it on a simulated clock, store, channel and
//! scheduler, waits for rest, and checks the invariants on what was stored and what the users saw.
//! The same seed gives the same run, to the last poll.

mod bot;
mod campaign;
mod chance;
mod channel;
mod check;
mod clients;
mod clock;
mod costs;
mod crashes;
mod deliveries;
mod disruption;
mod executor;
mod expiry;
mod faults;
mod history;
mod node;
mod outages;
mod outbound;
mod outside;
mod panics;
mod plan;
mod policies;
mod run;
mod service;
mod services;
mod simulate;
mod store;
mod tenancy;
mod text;
mod weather;
mod world;

pub use campaign::{Campaign, FIRED_MIN, shrink};
pub use crashes::{Enumeration, enumerate_crashes};
pub use faults::Fault;
pub use plan::Plan;
pub use run::{Report, Totals, play};
pub use services::{CallError, Services};
pub use simulate::{Outcome, Simulation, simulate, simulate_with};

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
