//! Lossless JSON tree: members keep their order, numbers and strings their spelling.

use std::fmt::Write as _;

use serde::{
    Deserialize, Deserializer,
    de::{MapAccess, Visitor},
};
use serde_json::value::RawValue;

/// The deepest nesting of a document. The services that the SDKs use stop earlier.
const DEPTH_MAX: usize = 200;

/// A JSON value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Node {
    /// A number, a string or a word, as it was written.
    Leaf(String),
    List(Vec<Self>),
    Object(Members),
}

/// The members of an object in order.
pub(super) type Members = Vec<(String, Node)>;

impl Node {
    /// Reads a text; `None` when it is not JSON or is nested too deep.
    pub(super) fn parse(text: &str) -> Option<Self> {
        Self::parse_at(text, 0)
    }

    // Each level is read again for the next one, so that what is not looked into stays as it is.
    fn parse_at(text: &str, depth: usize) -> Option<Self> {
        if depth > DEPTH_MAX {
            return None;
        }
        let text = text.trim_ascii();
        match text.as_bytes().first()? {
            b'{' => {
                let Raws(raws) = serde_json::from_str(text).ok()?;
                let parsed = raws.into_iter().map(|(name, raw)| {
                    Self::parse_at(raw.get(), depth + 1).map(|node| (name, node))
                });
                parsed.collect::<Option<_>>().map(Self::Object)
            }
            b'[' => {
                let raws: Vec<&RawValue> = serde_json::from_str(text).ok()?;
                let parsed = raws.into_iter().map(|raw| Self::parse_at(raw.get(), depth + 1));
                parsed.collect::<Option<_>>().map(Self::List)
            }
            _ => serde_json::from_str::<&RawValue>(text)
                .ok()
                .map(|raw| Self::Leaf(raw.get().to_owned())),
        }
    }

    /// Serializes the value. Spelling of numbers and strings is kept, white space is not.
    pub(super) fn print(&self) -> String {
        let mut text = String::new();
        self.print_to(&mut text);
        text
    }

    fn print_to(&self, text: &mut String) {
        match self {
            Self::Leaf(raw) => text.push_str(raw),
            Self::List(items) => {
                text.push('[');
                for (index, item) in items.iter().enumerate() {
                    text.push_str(if index > 0 { "," } else { "" });
                    item.print_to(text);
                }
                text.push(']');
            }
            Self::Object(members) => {
                text.push('{');
                for (index, (name, value)) in members.iter().enumerate() {
                    text.push_str(if index > 0 { "," } else { "" });
                    text.push_str(&quoted(name));
                    text.push(':');
                    value.print_to(text);
                }
                text.push('}');
            }
        }
    }

    /// A JSON string.
    pub(super) fn text(text: &str) -> Self {
        Self::Leaf(quoted(text))
    }

    /// The content of a JSON string.
    pub(super) fn as_text(&self) -> Option<String> {
        match self {
            Self::Leaf(raw) => serde_json::from_str(raw).ok(),
            Self::List(_) | Self::Object(_) => None,
        }
    }
}

/// Takes a member out.
pub(super) fn take(members: &mut Members, name: &str) -> Option<Node> {
    let at = members.iter().position(|(own, _)| own == name)?;
    Some(members.remove(at).1)
}

/// The same JSON in ASCII, so that its characters and its bytes are equal in number.
pub(super) fn ascii(json: &str) -> String {
    let mut text = String::with_capacity(json.len());
    for letter in json.chars() {
        if letter.is_ascii() {
            text.push(letter);
            continue;
        }
        // Only strings contain such letters.
        for unit in letter.encode_utf16(&mut [0; 2]) {
            write!(text, "\\u{unit:04x}").expect("writing to a String cannot fail");
        }
    }
    text
}

fn quoted(text: &str) -> String {
    serde_json::to_string(text).expect("a string is always JSON")
}

/// The members of an object, not parsed further.
struct Raws<'a>(Vec<(String, &'a RawValue)>);

impl<'de> Deserialize<'de> for Raws<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(RawsVisitor)
    }
}

struct RawsVisitor;

impl<'de> Visitor<'de> for RawsVisitor {
    type Value = Raws<'de>;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("a JSON object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut raws = Vec::new();
        while let Some(raw) = map.next_entry()? {
            raws.push(raw);
        }
        Ok(Raws(raws))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tree_prints_as_it_was_read() {
        let text = r#"{"b":1.0,"a":[1e400,-0,"\u00e9\/"],"":{},"a":null,"é\n":[[]]}"#;
        assert_eq!(Node::parse(text).unwrap().print(), text);
        let spaced = " { \"a\" : [ 1 , { } ] }\n";
        assert_eq!(Node::parse(spaced).unwrap().print(), r#"{"a":[1,{}]}"#);
        for broken in ["", "{", "{}x", "[1,]", "nul", "{\"a\":tru}"] {
            assert_eq!(Node::parse(broken), None, "{broken}");
        }
    }

    #[test]
    fn what_is_nested_too_deep_is_refused() {
        let nested = |depth| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
        assert!(Node::parse(&nested(DEPTH_MAX)).is_some());
        for depth in [DEPTH_MAX + 2, 20_000] {
            assert_eq!(Node::parse(&nested(depth)), None);
        }
    }

    #[test]
    fn json_in_ascii_says_the_same() {
        let text = "{\"é\":\"😀\\n\"}";
        let plain = ascii(text);
        assert_eq!(plain, "{\"\\u00e9\":\"\\ud83d\\ude00\\n\"}");
        let same: serde_json::Value = serde_json::from_str(&plain).unwrap();
        assert_eq!(same, serde_json::from_str::<serde_json::Value>(text).unwrap());
    }
}
