//! Statistics: calls and request units, by kind of call.

use std::sync::atomic::{AtomicU64, Ordering};

use azure_data_cosmos::diagnostics::DiagnosticsContext;

/// Calls of a [`CosmosStore`](super::CosmosStore) since it was opened, and the request units they
/// cost.
///
/// Every request that was answered counts, also those that failed or were repeated: that is what
/// the account is billed for.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct CosmosStats {
    /// Point reads.
    pub loads: CosmosCalls,
    /// Creates and replaces.
    pub saves: CosmosCalls,
    /// Deletes.
    pub deletes: CosmosCalls,
    /// Pages of queries: what is due, lists, and long keys of other SDKs.
    pub queries: CosmosCalls,
}

/// Calls of one kind.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct CosmosCalls {
    /// The number of calls.
    pub calls: u64,
    /// Their total cost in request units.
    pub request_units: f64,
}

impl CosmosStats {
    /// All calls together.
    #[must_use]
    pub fn total(&self) -> CosmosCalls {
        let all = [self.loads, self.saves, self.deletes, self.queries];
        CosmosCalls {
            calls: all.iter().map(|kind| kind.calls).sum(),
            request_units: all.iter().map(|kind| kind.request_units).sum(),
        }
    }
}

impl CosmosCalls {
    /// The mean cost of a call in request units; zero before the first.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "an average needs no more")]
    pub fn mean(&self) -> f64 {
        if self.calls == 0 { 0.0 } else { self.request_units / self.calls as f64 }
    }
}

/// The kind of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Call {
    Load,
    Save,
    Delete,
    Query,
}

/// Counters that all tasks share.
#[derive(Debug, Default)]
pub(super) struct Meter {
    loads: Counter,
    saves: Counter,
    deletes: Counter,
    queries: Counter,
}

#[derive(Debug, Default)]
struct Counter {
    calls: AtomicU64,
    /// Request charges in hundredths, as Cosmos DB states them with two decimals.
    hundredths: AtomicU64,
}

impl Meter {
    pub(super) fn count(&self, call: Call, answer: Option<&DiagnosticsContext>) {
        let charge = answer.map_or(0.0, |answer| answer.total_request_charge().value());
        let counter = match call {
            Call::Load => &self.loads,
            Call::Save => &self.saves,
            Call::Delete => &self.deletes,
            Call::Query => &self.queries,
        };
        counter.add(charge);
    }

    pub(super) fn stats(&self) -> CosmosStats {
        CosmosStats {
            loads: self.loads.read(),
            saves: self.saves.read(),
            deletes: self.deletes.read(),
            queries: self.queries.read(),
        }
    }
}

impl Counter {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a cast saturates, and a charge is a small positive number"
    )]
    fn add(&self, charge: f64) {
        let _before = self.calls.fetch_add(1, Ordering::Relaxed);
        let hundredths = (charge * 100.0).round() as u64;
        let _before = self.hundredths.fetch_add(hundredths, Ordering::Relaxed);
    }

    #[expect(clippy::cast_precision_loss, reason = "a sum of charges is far below 2^53")]
    fn read(&self) -> CosmosCalls {
        CosmosCalls {
            calls: self.calls.load(Ordering::Relaxed),
            request_units: self.hundredths.load(Ordering::Relaxed) as f64 / 100.0,
        }
    }
}
