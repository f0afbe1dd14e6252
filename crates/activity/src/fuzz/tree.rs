//! JSON values that no parser has rounded, to be compared.
//!
//! `serde_json::Value` turns `1e400` into an error and a long integer into a float, so it would not
//! see what is lost; here numbers are compared as text.

use std::collections::BTreeMap;

use serde_json::value::RawValue;

/// A JSON value: objects without order, strings without escapes, all else as text.
#[derive(Debug, PartialEq)]
pub(crate) enum Tree {
    Object(BTreeMap<String, Self>),
    List(Vec<Self>),
    Text(String),
    Other(String),
}

/// Reads a valid JSON text as a tree.
pub(crate) fn tree(text: &str) -> Tree {
    let raw: &RawValue = serde_json::from_str(text).expect("the text is JSON");
    let text = raw.get();
    match text.as_bytes().first() {
        // A name with half of a surrogate pair is no `String`: such an object must be the same
        // text.
        Some(b'{') => match serde_json::from_str::<BTreeMap<String, &RawValue>>(text) {
            Ok(members) => Tree::Object(
                members.into_iter().map(|(name, raw)| (name, tree(raw.get()))).collect(),
            ),
            Err(_) => Tree::Other(text.to_owned()),
        },
        Some(b'[') => {
            let items: Vec<&RawValue> = serde_json::from_str(text).expect("a list");
            Tree::List(items.into_iter().map(|raw| tree(raw.get())).collect())
        }
        // So must such a text.
        Some(b'"') => {
            serde_json::from_str(text).map_or_else(|_| Tree::Other(text.to_owned()), Tree::Text)
        }
        _ => Tree::Other(text.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::tree;

    #[test]
    fn a_changed_digit_is_seen() {
        assert_ne!(tree("[1.0]"), tree("[1]"));
        assert_ne!(tree("12345678901234567890123"), tree("12345678901234567890124"));
        assert_eq!(tree(r#"{"a":"\u0041","b":1e400}"#), tree(r#"{ "b": 1e400, "a": "A" }"#));
    }
}
