//! Fixtures of the benchmarks: the bots, their messages and state, and an engine around them.
//!
//! * `cargo bench -p sayso-bench --bench instructions`: instruction counts of the stages of a turn.
//!   They hardly change from run to run, so they are what a change is judged by.
//! * `cargo bench -p sayso-bench --bench turn`: CPU and wall time of whole turns.
//! * `cargo bench -p sayso-bench --features engines --bench engines`: turns on PostgreSQL, Redis
//!   and SQLite, beside saves by their client libraries alone. It needs the servers.
//! * `sayso-peer` and `sayso-bench`, with the feature `harness`: our bot as a program, and the
//!   program that measures it beside other runtimes', as it grows and when it is killed.
//!
//! `scripts/bench` runs all of them, with what they need. `scripts/bench --help` says which there
//! are.

pub mod inputs;
#[cfg(feature = "harness")]
pub mod load;
pub mod measure;
pub mod peer;
pub mod pizza;
pub mod process;
pub mod raw;
pub mod saves;
pub mod world;
