//! Items of ours, and those that other SDKs left.

use sayso_turn::store::Expect;
use serde_json::{Value, json};

use super::*;
use crate::Layout;

const RECORDED: &str = include_str!("../../../tests/fixtures/cosmos/js.jsonl");

fn key() -> Key {
    Key::new("webchat/conversations/c").unwrap()
}

fn a_write(body: &str) -> Write {
    let (due, expires) = (None, None);
    Write {
        key: key(),
        expect: Expect::Absent,
        body: body.to_owned(),
        due,
        expires,
        participants: None,
    }
}

fn written(layout: Layout, made: &Write) -> Value {
    let (names, now) = (Names::new(layout), Timestamp::from_millis(10_900));
    let item = write(names, "the id", made, "w-1", false, now).unwrap();
    serde_json::from_str(item.get()).unwrap()
}

/// As the service gives it back, members sorted.
fn stored(item: &Value) -> Vec<u8> {
    let mut item = item.clone();
    item["_etag"] = json!("\"1\"");
    item.to_string().into_bytes()
}

#[test]
fn a_body_that_a_value_gives_back_is_a_value() {
    let body = r#"{"toppings":["cheese"],"$sayso":{"v":1,"turn":1}}"#;
    let item = written(Layout::Sayso, &a_write(body));
    let expected = json!({
        "id": "the id",
        "realId": "webchat/conversations/c",
        "document": {"toppings": ["cheese"], "$sayso": {"v": 1, "turn": 1}},
        "sayso": {"write": "w-1", "order": [[0, 1, 0], [1, 1, 0]]},
    });
    assert_eq!(item, expected);
    let read = read(Names::new(Layout::Sayso), &key(), &stored(&item)).unwrap();
    assert_eq!((read.body.as_str(), read.etag.as_str()), (body, "\"1\""));
    assert_eq!((read.id.as_str(), read.write.as_deref()), ("the id", Some("w-1")));
}

#[test]
fn a_body_that_no_value_gives_back_is_a_text_and_comes_back() {
    for body in ["", "no JSON", "{ }", "[1.0]", "1e400", "{\"a\":1,\"a\":2}", "\u{0}\u{feff}"] {
        let item = written(Layout::Sayso, &a_write(body));
        assert_eq!(item["document"], Value::Null);
        assert_eq!(item["sayso"], json!({"write": "w-1", "text": body}));
        let read = read(Names::new(Layout::Sayso), &key(), &stored(&item)).unwrap();
        assert_eq!(read.body, body);
    }
}

#[test]
fn null_is_a_document_as_well() {
    let item = written(Layout::Sayso, &a_write("null"));
    let read = read(Names::new(Layout::Sayso), &key(), &stored(&item)).unwrap();
    assert_eq!(read.body, "null");
}

#[test]
fn what_another_sdk_is_to_read_is_always_a_value() {
    let item = written(Layout::Dotnet, &a_write(r#"{"score":1.0}"#));
    assert_eq!(item["document"], json!({"score": 1.0}));
    let read = read(Names::new(Layout::Dotnet), &key(), &stored(&item)).unwrap();
    assert_eq!(read.body, r#"{"score":1.0}"#, "exact all the same");
    let names = Names::new(Layout::Dotnet);
    let refused = write(names, "i", &a_write("no JSON"), "w", false, Timestamp::START);
    assert!(refused.unwrap_err().contains("is not JSON"));
}

#[test]
fn the_time_that_a_document_waits_for_is_a_number() {
    let waits = |millis| Write { due: Some(Timestamp::from_millis(millis)), ..a_write("{}") };
    assert_eq!(written(Layout::Sayso, &waits(0))["due"], 0);
    assert_eq!(written(Layout::Sayso, &waits(1_900_000_000_000))["due"], 1_900_000_000_000_u64);
    assert_eq!(written(Layout::Sayso, &waits(u64::MAX))["due"], 1_u64 << 53, "the end of time");
    assert!(written(Layout::Sayso, &a_write("{}")).get("due").is_none());
}

#[test]
fn an_item_lives_until_its_time_and_never_shorter() {
    let now = Timestamp::from_millis(10_900);
    for (expires, seconds) in
        [(0, 1), (10_900, 1), (11_000, 1), (11_900, 2), (12_000, 2), (70_900, 61)]
    {
        let ttl = ttl(Some(Timestamp::from_millis(expires)), true, now).unwrap();
        assert_eq!(ttl, seconds, "until {expires}");
        assert!(10_000 + ttl.unsigned_abs() * 1_000 >= expires, "Cosmos counts from second 10");
    }
    let far = ttl(Some(Timestamp::from_millis(u64::MAX)), false, now);
    assert_eq!(far, Some(i64::from(i32::MAX)));
    assert_eq!(ttl(None, false, now), None);
    assert_eq!(ttl(None, true, now), Some(-1), "it stays where others go by default");
}

#[test]
fn every_recorded_item_is_read_by_the_layout_of_its_sdk() {
    let names = Names::new(Layout::Js);
    let mut count = 0;
    for line in RECORDED.lines() {
        let recorded: Read = serde_json::from_str(line).unwrap();
        let key = names.key(&recorded.real_id).unwrap();
        assert_eq!(names.id(&recorded.real_id).text, recorded.id, "the name is the one of the SDK");
        let item = read(names, &key, line.as_bytes()).unwrap();
        assert!(line.contains(&format!("\"document\":{},\"_rid\"", item.body)), "to the byte");
        assert_eq!(item.etag, recorded.etag);
        assert_eq!(item.write, None);
        count += 1;
    }
    assert!(count > 20, "only {count} recorded items");
}

#[test]
fn members_that_other_sdks_add_are_left_alone() {
    let item = json!({
        "id": "webchat*2fconversations*2fc", "realId": "webchat/conversations/c",
        "PartitionKey": "webchat*2fconversations*2fc", "partitionKey": "x", "eTag": "",
        "document": {"$type": "System.Object", "n": 12_345_678_901_234_567_u64},
        "_etag": "\"1\"", "_ts": 1, "_rid": "x", "_self": "x", "_attachments": "x",
    });
    let read = read(Names::new(Layout::Dotnet), &key(), item.to_string().as_bytes()).unwrap();
    assert_eq!(read.body, r#"{"$type":"System.Object","n":12345678901234567}"#, "no digit is lost");
}

#[test]
fn a_foreign_item_is_reported_without_its_text() {
    for (item, reason) in [
        (json!({"id": "i", "_etag": "e"}), "not one of ours"),
        (json!({"id": "i", "_etag": "e", "realId": 7, "document": {}}), "not one of ours"),
        (json!({"id": "i", "_etag": "e", "realId": "secret", "document": {}}), "another key"),
        (json!({"id": "i", "_etag": "e", "realId": key().as_str()}), "no member document"),
        (
            json!({"id": "i", "_etag": "e", "realId": key().as_str(), "sayso": "secret"}),
            "not one of ours",
        ),
        (
            json!({"id": "i", "_etag": "e", "realId": key().as_str(), "sayso": {"write": "w"}}),
            "no member document",
        ),
    ] {
        let error =
            read(Names::new(Layout::Sayso), &key(), item.to_string().as_bytes()).unwrap_err();
        assert!(matches!(error, Error::Corrupt { .. }), "{error}");
        let error = error.to_string();
        assert!(error.contains(reason) && !error.contains("secret"), "{error}");
    }
}
