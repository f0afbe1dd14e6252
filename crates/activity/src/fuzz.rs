//! What must hold for any bytes at all: one function per fuzz target, and the corpus replayed.
//!
//! The targets in `fuzz/` and the tests call the same functions, so that what the fuzzer once found
//! stays checked on every run of the tests. They panic when something does not hold. The feature
//! `fuzzing` compiles them in; they are no part of the interface.

mod corpus;
mod same;

pub use corpus::replay;

use std::collections::BTreeSet;

use serde_json::Value;

use self::same::{Tree, tree};
use crate::json::DEPTH_MAX;
use crate::{Activity, ParseError};

/// The longest error that is one sentence and not somebody's text.
const SENTENCE_BYTES_MAX: usize = 200;

/// Any body is refused in one sentence, or kept whole.
pub fn activity(data: &[u8]) {
    let activity = match Activity::from_json(data) {
        Ok(activity) => activity,
        Err(error) => return refused(data, &error),
    };
    let text = str::from_utf8(data).expect("only UTF-8 is read");
    let slow: Activity = serde_json::from_str(text).expect("what is read quickly is right");
    assert_eq!(slow, activity, "the quick way reads another activity");
    let read = tree(text);
    assert!(depth(&read) <= DEPTH_MAX, "read although nested too deeply");

    let names: BTreeSet<&str> = activity.extra.iter().map(|(name, _)| name).collect();
    assert_eq!(names.len(), activity.extra.len(), "a member stands twice");

    let written = activity.to_json();
    let written_text = str::from_utf8(&written).expect("only UTF-8 is written");
    assert_eq!(tree(written_text), read, "what is written is another value");
    same(&written, &activity);

    let reply = activity.reply_to("so");
    same(&reply.to_json(), &reply);
    if let Err(error) = activity.check() {
        sentence(&error.to_string());
    }
}

/// Checks that an error is one short sentence that repeats no text of the input.
///
/// Values would show: as a character that is not ASCII, by their length, or in quotes.
pub fn sentence(error: &str) {
    let is_plain = error.bytes().all(|byte| matches!(byte, b' '..=b'~') && byte != b'"');
    assert!(is_plain && error.len() <= SENTENCE_BYTES_MAX, "not a plain sentence: {error:?}");
}

fn refused(data: &[u8], error: &ParseError) {
    sentence(&error.to_string());
    if let (ParseError::TooDeep { .. }, Ok(value)) = (error, serde_json::from_slice(data)) {
        assert!(value_depth(&value) > DEPTH_MAX, "refused as too deep although it is not");
    }
}

/// The written text is read as the same activity, which is written the same.
fn same(written: &[u8], activity: &Activity) {
    let again = Activity::from_json(written).expect("what is written can be read");
    assert_eq!(&again, activity);
    assert_eq!(again.to_json(), written);
}

fn depth(tree: &Tree) -> usize {
    match tree {
        Tree::Object(members) => 1 + members.values().map(depth).max().unwrap_or_default(),
        Tree::List(items) => 1 + items.iter().map(depth).max().unwrap_or_default(),
        Tree::Text(_) | Tree::Other(_) => 0,
    }
}

fn value_depth(value: &Value) -> usize {
    match value {
        Value::Object(members) => 1 + members.values().map(value_depth).max().unwrap_or_default(),
        Value::Array(items) => 1 + items.iter().map(value_depth).max().unwrap_or_default(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => 0,
    }
}
