//! Reading an activity from the body of a request, and writing one.
//!
//! The body comes from outside, so every way it can be wrong is one sentence that can be sent back
//! and logged: it says what and where, and never repeats a value, which may be what a person wrote.

use std::sync::Arc;

use serde_json::error::Category;

use crate::Activity;
use crate::json::{DEPTH_MAX, depth_within};
use crate::quick;
use crate::write::Written;

/// Why a body is not an activity. All of them are the sender's to fix; a retry does not help.
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
        /// What is wrong, with its line and column.
        reason: Box<str>,
    },
    /// A member is missing, stands twice or has the wrong type.
    #[error("{reason}")]
    Member {
        /// The member, what is wrong with it, and its line and column.
        reason: Box<str>,
    },
    /// A member that routing needs is missing or empty.
    #[error("{member}: missing or empty")]
    Missing {
        /// The path of the member.
        member: &'static str,
    },
}

impl Activity {
    /// Reads an activity from the bytes of a body.
    ///
    /// # Errors
    ///
    /// A [`ParseError`] when the bytes are not one JSON object in UTF-8, nested at most
    /// [`DEPTH_MAX`] deep, whose `type` is a string that is not empty and whose typed members have
    /// their types.
    ///
    /// # Example
    ///
    /// ```
    /// use sayso_activity::Activity;
    ///
    /// let error = Activity::from_json(br#"{"type":"message","text":7}"#).unwrap_err();
    /// assert_eq!(error.to_string(), "activity.text: expected a string at line 1 column 26");
    /// ```
    pub fn from_json(bytes: &[u8]) -> Result<Self, ParseError> {
        let mut activity = None;
        Self::read_json(&mut activity, bytes)?;
        Ok(activity.expect("what was read without an error is there"))
    }

    /// As [`from_json`](Self::from_json), for an activity that is handed on: it is large, and what
    /// is shared is not copied any more.
    ///
    /// # Errors
    ///
    /// Those of [`from_json`](Self::from_json).
    ///
    /// # Example
    ///
    /// ```
    /// use std::sync::Arc;
    /// use sayso_activity::Activity;
    ///
    /// let activity: Arc<Activity> = Activity::shared_from_json(br#"{"type":"message","text":"hi"}"#)?;
    /// assert_eq!(activity.text(), "hi");
    /// # Ok::<(), sayso_activity::ParseError>(())
    /// ```
    pub fn shared_from_json(bytes: &[u8]) -> Result<Arc<Self>, ParseError> {
        let mut activity = None;
        Self::read_json(&mut activity, bytes)?;
        // In this order: the other way round it is moved once more.
        Ok(activity.map(Arc::new).expect("what was read without an error is there"))
    }

    /// Reads into a place, which is filled when there is no error.
    fn read_json(activity: &mut Option<Self>, bytes: &[u8]) -> Result<(), ParseError> {
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
        let text = str::from_utf8(bytes)
            .map_err(|error| ParseError::NotUtf8 { at: error.valid_up_to() })?;
        if quick::read(activity, text) {
            return Ok(());
        }
        *activity = Some(serde_json::from_str(text).map_err(|error| {
            let reason = error.to_string().into();
            match error.classify() {
                Category::Data => ParseError::Member { reason },
                Category::Syntax | Category::Eof | Category::Io => ParseError::Syntax { reason },
            }
        })?);
        Ok(())
    }

    /// Writes the activity as compact JSON; raw members keep their own spacing.
    #[must_use]
    pub fn to_json(&self) -> Vec<u8> {
        self.to_text().into_bytes()
    }

    /// As [`to_json`](Self::to_json), as text.
    ///
    /// # Example
    ///
    /// ```
    /// use sayso_activity::Activity;
    ///
    /// assert_eq!(Activity::message("hi").to_text(), r#"{"type":"message","text":"hi"}"#);
    /// ```
    #[must_use]
    pub fn to_text(&self) -> String {
        // Enough for most.
        let mut text = String::with_capacity(512);
        self.write(&mut text);
        text
    }
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
