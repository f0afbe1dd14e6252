//! The quick way to read a record: most strings hold no escapes, and most members are known.
//!
//! It reads what is plain, leaves single values to `serde_json`, and gives up at everything else
//! without saying why. Whoever asked then lets `serde_json` read the whole from its beginning, and
//! that counts. So nothing is decided here: what this way reads, the other reads alike, with half
//! as many instructions more.

use std::marker::PhantomData;

use serde::de::{Deserialize, DeserializeSeed, Deserializer};

use crate::Raw;
use crate::json::plain_length;
use crate::member::{Member, Place};

/// A text that is being read, and how far.
pub(crate) struct Quick<'de> {
    text: &'de str,
    at: usize,
}

/// Reads a whole text into a place: an activity is a kilobyte, and this spares a copy. False when
/// it is not for the quick way; it may still be right.
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

    /// The member whose name comes next, if it is one of the first few of those that are left: most
    /// who write a record write its members in the order in which they are declared.
    pub(crate) fn expected<T: Copy>(&mut self, left: &[(&str, T)]) -> Option<T> {
        const FEW: usize = 4;
        self.peek()?;
        let rest = self.text.as_bytes().get(self.at..)?;
        // The quote is the same in all of them.
        let initial = rest.get(1)?;
        let is_next = |name: &&str| {
            name.as_bytes().get(1) == Some(initial) && rest.starts_with(name.as_bytes())
        };
        let (name, member) = left.iter().take(FEW).find(|(name, _)| is_next(name))?;
        self.at += name.len();
        Some(*member)
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

#[cfg(test)]
mod tests {
    use super::read;
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
}
