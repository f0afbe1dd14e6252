//! Retries of store calls, with exponential back-off and a time limit.

use std::{
    future::Future,
    sync::atomic::{AtomicUsize, Ordering},
    time::{Duration, Instant},
};

use sayso::turn::{
    Key,
    store::{ETag, Error, Saved, Store, Write},
};
use tokio::time::sleep;

/// Time limit of the retries while a store is unavailable or throttles.
const PATIENCE: Duration = Duration::from_secs(60);

const BACKOFF_FIRST: Duration = Duration::from_millis(100);
const BACKOFF_MAX: Duration = Duration::from_secs(5);

/// Maximum delay before a retry, whatever `Retry-After` the store asks for.
const WAIT_MAX: Duration = Duration::from_secs(30);

/// Maximum refusals in a row before the store is to blame rather than the documents: a missing
/// right, say.
const REFUSALS_MAX: usize = 100;

/// Result of a conditional write.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum WriteResult {
    Done(ETag),
    /// Somebody was faster, or the answer was lost: read again.
    Again,
    /// The store does not take this document, for the reason given in one sentence.
    Refused(String),
}

/// Counter of refusals in a row: it tells a document that a store does not take from a store that
/// takes nothing.
#[derive(Debug, Default)]
pub(super) struct Refusals {
    in_a_row: AtomicUsize,
}

/// Retries a call until it succeeds, fails for good, or the time limit is reached. The call must
/// have had no effect when the store was unavailable.
pub(super) async fn patiently<T, F>(call: impl Fn() -> F + Send) -> Result<T, Error>
where
    F: Future<Output = Result<T, Error>> + Send,
{
    let began = Instant::now();
    let mut backoff = BACKOFF_FIRST;
    loop {
        let error = match call().await {
            Err(error @ (Error::Throttled { .. } | Error::Unavailable { .. })) => error,
            done => return done,
        };
        if began.elapsed() >= PATIENCE {
            return Err(error);
        }
        tracing::info!("{error}; trying again");
        sleep(error.retry_after().unwrap_or(backoff).min(WAIT_MAX)).await;
        backoff = (2 * backoff).min(BACKOFF_MAX);
    }
}

impl Refusals {
    /// Saves if the condition holds. It is an error when so many in a row are refused that it
    /// cannot be for the documents' sake.
    pub(super) async fn save(
        &self,
        store: &dyn Store,
        write: &Write,
    ) -> Result<WriteResult, Error> {
        let wrote = match patiently(|| store.save(write.clone())).await {
            Ok(Saved::Committed(etag)) => WriteResult::Done(etag),
            Ok(Saved::Conflict) | Err(Error::Unknown { .. }) => return Ok(WriteResult::Again),
            Err(error @ Error::TooLarge { .. }) => WriteResult::Refused(error.to_string()),
            Err(error) => return self.forgive(&write.key, error).map(WriteResult::Refused),
        };
        self.in_a_row.store(0, Ordering::Relaxed);
        Ok(wrote)
    }

    /// Returns a sentence about the document if the error may concern it alone; else the error.
    pub(super) fn forgive(&self, key: &Key, error: Error) -> Result<String, Error> {
        let is_invalid = matches!(error, Error::Invalid { .. });
        if is_invalid && self.in_a_row.fetch_add(1, Ordering::Relaxed) < REFUSALS_MAX {
            return Ok(format!("{key}: {error}"));
        }
        Err(error)
    }
}

/// Deletes a document if it is still at that version. `false` means: read again.
pub(super) async fn delete(store: &dyn Store, key: &Key, etag: &ETag) -> Result<bool, Error> {
    match patiently(|| store.delete(key, etag)).await {
        Ok(Saved::Committed(_)) => Ok(true),
        Ok(Saved::Conflict) | Err(Error::Unknown { .. }) => Ok(false),
        Err(error) => Err(error),
    }
}
