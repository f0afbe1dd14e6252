//! Signs (typing indicators, partial texts): sent at once and never repeated.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use sayso_channel::{
    Connector, ConnectorOptions, ServiceUrls,
    auth::{AuthOptions, Secret, Tokens},
};
use sayso_turn::{Key, channel::Channel, clock::SystemClock};
use serde_json::{Value, json};

use super::activity;
use crate::support::{
    PATIENCE, message,
    sink::{Act, Sink},
    with,
};

fn typing(service_url: &str) -> Value {
    with(message("own", "hi", service_url), json!({"type": "typing", "replyToId": "7"}))
}

async fn show(connector: &Connector, sign: &Value) -> Option<String> {
    connector.show(&Key::new("k").unwrap(), &activity(sign)).await
}

fn patient() -> Connector {
    Connector::new(ConnectorOptions { timeout: PATIENCE, ..Default::default() }).unwrap()
}

#[tokio::test]
async fn a_sign_is_posted_and_has_the_id_that_the_channel_gives() {
    let mut sink = Sink::accepting().await;
    assert_eq!(show(&patient(), &typing(&sink.url())).await.as_deref(), Some("given"));
    let posted = sink.next().await;
    assert_eq!(posted.line(), "POST /_connector/v3/conversations/c1/activities/7");
    assert_eq!(posted.json(), with(typing(&sink.url()), json!({"id": null})));
    assert_eq!(posted.header("idempotency-key"), None, "it is not handed over again");
}

#[tokio::test]
async fn a_sign_that_fails_in_whatever_way_is_not_shown_again() {
    for act in [
        Act::answer("400 X", &[], ""),
        Act::answer("404 X", &[], ""),
        Act::answer("412 X", &[], ""),
        Act::answer("429 X", &["retry-after: 0"], ""),
        Act::answer("500 X", &[], r#"{"id":"1"}"#),
        Act::answer("202 X", &[], ""),
        Act::Reset,
        Act::Write(vec![]),
        Act::Write(b"SSH-2.0-x\r\n".to_vec()),
    ] {
        let mut sink = Sink::start(act.clone()).await;
        assert_eq!(show(&patient(), &typing(&sink.url())).await, None, "{act:?}");
        sink.next().await;
        assert!(sink.came().is_none(), "{act:?}");
    }
}

#[tokio::test]
async fn a_sign_is_soon_given_up() {
    let mut sink = Sink::start(Act::WriteAndHang(vec![])).await;
    let started = Instant::now();
    assert_eq!(show(&patient(), &typing(&sink.url())).await, None);
    sink.next().await;
    let took = started.elapsed();
    assert!(took >= Duration::from_millis(2900) && took < PATIENCE / 2, "{took:?}");
}

#[tokio::test]
async fn a_sign_goes_only_where_a_reply_may_go() {
    let mut sink = Sink::accepting().await;
    let good = typing(&sink.url());
    for changes in [
        json!({"serviceUrl": "https://evil.example"}),
        json!({"serviceUrl": null}),
        json!({"conversation": {"id": ".."}}),
        json!({"type": "trace", "channelId": "webchat"}),
    ] {
        assert_eq!(show(&patient(), &with(good.clone(), changes)).await, None);
    }
    assert!(sink.came().is_none());
}

#[tokio::test]
async fn a_sign_shows_the_bots_token_and_does_not_ask_for_another() {
    let grant = r#"{"access_token":"c4n4ry","token_type":"Bearer","expires_in":3600}"#;
    let mut login = Sink::start(Act::answer("200 OK", &[], grant)).await;
    let mut options = AuthOptions::new("app");
    options.password = Some(Secret::new("hush"));
    options.cloud.login = format!("http://{}", login.address);
    let tokens = Tokens::new(&options, Arc::new(SystemClock::new())).unwrap();
    let mut sink = Sink::start(Act::answer("401 X", &[], "")).await;
    let connector = Connector::new(ConnectorOptions {
        service_urls: ServiceUrls::Only(vec![sink.url()]),
        tokens: Some(tokens),
        timeout: PATIENCE,
        ..Default::default()
    })
    .unwrap();
    assert_eq!(show(&connector, &typing(&sink.url())).await, None);
    assert_eq!(sink.next().await.header("authorization"), Some("Bearer c4n4ry"));
    login.next().await;
    assert!(sink.came().is_none() && login.came().is_none());
}
