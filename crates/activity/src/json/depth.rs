//! Nesting limit of JSON text, checked before it is parsed.
//!
//! A parser that recurses could be driven out of its stack by a body of brackets; this does not
//! recurse.

/// The deepest nesting that [`Activity::from_json`](crate::Activity::from_json) accepts.
///
/// The activity itself is the first level; a card attached to it starts at the fourth.
pub const DEPTH_MAX: usize = 32;

/// Reports whether objects and lists are nested at most `max` deep; `{}` is one deep.
///
/// Brackets inside strings do not count. The answer holds for valid JSON, and for the part of an
/// invalid text that a parser reads before it stops.
///
/// # Example
///
/// ```
/// use sayso_activity::json::depth_within;
///
/// assert!(depth_within(br#"{"a":["[[["]}"#, 2));
/// assert!(!depth_within(br#"{"a":[[]]}"#, 2));
/// ```
#[must_use]
pub fn depth_within(bytes: &[u8], max: usize) -> bool {
    // A text with few opening brackets cannot be deep. Counting them is a vector loop, and settles
    // nearly every activity; only a bulky card is scanned byte by byte.
    openers(bytes) <= max || scan(bytes, max)
}

/// Counts the opening brackets, inside strings too.
fn openers(bytes: &[u8]) -> usize {
    // `[` and `{` differ in one bit. Sums of bytes stay bytes, so that many fit in a vector; a
    // chunk is short enough for its sum to fit in one.
    let count = |chunk: &[u8]| chunk.iter().map(|byte| u8::from(byte | 0x20 == b'{')).sum::<u8>();
    bytes.chunks(u8::MAX.into()).map(|chunk| usize::from(count(chunk))).sum()
}

/// Tracks the depth byte by byte.
fn scan(bytes: &[u8], max: usize) -> bool {
    let mut depth = 0_usize;
    let mut in_string = false;
    let mut rest = bytes.iter();
    while let Some(byte) = rest.next() {
        match (byte, in_string) {
            (b'"', _) => in_string = !in_string,
            // What follows a backslash cannot end the string.
            (b'\\', true) => {
                rest.next();
            }
            (b'{' | b'[', false) if depth == max => return false,
            (b'{' | b'[', false) => depth += 1,
            (b'}' | b']', false) => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::{depth_within, openers, scan};

    fn check(text: &str, depth: usize) {
        for (max, within) in [(depth, true), (depth + 1, true), (depth.wrapping_sub(1), false)] {
            if max == usize::MAX {
                continue;
            }
            assert_eq!(depth_within(text.as_bytes(), max), within, "{text} within {max}");
            assert_eq!(scan(text.as_bytes(), max), within, "{text} scanned within {max}");
        }
    }

    #[test]
    fn depth_counts_brackets_outside_strings() {
        check("", 0);
        check("7", 0);
        check("{}", 1);
        check("[[],[],[]]", 2);
        check(r#"{"a":[{"b":"[[[{{{"}]}"#, 3);
        check(r#"{"\"[[":"\\","b":["\\\"]["]}"#, 2);
    }

    #[test]
    fn the_quick_count_sees_each_bracket_once() {
        let all: Vec<u8> = (0..=u8::MAX).collect();
        assert_eq!(openers(&all), 2);
        assert_eq!(openers(&b"[{".repeat(1_000)), 2_000);
    }

    #[test]
    fn nesting_of_any_depth_is_measured_without_recursion() {
        check(&"[".repeat(100_000), 100_000);
        check(&"]".repeat(100_000), 0);
    }

    #[test]
    fn a_text_cut_after_a_backslash_ends_the_scan() {
        assert!(scan(br#"{"a\"#, 1));
    }
}
