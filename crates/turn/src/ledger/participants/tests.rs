//! Lists of participants: complete, or marked as incomplete.

use store::{Participant, Participants as Hint};

use super::*;
use crate::ledger::Document;

fn key() -> Key {
    Key::conversation("c", "x").unwrap()
}

fn by(id: &str) -> Activity {
    let (from, recipient) = (Some(Account::new(id)), Some(Account::new("bot")));
    Activity { from, recipient, ..Activity::message("hello") }
}

fn all(ids: &[&str]) -> Option<Hint> {
    Some(Hint::All(ids.iter().map(|id| Participant::of(id)).collect()))
}

/// A document as the next instance reads it.
fn again(document: &Document) -> Document {
    Document::parse(&key(), &document.to_json()).unwrap()
}

#[test]
fn a_newcomer_is_told_once() {
    let (mut document, limits) = (Document::default(), Limits::default());
    let participants = &mut document.ledger.participants;
    participants.note(&by("ann"), &limits);
    participants.note(&by("bot"), &limits);
    assert_eq!(participants.take_hint(&key()), all(&["ann"]));
    participants.note(&by("ann"), &limits);
    assert_eq!(participants.take_hint(&key()), None);
    let mut document = again(&document);
    let participants = &mut document.ledger.participants;
    participants.note(&by("ann"), &limits);
    assert_eq!(participants.take_hint(&key()), None);
    participants.note(&by("b\"ob"), &limits);
    assert_eq!(participants.take_hint(&key()), all(&["ann", "b\"ob"]));
    assert_eq!(again(&document).ledger.participants.all().unwrap(), ["ann", "b\"ob"]);
}

#[test]
fn a_conversation_that_a_fence_begins_has_nobody_yet() {
    let mut document = Document::default();
    assert_eq!(document.ledger.participants.take_hint(&key()), all(&[]));
    let mut document = again(&document);
    let participants = &mut document.ledger.participants;
    assert_eq!(participants.take_hint(&key()), None);
    participants.note(&by("ann"), &Limits::default());
    assert_eq!(participants.take_hint(&key()), all(&["ann"]));
}

#[test]
fn more_than_can_be_listed_are_told_to_be_anybody() {
    let limits = Limits { participants_max: 2, ..Limits::default() };
    let mut document = Document::default();
    for id in ["a", "b", "c", "d"] {
        document.ledger.participants.note(&by(id), &limits);
    }
    assert_eq!(document.ledger.participants.take_hint(&key()), Some(Hint::Unknown));
    let read = again(&document).ledger.participants;
    assert_eq!((read.all(), read.listed().len(), read.has_more()), (None, 2, true));
    let mut long = Document::default();
    long.ledger.participants.note(&by(&"x".repeat(ID_BYTES_MAX + 1)), &limits);
    assert_eq!(long.ledger.participants.hint(&key()), Some(Hint::Unknown));
}

#[test]
fn what_a_build_without_lists_has_written_may_be_anybodys() {
    let limits = Limits::default();
    for body in [
        "{}",
        r#"{"$sayso":{"v":1,"rev":3}}"#,
        // It counted on, and kept the list as it was.
        r#"{"$sayso":{"v":1,"rev":3,"participants":{"rev":2,"ids":["ann"]}}}"#,
    ] {
        let mut document = Document::parse(&key(), body).unwrap();
        document.ledger.participants.note(&by("bob"), &limits);
        assert_eq!(document.ledger.participants.take_hint(&key()), Some(Hint::Unknown), "{body}");
        assert_eq!(document.ledger.participants.all(), None, "{body}");
        assert!(!document.to_json().contains("participants"), "{body}");
    }
}

#[test]
fn who_a_key_names_takes_part() {
    let private = Key::private("c", "x", "a/users/b").unwrap();
    assert_eq!(Participants::default().hint(&private), all(&["a/users/b", "b"]));
    let user = Key::user("c", "ann").unwrap();
    assert_eq!(Participants::default().hint(&user), all(&["ann"]));
    assert_eq!(Participants::default().hint(&Key::new("orders").unwrap()), None);
}

#[test]
fn a_group_and_those_who_join_it_are_noted() {
    let limits = Limits::default();
    let mut joins = by("ann");
    joins.members_added = Some(vec![Account::new("bob"), Account::new("bot")]);
    let mut participants = Participants::default();
    participants.note(&joins, &limits);
    assert_eq!(participants.all().unwrap(), ["ann", "bob"]);
    assert!(!participants.is_group());
    let mut conversation = sayso_activity::ConversationAccount::new("x");
    conversation.is_group = Some(true);
    participants.note(&Activity { conversation: Some(conversation), ..by("ann") }, &limits);
    assert!(participants.is_group());
}
