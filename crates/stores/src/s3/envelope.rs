//! Content of an object: a header line, and the document.
//!
//! The ETag of an S3 object is a hash of its content, so a body that comes back would bring its old
//! ETag back. The line names the write, which no other write shares, and so every content is a new
//! one.
//!
//! There is no conditional delete. A deleted document is a line that says so, a tombstone; it is
//! absent to everybody else. A tombstone has an odd number of bytes and a document an even one, so
//! a listing, which tells the size, tells them apart.

use std::str;

use sayso_turn::Key;

use super::{
    names::{spell, unspell},
    wait::Wait,
};

/// The longest header line: enough for a key of which every byte takes three to encode.
pub(super) const LINE_BYTES_MAX: usize = 8192;

const MAGIC: &str = "sayso1";

/// The header line of an object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Line {
    pub(super) key: Key,
    pub(super) write: String,
    pub(super) wait: Option<Wait>,
    pub(super) is_gone: bool,
}

impl Line {
    /// The content of the whole object.
    pub(super) fn with_body(&self, body: &str) -> Vec<u8> {
        let state = if self.is_gone { "gone" } else { "here" };
        let (write, marker) = Wait::to_words(self.wait.as_ref(), &self.write);
        let key = spell(self.key.as_str());
        let mut object = format!("{MAGIC} {state} {write} {marker} {key}");
        let is_odd = (object.len() + 1 + body.len()) % 2 == 1;
        if is_odd != self.is_gone {
            object.push(' ');
        }
        object.push('\n');
        object.push_str(body);
        object.into_bytes()
    }

    /// Splits an object into header and body; `None` for a foreign object.
    pub(super) fn parse(object: &[u8]) -> Option<(Self, &[u8])> {
        let end = object.iter().take(LINE_BYTES_MAX).position(|byte| *byte == b'\n')?;
        let (line, body) = object.split_at_checked(end)?;
        let line = str::from_utf8(line).ok()?;
        let line = line.strip_suffix(' ').unwrap_or(line);
        let mut words = line.split(' ');
        if words.next() != Some(MAGIC) {
            return None;
        }
        let is_gone = match words.next()? {
            "here" => false,
            "gone" => true,
            _ => return None,
        };
        let (wait, write) = Wait::from_words(words.next()?, words.next()?)?;
        let key = Key::new(unspell(words.next()?)?).ok()?;
        if words.next().is_some() {
            return None;
        }
        Some((Self { key, write, wait, is_gone }, body.get(1..)?))
    }
}

/// True if an object of this size is a tombstone.
pub(super) fn is_gone(size: u64) -> bool {
    size % 2 == 1
}

/// A version as callers see it in an ETag: the write, its wait, and the ETag of the object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Version {
    pub(super) write: String,
    pub(super) wait: Option<Wait>,
    pub(super) object: String,
}

impl Version {
    pub(super) fn to_text(&self) -> String {
        let (write, marker) = Wait::to_words(self.wait.as_ref(), &self.write);
        format!("{write}/{marker}/{}", self.object)
    }

    /// Parses an ETag; `None` for a foreign ETag, which names no version.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let mut parts = text.splitn(3, '/');
        let (wait, write) = Wait::from_words(parts.next()?, parts.next()?)?;
        let object = parts.next()?;
        let is_plain = |byte: u8| byte.is_ascii_graphic() && !b"\"*,".contains(&byte);
        if object.is_empty() || !object.bytes().all(is_plain) {
            return None;
        }
        Some(Self { write, wait, object: object.to_owned() })
    }
}

#[cfg(test)]
mod tests {
    use sayso_turn::clock::Timestamp;

    use super::*;
    use crate::s3::names::Marker;

    fn wait() -> Wait {
        let marker = Marker { at: Timestamp::from_millis(7), write: "0b-2".to_owned() };
        Wait { due: Timestamp::from_millis(9), kept: None, marker }
    }

    fn lines() -> Vec<Line> {
        let mut lines = Vec::new();
        for key in ["k", "a key\n", "é", "\0"] {
            for wait in [None, Some(wait())] {
                for is_gone in [false, true] {
                    let (key, write) = (Key::new(key).unwrap(), "0a-1f".to_owned());
                    lines.push(Line { key, write, wait: wait.clone(), is_gone });
                }
            }
        }
        lines
    }

    #[test]
    fn an_object_holds_the_line_and_the_body() {
        for line in lines() {
            for body in ["", "{}", "{\"a\":1}", "\n", "sayso1 here\n", " x"] {
                let object = line.with_body(body);
                assert_eq!(Line::parse(&object), Some((line.clone(), body.as_bytes())));
                assert_eq!(is_gone(object.len() as u64), line.is_gone, "the size tells");
            }
        }
    }

    #[test]
    fn the_longest_key_fits_a_line() {
        let key = Key::new("/".repeat(sayso_turn::limits::KEY_BYTES_MAX)).unwrap();
        let line = Line { key, write: "0a-1".to_owned(), wait: None, is_gone: false };
        let object = line.with_body("{}");
        assert_eq!(Line::parse(&object), Some((line, &b"{}"[..])));
    }

    #[test]
    fn what_is_not_ours_is_not_read() {
        for object in [
            "",
            "{}",
            "sayso1",
            "sayso1 here 0a-1 - k",
            "sayso2 here 0a-1 - k\n{}",
            "sayso1 away 0a-1 - k\n{}",
            "sayso1 here zz - k\n{}",
            "sayso1 here 0a-1 x k\n{}",
            "sayso1 here 0a-1 - \n{}",
            "sayso1 here 0a-1 - k k\n{}",
            "sayso1 here 0a-1 - .zz\n{}",
        ] {
            assert_eq!(Line::parse(object.as_bytes()), None, "{object:?}");
        }
        assert_eq!(Line::parse(b"sayso1 here 0a-1 - \xff\n{}"), None);
    }

    #[test]
    fn a_version_is_read_as_it_was_written() {
        for wait in [None, Some(wait())] {
            let object = "9e107d9d372bb6826bd81d3542a419d6-1".to_owned();
            let version = Version { write: "0a-1".to_owned(), wait, object };
            assert_eq!(Version::parse(&version.to_text()), Some(version));
        }
        for text in
            ["", "*", "0", "-1", "0a-1", "0a-1/-", "0a-1/-/", "0a-1/-/*", "0a-1/x/e", "é/-/e"]
        {
            assert_eq!(Version::parse(text), None, "{text}");
        }
    }
}
