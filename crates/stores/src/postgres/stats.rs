//! Statistics of a store.

use std::sync::atomic::{AtomicU64, Ordering};

/// Counters of a [`PostgresStore`](super::PostgresStore) since it was opened.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct PostgresStats {
    /// Statements that wrote saves: each is one flush of the server's log.
    pub statements: u64,
    /// Documents that such statements wrote. Many share a statement when many callers are at work.
    pub writes: u64,
    /// Saves that were retried alone, because a statement that they shared was refused.
    pub alone: u64,
    /// Loads.
    pub loads: u64,
}

#[derive(Debug, Default)]
pub(super) struct Counters {
    pub(super) statements: AtomicU64,
    pub(super) writes: AtomicU64,
    pub(super) alone: AtomicU64,
    pub(super) loads: AtomicU64,
}

impl Counters {
    pub(super) fn read(&self) -> PostgresStats {
        PostgresStats {
            statements: self.statements.load(Ordering::Relaxed),
            writes: self.writes.load(Ordering::Relaxed),
            alone: self.alone.load(Ordering::Relaxed),
            loads: self.loads.load(Ordering::Relaxed),
        }
    }
}
