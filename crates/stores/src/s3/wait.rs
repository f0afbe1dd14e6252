//! The wait of a document: the time from which it is due, and the markers that stand for it.
//!
//! A marker must not be later than the time it stands for; it may be earlier. A look that meets it
//! too early moves it on. So a document whose expiry is put off with every turn keeps one marker
//! for as long as that lies ahead, also while it waits for something nearer.

use std::time::Duration;

use sayso_turn::clock::Timestamp;

use super::names::Marker;

/// A marker is used again only if it lies this far ahead: no look has met it, nor will one during
/// the save, unless the clocks of two machines differ by more.
const AHEAD_MIN: Duration = Duration::from_secs(600);

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Wait {
    /// The time from which the document is due.
    pub(super) due: Timestamp,
    /// Its marker, of that time or of an earlier one.
    pub(super) marker: Marker,
    /// A marker of a later time, for a wait that follows.
    pub(super) kept: Option<Marker>,
}

/// The standing of a marker in the bucket with the document of its key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Standing {
    /// It stands for the wait.
    Own,
    /// It is kept for a wait that follows.
    Kept,
    /// The document does not name it.
    Stray,
}

impl Wait {
    /// A wait until `due`, with markers of the wait before it as far as they serve, and a new one
    /// of this write if they do not.
    pub(super) fn new(due: Timestamp, write: &str, former: Option<&Self>, now: Timestamp) -> Self {
        let is_ahead = |marker: &Marker| marker.at >= now.after(AHEAD_MIN);
        // One that was never earlier than its wait was never moved either.
        let is_exact = |marker: &Marker| {
            former.is_some_and(|former| former.marker == *marker && former.due == marker.at)
        };
        let markers = || former.into_iter().flat_map(Self::markers);
        let same =
            markers().find(|marker| marker.at == due && (is_exact(marker) || is_ahead(marker)));
        let earlier = || markers().find(|marker| marker.at <= due && is_ahead(marker));
        let marker = same.or_else(earlier).cloned();
        let marker = marker.unwrap_or_else(|| Marker { at: due, write: write.to_owned() });
        let kept = markers().find(|kept| **kept != marker && kept.at > due && is_ahead(kept));
        Self { due, kept: kept.cloned(), marker }
    }

    /// All markers that the document names.
    pub(super) fn markers(&self) -> impl Iterator<Item = &Marker> {
        self.kept.iter().chain([&self.marker])
    }

    /// All markers that there may be of this wait: the document does not tell if one was moved on.
    pub(super) fn markers_to_remove(&self, now: Timestamp) -> Vec<Marker> {
        let mut markers: Vec<Marker> = self.markers().cloned().collect();
        if self.due != self.marker.at && self.marker.at < now.after(AHEAD_MIN) {
            markers.push(self.moved_on());
        }
        markers
    }

    /// The standing of a marker with the document. One that was moved on is of a later time.
    pub(super) fn standing(&self, marker: &Marker) -> Standing {
        let is_in_time = (self.marker.at..=self.due).contains(&marker.at);
        match &self.kept {
            _ if is_in_time && marker.write == self.marker.write => Standing::Own,
            Some(kept) if marker.write == kept.write => Standing::Kept,
            _ => Standing::Stray,
        }
    }

    /// The marker that takes the place of one that was met too early.
    pub(super) fn moved_on(&self) -> Marker {
        Marker { at: self.due, write: self.marker.write.clone() }
    }

    /// The name of a write and its wait as two words. Builds that know exact markers alone read the
    /// whole first word as the name.
    pub(super) fn to_words(wait: Option<&Self>, write: &str) -> (String, String) {
        let Some(Self { due, marker, kept }) = wait else {
            return (write.to_owned(), "-".to_owned());
        };
        let mut name = write.to_owned();
        if *due != marker.at {
            name.push_str(&format!("-d{:x}", due.as_millis()));
        }
        if let Some(kept) = kept {
            name.push_str(&format!("-e{:x}-{}", kept.at.as_millis(), kept.write));
        }
        (name, format!("{}@{}", marker.write, marker.at.as_millis()))
    }

    /// Reads the words; `None` if they are not such.
    pub(super) fn from_words(name: &str, marker: &str) -> Option<(Option<Self>, String)> {
        let end = ["-d", "-e"].iter().filter_map(|mark| name.find(mark)).min();
        let (write, rest) = name.split_at_checked(end.unwrap_or(name.len()))?;
        if !is_write(write) {
            return None;
        }
        if marker == "-" {
            return rest.is_empty().then(|| (None, write.to_owned()));
        }
        let (by, at) = marker.split_once('@')?;
        let marker = Marker { at: Timestamp::from_millis(at.parse().ok()?), write: by.to_owned() };
        let (due, rest) = match rest.strip_prefix("-d") {
            Some(rest) => {
                let (due, rest) = rest.split_at_checked(rest.find('-').unwrap_or(rest.len()))?;
                (time(due)?, rest)
            }
            None => (marker.at, rest),
        };
        let kept = match rest.strip_prefix("-e") {
            Some(kept) => {
                let (at, by) = kept.split_once('-')?;
                Some(Marker { at: time(at)?, write: by.to_owned() })
            }
            None if rest.is_empty() => None,
            None => return None,
        };
        let wait = Self { due, marker, kept };
        let is_sound =
            wait.markers().all(|marker| is_write(&marker.write)) && wait.marker.at <= due;
        is_sound.then(|| (Some(wait), write.to_owned()))
    }
}

