//! The quick way to read a record: most strings hold no escapes, and most members are known.
//!
//! It reads what is plain, leaves single values to `serde_json`, and gives up at everything else without
//! saying why. Whoever asked then lets `serde_json` read the whole from its beginning, and that counts.
//! So nothing is decided here: what this way reads, the other reads alike, with half as many instructions more.

use std::marker::PhantomData;

use serde::de::{Deserialize, DeserializeSeed, Deserializer};

use crate::Raw;
use crate::member::{Member, Place};

/// A text that is being read, and how far.
pub(crate) struct Quick<'de> {
    text: &'de str,
    at: usize,
}

/// Reads a whole text into a place: an activity is a kilobyte, and this spares a copy. False when it is not
/// for the quick way; it may still be right.
pub(crate) fn read<'de, T: Member<'de>>(value: &mut Option<T>, text: &'de str) -> bool {
    let mut from = Quick { text, at: 0 };
    T::quick(value, &mut from).is_some() && from.peek().is_none() && value.is_some()
}

impl<'de> Quick<'de> {
    /// The next byte that is not white space.
    fn peek(&mut self) -> Option<u8> {
        loop {
            let byte = *self.text.as_bytes().get(self.at)?;
            if !matches!(byte, b' ' | b'\n' | b'\r' | b'\t') {
                return Some(byte);
            }
            self.at += 1;
        }
    }

    /// Whether an object goes on after a member, or ends there.
    pub(crate) fn goes_on(&mut self) -> Option<bool> {
        let byte = self.peek()?;
        self.at += 1;
        match byte {
            b',' => Some(true),
            b'}' => Some(false),
            _ => None,
        }
    }

    /// Goes past this byte if it is the next one.
    pub(crate) fn takes(&mut self, byte: u8) -> bool {
        let is_next = self.peek() == Some(byte);
        self.at += usize::from(is_next);
        is_next
    }

    /// The name of a member.
    pub(crate) fn name(&mut self) -> Option<&'de str> {
        let name = self.plain()?;
        self.takes(b':').then_some(name)
    }

    /// A string without escapes. Where there is none nothing is read.
    pub(crate) fn plain(&mut self) -> Option<&'de str> {
        if self.peek()? != b'"' {
            return None;
        }
        let start = self.at + 1;
        let end = start + plain_length(self.text.as_bytes().get(start..)?)?;
        if self.text.as_bytes().get(end) != Some(&b'"') {
            return None;
        }
        self.at = end + 1;
        self.text.get(start..end)
    }

    /// Leaves a value to `serde_json`.
    pub(crate) fn value<T: Member<'de>>(&mut self, value: &mut Option<T>) -> Option<()> {
        let One(read, _) = self.stream()?;
        *value = read;
        Some(())
    }

    /// Any value.
    pub(crate) fn raw(&mut self) -> Option<Raw> {
        self.stream()
    }

    fn stream<T: Deserialize<'de>>(&mut self) -> Option<T> {
        let rest = self.text.get(self.at..)?;
        let mut values = serde_json::Deserializer::from_str(rest).into_iter();
        let value = values.next()?.ok()?;
        self.at += values.byte_offset();
        Some(value)
    }
}

/// A value of a member, `None` for `null`.
struct One<'de, T>(Option<T>, PhantomData<&'de ()>);

impl<'de, T: Member<'de>> Deserialize<'de> for One<'de, T> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let mut value = None;
        // The name is for errors, which nobody sees here.
        Place { name: "", value: &mut value }.deserialize(from)?;
        Ok(Self(value, PhantomData))
    }
}

/// How many bytes come before one that ends a string or is no part of a plain one; `None` when no such
/// byte comes.
fn plain_length(bytes: &[u8]) -> Option<usize> {
    let mut at = 0;
    while let Some(eight) = bytes.get(at..).and_then(<[u8]>::first_chunk) {
        let special = specials(u64::from_le_bytes(*eight));
        if special != 0 {
            return Some(at + special.trailing_zeros() as usize / 8);
        }
        at += eight.len();
    }
    let is_special = |byte: &u8| matches!(byte, b'"' | b'\\' | 0..0x20);
    bytes.get(at..)?.iter().position(is_special).map(|place| at + place)
}

