//! Costs: counts the store calls of instances, and checks them against bounds (P8).

use std::{collections::BTreeMap, time::Duration};

use sayso_turn::Key;

/// Calls are counted in windows of this length.
const WINDOW: Duration = Duration::from_secs(10);

/// Maximum calls of one instance about one document in a window without activities. Renewals,
/// records, take-overs, timers and the rounds of a turn under contention are far below it; a loop
/// without a pause is far above.
const CALLS_MAX: u32 = 120;
/// The same for each activity that the instance got in this window or the one before: rounds of a
/// turn with several documents, each loaded, prepared, committed and finished.
const CALLS_PER_ACTIVITY_MAX: u32 = 100;

/// Maximum calls of one instance in a window that the store refuses for good.
const REFUSED_MAX: u32 = 10;
/// The same for each activity: one that is refused with others is tried alone once more.
const REFUSED_PER_ACTIVITY_MAX: u32 = 6;

/// Minimum pause between commits that counts as a rest, which ends a run of commits in a row.
const REST: Duration = Duration::from_millis(20);

/// Calls that were counted.
#[derive(Debug, Default)]
pub(crate) struct Costs {
    windows: BTreeMap<(usize, Key), Window>,
    causes: BTreeMap<usize, Causes>,
    /// Commits in a row, by document: whose, how many, and when the last one was.
    rows: BTreeMap<Key, (usize, u32, Duration)>,
    /// Writes that were asked for, by document.
    writes: BTreeMap<Key, u32>,
    /// Calls about documents, and looks at what is due, since the last reset.
    pub(crate) calls: u64,
    pub(crate) looks: u64,
    /// True if a world at rest is watched, so that each call is worth a line.
    pub(crate) is_watched: bool,
    /// Writes that committed, over the run.
    pub(crate) committed: u64,
}

#[derive(Debug, Default)]
struct Window {
    number: u128,
    calls: u32,
    refused: u32,
    is_told: bool,
}

#[derive(Debug, Default)]
struct Causes {
    number: u128,
    now: u32,
    before: u32,
}

impl Causes {
    fn move_to(&mut self, number: u128) {
        if number != self.number {
            self.before = if number == self.number + 1 { self.now } else { 0 };
            (self.now, self.number) = (0, number);
        }
    }
}

fn number(now: Duration) -> u128 {
    now.as_nanos() / WINDOW.as_nanos()
}

impl Costs {
    /// Counts an event for which an instance has to call the store.
    pub(crate) fn cause(&mut self, now: Duration, life: usize) {
        let causes = self.causes.entry(life).or_default();
        causes.move_to(number(now));
        causes.now += 1;
    }

    /// Counts a call about a document. Returns the violation if a bound is exceeded.
    pub(crate) fn call(&mut self, now: Duration, life: usize, key: &Key) -> Option<String> {
        self.calls += 1;
        self.count(now, life, key, |window| window.calls += 1)
    }

    /// Counts a call that the store refuses for good. Returns the violation if a bound is exceeded.
    pub(crate) fn refused(&mut self, now: Duration, life: usize, key: &Key) -> Option<String> {
        self.count(now, life, key, |window| window.refused += 1)
    }

    /// Counts a write that an instance asks for.
    pub(crate) fn write(&mut self, key: &Key) {
        *self.writes.entry(key.clone()).or_default() += 1;
    }

    /// Counts a commit, which was asked for earlier. Returns the number of commits that the
    /// instance has made in a row.
    pub(crate) fn commit(
        &mut self,
        key: &Key,
        life: usize,
        asked_at: Duration,
        now: Duration,
    ) -> u32 {
        let (whose, row, before) = self.rows.entry(key.clone()).or_insert((life, 0, now));
        let is_rested = asked_at.saturating_sub(*before) >= REST;
        *row = if is_rested || *whose != life { 1 } else { *row + 1 };
        (*whose, *before) = (life, now);
        *row
    }

    /// Number of writes of a document that were asked for since the last reset.
    pub(crate) fn writes_of(&self, key: &Key) -> u32 {
        self.writes.get(key).copied().unwrap_or_default()
    }

    /// Resets the counters of calls, looks and writes.
    pub(crate) fn reset(&mut self) {
        self.writes.clear();
        (self.calls, self.looks) = (0, 0);
    }

    fn count(
        &mut self,
        now: Duration,
        life: usize,
        key: &Key,
        add: impl Fn(&mut Window),
    ) -> Option<String> {
        let number = number(now);
        let causes = self.causes.entry(life).or_default();
        causes.move_to(number);
        let causes = causes.now + causes.before;
        let window = self.windows.entry((life, key.clone())).or_default();
        if window.number != number {
            *window = Window { number, ..Window::default() };
        }
        add(window);
        let is_much = window.calls > CALLS_MAX + CALLS_PER_ACTIVITY_MAX * causes;
        let is_stubborn = window.refused > REFUSED_MAX + REFUSED_PER_ACTIVITY_MAX * causes;
        if window.is_told || !(is_much || is_stubborn) {
            return None;
        }
        window.is_told = true;
        let (calls, refused) = (window.calls, window.refused);
        Some(format!(
            "P8: instance {life} asks {calls} times for {key} within {WINDOW:?}, {refused} of them \
             refused for good, with {causes} activities"
        ))
    }
}
