//! Raw saves: conditional writes by the client library of an engine and nothing else.
//!
//! One document a statement is the obvious code for durable documents with compare-and-swap and no
//! more. Many in one statement are the best that the engine can do. Neither keeps an index of due
//! documents or settles unknown outcomes. They are the baselines for the cost of whole turns on the
//! same engine.

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

/// Document bodies, saved alternately. They differ as those of two successive turns do: an engine
/// that is given the same again may write less to its log than it must for real ones.
pub type Bodies = [Arc<str>; 2];

/// The first body or the second.
fn body_of(bodies: &Bodies, is_second: bool) -> &str {
    let [first, second] = bodies;
    if is_second { second } else { first }
}

/// Function that reads the CPU time of a server so far, in microseconds, where that can be known.
pub type ServerCpu = Box<dyn FnMut() -> Option<f64>>;

/// A workload: saves the same documents again and again.
pub trait Raw {
    /// Saves every document so many times.
    ///
    /// # Panics
    /// When a save fails, or finds another version than the one that was saved last.
    fn run(&mut self, count: usize);

    /// Waits until no work goes on in the background.
    fn rest(&mut self) {}

    /// Number of commits so far, where they may differ from the number of steps.
    fn commits(&self) -> Option<u64> {
        None
    }
}
