//! Delivery modes: `expectReplies`, `stream`, `notification` and unknown ones.

use std::{sync::Arc, time::Duration};

use sayso_channel::EndpointOptions;
use sayso_turn::{Bot, Limits, Turn, activity::Activity, store::MemoryStore};
use serde_json::{Value, json};

use crate::support::{PATIENCE, Server, echo, message, sink::Sink, with};

/// The events of a stream: name and data.
fn events(body: &str) -> Vec<(String, Value)> {
    let mut events = Vec::new();
    let mut name = String::new();
    for line in body.lines() {
        if let Some(text) = line.strip_prefix("event: ") {
            name = text.to_owned();
        } else if let Some(data) = line.strip_prefix("data: ") {
            events.push((name.clone(), serde_json::from_str(data).unwrap()));
        }
    }
    events
}

fn streaming(id: &str, text: &str) -> Value {
    with(message(id, text, ""), json!({"deliveryMode": "stream", "serviceUrl": null}))
}

#[tokio::test]
async fn notification_and_unknown_modes_are_as_normal() {
    for mode in ["normal", "notification", "ephemeral", "something new"] {
        let mut sink = Sink::accepting().await;
        let server = Server::start(echo()).await;
        let activity = with(message("1", "hi", &sink.url()), json!({"deliveryMode": mode}));
        let answer = server.post(&activity).await;
        assert_eq!((answer.status, answer.body.as_str()), (200, ""), "{mode}");
        assert_eq!(sink.next().await.json()["text"], "Echo: hi", "{mode}");
    }
}

#[tokio::test]
async fn a_stream_has_the_signs_as_they_come_and_then_the_replies_each_time() {
    let bot = Bot::new().on_message(async |mut turn: Turn| {
        turn.show(Activity::typing());
        let stream = turn.stream();
        for word in ["one", " two"] {
            stream.push(word);
            tokio::time::sleep(Duration::from_millis(250)).await;
        }
        turn.finish(stream).await;
        turn.say("done");
        Ok(())
    });
    let server = Server::start(bot).await;
    let first = server.post(&streaming("1", "hi")).await;
    assert_eq!(first.status, 200);
    assert_eq!(first.header("content-type"), Some("text/event-stream"));
    let heard = events(&first.body);
    assert!(heard.iter().all(|(name, _)| name == "activity"), "{heard:?}");
    let said: Vec<_> = heard
        .iter()
        .map(|(_, data)| (data["type"].as_str().unwrap(), data["text"].as_str().unwrap_or("")))
        .collect();
    let replies = [("message", "one two"), ("message", "done")];
    let shown = [("typing", ""), ("typing", "one"), ("typing", "one two")];
    assert_eq!(said, [&shown[..], &replies[..]].concat());
    // Delivered again: the replies are the same, without the ephemeral signs.
    let again = events(&server.post(&streaming("1", "hi")).await.body);
    assert_eq!(again, heard[3..]);
    let stats = server.engine.stats();
    assert_eq!((stats.turns, stats.duplicates, stats.delivered), (1, 1, 0));
}

#[tokio::test]
async fn a_stream_that_fails_says_so_by_status_or_by_its_last_event() {
    let bot = Bot::new().on_message(async |mut turn: Turn| {
        if turn.text() == "late" {
            turn.show(Activity::typing());
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        Err("secret detail".into())
    });
    let server = Server::start(bot).await;
    let early = server.post(&streaming("1", "early")).await;
    assert_eq!(early.status, 500, "{early:?}");
    let late = server.post(&streaming("2", "late")).await;
    assert_eq!(late.status, 200);
    let heard = events(&late.body);
    assert_eq!(heard.len(), 2, "{heard:?}");
    assert_eq!((heard[1].0.as_str(), &heard[1].1["error"]["code"]), ("error", &json!("BotFailed")));
    assert!(!early.body.contains("secret") && !late.body.contains("secret"));
}

#[tokio::test]
async fn an_invoke_in_a_stream_ends_with_its_response() {
    let bot = Bot::new().on_invoke("ask", async |mut turn: Turn| {
        turn.say("said");
        Ok(turn.respond(200, &json!({"ok": true}))?)
    });
    let server = Server::start(bot).await;
    let invoke = with(streaming("1", ""), json!({"type": "invoke", "name": "ask"}));
    let heard = events(&server.post(&invoke).await.body);
    assert_eq!(heard[0].1["text"], "said");
    assert_eq!(
        heard[1],
        ("invokeResponse".to_owned(), json!({"status": 200, "body": {"ok": true}}))
    );
}

#[tokio::test]
async fn a_long_turn_is_accepted_when_it_is_durable_and_its_reply_follows() {
    let bot = Bot::new().on_message(async |mut turn: Turn| {
        tokio::time::sleep(Duration::from_millis(1500)).await;
        turn.say("done");
        Ok(())
    });
    let limits = Limits { acknowledge_after: Duration::from_millis(200), ..Limits::default() };
    let store = Arc::new(MemoryStore::default());
    let server = Server::with(bot, store, limits, EndpointOptions::unauthenticated()).await;
    let mut sink = Sink::accepting().await;
    let activity = message("1", "hi", &sink.url());
    for _ in 0..2 {
        assert_eq!(server.post(&activity).await.status, 202);
    }
    let mut posted = vec![sink.next().await.json(), sink.next().await.json()];
    assert_eq!(posted.remove(0)["type"], "typing");
    assert_eq!(posted.remove(0)["text"], "done");
    assert_eq!(server.post(&activity).await.status, 200);
    assert_eq!(server.engine.close(PATIENCE).await, 0);
    assert!(sink.came().is_none());
}
