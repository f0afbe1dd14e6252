//! Accepted activities: the response to the sender, and the replies at the channel.

use sayso_turn::{Bot, Turn, activity::Activity};
use serde_json::json;

use crate::support::{PATIENCE, Server, echo, message, sink::Sink, with};

#[tokio::test]
async fn a_reply_reaches_the_connector_under_its_id_and_path() {
    let mut sink = Sink::accepting().await;
    let server = Server::start(echo()).await;
    let answer = server.post(&message("m/1", "hi", &sink.url())).await;
    assert_eq!((answer.status, answer.body.as_str()), (200, ""));

    let posted = sink.next().await;
    assert_eq!(posted.line(), "POST /_connector/v3/conversations/c1/activities/m%2F1");
    assert_eq!(posted.header("content-type"), Some("application/json"));
    let agent = concat!("sayso/", env!("CARGO_PKG_VERSION"));
    assert_eq!(posted.header("user-agent"), Some(agent));
    let key = posted.header("idempotency-key").unwrap();
    assert!(key.len() > 8 && key.ends_with(".0"), "{key}");
    let body = posted.json();
    assert_eq!(body["text"], "Echo: hi");
    assert_eq!(body["replyToId"], "m/1");
    assert_eq!((&body["from"]["id"], &body["recipient"]["id"]), (&json!("bot"), &json!("ann")));
    assert!(body.get("id").is_none(), "{body}");

    assert_eq!(server.engine.close(PATIENCE).await, 0);
    assert_eq!(server.engine.stats().delivered, 1);
    assert_eq!(server.stored().await.len(), 1);
}

#[tokio::test]
async fn a_message_posted_again_gets_one_reply() {
    let mut sink = Sink::accepting().await;
    let server = Server::start(echo()).await;
    for _ in 0..3 {
        assert_eq!(server.post(&message("1", "hi", &sink.url())).await.status, 200);
    }
    sink.next().await;
    assert_eq!(server.engine.close(PATIENCE).await, 0);
    assert!(sink.came().is_none());
    let stats = server.engine.stats();
    assert_eq!((stats.turns, stats.duplicates, stats.delivered), (1, 2, 1));
}

#[tokio::test]
async fn replies_that_are_expected_are_in_the_answer_each_time() {
    let server = Server::start(echo()).await;
    let expecting = json!({"deliveryMode": "expectReplies", "serviceUrl": null});
    let activity = with(message("1", "hi", ""), expecting);
    let first = server.post(&activity).await;
    assert_eq!(first.status, 200);
    let body = first.json();
    let replies = body["activities"].as_array().unwrap();
    assert_eq!(replies.len(), 1, "{body}");
    assert_eq!((&replies[0]["text"], &replies[0]["replyToId"]), (&json!("Echo: hi"), &json!("1")));

    let again = server.post(&activity).await;
    assert_eq!((again.status, again.body), (200, first.body));
    let stats = server.engine.stats();
    assert_eq!((stats.turns, stats.duplicates, stats.delivered), (1, 1, 0));
}

