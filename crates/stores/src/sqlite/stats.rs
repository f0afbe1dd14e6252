//! Statistics of a store.

use std::sync::atomic::{AtomicU64, Ordering};

/// Counters of a [`SqliteStore`](super::SqliteStore) since it was opened.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct SqliteStats {
    /// Transactions that changed something: each is one flush to disk.
    pub transactions: u64,
    /// Documents written or deleted. Many share a transaction when many callers are at work.
    pub writes: u64,
    /// Loads.
    pub loads: u64,
}

#[derive(Debug, Default)]
pub(super) struct Counters {
    pub(super) transactions: AtomicU64,
    pub(super) writes: AtomicU64,
    pub(super) loads: AtomicU64,
}

impl Counters {
    pub(super) fn read(&self) -> SqliteStats {
        SqliteStats {
            transactions: self.transactions.load(Ordering::Relaxed),
            writes: self.writes.load(Ordering::Relaxed),
            loads: self.loads.load(Ordering::Relaxed),
        }
    }
}
