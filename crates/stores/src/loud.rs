//! Paced error log: for troubles that every call meets, such as refused credentials.
//!
//! A person must put it right, so it is told aloud; but once in a while is enough.

use std::{
    fmt,
    sync::Mutex,
    time::{Duration, Instant},
};

use crate::sync::lock;

/// The shortest time between two reports.
const PAUSE: Duration = Duration::from_secs(10);

/// Reports of one store.
#[derive(Debug, Default)]
pub(crate) struct Reports {
    last: Mutex<Option<Instant>>,
}

impl Reports {
    /// Logs an error, unless one was logged a moment ago.
    pub(crate) fn tell(&self, error: &dyn fmt::Display) {
        let mut last = lock(&self.last);
        if last.is_none_or(|at| at.elapsed() >= PAUSE) {
            *last = Some(Instant::now());
            tracing::error!("{error}");
        }
    }
}
