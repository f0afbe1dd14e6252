//! Formats of numbers, sizes and times for people.

use std::time::Duration;

use sayso::turn::clock::Timestamp;

/// Formats a number with thousands separators.
pub(super) fn count(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() * 4 / 3);
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Formats a number with its noun, in the singular or the plural.
pub(super) fn many(number: usize, one: &str, more: &str) -> String {
    format!("{} {}", count(number as u64), if number == 1 { one } else { more })
}

/// Formats a number of bytes with a binary prefix.
pub(super) fn bytes(number: u64) -> String {
    const UNITS: [(u32, &str); 3] = [(30, "GiB"), (20, "MiB"), (10, "KiB")];
    for (bits, unit) in UNITS {
        if number >> bits > 0 {
            // Tenths are enough, so integers are, too.
            let tenths = number.saturating_mul(10) >> bits;
            return format!("{}.{} {unit}", tenths / 10, tenths % 10);
        }
    }
    format!("{number} B")
}

/// Formats a duration in one unit.
pub(super) fn span(length: Duration) -> String {
    let seconds = length.as_secs();
    match seconds {
        0..100 => format!("{seconds} s"),
        100..6000 => format!("{} min", seconds / 60),
        6000..172_800 => format!("{} h", seconds / 3600),
        _ => format!("{} d", seconds / 86_400),
    }
}

/// Formats a time relative to now.
pub(super) fn when(at: Timestamp, now: Timestamp) -> String {
    let (ahead, ago) = (at.since(now), now.since(at));
    match (ahead.as_secs(), ago.as_secs()) {
        (0, 0) => "now".to_owned(),
        (0, _) => format!("{} ago", span(ago)),
        _ => format!("in {}", span(ahead)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_sizes_are_short() {
        assert_eq!([0, 999, 1000, 1_234_567].map(count), ["0", "999", "1,000", "1,234,567"]);
        assert_eq!(many(1, "reply", "replies"), "1 reply");
        assert_eq!(many(2000, "reply", "replies"), "2,000 replies");
        let sizes = [0, 1023, 1024, 1536, 5 << 20, 7 << 30].map(bytes);
        assert_eq!(sizes, ["0 B", "1023 B", "1.0 KiB", "1.5 KiB", "5.0 MiB", "7.0 GiB"]);
    }

    #[test]
    fn times_are_told_from_now() {
        let at = Timestamp::from_millis;
        assert_eq!(when(at(1000), at(1500)), "now");
        assert_eq!(when(at(31_000), at(1000)), "in 30 s");
        assert_eq!(when(at(0), at(7_200_000)), "2 h ago");
        assert_eq!(when(at(0), at(300_000)), "5 min ago");
        assert_eq!(when(at(864_000_000), at(0)), "in 10 d");
    }
}
