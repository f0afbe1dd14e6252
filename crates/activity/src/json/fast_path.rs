//! Fast path of the parser: known members in their usual order, strings without escapes.
//!
//! It reads what is plain, leaves single values to `serde_json`, and gives up on everything else
//! without an error. The caller then has `serde_json` read the whole text from its beginning, and
//! that result counts. So no rule is decided here: whatever this path reads, `serde_json` reads
//! alike, with half as many instructions more.

use serde::de::Deserialize;

use crate::Raw;
use crate::json::string::plain_length;

/// A cursor over the text that is being read.
pub(crate) struct FastReader<'de> {
    text: &'de str,
    at: usize,
}

impl<'de> FastReader<'de> {
    pub(crate) fn new(text: &'de str) -> Self {
        Self { text, at: 0 }
    }

    /// Reports whether nothing but white space is left.
    pub(crate) fn is_at_end(&mut self) -> bool {
        self.peek().is_none()
    }

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

    /// Reads what follows a member: true for a comma, false for the end of the object.
    pub(crate) fn has_next_member(&mut self) -> Option<bool> {
        let byte = self.peek()?;
        self.at += 1;
        match byte {
            b',' => Some(true),
            b'}' => Some(false),
            _ => None,
        }
    }

    /// Skips this byte if it is the next one, and reports whether it was.
    pub(crate) fn eat(&mut self, byte: u8) -> bool {
        let is_next = self.peek() == Some(byte);
        self.at += usize::from(is_next);
        is_next
    }

    /// The member whose name comes next, if it is among the first few of `left`: most senders write
    /// members in the order in which they are declared, so few names are compared.
    pub(crate) fn expected_member<T: Copy>(&mut self, left: &[(&str, T)]) -> Option<T> {
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
        let name = self.plain_string()?;
        self.eat(b':').then_some(name)
    }

    /// A string without escapes. When there is none, nothing is consumed.
    pub(crate) fn plain_string(&mut self) -> Option<&'de str> {
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

    /// Any value, kept as text.
    pub(crate) fn raw(&mut self) -> Option<Raw> {
        self.stream()
    }

    /// Has `serde_json` read a value.
    pub(crate) fn stream<T: Deserialize<'de>>(&mut self) -> Option<T> {
        let rest = self.text.get(self.at..)?;
        let mut values = serde_json::Deserializer::from_str(rest).into_iter();
        let value = values.next()?.ok()?;
        self.at += values.byte_offset();
        Some(value)
    }
}

#[cfg(test)]
mod tests {
    use crate::Activity;
    use crate::json::read::read_fast;

    /// Checks that both paths give the same, or that only `serde_json` gives anything.
    fn check(text: &str, is_fast: bool) {
        let slow = serde_json::from_str::<Activity>(text);
        let mut fast = None;
        assert_eq!(read_fast::<Activity>(&mut fast, text), is_fast, "{text}");
        if let Some(fast) = fast.filter(|_| is_fast) {
            assert_eq!(slow.unwrap(), fast, "{text}");
        }
    }

    #[test]
    fn plain_text_is_read_by_the_fast_path() {
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
    fn wrong_or_unusual_text_is_left_to_serde_json() {
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
