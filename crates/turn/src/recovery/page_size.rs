//! Page size of a look: halved when the store cannot make a page in time, doubled again after a
//! while (multiplicative decrease, slow increase).
//!
//! The size that works is kept, because each page that is too large costs a whole deadline. It
//! grows again, because a page may also have failed for want of a store.

/// Maximum number of times that the size is halved.
const HALVINGS_MAX: u32 = 8;
/// Pages in a row that a size must have worked for before twice the size is tried.
const GOOD_PAGES: u32 = 64;

/// Size of the next page.
#[derive(Debug, Default)]
pub(super) struct PageSize {
    halvings: u32,
    /// Pages made in a row at this size.
    good: u32,
}

impl PageSize {
    /// Returns the number of documents to ask for, of at most `max`.
    pub(super) fn of(&self, max: usize) -> usize {
        (max >> self.halvings).max(1)
    }

    /// Notes a page that the store made.
    pub(super) fn note_success(&mut self) {
        self.good += 1;
        if self.good >= GOOD_PAGES {
            *self = Self { halvings: self.halvings.saturating_sub(1), good: 0 };
        }
    }

    /// Notes a page that failed or came too late.
    pub(super) fn note_failure(&mut self) {
        *self = Self { halvings: (self.halvings + 1).min(HALVINGS_MAX), good: 0 };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_size_that_works_is_kept_and_tried_larger_only_after_a_while() {
        let mut size = PageSize::default();
        (0..4).for_each(|_| size.note_failure());
        for _ in 1..GOOD_PAGES {
            size.note_success();
            assert_eq!(size.of(500), 31);
        }
        size.note_success();
        assert_eq!(size.of(500), 62);
        size.note_failure();
        assert_eq!(size.of(500), 31);
    }

    #[test]
    fn after_an_outage_the_size_is_soon_the_whole_again() {
        let mut size = PageSize::default();
        (0..100).for_each(|_| size.note_failure());
        assert_eq!(size.of(500), 1);
        (0..GOOD_PAGES * HALVINGS_MAX).for_each(|_| size.note_success());
        assert_eq!(size.of(500), 500);
    }
}
