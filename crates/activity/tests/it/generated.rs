//! Property tests: valid activities are kept whole, and no body makes the parser panic.

use proptest::prelude::*;
use sayso_activity::Activity;
use serde_json::{Map, Value, json};

use crate::tree::tree;

/// A few typed names, so that generated members often meet a typed field.
const TYPED: [&str; 10] = [
    "type",
    "id",
    "text",
    "from",
    "conversation",
    "value",
    "entities",
    "attachments",
    "membersAdded",
    "name",
];

fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(|number| json!(number)),
        any::<String>().prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 24, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::btree_map(any_name(), inner, 0..4).prop_map(object),
        ]
    })
}

fn any_name() -> impl Strategy<Value = String> {
    prop_oneof![prop::sample::select(&TYPED).prop_map(str::to_owned), any::<String>()]
}

fn object(members: impl IntoIterator<Item = (String, Value)>) -> Value {
    Value::Object(members.into_iter().collect::<Map<_, _>>())
}

/// Members without a typed field, with any value.
fn unknown_members() -> impl Strategy<Value = Map<String, Value>> {
    let name = any::<String>().prop_map(|name| format!("x{name}"));
    prop::collection::vec((name, any_json()), 0..5)
        .prop_map(|members| members.into_iter().collect())
}

/// A string or `null`.
fn text() -> impl Strategy<Value = Value> {
    prop_oneof![Just(Value::Null), any::<String>().prop_map(Value::from)]
}

/// An activity whose typed members have their types.
fn activity() -> impl Strategy<Value = Value> {
    let kind = prop_oneof![Just("message".to_owned()), ".+"];
    let account = (text(), text(), unknown_members()).prop_map(|(id, name, mut members)| {
        members.insert("id".to_owned(), id);
        members.insert("name".to_owned(), name);
        Value::Object(members)
    });
    let account = account.boxed();
    let accounts = prop::collection::vec(account.clone(), 0..3);
    (kind, text(), account, accounts, any_json(), unknown_members()).prop_map(
        |(kind, text, from, added, value, mut members)| {
            members.insert("type".to_owned(), kind.into());
            members.insert("text".to_owned(), text);
            members.insert("from".to_owned(), from);
            members.insert("membersAdded".to_owned(), added.into());
            members.insert("value".to_owned(), value);
            Value::Object(members)
        },
    )
}

fn is_kept(activity: &Activity, text: &str) -> bool {
    let written = activity.to_text();
    // There are two writers: straight as text, and by serde.
    assert_eq!(written, serde_json::to_string(activity).unwrap());
    tree(&written) == tree(text)
}

proptest! {
    #[test]
    fn a_well_typed_activity_is_read_and_kept_whole(activity in activity()) {
        let text = activity.to_string();
        let read = Activity::from_json(text.as_bytes());
        prop_assert!(read.is_ok(), "{read:?}");
        prop_assert!(is_kept(&read.unwrap(), &text));
    }

    #[test]
    fn an_object_is_refused_or_kept_whole(
        members in prop::collection::btree_map(any_name(), any_json(), 0..8),
        kind in any::<String>(),
    ) {
        let text = object(members.into_iter().chain([("type".to_owned(), kind.into())])).to_string();
        if let Ok(activity) = Activity::from_json(text.as_bytes()) {
            prop_assert!(is_kept(&activity, &text));
        }
    }

    /// The fast path must read the same as serde, or give up.
    #[test]
    fn a_body_with_any_bytes_changed_is_read_as_serde_reads_it(
        activity in activity(),
        changes in prop::collection::vec(
            (any::<prop::sample::Index>(), prop::sample::select(b"{}[]\",: \n\\01eatrux\x01".as_slice())),
            0..4,
        ),
        copied in prop::option::of((any::<prop::sample::Index>(), any::<prop::sample::Index>())),
    ) {
        let mut bytes = activity.to_string().into_bytes();
        if let Some((from, to)) = copied {
            let (from, to) = (from.index(bytes.len()), to.index(bytes.len()));
            let part = bytes[from.min(to)..from.max(to)].to_vec();
            bytes.splice(from..from, part);
        }
        for (at, byte) in changes {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        let Ok(text) = std::str::from_utf8(&bytes) else { return Ok(()) };
        if let Ok(read) = Activity::from_json(&bytes) {
            let by_serde = serde_json::from_str::<Activity>(text);
            prop_assert_eq!(Some(read), by_serde.ok(), "{}", text);
        }
    }

    #[test]
    fn a_cut_or_damaged_body_neither_panics_nor_shows_its_text(
        mut activity in activity(),
        at in any::<prop::sample::Index>(),
        byte in any::<u8>(),
    ) {
        activity["text"] = "said in private".into();
        let mut bytes = activity.to_string().into_bytes();
        let at = at.index(bytes.len());
        prop_assert!(Activity::from_json(&bytes[..at]).is_err());
        bytes[at] = byte;
        if let Err(error) = Activity::from_json(&bytes) {
            prop_assert!(!error.to_string().contains("private"), "{error}");
        }
    }
}
