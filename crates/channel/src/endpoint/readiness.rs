//! Readiness of an instance: a cached result, refreshed by one request to the store at a time.
//!
//! However many clients ask, the store is asked by one task, and not again before the result has
//! become old. While a new result is awaited, a failure is answered from the cache: a store that
//! hangs does not make clients pile up.

use std::{sync::Mutex, time::Duration};

use sayso_turn::Engine;
use tokio::{sync::watch, time::Instant};

use crate::sync::lock;

/// Timeout of the store, beyond which the instance counts as not ready.
const STORE_TIMEOUT: Duration = Duration::from_secs(3);
/// Age up to which a result is given again without asking the store.
const FRESH: Duration = Duration::from_secs(1);

/// Reason for which an instance is not ready, as a sentence for load balancers.
pub(super) type NotReady = &'static str;

/// Cache of the readiness of an engine.
#[derive(Debug)]
pub(super) struct Readiness {
    engine: Engine,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    last: Option<(Instant, Result<(), NotReady>)>,
    /// The check under way (single-flight).
    flight: Option<watch::Receiver<Option<Result<(), NotReady>>>>,
}

/// The answer, or the check whose result is the answer.
enum Next {
    Known(Result<(), NotReady>),
    Awaited(watch::Receiver<Option<Result<(), NotReady>>>),
}

impl Readiness {
    pub(super) fn new(engine: Engine) -> Self {
        Self { engine, state: Mutex::default() }
    }

    /// Checks that the instance takes activities and that its store has answered lately. Dropping
    /// the future does not cancel a check that others wait for.
    pub(super) async fn check(&self) -> Result<(), NotReady> {
        if self.engine.is_closing() {
            return Err("this instance is shutting down");
        }
        match self.next() {
            Next::Known(result) => result,
            Next::Awaited(mut flight) => {
                let result = flight.wait_for(Option::is_some).await;
                // The task ends without a result only when the runtime shuts down.
                result.map_or(Err("this instance is shutting down"), |result| {
                    result.unwrap_or(Err("the store cannot be reached"))
                })
            }
        }
    }

    fn next(&self) -> Next {
        let mut state = lock(&self.state);
        if let Some(flight) = state.flight.clone() {
            let landed = *flight.borrow();
            match landed {
                Some(result) => {
                    state.last = Some((Instant::now(), result));
                    state.flight = None;
                }
                None if flight.has_changed().is_err() => state.flight = None,
                None => {}
            }
        }
        let last = state.last.map(|(at, result)| (at.elapsed() < FRESH, result));
        if let Some((true, result)) = last {
            return Next::Known(result);
        }
        let flight = match &state.flight {
            Some(flight) => flight.clone(),
            None => {
                let flight = self.take_off();
                state.flight = Some(flight.clone());
                flight
            }
        };
        match last {
            Some((_, Err(reason))) => Next::Known(Err(reason)),
            _ => Next::Awaited(flight),
        }
    }

    /// Starts a check, in a task of its own: a client that goes away does not cancel it.
    fn take_off(&self) -> watch::Receiver<Option<Result<(), NotReady>>> {
        let (landed, flight) = watch::channel(None);
        let engine = self.engine.clone();
        tokio::spawn(async move {
            let result = ask(&engine).await;
            landed.send_replace(Some(result));
        });
        flight
    }
}

async fn ask(engine: &Engine) -> Result<(), NotReady> {
    match tokio::time::timeout(STORE_TIMEOUT, engine.ready()).await {
        Ok(Ok(())) => Ok(()),
        Ok(Err(error)) => {
            tracing::warn!(%error, "not ready: the store does not answer");
            Err("the store cannot be reached")
        }
        Err(_) => {
            tracing::warn!(timeout = ?STORE_TIMEOUT, "not ready: the store takes too long");
            Err("the store does not answer in time")
        }
    }
}
