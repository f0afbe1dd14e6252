//! Ownership of documents: those of a user alone, and those shared with others.

use std::{sync::Arc, time::Duration};

use sayso::{
    Engine,
    prelude::*,
    turn::{
        KeyScope,
        channel::{Channel, Delivery, Parcel},
        store::{ETag, Expect, MemoryStore, Saved},
    },
};

use super::{relation::Kind, *};
use crate::state::found::Found;

fn person(named: &[&str]) -> Person {
    let named = named.iter().map(|id| Key::conversation("c", id).unwrap()).collect();
    let (channel, user) = ("c".to_owned(), "ann".to_owned());
    Person { scope: KeyScope::default(), channel, user, named, scans: false }
}

fn found(key: &str, ledger: &str) -> Found {
    let body = format!(r#"{{"$sayso":{{"v":1{ledger}}}}}"#);
    Found::new(&Key::new(key).unwrap(), body, ETag::new("1")).unwrap()
}

fn reply(to: &str) -> String {
    format!(
        r#","outbox":[{{"id":"a.0","activity":{{"type":"message","recipient":{{"id":"{to}"}}}}}}]"#
    )
}

fn relation(key: &str, ledger: &str) -> Relation {
    person(&["own"]).relation(&found(key, ledger))
}

#[test]
fn a_user_owns_what_has_their_key_and_conversations_in_which_only_they_speak() {
    use Relation::Theirs;
    let timer = r#","timers":[{"id":"t","at":1,"activity":{"type":"event","from":{"id":"ann"}}}]"#;
    let ann = reply("ann");
    assert_eq!(relation("c/users/ann", ""), Theirs(Kind::User));
    assert_eq!(relation("c/conversations/x/users/ann", ""), Theirs(Kind::Private));
    assert_eq!(relation("c/conversations/own", ""), Theirs(Kind::Named));
    assert_eq!(relation("c/conversations/x", &ann), Theirs(Kind::OneToOne));
    assert_eq!(relation("c/conversations/x", &(ann + timer)), Theirs(Kind::OneToOne));
    let answers =
        r#","answers":[{"id":"a","replies":[{"type":"message","recipient":{"id":"ann"}}]}]"#;
    assert_eq!(relation("c/conversations/x", answers), Theirs(Kind::OneToOne));
    assert_eq!(relation("c/conversations/x", &waiting("ann", "")), Theirs(Kind::OneToOne));
}

/// A turn of somebody that was acknowledged and has not ended.
fn waiting(from: &str, rest: &str) -> String {
    let activity =
        format!(r#"{{"type":"message","text":"a secret","from":{{"id":"{from}"}}{rest}}}"#);
    format!(r#","inbox":[{{"ids":["AAAAAAAAAAAAAAAA"],"at":1,"activity":{activity}}}]"#)
}

#[test]
fn what_others_speak_in_stays() {
    let both = r#","outbox":[
        {"id":"a.0","activity":{"type":"message","recipient":{"id":"ann"}}},
        {"id":"a.1","activity":{"type":"message","recipient":{"id":"bob"}}}]"#;
    assert_eq!(relation("c/conversations/x", both), Relation::Shared);
    let nobody = r#","outbox":[
        {"id":"a.0","activity":{"type":"message","recipient":{"id":"ann"}}},
        {"id":"a.1","activity":{"type":"message"}}]"#;
    assert_eq!(relation("c/conversations/x", nobody), Relation::Shared);
    let group = r#","outbox":[{"id":"a.0","activity":{"type":"message",
        "conversation":{"id":"x","isGroup":true},"recipient":{"id":"ann"}}}]"#;
    assert_eq!(relation("c/conversations/x", group), Relation::Shared);
    assert_eq!(relation("c/conversations/x", &reply("bob")), Relation::Other);
    assert_eq!(relation("c/conversations/x", &reply("anna")), Relation::Other);
    assert_eq!(relation("c/conversations/x", &waiting("bob", "")), Relation::Other);
    let group = waiting("ann", r#","conversation":{"id":"x","isGroup":true}"#);
    assert_eq!(relation("c/conversations/x", &group), Relation::Shared);
    assert_eq!(
        relation("c/conversations/x", &(reply("bob") + &waiting("ann", ""))),
        Relation::Shared
    );
    assert_eq!(relation("c/conversations/x", ""), Relation::Silent);
    assert_eq!(relation("c/conversations/x/users/anna", ""), Relation::Other);
}

#[tokio::test]
async fn a_second_round_finds_nothing() {
    let store = MemoryStore::default();
    let ann = reply("ann");
    for (key, ledger) in [
        ("c/users/ann", ""),
        ("c/users/bob", ""),
        ("c/conversations/x", &*ann),
        ("d/users/ann", ""),
    ] {
        let write = found(key, ledger).write(Expect::Absent);
        assert!(matches!(store.save(write).await, Ok(Saved::Committed(_))));
    }
    let mut report = Report::default();
    assert_eq!(person(&[]).round(&store, &mut report).await.unwrap(), 2);
    assert_eq!(person(&[]).round(&store, &mut report).await.unwrap(), 0);
    let left: Vec<Key> = store.list("").try_collect().await.unwrap();
    let left: Vec<&str> = left.iter().map(Key::as_str).collect();
    assert_eq!(left, ["c/users/bob", "d/users/ann"]);
    assert_eq!(report.removed.len(), 2);
    assert!(report.text(Paint::off()).contains("one-to-one"));
}

#[derive(Debug)]
struct Mute;

#[async_trait::async_trait]
impl Channel for Mute {
    async fn deliver(&self, parcel: &Parcel) -> Delivery {
        panic!("nothing is said to who is forgotten: {}", parcel.id)
    }
}

#[tokio::test]
async fn a_long_turn_of_a_user_who_is_forgotten_meanwhile_says_and_stores_nothing() {
    let store = Arc::new(MemoryStore::default());
    let (go, wait) = (Arc::new(tokio::sync::Notify::new()), Duration::from_secs(20));
    let gate = Arc::clone(&go);
    let bot = Bot::new().on_message(move |mut turn: Turn| {
        let gate = Arc::clone(&gate);
        async move {
            gate.notified().await;
            turn.say("done");
            Ok(())
        }
    });
    let limits = Limits { acknowledge_after: Duration::from_millis(10), ..Limits::default() };
    let engine = Engine::builder(bot, Arc::<MemoryStore>::clone(&store), Arc::new(Mute))
        .limits(limits)
        .start();
    let message = br#"{"type":"message","id":"1","text":"a secret","channelId":"c",
        "from":{"id":"ann"},"conversation":{"id":"x"}}"#;
    let answer = engine.receive(Activity::from_json(message).unwrap()).await.unwrap();
    assert!(answer.is_pending);

    let mut report = Report::default();
    assert_eq!(person(&[]).round(store.as_ref(), &mut report).await.unwrap(), 1);
    let text = report.text(Paint::off());
    assert!(text.contains("(1 unfinished turn)") && !text.contains("secret"), "{text}");
    go.notify_one();
    assert_eq!(engine.close(wait).await, 0);
    let left: Vec<Key> = store.list("").try_collect().await.unwrap();
    assert_eq!(left, []);
}
