//! Call meter: counts the calls of an engine, in one form for all engines.
//!
//! Every call of a turn passes here, so it is relaxed counters and a pair of clock readings.

use std::{
    sync::atomic::{AtomicU64, Ordering},
    time::{Duration, Instant},
};

use futures_util::FutureExt;
use sayso_turn::store::{CallStats, Error, LATENCY_BOUNDS_MS, Saved, StoreStats, Stored};

/// Kind of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Call {
    Load,
    Save,
    Delete,
    Due,
    List,
    Transaction,
}

/// Counters of a store, shared by all its tasks.
#[derive(Debug, Default)]
pub(crate) struct Meter {
    kinds: [Calls; 6],
    bytes_read: AtomicU64,
    bytes_written: AtomicU64,
    conflicts: AtomicU64,
    throttled: AtomicU64,
    unavailable: AtomicU64,
    unknown: AtomicU64,
    refused: AtomicU64,
    commits: AtomicU64,
    writes: AtomicU64,
    alone: AtomicU64,
}

#[derive(Debug, Default)]
struct Calls {
    failed: AtomicU64,
    given_up: AtomicU64,
    /// Request charges in hundredths, as Cosmos DB states them with two decimals.
    charge: AtomicU64,
    total_us: AtomicU64,
    max_us: AtomicU64,
    /// Their sum is the number of calls.
    latencies: [AtomicU64; LATENCY_BOUNDS_MS.len() + 1],
}

impl Meter {
    /// Counts and times a call. One whose future is dropped counts as given up.
    ///
    /// No `async fn`: that would hold the future twice, and those of some engines are large.
    pub(crate) fn time<T, F>(&self, call: Call, work: F) -> impl Future<Output = F::Output>
    where
        F: Future<Output = Result<T, Error>>,
    {
        let running = Running { calls: self.of(call), began: Instant::now(), is_over: false };
        work.inspect(move |answer| {
            running.end(answer.is_err());
            if let Err(error) = answer {
                self.failed(error);
            }
        })
    }

    /// Counts and times a load.
    pub(crate) fn load<F>(&self, work: F) -> impl Future<Output = F::Output>
    where
        F: Future<Output = Result<Option<Stored>, Error>>,
    {
        self.time(Call::Load, work).inspect(|answer| {
            if let Ok(Some(stored)) = answer {
                add(&self.bytes_read, stored.body.len());
            }
        })
    }

    /// Counts and times a conditional write of so many bytes.
    pub(crate) fn write<T, F>(
        &self,
        call: Call,
        bytes: usize,
        work: F,
    ) -> impl Future<Output = F::Output>
    where
        F: Future<Output = Result<Saved<T>, Error>>,
    {
        add(&self.bytes_written, bytes);
        self.time(call, work).inspect(|answer| {
            if let Ok(Saved::Conflict) = answer {
                add(&self.conflicts, 1);
            }
        })
    }

    /// Counts a group commit that wrote so many documents.
    #[cfg(any(feature = "sqlite", feature = "postgres", feature = "redis"))]
    pub(crate) fn group_commit(&self, writes: usize) {
        add(&self.commits, 1);
        add(&self.writes, writes);
    }

    /// Counts saves that are retried alone.
    #[cfg(feature = "postgres")]
    pub(crate) fn retried_alone(&self, saves: usize) {
        add(&self.alone, saves);
    }

    /// Adds a charge in request units.
    #[cfg(feature = "cosmos")]
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a cast saturates, and a charge is a small positive number"
    )]
    pub(crate) fn charge(&self, call: Call, units: f64) {
        add(&self.of(call).charge, (units * 100.0).round() as usize);
    }

    /// The statistics so far, without those of a pool.
    pub(crate) fn read(&self) -> StoreStats {
        let of = |call| self.of(call).read();
        let mut stats = StoreStats::default();
        stats.loads = of(Call::Load);
        stats.saves = of(Call::Save);
        stats.deletes = of(Call::Delete);
        stats.dues = of(Call::Due);
        stats.lists = of(Call::List);
        stats.transactions = of(Call::Transaction);
        stats.bytes_read = get(&self.bytes_read);
        stats.bytes_written = get(&self.bytes_written);
        stats.conflicts = get(&self.conflicts);
        stats.throttled = get(&self.throttled);
        stats.unavailable = get(&self.unavailable);
        stats.unknown = get(&self.unknown);
        stats.refused = get(&self.refused);
        stats.commits = get(&self.commits);
        stats.writes = get(&self.writes);
        stats.alone = get(&self.alone);
        stats
    }

    fn of(&self, call: Call) -> &Calls {
        let [loads, saves, deletes, dues, lists, transactions] = &self.kinds;
        match call {
            Call::Load => loads,
            Call::Save => saves,
            Call::Delete => deletes,
            Call::Due => dues,
            Call::List => lists,
            Call::Transaction => transactions,
        }
    }

    fn failed(&self, error: &Error) {
        let counter = match error {
            Error::Throttled { .. } => &self.throttled,
            Error::Unavailable { .. } => &self.unavailable,
            Error::Unknown { .. } => &self.unknown,
            _ => &self.refused,
        };
        add(counter, 1);
    }
}

