//! Statistics of a store: calls, latencies, bytes and failures, in one form for all engines.

use std::time::Duration;

use serde::{Deserialize, Serialize};

/// Upper bounds of the buckets of a [latency histogram](CallStats::latencies), in milliseconds. The
/// last bucket has none.
pub const LATENCY_BOUNDS_MS: [u64; 7] = [1, 3, 10, 30, 100, 300, 1_000];

/// Statistics of a store since it was opened, by this process alone.
///
/// Zero stands for what an engine cannot tell. A store that counts nothing, such as the memory
/// store, gives the default.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct StoreStats {
    /// Calls of [`Store::load`](super::Store::load).
    pub loads: CallStats,
    /// Calls of [`Store::save`](super::Store::save).
    pub saves: CallStats,
    /// Calls of [`Store::delete`](super::Store::delete).
    pub deletes: CallStats,
    /// Calls of [`Store::due`](super::Store::due): pages of looks.
    pub dues: CallStats,
    /// Pages of [`Store::list`](super::Store::list).
    pub lists: CallStats,
    /// Calls of [`Transactions::save_all`](super::Transactions::save_all).
    pub transactions: CallStats,
    /// Size of the documents that loads returned.
    pub bytes_read: u64,
    /// Size of the documents that writes carried, committed or not.
    pub bytes_written: u64,
    /// Writes whose condition did not hold.
    pub conflicts: u64,
    /// Calls that the engine throttled.
    pub throttled: u64,
    /// Calls that met no engine, or a busy one; they did nothing.
    pub unavailable: u64,
    /// Writes with an unknown outcome.
    pub unknown: u64,
    /// Calls that can never succeed: refused, too large, or about a damaged document.
    pub refused: u64,
    /// Group commits: statements, scripts or transactions that wrote saves.
    pub commits: u64,
    /// Documents that group commits wrote. Many share one when many callers are at work.
    pub writes: u64,
    /// Saves retried alone, because the group commit that they shared was refused.
    pub alone: u64,
    /// Connection pool, of an engine that has one.
    pub pool: Option<PoolStats>,
}

/// Statistics of one kind of call.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct CallStats {
    /// Calls that ended, well or not.
    pub calls: u64,
    /// Calls that ended with an error. A conflict is none.
    pub failed: u64,
    /// Calls given up by the caller, most of them at its deadline.
    pub given_up: u64,
    /// Cost in request units (Cosmos DB), of repeated requests as well.
    pub request_units: f64,
    /// Total duration of the calls that ended, in microseconds.
    pub total_us: u64,
    /// Duration of the longest of them, in microseconds.
    pub max_us: u64,
    /// Latency histogram: number of calls that took less than each of [`LATENCY_BOUNDS_MS`] and no
    /// less than the bound before, and of those that took longer than all.
    pub latencies: [u64; LATENCY_BOUNDS_MS.len() + 1],
}

/// Use of a connection pool.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct PoolStats {
    /// Connection limit of this instance.
    pub connections_max: u64,
    /// Connections that serve a call at this moment.
    pub in_use: u64,
    /// Open connections that wait for one.
    pub idle: u64,
}

impl StoreStats {
    /// Returns the cost of all calls in request units.
    #[must_use]
    pub fn request_units(&self) -> f64 {
        self.kinds().iter().map(|calls| calls.request_units).sum()
    }

    /// Returns the number of calls of all kinds that ended.
    #[must_use]
    pub fn calls(&self) -> u64 {
        self.kinds().iter().map(|calls| calls.calls).sum()
    }

    fn kinds(&self) -> [&CallStats; 6] {
        let Self { loads, saves, deletes, dues, lists, transactions, .. } = self;
        [loads, saves, deletes, dues, lists, transactions]
    }
}

impl CallStats {
    /// Returns the mean duration of a call; zero before the first.
    #[must_use]
    pub fn mean(&self) -> Duration {
        Duration::from_micros(self.total_us.checked_div(self.calls).unwrap_or_default())
    }

    /// Returns the bucket of the latency histogram that a duration belongs to.
    #[must_use]
    pub fn bucket(duration: Duration) -> usize {
        let is_below = |bound: &u64| duration >= Duration::from_millis(*bound);
        LATENCY_BOUNDS_MS.iter().take_while(|bound| is_below(bound)).count()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_duration_has_one_bucket_and_a_bound_begins_the_next() {
        let bucket = |micros| CallStats::bucket(Duration::from_micros(micros));
        assert_eq!([0, 999, 1_000, 2_999, 3_000].map(bucket), [0, 0, 1, 1, 2]);
        assert_eq!([999_999, 1_000_000, u64::MAX].map(bucket), [6, 7, 7]);
    }

    #[test]
    fn a_mean_needs_a_call_and_totals_are_over_all_kinds() {
        assert_eq!(CallStats::default().mean(), Duration::ZERO);
        let calls =
            CallStats { calls: 4, total_us: 10, request_units: 1.5, ..CallStats::default() };
        assert_eq!(calls.mean(), Duration::from_micros(2));
        let stats = StoreStats { loads: calls, lists: calls, ..StoreStats::default() };
        assert_eq!((stats.calls(), stats.request_units()), (8, 3.0));
    }

    #[test]
    fn statistics_of_an_older_build_can_be_read() {
        let old: StoreStats = serde_json::from_str(r#"{"loads":{"calls":1}}"#).unwrap();
        assert_eq!(old.loads.calls, 1);
        let text = serde_json::to_string(&old).unwrap();
        assert_eq!(serde_json::from_str::<StoreStats>(&text).unwrap(), old);
    }
}
