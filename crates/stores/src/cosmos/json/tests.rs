//! Texts that come back from values, and texts that do not.

use super::*;

/// The value as a service returns it that sorts members.
fn sorted(value: &Json) -> Json {
    match value {
        Json::List(items) => Json::List(items.iter().map(sorted).collect()),
        Json::Object(members) => {
            let mut members: Vec<_> =
                members.iter().map(|(name, value)| (name.clone(), sorted(value))).collect();
            members.sort_by(|(one, _), (other, _)| one.cmp(other));
            Json::Object(members)
        }
        other => other.clone(),
    }
}

/// The text after a round trip through a service that keeps only values.
fn through(text: &str) -> String {
    let value = Json::parse(text).unwrap();
    let mut kept = sorted(&value);
    kept.arrange(&value.order());
    kept.print()
}

#[test]
fn a_compact_text_comes_back_whatever_the_order_of_its_members() {
    for text in [
        "{}",
        "[]",
        "null",
        "\"\"",
        "true",
        "0",
        "-7.25",
        r#"{"b":1,"a":2}"#,
        r#"{"DialogState":{"dialogStack":[{"id":"x","state":{"z":1,"y":[{"b":0,"a":0}]}}]},"$sayso":{"v":1,"turn":3}}"#,
        r#"{"a":{"c":1,"b":2},"b":{"c":{"z":1,"y":2},"a":3}}"#,
        r#"[{"b":1,"a":2},{"a":1,"b":2},[{"d":1,"c":{"b":1,"a":2}}]]"#,
        r#"{"žluť":"日本語 👩‍👩‍👧","é":"\n\t\"\\"}"#,
        "9007199254740992",
        "-9007199254740992",
        "[0.1,-0.00001,123456789.123]",
    ] {
        assert!(Json::parse(text).unwrap().gives(text), "{text}");
        assert_eq!(through(text), text);
    }
}

#[test]
fn a_text_that_a_value_does_not_give_back_is_told() {
    for text in [
        "{ }",
        "1.0",
        "1e2",
        "-0",
        "9007199254740993",
        "123456789012345678901234567890.10",
        r#""\u00e9""#,
        r#""\/""#,
        "1.5e300",
        "[1.5e+300]",
        "0.000001",
    ] {
        assert!(!Json::parse(text).unwrap().gives(text), "{text}");
    }
}

#[test]
fn json_that_cosmos_cannot_hold_is_not_parsed() {
    let deep = |levels: usize| format!("{}{}", "[".repeat(levels), "]".repeat(levels));
    assert!(Json::parse(&deep(127)).is_some(), "127 levels below `document` are recorded");
    for text in ["", "{", "x", "1e400", r#"{"a":1,"a":2}"#, r#""\ud800""#, &deep(128)] {
        assert_eq!(Json::parse(text), None, "{text}");
    }
}

#[test]
fn sorted_members_need_no_note_and_others_a_short_one() {
    assert_eq!(Json::parse(r#"{"a":{"b":1,"c":2},"d":3}"#).unwrap().order(), Order::new());
    assert_eq!(
        Json::parse(r#"{"b":{"d":1,"c":2},"a":3}"#).unwrap().order(),
        [[0, 1, 0], [1, 1, 0]]
    );
}

#[test]
fn a_note_that_does_not_fit_changes_no_value() {
    let value = Json::parse(r#"{"a":1,"b":{"x":1,"y":2}}"#).unwrap();
    for order in [
        vec![vec![0, 5, 6]],
        vec![vec![0, 0, 0]],
        vec![vec![0]],
        vec![vec![]],
        vec![vec![9, 1, 0]],
        vec![vec![0, 2, 1, 0], vec![1, 1, 0]],
    ] {
        let mut arranged = value.clone();
        arranged.arrange(&order);
        assert_eq!(sorted(&arranged), sorted(&value), "{order:?}");
    }
}
