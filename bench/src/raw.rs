//! Conditional saves by the client library of an engine and nothing else.
//!
//! One document a statement is what somebody would write who wants durable documents with a
//! compare-and-swap and no more. Many in one are the best that the engine can do. Neither has an
//! index of what is due, nor an outcome settled after a failure. They are the yardsticks for what
//! whole turns cost on the same engine.

use std::sync::Arc;

#[cfg(feature = "engines")]
mod batched;
#[cfg(feature = "engines")]
mod postgres;
#[cfg(feature = "engines")]
mod redis;
mod sqlite;

pub use self::sqlite::RawSqlite;
#[cfg(feature = "engines")]
pub use self::{batched::BatchedPostgres, postgres::RawPostgres, redis::RawRedis};

/// What is saved, by turns: two documents that are as different as those of two turns in a row. An
/// engine that is given the same again may write less to its log than it must for real ones.
pub type Bodies = [Arc<str>; 2];

/// The first body or the second.
fn body_of(bodies: &Bodies, is_second: bool) -> &str {
    let [first, second] = bodies;
    if is_second { second } else { first }
}

/// How much CPU time a server has taken so far, in microseconds, where that can be asked.
pub type ServerCpu = Box<dyn FnMut() -> Option<f64>>;

/// Saves documents again and again.
pub trait Raw {
    /// Saves every document so many times.
    ///
    /// # Panics
    /// When a save fails, or finds another version than the one that was saved last.
    fn run(&mut self, count: usize);

    /// Waits until nothing of that goes on any more.
    fn rest(&mut self) {}

    /// How many commits there were so far, where more than one save may belong to a step.
    fn commits(&self) -> Option<u64> {
        None
    }
}
