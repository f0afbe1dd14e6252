//! Parts of the day: the morning, lunchtime, early evening.

use super::place::{At, Read};
use super::value::{Clock, Hours};

/// A part of the day, by its hours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Part {
    /// Its timex.
    pub(super) code: &'static str,
    from: i8,
    /// The hour at which it ends; 24 is the last second of the day.
    to: i8,
    /// True if the word is in the plural: `mornings`.
    pub(super) is_plural: bool,
}

impl Part {
    const fn new(code: &'static str, from: i8, to: i8) -> Self {
        Self { code, from, to, is_plural: false }
    }

    /// The first two hours.
    fn early(self) -> Self {
        Self { to: self.from + 2, ..self }
    }

    /// The last two hours.
    fn late(self) -> Self {
        Self { from: self.to - 2, ..self }
    }

    /// The early or the late hours of it.
    pub(super) fn shade(self, is_early: bool) -> Self {
        if is_early { self.early() } else { self.late() }
    }

    /// Its beginning and its end.
    pub(super) fn ends(self) -> (Clock, Clock) {
        let last = Clock { minute: Some(59), second: Some(59), ..Clock::at(23) };
        (Clock::at(self.from), if self.to == 24 { last } else { Clock::at(self.to) })
    }

    /// Its hours.
    pub(super) fn hours(self) -> Hours {
        Hours { part: Some(self.code), readings: vec![self.ends()] }
    }
}

/// The night, from the evening on.
pub(super) const fn night() -> Part {
    Part::new("TNI", 20, 24)
}

/// A part of the day by its name alone.
pub(super) fn named(at: At<'_>) -> Read<'_, Part> {
    const NIGHT_TIME: Part = Part::new("TNT", 0, 8);
    const DAY_TIME: Part = Part::new("TDT", 8, 18);
    let time = at.next().skip(&["-"]).eat(&["time"]);
    let part = match (at.word(), time) {
        ("night", Some(after)) => return Some((NIGHT_TIME, after)),
        ("day", Some(after)) => return Some((DAY_TIME, after)),
        ("business", None) => return Some((Part::new("TBH", 8, 18), at.phrase("business hours")?)),
        (meal, Some(after)) => return Some((self::meal(meal)?, after)),
        ("morning" | "mornings", None) => Part::new("TMO", 8, 12),
        ("afternoon" | "afternoons", None) => Part::new("TAF", 12, 16),
        ("evening" | "evenings", None) => Part::new("TEV", 16, 20),
        ("night" | "nights", None) => night(),
        ("daytime", None) => DAY_TIME,
        ("nighttime", None) => NIGHT_TIME,
        (word, None) => meal(word.strip_suffix("time")?)?,
    };
    Some((Part { is_plural: at.word().ends_with('s'), ..part }, at.next()))
}

/// The hours of a meal; the bare word is food rather than a time.
pub(super) fn meal(word: &str) -> Option<Part> {
    Some(match word {
        "breakfast" => Part::new("TMEB", 8, 12),
        "brunch" => Part::new("TMER", 8, 12),
        "lunch" => Part::new("TMEL", 11, 13),
        "dinner" | "supper" => Part::new("TMED", 16, 20),
        _ => return None,
    })
}

/// A part with a shade: `early morning`, `late evening`, `later in the afternoon`.
pub(super) fn shaded(at: At<'_>) -> Read<'_, Part> {
    let is_early = match at.word() {
        "early" | "earlier" => Some(true),
        "late" | "later" => Some(false),
        _ => None,
    };
    let start = match is_early {
        Some(_) => at.next().skip(&["in"]).skip(&["the"]),
        None => at,
    };
    let (part, after) = named(start)?;
    Some((is_early.map_or(part, |is_early| part.shade(is_early)), after))
}

/// A part of any day: `in the morning`, `evening`. Greetings (`good morning`) are skipped.
pub(super) fn of_any_day(at: At<'_>) -> Read<'_, Part> {
    if matches!(at.behind(1), "good" | "gm") {
        return None;
    }
    let linked = at.eat(&["in"]).map(|after| after.skip(&["the"]));
    // Bare nights are counted, and a bare night is rarely a time.
    shaded(linked.unwrap_or(at))
}
