//! Turns that do not commit: the sender learns whether to try again, and no internals.

use std::sync::Arc;

use sayso_channel::EndpointOptions;
use sayso_turn::{Bot, Limits, Overlap, Turn};
use serde_json::{Value, json};
use tokio::sync::Semaphore;

use crate::support::{PATIENCE, Server, client::Reply, echo, message, store::Broken, with};

fn expecting(id: &str) -> Value {
    let changes = json!({"deliveryMode": "expectReplies", "serviceUrl": null});
    with(message(id, "hi", ""), changes)
}

fn check(reply: &Reply, status: u16, code: &str, retry_after: Option<&str>) {
    assert_eq!(reply.status, status, "{reply:?}");
    let (found, sentence) = reply.error();
    assert_eq!(found, code);
    assert!(!sentence.contains("inner"), "{sentence}");
    assert_eq!(reply.header("retry-after"), retry_after, "{reply:?}");
}

#[tokio::test]
async fn a_bot_that_fails_or_panics_is_a_500_and_the_server_lives() {
    let bot = Bot::new().on_message(async |turn: Turn| match turn.activity().id.as_deref() {
        Some("panic") => panic!("inner panic"),
        _ => Err("inner failure".into()),
    });
    let server = Server::start(bot).await;
    for id in ["error", "panic", "error"] {
        check(&server.post(&expecting(id)).await, 500, "BotFailed", None);
    }
    assert!(server.stored().await.is_empty());
}

#[tokio::test]
async fn a_store_that_fails_is_told_apart_by_what_to_do() {
    let limits = Limits { rounds_max: 1, ..Limits::default() };
    for (store, status, code, retry_after) in
        [(Broken::Unavailable, 503, "Busy", Some("1")), (Broken::Invalid, 500, "StoreFailed", None)]
    {
        let options = EndpointOptions::unauthenticated();
        let server = Server::with(echo(), Arc::new(store), limits.clone(), options).await;
        check(&server.post(&expecting("1")).await, status, code, retry_after);
    }
}

#[tokio::test]
async fn an_overlapping_turn_is_put_off() {
    let (entered, release) = (Arc::new(Semaphore::new(0)), Arc::new(Semaphore::new(0)));
    let inside = (Arc::clone(&entered), Arc::clone(&release));
    let bot = Bot::new().overlap(Overlap::Reject).on_message(move |_: Turn| {
        let (entered, release) = inside.clone();
        async move {
            entered.add_permits(1);
            release.acquire().await?.forget();
            Ok(())
        }
    });
    let server = Arc::new(Server::start(bot).await);
    let first = Arc::clone(&server);
    let first = tokio::spawn(async move { first.post(&expecting("1")).await });
    entered.acquire().await.unwrap().forget();
    check(&server.post(&expecting("2")).await, 429, "ConversationBusy", Some("1"));
    release.add_permits(1);
    assert_eq!(first.await.unwrap().status, 200);
}

#[derive(Default, sayso_turn::BotState)]
#[state(version = 1)]
struct Order {
    sizes: Vec<u8>,
}

#[tokio::test]
async fn state_of_a_newer_build_is_a_503_and_the_error_handler_is_silent() {
    let bot = Bot::new().on_message(async |mut turn: Turn| match turn.text() {
        "hi" => {
            turn.conversation::<Order>()?.sizes.push(1);
            Ok(())
        }
        // As an instance of a newer build does.
        _ => {
            let order = json!({"$version": 2, "sizes": "inner"});
            *turn.state().named::<Value>("Order")? = order;
            Ok(())
        }
    });
    let bot = bot.on_error(async |mut turn: Turn, _failure| {
        turn.say("sorry");
        Ok(())
    });
    let server = Server::start(bot).await;
    let newer = with(expecting("1"), json!({"text": "newer"}));
    assert_eq!(server.post(&newer).await.status, 200);
    check(&server.post(&expecting("2")).await, 503, "Newer", Some("1"));
    check(&server.post(&expecting("2")).await, 503, "Newer", Some("1"));
}

#[tokio::test]
async fn an_instance_that_shuts_down_sends_activities_elsewhere() {
    let server = Server::start(echo()).await;
    assert_eq!(server.engine.close(PATIENCE).await, 0);
    check(&server.post(&expecting("1")).await, 503, "Closing", Some("1"));
    check(&server.status("/readyz").await, 503, "NotReady", Some("1"));
    assert_eq!(server.status("/healthz").await.status, 200);
}
