//! Progress of a pass on standard error: a live line on a terminal, else a line now and then.

use std::{
    collections::BTreeSet,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use crate::{state::units, terminal};

/// Intervals between two updates: of the line on a terminal, and of a log.
const FRAME: Duration = Duration::from_millis(200);
const LOG_EVERY: Duration = Duration::from_secs(5);

/// Maximum number of problems that are printed; the rest are only counted.
const PROBLEMS_MAX: usize = 20;

/// The progress of all passes.
#[derive(Debug)]
pub(super) struct Progress {
    is_live: bool,
    state: Mutex<State>,
}

/// Number of keys that a listing has found so far.
#[derive(Debug, Default)]
pub(super) struct Listed {
    keys: AtomicU64,
    is_all: AtomicBool,
}

impl Listed {
    /// Counts a key.
    pub(super) fn add(&self) {
        self.keys.fetch_add(1, Ordering::Relaxed);
    }

    /// Marks the listing as complete.
    pub(super) fn end(&self) {
        self.is_all.store(true, Ordering::Relaxed);
    }
}

#[derive(Debug)]
struct State {
    title: String,
    listed: Arc<Listed>,
    began: Instant,
    done: u64,
    shown: Instant,
    problems: BTreeSet<String>,
}

impl Progress {
    pub(super) fn new() -> Self {
        let now = Instant::now();
        Self {
            is_live: terminal::is_error_terminal(),
            state: Mutex::new(State {
                title: String::new(),
                listed: Arc::default(),
                began: now,
                done: 0,
                shown: now,
                problems: BTreeSet::new(),
            }),
        }
    }

    /// Begins a pass. Its listing counts into the value returned.
    pub(super) fn start(&self, title: String) -> Arc<Listed> {
        let mut state = self.state();
        (state.title, state.began, state.done) = (title, Instant::now(), 0);
        state.shown = state.began;
        state.listed = Arc::default();
        Arc::clone(&state.listed)
    }

    /// Counts a document as done, and updates the line if it is time.
    pub(super) fn step(&self) {
        let mut state = self.state();
        state.done += 1;
        let every = if self.is_live { FRAME } else { LOG_EVERY };
        if state.shown.elapsed() >= every {
            state.shown = Instant::now();
            let known = state.listed.keys.load(Ordering::Relaxed);
            let is_all = state.listed.is_all.load(Ordering::Relaxed);
            let line = line(&state.title, state.done, known, is_all, state.began.elapsed());
            match self.is_live {
                true => terminal::ask(&format!("\r\x1b[2K{line}")),
                false => terminal::note(&line),
            }
        }
    }

    /// Prints a text on a line of its own.
    pub(super) fn note(&self, text: &str) {
        let clear = if self.is_live { "\r\x1b[2K" } else { "" };
        terminal::note(&format!("{clear}{text}"));
    }

    /// Reports a document that is left alone, once, unless there were too many.
    pub(super) fn problem(&self, reason: &str) {
        let mut state = self.state();
        if state.problems.len() > PROBLEMS_MAX || state.problems.contains(reason) {
            return;
        }
        let is_last = state.problems.len() == PROBLEMS_MAX;
        state.problems.insert(reason.to_owned());
        drop(state);
        self.note(if is_last { "further ones are only counted" } else { reason });
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn line(title: &str, done: u64, known: u64, is_all: bool, took: Duration) -> String {
    let rate = done as f64 / took.as_secs_f64().max(0.001);
    let known = known.max(done);
    let of = match is_all {
        true => format!("{} ({} %)", units::count(known), done * 100 / known.max(1)),
        false => format!("{} or more", units::count(known)),
    };
    let left = match (is_all, (known - done) as f64 / rate.max(0.001)) {
        (true, left) if left.is_finite() && left < 1e9 => {
            format!(", {} left", units::span(Duration::from_secs_f64(left)))
        }
        _ => String::new(),
    };
    format!("{title}: {} of {of}, {}/s{left}", units::count(done), units::count(rate as u64))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_has_documents_percent_rate_and_time_left() {
        let took = Duration::from_secs(10);
        let text = line("pass 1, copying", 5000, 20_000, true, took);
        assert_eq!(text, "pass 1, copying: 5,000 of 20,000 (25 %), 500/s, 30 s left");
        let text = line("pass 1, copying", 5000, 9000, false, took);
        assert_eq!(text, "pass 1, copying: 5,000 of 9,000 or more, 500/s");
        assert!(line("x", 0, 0, true, Duration::ZERO).contains("(0 %)"));
    }
}
