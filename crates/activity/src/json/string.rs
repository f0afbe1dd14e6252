//! JSON strings: written with their escapes, and the search for the first byte that needs one.
//!
//! Nearly all strings hold nothing to escape. Eight bytes are looked at in one step, so such a
//! string is copied whole.

/// Writes a text as a JSON string, with its quotes.
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
        to.push_str(&serde_json::to_string(text).expect("any string can be written as JSON"));
    }
}

/// Length of the plain part: the bytes before the first quote, backslash or control character;
/// `None` when there is no such byte.
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
    // The last eight bytes, or the first four and the last four. They overlap with bytes that were
    // looked at already, which are plain.
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
    // Sets the highest bit of each byte that is meant. Borrows may set it wrongly in bytes above
    // such a one, never below, so the lowest set bit is right.
    let below = |bytes: u64, limit: u64| bytes.wrapping_sub(EACH * limit) & !bytes & HIGHEST;
    let equal = |byte: u8| below(eight ^ (EACH * u64::from(byte)), 1);
    let special = equal(b'"') | equal(b'\\') | below(eight, 0x20);
    (special != 0).then(|| special.trailing_zeros() as usize / 8)
}

#[cfg(test)]
mod tests {
    use super::{plain_length, write_string};

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
