//! Pretty-printing and comparing JSON texts. Numbers are never touched.

use std::collections::BTreeMap;

use serde_json::value::RawValue;

/// Maximum nesting depth of a comparison; deeper values are compared as text.
const DEPTH_MAX: usize = 100;

/// Pretty-prints JSON; numbers keep every digit.
pub(super) fn pretty(text: &str) -> String {
    let mut out = String::with_capacity(2 * text.len());
    let mut depth = 0;
    let mut chars = text.chars().filter(|char| !char.is_ascii_control()).peekable();
    let skip = |chars: &mut std::iter::Peekable<_>| while chars.next_if_eq(&' ').is_some() {};
    while let Some(char) = chars.next() {
        match char {
            '"' => {
                out.push('"');
                string(&mut chars, &mut out);
            }
            ' ' => {}
            '{' | '[' => {
                out.push(char);
                skip(&mut chars);
                if let Some(close) = chars.next_if(|next| matches!(next, '}' | ']')) {
                    out.push(close);
                    continue;
                }
                depth += 1;
                line(&mut out, depth);
            }
            '}' | ']' => {
                depth = depth.saturating_sub(1);
                line(&mut out, depth);
                out.push(char);
            }
            ',' => {
                out.push(',');
                line(&mut out, depth);
            }
            ':' => out.push_str(": "),
            char => out.push(char),
        }
    }
    out
}

/// The rest of a string.
fn string(chars: &mut impl Iterator<Item = char>, out: &mut String) {
    while let Some(char) = chars.next() {
        out.push(char);
        match char {
            '"' => return,
            '\\' => out.extend(chars.next()),
            _ => {}
        }
    }
}

fn line(out: &mut String, depth: usize) {
    out.push('\n');
    out.extend(std::iter::repeat_n("  ", depth));
}

/// Compares two texts as JSON, regardless of white space and of the order of members.
pub(super) fn is_same(one: &str, two: &str) -> bool {
    is_same_within(one, two, DEPTH_MAX)
}

fn is_same_within(one: &str, two: &str, depth: usize) -> bool {
    let (one, two) = (one.trim(), two.trim());
    if one == two {
        return true;
    }
    let Some(depth) = depth.checked_sub(1) else { return false };
    let same = |one: &RawValue, two: &RawValue| is_same_within(one.get(), two.get(), depth);
    match (one.as_bytes().first(), two.as_bytes().first()) {
        (Some(b'{'), Some(b'{')) => {
            let read = |text| serde_json::from_str::<BTreeMap<String, &RawValue>>(text);
            let (Ok(one), Ok(two)) = (read(one), read(two)) else { return false };
            one.len() == two.len()
                && one.iter().zip(&two).all(|(one, two)| one.0 == two.0 && same(one.1, two.1))
        }
        (Some(b'['), Some(b'[')) => {
            let read = |text| serde_json::from_str::<Vec<&RawValue>>(text);
            let (Ok(one), Ok(two)) = (read(one), read(two)) else { return false };
            one.len() == two.len() && one.iter().zip(&two).all(|(one, two)| same(one, two))
        }
        (Some(b'"'), Some(b'"')) => {
            let read = |text| serde_json::from_str::<String>(text);
            matches!((read(one), read(two)), (Ok(one), Ok(two)) if one == two)
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pretty_json_is_the_same_json_with_lines() {
        let text = r#"{"a":[1e400,-0.10, {"b\"{":"x , y:\\"}],"c":{},"d":[ ]}"#;
        let shown = pretty(text);
        let expected = "{\n  \"a\": [\n    1e400,\n    -0.10,\n    {\n      \"b\\\"{\": \"x , y:\\\\\"\n    }\n  ],\n  \"c\": {},\n  \"d\": []\n}";
        assert_eq!(shown, expected);
        assert!(is_same(text, &shown));
    }

    #[test]
    fn texts_are_the_same_by_what_they_say_and_numbers_by_every_digit() {
        assert!(is_same(r#"{"a":1,"b":["é",{}]}"#, "{ \"b\" : [\"\\u00e9\", { }],\n\"a\": 1 }"));
        for (one, two) in [
            (r#"{"a":1}"#, r#"{"a":2}"#),
            (r#"{"a":1}"#, r#"{"b":1}"#),
            (r#"{"a":1}"#, r#"{"a":1,"b":1}"#),
            ("[1,2]", "[2,1]"),
            ("[1]", "{}"),
            ("123456789012345678901234", "123456789012345678901235"),
            (r#""a""#, r#""b""#),
        ] {
            assert!(!is_same(one, two), "{one} {two}");
        }
        let deep = |depth: usize| "[".repeat(depth) + &"]".repeat(depth);
        assert!(is_same(&deep(20_000), &deep(20_000)));
        assert!(!is_same(&deep(20_000), &deep(20_001)));
    }
}
