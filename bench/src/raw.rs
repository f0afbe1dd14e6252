//! Conditional saves by the client library of an engine and nothing else.
//!
//! One document a statement is what somebody would write who wants durable documents with a
//! compare-and-swap and no more. Many in one are the best that the engine can do. Neither has an index
//! of what is due, nor an outcome settled after a failure. They are the yardsticks for what whole turns
//! cost on the same engine.

mod batched;
mod postgres;
mod redis;
mod sqlite;

pub use self::{
    batched::BatchedPostgres, postgres::RawPostgres, redis::RawRedis, sqlite::RawSqlite,
};

/// Saves documents again and again.
pub trait Raw {
    /// Saves every document so many times.
    ///
    /// # Panics
    /// When a save fails, or finds another version than the one that was saved last.
    fn run(&mut self, count: usize);

    /// How much CPU time the server has taken so far, in microseconds, if it can be asked.
    fn cpu_of_server(&mut self) -> Option<f64> {
        None
    }
}
