//! Stray markers: markers of due documents that no document names.

use std::{
    collections::BTreeMap,
    sync::Mutex,
    time::{Duration, Instant},
};

use crate::sync::lock;

/// Age after which a stray marker, one without a document that names it, is removed.
pub(crate) const STRAY_AFTER: Duration = Duration::from_secs(120);

/// The number of stray markers that are remembered at a time. Each leaves the memory when it is
/// removed, and others take its place.
pub(crate) const STRAYS_MAX: usize = 10_000;

/// Time, in multiples of the age of removal, after which a stray marker that no look has met again
/// is forgotten: somebody else has removed it.
const FORGOTTEN_AFTER: u32 = 8;

/// Stray markers that are remembered.
#[derive(Debug, Default)]
pub(crate) struct Strays(Mutex<Memory>);

#[derive(Debug, Default)]
struct Memory {
    /// By name.
    seen: BTreeMap<String, Seen>,
    /// The last time at which room was made.
    purged: Option<Instant>,
}

/// The times at which a stray marker was first and last seen.
#[derive(Clone, Copy, Debug)]
struct Seen {
    first: Instant,
    last: Instant,
}

/// The state of a stray marker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Noted {
    /// It is seen for the first time.
    New,
    /// It was seen before, not long ago.
    Young,
    /// It has been stray for long enough to be removed.
    Old,
    /// Others have taken up all the memory; a later look notes it.
    NoRoom,
}

impl Strays {
    /// Notes that a marker is stray.
    pub(crate) fn note(&self, name: &str, after: Duration) -> Noted {
        let (mut memory, now) = (lock(&self.0), Instant::now());
        let Memory { seen, purged } = &mut *memory;
        if let Some(times) = seen.get_mut(name) {
            times.last = now;
            return if times.first.elapsed() >= after { Noted::Old } else { Noted::Young };
        }
        // Not for each of many: it goes through all of them.
        if seen.len() >= STRAYS_MAX && purged.is_none_or(|at| at.elapsed() >= after) {
            *purged = Some(now);
            seen.retain(|_, times| times.last.elapsed() < FORGOTTEN_AFTER * after);
        }
        if seen.len() >= STRAYS_MAX {
            return Noted::NoRoom;
        }
        let _none = seen.insert(name.to_owned(), Seen { first: now, last: now });
        if after.is_zero() { Noted::Old } else { Noted::New }
    }

    pub(crate) fn forget(&self, name: &str) {
        let _since = lock(&self.0).seen.remove(name);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strays_that_others_have_removed_make_room_for_new_ones() {
        let (strays, after) = (Strays::default(), Duration::from_millis(2));
        for number in 0..STRAYS_MAX {
            assert_eq!(strays.note(&number.to_string(), Duration::from_secs(60)), Noted::New);
        }
        assert_eq!(strays.note("next", Duration::from_secs(60)), Noted::NoRoom);
        std::thread::sleep(after * (FORGOTTEN_AFTER + 1));
        assert_eq!(strays.note("next", after), Noted::New);
        std::thread::sleep(after);
        assert_eq!(strays.note("next", after), Noted::Old);
    }

    #[test]
    fn a_stray_that_is_forgotten_makes_room_for_another() {
        let (strays, minute) = (Strays::default(), Duration::from_secs(60));
        for number in 0..STRAYS_MAX {
            assert_eq!(strays.note(&number.to_string(), minute), Noted::New);
        }
        strays.forget("7");
        assert_eq!(strays.note("next", minute), Noted::New);
        assert_eq!(strays.note("7", minute), Noted::NoRoom);
        assert_eq!(strays.note("8", minute), Noted::Young);
    }
}