#[tokio::test]
async fn an_invoke_gets_the_status_and_body_of_the_bot() {
    let bot = Bot::new()
        .on_invoke("teapot", async |mut turn: Turn| Ok(turn.respond(418, &json!({"tea": [1]}))?))
        .on_invoke("empty", async |mut turn: Turn| Ok(turn.respond(204, &json!("dropped"))?))
        .on_invoke("odd", async |mut turn: Turn| Ok(turn.respond(7, "no status")?))
        .on_invoke("silent", async |_: Turn| Ok(()));
    let server = Server::start(bot).await;
    let sink = Sink::accepting().await;
    for (name, status, body) in [
        ("teapot", 418, r#"{"tea":[1]}"#),
        ("empty", 204, ""),
        ("odd", 500, "BotFailed"),
        ("silent", 501, "NotImplemented"),
        ("unknown", 501, "NotImplemented"),
    ] {
        let changes = json!({"type": "invoke", "name": name});
        let activity = with(message(name, "", &sink.url()), changes);
        for _ in 0..2 {
            let answer = server.post(&activity).await;
            assert_eq!(answer.status, status, "{name}: {answer:?}");
            assert!(answer.body.contains(body), "{name}: {answer:?}");
        }
    }
}

#[tokio::test]
async fn an_invoke_that_expects_replies_has_its_response_among_them() {
    let bot = Bot::new()
        .on_invoke("both", async |mut turn: Turn| {
            turn.say("said");
            Ok(turn.respond(202, &json!({"ok": true}))?)
        })
        .on_invoke("words", async |mut turn: Turn| {
            turn.say("said");
            Ok(())
        });
    let server = Server::start(bot).await;
    let invoke = |name: &str| {
        let changes = json!({
            "type": "invoke", "name": name, "deliveryMode": "expectReplies", "serviceUrl": null,
        });
        with(message(name, "", ""), changes)
    };
    let body = server.post(&invoke("both")).await.json();
    assert_eq!(body["activities"][0]["text"], "said");
    let response =
        json!({"type": "invokeResponse", "value": {"status": 202, "body": {"ok": true}}});
    assert_eq!(body["activities"][1], response);
    let body = server.post(&invoke("words")).await.json();
    assert_eq!(body["activities"].as_array().unwrap().len(), 1);
    assert_eq!(server.post(&invoke("nobody")).await.status, 501);
}

#[tokio::test]
async fn what_no_handler_wants_is_accepted_and_leaves_nothing() {
    let mut sink = Sink::accepting().await;
    let server = Server::start(echo()).await;
    for kind in ["typing", "conversationUpdate", "somethingNew"] {
        let answer = server.post(&with(message("1", "", &sink.url()), json!({"type": kind}))).await;
        assert_eq!((answer.status, answer.body.as_str()), (200, ""), "{kind}");
    }
    let changes = json!({"type": "typing", "deliveryMode": "expectReplies"});
    let answer = server.post(&with(message("1", "", &sink.url()), changes)).await;
    assert_eq!((answer.status, answer.body.as_str()), (200, r#"{"activities":[]}"#));
    assert!(server.stored().await.is_empty());
    assert!(sink.came().is_none());
}

#[tokio::test]
async fn what_is_not_for_people_is_not_posted() {
    let bot = Bot::new().on_message(async |mut turn: Turn| {
        for kind in ["trace", "delay", "invokeResponse", "message"] {
            let text = format!(r#"{{"type":"{kind}"}}"#);
            turn.send(Activity::from_json(text.as_bytes())?);
        }
        Ok(())
    });
    for (channel, kinds) in [("webchat", vec!["message"]), ("emulator", vec!["trace", "message"])] {
        let mut sink = Sink::accepting().await;
        let server = Server::start(bot.clone()).await;
        let activity = with(message("1", "hi", &sink.url()), json!({"channelId": channel}));
        assert_eq!(server.post(&activity).await.status, 200);
        assert_eq!(server.engine.close(PATIENCE).await, 0);
        let mut posted = Vec::new();
        while let Some(one) = sink.came() {
            posted.push(one.json()["type"].as_str().unwrap().to_owned());
        }
        assert_eq!(posted, kinds, "{channel}");
        // An invokeResponse is in the HTTP response, it is not a reply.
        assert_eq!(server.engine.stats().delivered, 3);
    }
}

#[tokio::test]
async fn a_caller_id_from_outside_is_dropped() {
    let bot = Bot::new().on_message(async |mut turn: Turn| {
        let is_there = turn.activity().extra.get("callerId").is_some();
        turn.say(is_there.to_string());
        Ok(())
    });
    let server = Server::start(bot).await;
    let changes = json!({"deliveryMode": "expectReplies", "serviceUrl": null, "callerId": "urn:x"});
    let answer = server.post(&with(message("1", "hi", ""), changes)).await;
    assert_eq!(answer.json()["activities"][0]["text"], "false");
}
