//! Fuzz targets: checks that must hold for any bytes at all, and the replay of the corpus.
//!
//! The targets in `fuzz/` and the tests call the same functions, so that what the fuzzer once found
//! stays checked on every run of the tests. They panic when something does not hold. The feature
//! `fuzzing` compiles them in; they are no part of the interface.

mod corpus;
mod tree;

pub use corpus::replay;

use std::collections::BTreeSet;

use serde_json::Value;

use self::tree::{Tree, tree};
use crate::json::DEPTH_MAX;
use crate::{Activity, ParseError};

/// The longest error that is one sentence and not somebody's text.
const SENTENCE_BYTES_MAX: usize = 200;

/// Checks that any body is refused in one sentence, or kept whole.
pub fn activity(data: &[u8]) {
    let activity = match Activity::from_json(data) {
        Ok(activity) => activity,
        Err(error) => return refused(data, &error),
    };
    let text = str::from_utf8(data).expect("only UTF-8 is read");
    let by_serde: Activity =
        serde_json::from_str(text).expect("serde_json reads all that the fast path reads");
    assert_eq!(by_serde, activity, "the fast path reads another activity");
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
    // This parser's own limit of depth, which is larger, bounds the recursion of `tree`.
    let is_json = serde_json::from_slice::<Value>(data).is_ok();
    if let (ParseError::TooDeep { .. }, true, Ok(text)) = (error, is_json, str::from_utf8(data)) {
        assert!(depth(&tree(text)) > DEPTH_MAX, "refused as too deep although it is not");
    }
}

/// Checks that the written text is read as the same activity, which is written the same again.
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
