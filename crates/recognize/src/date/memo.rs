//! Memo tables of the parser: each rule reads each place once (packrat parsing).
//!
//! Many rules begin with a day, a time or a period, so the same place is asked for one many times.
//! Each place answers once, which keeps the work for a text in proportion to its length.

use std::cell::OnceCell;
use std::fmt;

use super::value::{Clock, Day, Period};

/// The readings that are kept, by the index of the token they begin at.
#[derive(Debug)]
pub(super) struct Memo {
    pub(super) day: Kept<Day>,
    pub(super) clock: Kept<Clock>,
    pub(super) period: Kept<Period>,
}

impl Memo {
    /// Makes empty tables for a text of this many tokens.
    pub(super) fn new(len: usize) -> Self {
        Self { day: Kept::new(len), clock: Kept::new(len), period: Kept::new(len) }
    }
}

/// The readings of one rule.
pub(super) struct Kept<T>(Vec<OnceCell<Option<(T, usize)>>>);

impl<T> fmt::Debug for Kept<T> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Kept({})", self.0.len())
    }
}

impl<T: Clone> Kept<T> {
    fn new(len: usize) -> Self {
        Self(std::iter::repeat_with(OnceCell::new).take(len).collect())
    }

    /// Returns the reading at the index of a token, and runs `read` the first time only.
    ///
    /// A reading is a value and the index of the token after it.
    pub(super) fn read(
        &self,
        index: usize,
        read: impl FnOnce() -> Option<(T, usize)>,
    ) -> Option<(T, usize)> {
        let cell = self.0.get(index)?;
        if let Some(kept) = cell.get() {
            return kept.clone();
        }
        let fresh = read();
        // A rule never asks for itself at its own place, so the cell is still empty.
        let is_kept = cell.set(fresh.clone());
        debug_assert!(is_kept.is_ok(), "a rule asked for itself at its own place");
        fresh
    }
}