impl Calls {
    #[expect(clippy::cast_precision_loss, reason = "a sum of charges is far below 2^53")]
    fn read(&self) -> CallStats {
        let mut stats = CallStats::default();
        for (count, counter) in stats.latencies.iter_mut().zip(&self.latencies) {
            *count = get(counter);
        }
        stats.calls = stats.latencies.iter().sum();
        stats.failed = get(&self.failed);
        stats.given_up = get(&self.given_up);
        stats.request_units = get(&self.charge) as f64 / 100.0;
        stats.total_us = get(&self.total_us);
        stats.max_us = get(&self.max_us);
        stats
    }

    fn ended(&self, took: Duration, is_failed: bool) {
        let micros = u64::try_from(took.as_micros()).unwrap_or(u64::MAX);
        let _before = self.total_us.fetch_add(micros, Ordering::Relaxed);
        // Most calls are not the longest, and a read is shared where a write is not.
        if micros > get(&self.max_us) {
            let _before = self.max_us.fetch_max(micros, Ordering::Relaxed);
        }
        if let Some(bucket) = self.latencies.get(CallStats::bucket(took)) {
            add(bucket, 1);
        }
        if is_failed {
            add(&self.failed, 1);
        }
    }
}

/// A call under way.
struct Running<'a> {
    calls: &'a Calls,
    began: Instant,
    is_over: bool,
}

impl Running<'_> {
    fn end(mut self, is_failed: bool) {
        self.is_over = true;
        self.calls.ended(self.began.elapsed(), is_failed);
    }
}

impl Drop for Running<'_> {
    fn drop(&mut self) {
        if !self.is_over {
            add(&self.calls.given_up, 1);
        }
    }
}

fn add(counter: &AtomicU64, count: usize) {
    let _before = counter.fetch_add(count as u64, Ordering::Relaxed);
}

fn get(counter: &AtomicU64) -> u64 {
    counter.load(Ordering::Relaxed)
}

#[cfg(test)]
mod tests {
    use std::future::{pending, ready};

    use sayso_turn::store::ETag;

    use super::*;

    fn stored(body: &str) -> Stored {
        Stored { body: body.to_owned(), etag: ETag::new("1") }
    }

    fn now<T>(call: impl Future<Output = T>) -> T {
        call.now_or_never().expect("it does not wait")
    }

    #[test]
    fn each_call_is_counted_once_with_its_outcome_and_its_bytes() {
        let meter = Meter::default();
        assert!(now(meter.load(ready(Ok(Some(stored("{}")))))).is_ok());
        assert!(now(meter.load(ready(Ok(None)))).is_ok());
        let saved = |saved: Saved| ready(Ok(saved));
        assert!(now(meter.write(Call::Save, 7, saved(Saved::Committed(ETag::new("1"))))).is_ok());
        assert!(now(meter.write(Call::Save, 3, saved(Saved::Conflict))).is_ok());
        let stats = meter.read();
        assert_eq!((stats.loads.calls, stats.bytes_read), (2, 2));
        assert_eq!((stats.saves.calls, stats.bytes_written, stats.conflicts), (2, 10, 1));
        assert_eq!((stats.calls(), stats.saves.failed), (4, 0), "a conflict is no failure");
    }

    #[test]
    fn failures_are_counted_by_their_remedy() {
        let meter = Meter::default();
        let store = || "a store".into();
        let fail = |error| assert!(now(meter.time(Call::Due, ready(Err::<(), _>(error)))).is_err());
        fail(Error::Throttled { store: store(), after: None });
        for _ in 0..2 {
            fail(Error::Unavailable { store: store(), reason: String::new(), source: None });
        }
        for _ in 0..3 {
            fail(Error::Unknown { store: store(), reason: String::new(), source: None });
        }
        fail(Error::Invalid { store: store(), reason: String::new(), source: None });
        let stats = meter.read();
        assert_eq!((stats.dues.calls, stats.dues.failed), (7, 7));
        let counts = [stats.throttled, stats.unavailable, stats.unknown, stats.refused];
        assert_eq!(counts, [1, 2, 3, 1]);
    }

    #[test]
    fn a_call_that_is_dropped_counts_as_given_up_and_not_as_ended() {
        let meter = Meter::default();
        let call = meter.time(Call::Load, pending::<Result<(), Error>>());
        assert!(call.now_or_never().is_none());
        let stats = meter.read();
        assert_eq!((stats.loads.calls, stats.loads.given_up), (0, 1));
    }

    #[test]
    fn durations_are_in_a_histogram() {
        let calls = Calls::default();
        for micros in [10, 2_000, 2_500, 5_000_000] {
            calls.ended(Duration::from_micros(micros), false);
        }
        let stats = calls.read();
        assert_eq!(stats.latencies, [1, 2, 0, 0, 0, 0, 0, 1]);
        assert_eq!((stats.calls, stats.max_us, stats.total_us), (4, 5_000_000, 5_004_510));
    }
}
