//! Calls to a store that are worth repeating are repeated, for a while.

use std::{
    future::Future,
    time::{Duration, Instant},
};

use sayso::turn::{
    Key,
    store::{ETag, Error, Saved, Store, Write},
};
use tokio::time::sleep;

/// How long a store may be unavailable or throttling before the command gives up.
const PATIENCE: Duration = Duration::from_secs(60);

const BACKOFF_FIRST: Duration = Duration::from_millis(100);
const BACKOFF_MAX: Duration = Duration::from_secs(5);

/// No store is waited for longer than this at a time, whatever it asks for.
const WAIT_MAX: Duration = Duration::from_secs(30);

/// What became of a conditional write.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Wrote {
    Done(ETag),
    /// Somebody was faster, or the answer was lost: look again.
    Again,
}

/// Calls until it succeeds, fails for good, or patience ends. The call must be one that did nothing
/// when the store was unavailable.
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

/// Saves if the condition holds.
pub(super) async fn save(store: &dyn Store, write: &Write) -> Result<Wrote, Error> {
    match patiently(|| store.save(write.clone())).await {
        Ok(Saved::Committed(etag)) => Ok(Wrote::Done(etag)),
        Ok(Saved::Conflict) | Err(Error::Unknown { .. }) => Ok(Wrote::Again),
        Err(error) => Err(error),
    }
}

/// Deletes if the document is still at that version. `false` means: look again.
pub(super) async fn delete(store: &dyn Store, key: &Key, etag: &ETag) -> Result<bool, Error> {
    match patiently(|| store.delete(key, etag)).await {
        Ok(Saved::Committed(_)) => Ok(true),
        Ok(Saved::Conflict) | Err(Error::Unknown { .. }) => Ok(false),
        Err(error) => Err(error),
    }
}
