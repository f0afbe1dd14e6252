//! Parser of request bodies, and its errors.
//!
//! A body comes from outside, so every error is one sentence that can be sent back and logged: it
//! says what is wrong and where, and never repeats a value, which may be what a person wrote.

use serde::Deserialize;
use serde_json::error::Category;

use crate::json::read::{ReadJson, read_fast};
use crate::json::{DEPTH_MAX, depth_within};

/// Error for a body that is not an activity. The sender has to fix it; a retry does not help.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ParseError {
    /// The body starts with a byte order mark.
    #[error("activity: starts with a byte order mark, which JSON does not allow")]
    ByteOrderMark,
    /// The body is another JSON value, or nothing.
    #[error("activity: expected a JSON object")]
    NotObject,
    /// Objects and lists are nested too deeply.
    #[error("activity: nested more than {max} levels deep")]
    TooDeep {
        /// The deepest nesting allowed.
        max: usize,
    },
    /// The body is not UTF-8.
    #[error("activity: not valid UTF-8 at byte {at}")]
    NotUtf8 {
        /// The offset of the first wrong byte.
        at: usize,
    },
    /// The body is not JSON, or a typed member holds a number or an escape that no type can hold.
    #[error("activity: not readable as JSON, {reason}")]
    Syntax {
        /// The parser's message, with line and column.
        reason: Box<str>,
    },
    /// A member is missing, stands twice or has the wrong type.
    #[error("{reason}")]
    Member {
        /// The member and its fault, with line and column.
        reason: Box<str>,
    },
    /// A member that routing needs is missing or empty.
    #[error("{member}: missing or empty")]
    Missing {
        /// The path of the member.
        member: &'static str,
    },
}

/// Reads a JSON object into a place, which is filled when there is no error.
pub(crate) fn parse<'de, T>(value: &mut Option<T>, bytes: &'de [u8]) -> Result<(), ParseError>
where
    T: ReadJson<'de> + Deserialize<'de>,
{
    if bytes.starts_with(b"\xef\xbb\xbf") {
        return Err(ParseError::ByteOrderMark);
    }
    if !bytes.trim_ascii_start().starts_with(b"{") {
        return Err(ParseError::NotObject);
    }
    if !depth_within(bytes, DEPTH_MAX) {
        return Err(ParseError::TooDeep { max: DEPTH_MAX });
    }
    // One pass here is cheaper than the parser's own check of each string.
    let text =
        str::from_utf8(bytes).map_err(|error| ParseError::NotUtf8 { at: error.valid_up_to() })?;
    if read_fast(value, text) {
        return Ok(());
    }
    *value = Some(serde_json::from_str(text).map_err(|error| {
        let reason = error.to_string().into();
        match error.classify() {
            Category::Data => ParseError::Member { reason },
            Category::Syntax | Category::Eof | Category::Io => ParseError::Syntax { reason },
        }
    })?);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::ParseError;
    use crate::Activity;

    fn check(bytes: &[u8], message: &str) {
        let error = Activity::from_json(bytes).unwrap_err().to_string();
        assert!(error.starts_with(message), "{error}");
        assert!(!error.contains("secret") && !error.ends_with('.'), "{error}");
    }

    #[test]
    fn a_body_that_is_not_an_activity_is_refused_in_one_sentence() {
        check(b"", "activity: expected a JSON object");
        check(b" \n", "activity: expected a JSON object");
        check(b"[{}]", "activity: expected a JSON object");
        check(br#""secret""#, "activity: expected a JSON object");
        check(b"\xef\xbb\xbf{}", "activity: starts with a byte order mark");
        check(b"{\"secret\":\"\xff\"}", "activity: not valid UTF-8 at byte 11");
        check(
            br#"{"type":"message""#,
            "activity: not readable as JSON, EOF while parsing an object",
        );
        check(br#"{"type":"message",}"#, "activity: not readable as JSON, trailing comma");
        check(
            br#"{"type":"message"} secret"#,
            "activity: not readable as JSON, trailing characters",
        );
        check(
            br#"{"type":"message","text":"secret\q"}"#,
            "activity: not readable as JSON, invalid",
        );
        check(
            br#"{"type":"event","id":1e400}"#,
            "activity: not readable as JSON, number out of range",
        );
        check(br#"{"type":"event","id":"\ud83d"}"#, "activity: not readable as JSON, ");
        check(br#"{}"#, "activity.type: missing at line 1 column 2");
        check(br#"{"type":""}"#, "activity.type: expected a string that is not empty");
        check(br#"{"type":["secret"]}"#, "activity.type: expected a string");
    }

    #[test]
    fn depth_is_bounded_before_parsing() {
        let nested = |levels: usize| {
            let (open, close) = ("[".repeat(levels), "]".repeat(levels));
            Activity::from_json(format!(r#"{{"type":"event","value":{open}{close}}}"#).as_bytes())
        };
        assert!(nested(31).is_ok());
        assert_eq!(nested(32).unwrap_err(), ParseError::TooDeep { max: 32 });
        check(&b"{\"a\":[".repeat(1_000_000), "activity: nested more than 32 levels deep");
    }

    #[test]
    fn a_body_of_many_members_is_affordable() {
        let mut text = r#"{"type":"event""#.to_owned();
        for i in 0..200_000 {
            text.push_str(&format!(r#","m{i}":{i}"#));
        }
        text.push('}');
        let activity = Activity::from_json(text.as_bytes()).unwrap();
        assert_eq!(activity.extra.len(), 200_000);
        assert_eq!(activity.to_json(), text.as_bytes());
    }
}
