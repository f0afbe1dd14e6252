//! Checks on JSON text that are made before it is parsed, and the writing of its smallest part.

/// The deepest nesting that [`Activity::from_json`](crate::Activity::from_json) accepts.
///
/// The activity itself is the first level; a card attached to it starts at the fourth.
pub const DEPTH_MAX: usize = 32;

/// Whether objects and lists are nested at most `max` deep; `{}` is one deep.
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

/// Writes a text as a JSON string.
///
/// # Example
///
/// ```
/// use sayso_activity::json::write_string;
///
/// let mut json = String::new();
/// write_string(&mut json, "a \"b\"");
/// assert_eq!(json, r#""a \"b\"""#);
/// ```
pub fn write_string(to: &mut String, text: &str) {
    if plain_length(text.as_bytes()).is_none() {
        to.reserve(text.len() + 2);
        to.push('"');
        to.push_str(text);
        to.push('"');
    } else {
        to.push_str(&serde_json::to_string(text).expect("a string is always JSON"));
    }
}

/// How many bytes come before one that ends a string or is no part of a plain one; `None` when no
/// such byte comes.
pub(crate) fn plain_length(bytes: &[u8]) -> Option<usize> {
    let mut at = 0;
    while let Some(eight) = bytes.get(at..).and_then(<[u8]>::first_chunk) {
        if let Some(place) = first_special(*eight) {
            return Some(at + place);
        }
        at += eight.len();
    }
    let left = bytes.get(at..)?;
    if left.is_empty() {
        return None;
    }
    // The last eight, or the first and the last four of them: what is looked at twice is plain.
    if let Some(eight) = bytes.last_chunk() {
        return first_special(*eight).map(|place| bytes.len() - 8 + place);
    }
    if let (Some([a, b, c, d]), Some([e, f, g, h])) = (left.first_chunk(), left.last_chunk()) {
        let place = first_special([*a, *b, *c, *d, *e, *f, *g, *h])?;
        return Some(if place < 4 { place } else { left.len() + place - 8 });
    }
    left.iter().position(|byte| matches!(byte, b'"' | b'\\' | 0..0x20))
}

/// The first quote, backslash or control character among eight bytes.
fn first_special(eight: [u8; 8]) -> Option<usize> {
    const EACH: u64 = u64::from_ne_bytes([1; 8]);
    const HIGHEST: u64 = EACH * 0x80;
    let eight = u64::from_le_bytes(eight);
    // Marks bytes in their highest bits. Above a marked one others may be marked wrongly; the
    // lowest mark is right.
    let below = |bytes: u64, limit: u64| bytes.wrapping_sub(EACH * limit) & !bytes & HIGHEST;
    let equal = |byte: u8| below(eight ^ (EACH * u64::from(byte)), 1);
    let special = equal(b'"') | equal(b'\\') | below(eight, 0x20);
    (special != 0).then(|| special.trailing_zeros() as usize / 8)
}

#[cfg(test)]
mod tests {
    use super::{depth_within, openers, plain_length, scan, write_string};

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

    #[test]
    fn the_first_special_byte_is_found_wherever_it_is() {
        for total in 0..40 {
            let mut bytes = vec![b'a'; total];
            assert_eq!(plain_length(&bytes), None, "{total} plain ones");
            for place in 0..total {
                for byte in 0..=u8::MAX {
                    bytes[place] = byte;
                    let is_special = byte < 0x20 || byte == b'"' || byte == b'\\';
                    let expected = is_special.then_some(place);
                    assert_eq!(plain_length(&bytes), expected, "{byte} at {place} of {total}");
                }
                // What follows the first one does not matter.
                bytes[place] = b'"';
                for later in place + 1..total {
                    bytes[later] = b'\n';
                    assert_eq!(plain_length(&bytes), Some(place), "{later} of {total}");
                    bytes[later] = b'a';
                }
                bytes[place] = b'a';
            }
        }
    }

    #[test]
    fn strings_are_written_as_serde_writes_them() {
        for text in
            ["", "a", "\"", "ab\\", "é…", "\u{7f}", "1234567\n", "12345678", "123456789\u{1}"]
        {
            let mut json = String::new();
            write_string(&mut json, text);
            assert_eq!(json, serde_json::to_string(text).unwrap());
        }
    }
}
