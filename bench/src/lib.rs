//! What the benchmarks share: the bot, its messages and state, and an engine with all of it around.
//!
//! * `cargo bench -p sayso-bench --bench instructions`: instruction counts of the stages of a turn.
//!   They hardly change from run to run, so they are what a change is judged by.
//! * `cargo bench -p sayso-bench --bench turn`: CPU and wall time of whole turns.
//! * `cargo bench -p sayso-bench --bench engines`: turns on PostgreSQL, Redis and SQLite, beside saves
//!   by their client libraries alone. It needs the servers.
//!
//! `scripts/bench` runs the first two, and `scripts/bench engines` the last with its servers.

pub mod inputs;
pub mod measure;
pub mod pizza;
pub mod raw;
pub mod saves;
pub mod world;
