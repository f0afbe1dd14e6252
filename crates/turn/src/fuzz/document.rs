//! Fuzz property of stored documents: our own, of other SDKs, of a newer build, and damaged.

use sayso_activity::fuzz::sentence;
use serde::Deserialize;
use serde_json::{Value, value::RawValue};

use super::Members;
use crate::{
    Key,
    document::{Document, RESERVED},
    store::Error,
};

/// Members of `$sayso` that are always written and never change their value.
const FIXED: [&str; 4] = ["turn", "rev", "write", "seen"];
/// Members of `$sayso` whose entries have an id and an activity.
const LISTS: [&str; 3] = ["outbox", "parked", "timers"];

/// Checks that a stored text is refused with a one-sentence error, or survives a rewrite without
/// loss.
pub fn document(data: &[u8]) {
    let Ok(body) = str::from_utf8(data) else { return };
    let Some(document) = parse(body) else { return };
    let written = document.to_json();
    let again = parse(&written).expect("what is written can be read");
    assert_eq!(again.to_json(), written, "the second write differs");
    assert_eq!(again.bag, document.bag);
    assert_eq!(format!("{:?}", again.ledger), format!("{:?}", document.ledger));
    assert_eq!(again.ledger.due(), document.ledger.due());
    for entry in &document.ledger.outbox {
        drop(entry.to_activity());
    }

    let (mut before, mut after) = (members(body), members(&written));
    let ours = before.remove(RESERVED).map(|raw| members(raw.get())).unwrap_or_default();
    let ours_after = members(after.remove(RESERVED).expect("it is always written").get());
    assert_eq!(texts(&before), texts(&after), "a property was lost or changed");
    ledger_is_kept(&ours, &ours_after);
    newer_is_refused(after, ours_after);
}

/// Parses a document, and checks the error if that fails.
fn parse(body: &str) -> Option<Document> {
    let key = Key::new("k").expect("a key of one letter");
    match Document::parse(&key, body) {
        Ok(document) => Some(document),
        Err(error) => {
            assert!(matches!(error, Error::Corrupt { .. }), "{error}");
            sentence(&error.to_string());
            None
        }
    }
}

fn ledger_is_kept(before: &Members, after: &Members) {
    let format = before.get("v").map_or(0, |raw| read::<u32>(raw));
    assert!(format <= read(after.get("v").expect("it is always written")), "read a newer format");
    for name in FIXED {
        let after: Value = read(after.get(name).expect("it is always written"));
        if let Some(raw) = before.get(name) {
            assert_eq!(read::<Value>(raw), after, "{name} changed");
        }
    }
    for name in LISTS {
        let list = |members: &Members| members.get(name).map(|raw| read(raw)).unwrap_or_default();
        let (before, after): (Vec<Item>, Vec<Item>) = (list(before), list(after));
        let same = |a: &Item, b: &Item| a.id == b.id && a.activity.get() == b.activity.get();
        let is_same =
            before.len() == after.len() && before.iter().zip(&after).all(|(a, b)| same(a, b));
        assert!(is_same, "an entry of {name} was lost or changed");
    }
    for (name, raw) in before {
        let kept = after.get(name).map(|raw| raw.get());
        // Members of the format have lower-case names; all others are unknown.
        if name.bytes().all(|byte| byte.is_ascii_lowercase()) {
            let is_nothing = ["null", "[]"].contains(&compact(raw).as_str());
            assert!(kept.is_some() || is_nothing, "the member {name} was lost");
        } else {
            assert_eq!(kept, Some(raw.get()), "an unknown member was lost or changed");
        }
    }
}

/// Checks that the same document in a newer format is refused.
fn newer_is_refused(mut document: Members, mut ours: Members) {
    let format: u32 = read(ours.get("v").expect("it is always written"));
    drop(ours.insert("v".to_owned(), raw(&(format + 1))));
    drop(document.insert(RESERVED.to_owned(), raw(&ours)));
    let key = Key::new("k").expect("a key of one letter");
    let error = Document::parse(&key, raw(&document).get()).expect_err("a newer format is refused");
    assert!(error.to_string().contains("newer"), "{error}");
}

/// Common members of the entries of all lists.
#[derive(Deserialize)]
struct Item {
    id: String,
    activity: Box<RawValue>,
}

fn members(text: &str) -> Members {
    serde_json::from_str(text).expect("what was read as a document is an object")
}

fn texts(members: &Members) -> Vec<(&str, &str)> {
    members.iter().map(|(name, raw)| (name.as_str(), raw.get())).collect()
}

fn read<T: serde::de::DeserializeOwned>(raw: &RawValue) -> T {
    serde_json::from_str(raw.get()).expect("a member of a document that was read has its shape")
}

/// Removes all whitespace.
fn compact(raw: &RawValue) -> String {
    raw.get().split_ascii_whitespace().collect()
}

fn raw<T: serde::Serialize>(value: &T) -> Box<RawValue> {
    serde_json::value::to_raw_value(value).expect("its keys are strings")
}