fn is_write(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b'-')
}

/// A time in hexadecimal digits.
fn time(text: &str) -> Option<Timestamp> {
    u64::from_str_radix(text, 16).ok().map(Timestamp::from_millis)
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Timestamp = Timestamp::from_millis(1_800_000_000_000);
    const DAY: Duration = Duration::from_secs(24 * 3600);
    const CLAIMED: Timestamp = Timestamp::from_millis(1);

    fn wait(due: Timestamp, write: &str, former: Option<&Wait>) -> Wait {
        Wait::new(due, write, former, NOW)
    }

    #[test]
    fn an_expiry_that_is_put_off_keeps_its_marker_through_other_waits() {
        let first = wait(NOW.after(DAY), "0a-1", None);
        assert_eq!((first.due, &first.kept), (first.marker.at, &None));
        let mut before = first.clone();
        for turn in 1..5 {
            let claimed = wait(CLAIMED, &format!("0a-{turn}2"), Some(&before));
            assert_eq!(claimed.marker.at, CLAIMED);
            assert_eq!(claimed.kept.as_ref(), Some(&first.marker));
            assert_eq!(claimed.standing(&first.marker), Standing::Kept);
            let later = NOW.after(DAY + Duration::from_secs(turn));
            let rests = wait(later, &format!("0a-{turn}3"), Some(&claimed));
            assert_eq!((rests.due, &rests.marker, &rests.kept), (later, &first.marker, &None));
            assert_eq!(rests.standing(&first.marker), Standing::Own);
            assert_eq!(rests.standing(&rests.moved_on()), Standing::Own);
            assert_eq!(rests.standing(&claimed.marker), Standing::Stray);
            before = rests;
        }
    }

    #[test]
    fn a_marker_is_never_later_than_the_time_it_stands_for() {
        let times = [0, 1, 5, NOW.as_millis(), NOW.after(DAY).as_millis(), i64::MAX as u64];
        for one in times {
            for two in times {
                for three in times {
                    let mut former: Option<Wait> = None;
                    for (write, due) in ["0a-1", "0a-2", "0a-3"].iter().zip([one, two, three]) {
                        let next = wait(Timestamp::from_millis(due), write, former.as_ref());
                        assert!(next.marker.at <= next.due, "{next:?}");
                        let is_near = next.marker.at < NOW.after(AHEAD_MIN);
                        assert!(!is_near || next.marker.at == next.due, "{next:?}");
                        former = Some(next);
                    }
                }
            }
        }
    }

    #[test]
    fn a_marker_that_may_have_been_moved_is_not_used_again() {
        let soon = Marker { at: NOW.after(AHEAD_MIN / 2), write: "0a-1".to_owned() };
        let former = Wait { due: NOW.after(DAY), marker: soon.clone(), kept: None };
        for due in [soon.at, NOW.after(DAY), NOW.after(2 * DAY)] {
            assert_eq!(wait(due, "0a-2", Some(&former)).marker.write, "0a-2");
        }
        assert_eq!(former.markers_to_remove(NOW), [soon, former.moved_on()]);
        let far = wait(NOW.after(DAY), "0a-1", None);
        assert_eq!(far.markers_to_remove(NOW).len(), 1, "no look has met it");
    }

    #[test]
    fn the_words_are_read_as_they_were_written() {
        let marker = |at, write: &str| Marker { at, write: write.to_owned() };
        let kept = marker(NOW.after(DAY), "0c-3");
        let waits = [
            None,
            Some(Wait { due: CLAIMED, marker: marker(CLAIMED, "0b-2"), kept: None }),
            Some(Wait { due: CLAIMED, marker: marker(CLAIMED, "0b-2"), kept: Some(kept.clone()) }),
            Some(Wait { due: NOW, marker: marker(CLAIMED, "0b-2"), kept: None }),
            Some(Wait { due: NOW, marker: marker(CLAIMED, "0b-2"), kept: Some(kept) }),
        ];
        for wait in waits {
            let (name, marker) = Wait::to_words(wait.as_ref(), "0a-1f");
            assert!(is_write(&name), "builds before this one take it for a name: {name}");
            assert_eq!(Wait::from_words(&name, &marker), Some((wait, "0a-1f".to_owned())));
        }
        for (name, marker) in [
            ("", "-"),
            ("zz", "-"),
            ("0a-1-d5", "-"),
            ("0a-1-d0", "0b-2@1"),
            ("0a-1-dx", "0b-2@1"),
            ("0a-1-e5", "0b-2@1"),
            ("0a-1-e5-", "0b-2@1"),
            ("0a-1-d5-7", "0b-2@1"),
            ("0a-1", "x"),
            ("0a-1", "0b-2@x"),
            ("0a-1", "x@1"),
        ] {
            assert_eq!(Wait::from_words(name, marker), None, "{name} {marker}");
        }
    }
}