/// Marks the quotes, backslashes and control characters among eight bytes in their highest bits. Bytes
/// above a marked one may be marked wrongly; the lowest mark is right.
fn specials(eight: u64) -> u64 {
    const EACH: u64 = u64::from_ne_bytes([1; 8]);
    const HIGHEST: u64 = EACH * 0x80;
    let below = |bytes: u64, limit: u64| bytes.wrapping_sub(EACH * limit) & !bytes & HIGHEST;
    let equal = |byte: u8| below(eight ^ (EACH * u64::from(byte)), 1);
    equal(b'"') | equal(b'\\') | below(eight, 0x20)
}

#[cfg(test)]
mod tests {
    use super::{plain_length, read};
    use crate::Activity;

    /// Both ways give the same, or only the slow one gives anything.
    fn check(text: &str, is_quick: bool) {
        let slow = serde_json::from_str::<Activity>(text);
        let mut quick = None;
        assert_eq!(read::<Activity>(&mut quick, text), is_quick, "{text}");
        if let Some(quick) = quick.filter(|_| is_quick) {
            assert_eq!(slow.unwrap(), quick, "{text}");
        }
    }

    #[test]
    fn what_is_plain_is_read_the_quick_way() {
        check(r#"{"type":"message"}"#, true);
        check(" { \"type\" :\n\"message\" , \"text\"\t: \"é…\" }\r\n", true);
        check(r#"{"type":"message","text":"two\nlines","id":null,"from":null}"#, true);
        check(r#"{"from":{"id":"a","x":[1e400,{}]},"type":"x","value":{"a":[ ]},"n":-0.0}"#, true);
        check(
            r#"{"type":"event","conversation":{"isGroup":true},"membersAdded":[{"id":"a"}]}"#,
            true,
        );
        check(r#"{"type":"event","from":{},"extra":"a\"b"}"#, true);
    }

    #[test]
    fn what_is_wrong_or_strange_is_left_to_the_slow_way() {
        for text in [
            "",
            " ",
            "{",
            "{}",
            "null",
            "[]",
            r#"{"type":"message""#,
            r#"{"type":"message",}"#,
            r#"{"type":"message"} x"#,
            r#"{"type":"message"}{}"#,
            r#"{"type":""}"#,
            r#"{"type":null}"#,
            r#"{"type":"a","type":"a"}"#,
            r#"{"type":"a","x":1,"x":1}"#,
            r#"{"type":"a","text":7}"#,
            r#"{"type":"a" "text":"b"}"#,
            r#"{"type":"a","text" "b"}"#,
            r#"{"type":"a","n":1x}"#,
            r#"{"type":"a","n":01}"#,
            r#"{"type":"a","from":{"id":"a","id":"a"}}"#,
            r#"{"type":"a","text":"b}"#,
            "{\"type\":\"a\",\"text\":\"\u{1}\"}",
            r#"{"type":"a","text":"\q"}"#,
            r#"{"ty\u0070e":"a"}"#,
            r#"{"type":"a","from":"b"}"#,
            r#"{"type":"a","n":1"x":1}"#,
            r#"{,"type":"a"}"#,
            r#"{"type":"a",,"n":1}"#,
        ] {
            check(text, false);
        }
    }

    #[test]
    fn the_end_of_a_plain_string_is_found_wherever_it_is() {
        for length in 0..40 {
            for byte in 0..=u8::MAX {
                let mut bytes = vec![b'a'; 40];
                bytes[length] = byte;
                let is_special = byte < 0x20 || byte == b'"' || byte == b'\\';
                assert_eq!(
                    plain_length(&bytes),
                    is_special.then_some(length),
                    "{byte} at {length}"
                );
                bytes[39] = b'"';
                let expected = if is_special { length } else { 39 };
                assert_eq!(plain_length(&bytes), Some(expected), "{byte} at {length}");
            }
        }
    }
}
