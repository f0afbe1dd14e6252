//! JSON Lines format of `export` and `import`: one document a line.

use std::borrow::Cow;

use sayso::turn::{Key, clock::Timestamp, store::ETag};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::found::Found;

/// Document as a line of JSON.
#[derive(Debug, Deserialize, Serialize)]
pub(super) struct Line<'a> {
    key: Cow<'a, str>,
    body: Cow<'a, RawValue>,
    /// For readers only: it is derived from the body.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    due: Option<Timestamp>,
}

impl<'a> Line<'a> {
    pub(super) fn of(found: &'a Found) -> Self {
        let body = match serde_json::from_str::<&RawValue>(&found.body) {
            Ok(raw) if raw.get() == found.body && !found.body.contains(['\n', '\r']) => {
                Cow::Borrowed(raw)
            }
            // A text keeps line breaks, and white space around.
            _ => Cow::Owned(text(&found.body)),
        };
        Self { key: found.key.as_str().into(), body, due: found.document.ledger.due() }
    }
}

/// Parses a line. The error does not quote it: there is state in it.
pub(super) fn read(line: &str) -> Result<Found, String> {
    let Line { key, body, .. } = serde_json::from_str(line).map_err(|error| {
        format!(
            "is not a line of an export, an object with `key` and `body` (column {})",
            error.column()
        )
    })?;
    let key = Key::new(&*key).map_err(|error| error.to_string())?;
    let body = match body.get().starts_with('"') {
        true => serde_json::from_str(body.get()).map_err(|_| "has a body that is no text")?,
        false => body.get().to_owned(),
    };
    // The version is one that no store gives: it is never used.
    Found::new(&key, body, ETag::new("line"))
}

fn text(text: &str) -> Box<RawValue> {
    serde_json::value::to_raw_value(text).expect("a text is always JSON")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_document_comes_back_to_the_letter() {
        for body in [
            "{}",
            r#"{"b":1.0,"a":1e400,"é":"\u0000"}"#,
            r#"{"$sayso":{"v":1,"rev":2,"timers":[{"id":"t","at":7,"activity":{}}]}}"#,
            "{\n \"a\": 1 }",
            " {\"a\": 1 }\t",
        ] {
            let key = Key::new("a\n\"ü\0").unwrap();
            let found = Found::new(&key, body.to_owned(), ETag::new("1")).unwrap();
            let line = serde_json::to_string(&Line::of(&found)).unwrap();
            assert!(!line.contains('\n'), "{line}");
            let again = read(&line).unwrap();
            assert_eq!((again.key, &*again.body), (key, body), "{line}");
        }
    }

    #[test]
    fn a_line_that_is_none_is_refused_without_repeating_it() {
        for line in [
            "",
            "secret",
            r#"{"key":"secret"}"#,
            r#"{"key":"","body":{}}"#,
            r#"{"key":"k","body":[]}"#,
            r#"{"key":"k","body":"secret"}"#,
            r#"{"key":"k","body":{"$sayso":7}}"#,
        ] {
            let error = read(line).unwrap_err();
            assert!(!error.contains("secret"), "{error}");
        }
    }
}
