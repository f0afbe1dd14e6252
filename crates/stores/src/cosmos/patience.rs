//! Time-outs and retry policy of calls.
//!
//! By default the library retries any failure for minutes, writes included. A turn has better uses
//! for that time: so writes are sent once, and throttling (429) is soon reported to the caller.

use std::{future::Future, time::Duration};

use azure_data_cosmos::options::{
    AvailabilityStrategy, BinaryEncodingOptions, EndToEndOperationLatencyPolicy, OperationOptions,
    ReadConsistencyStrategy, ThrottlingRetryOptionsBuilder,
};
use sayso_turn::store::Error;

/// Extra time for the library to give up by itself before we stop waiting.
const GRACE: Duration = Duration::from_secs(1);

/// Retries of a throttled (429) page of a query.
const QUERY_TRIES: u32 = 3;

/// Time-out: no answer in time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Late(Duration);

/// Runs a call with a time-out.
pub(super) async fn within<T>(
    call_max: Duration,
    call: impl Future<Output = T> + Send,
) -> Result<T, Late> {
    // The library's futures are large; callers hold many of them.
    let call = Box::pin(call);
    tokio::time::timeout(call_max + GRACE, call).await.map_err(|_| Late(call_max))
}

impl Late {
    /// The error of a read: nothing happened.
    pub(super) fn of_read(self, store: &str) -> Error {
        let reason = self.reason();
        Error::Unavailable { store: store.to_owned().into(), reason, source: None }
    }

    /// The error of a write: it may have happened.
    pub(super) fn of_write(self, store: &str) -> Error {
        let reason = self.reason();
        Error::Unknown { store: store.to_owned().into(), reason, source: None }
    }

    fn reason(self) -> String {
        format!("no answer within {} s", self.0.as_secs())
    }
}

/// Options of a point read, with session consistency.
pub(super) fn read_options(call_max: Duration) -> OperationOptions {
    let mut options = options(call_max, 0);
    options.read_consistency_strategy = Some(ReadConsistencyStrategy::Session);
    options
}

/// Options of a query.
pub(super) fn query_options(call_max: Duration) -> OperationOptions {
    let mut options = options(call_max, QUERY_TRIES);
    options.read_consistency_strategy = Some(ReadConsistencyStrategy::Session);
    options
}

/// Options of a write: sent once, to one region, so that the library does not repeat it.
pub(super) fn write_options(call_max: Duration) -> OperationOptions {
    let mut options = options(call_max, 0);
    options.max_failover_retry_count = Some(0);
    options.availability_strategy = Some(AvailabilityStrategy::Disabled);
    options.hedging_enabled = Some(false);
    options
}

fn options(call_max: Duration, tries: u32) -> OperationOptions {
    let mut options = OperationOptions::default();
    options.end_to_end_latency_policy = Some(EndToEndOperationLatencyPolicy::new(call_max));
    let throttling = ThrottlingRetryOptionsBuilder::new().with_max_retry_count(tries);
    options.throttling_retry_options =
        Some(throttling.with_max_retry_wait_time(call_max / 2).build());
    // Text on the wire, as it stands: the library's binary form sorts the members of objects.
    options.binary_encoding = Some(BinaryEncodingOptions::new().with_enabled(false));
    options
}
