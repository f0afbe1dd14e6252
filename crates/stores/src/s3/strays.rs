//! Stray markers: markers that no document names.

use std::{
    collections::BTreeMap,
    sync::Mutex,
    time::{Duration, Instant},
};

use crate::sync::lock;

/// Age after which a stray marker, one without a document that names it, is removed.
pub(super) const STRAY_AFTER: Duration = Duration::from_secs(120);

/// The number of stray markers that are remembered; more are found again later.
const STRAYS_MAX: usize = 10_000;

/// Time, in multiples of the age of removal, after which a stray marker that no look has met again
/// is forgotten: somebody else has removed it.
const FORGOTTEN_AFTER: u32 = 8;

/// Stray markers by name.
#[derive(Debug, Default)]
pub(super) struct Strays {
    seen: Mutex<BTreeMap<String, Seen>>,
}

/// The times at which a stray marker was first and last seen.
#[derive(Clone, Copy, Debug)]
struct Seen {
    first: Instant,
    last: Instant,
}

impl Strays {
    /// True if a marker has not been seen before.
    pub(super) fn is_new(&self, name: &str) -> bool {
        !lock(&self.seen).contains_key(name)
    }

    /// Notes that a marker is stray. True if it has been for long enough to be removed.
    pub(super) fn is_old(&self, name: &str, after: Duration) -> bool {
        let (mut seen, now) = (lock(&self.seen), Instant::now());
        if let Some(times) = seen.get_mut(name) {
            times.last = now;
            return times.first.elapsed() >= after;
        }
        if seen.len() >= STRAYS_MAX {
            seen.retain(|_, times| times.last.elapsed() < FORGOTTEN_AFTER * after);
        }
        if seen.len() < STRAYS_MAX {
            let _none = seen.insert(name.to_owned(), Seen { first: now, last: now });
        }
        after.is_zero()
    }

    pub(super) fn forget(&self, name: &str) {
        let mut seen = lock(&self.seen);
        let _since = seen.remove(name);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strays_that_others_have_removed_make_room_for_new_ones() {
        let (strays, after) = (Strays::default(), Duration::from_millis(2));
        for number in 0..STRAYS_MAX {
            strays.is_old(&number.to_string(), Duration::from_secs(60));
        }
        strays.is_old("next", Duration::from_secs(60));
        assert!(strays.is_new("next"), "there is no room");
        std::thread::sleep(after * (FORGOTTEN_AFTER + 1));
        assert!(!strays.is_old("next", after));
        assert!(!strays.is_new("next"));
        std::thread::sleep(after);
        assert!(strays.is_old("next", after));
    }
}
