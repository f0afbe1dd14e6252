//! Token service: requests, and the meaning of its answers.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use reqwest::Url;
use sayso_channel::client::Error;
use sayso_turn::activity::{Activity, Token};
use serde_json::{Value, json};

use super::patient;
use crate::support::{
    message,
    sink::{Act, Sink},
};

const TOKEN: &str = r#"{"channelId":"msteams","connectionName":"hub","token":"t0ken","expiration":"2026-11-15T18:00:00Z"}"#;
const WHO: &str = "userId=ann+%C3%A9&connectionName=hub&channelId=msteams";

#[tokio::test]
async fn a_token_is_exchanged_unless_the_service_does_not_want_it() {
    for (status, body, token) in [
        ("200 OK", TOKEN, Some("t0ken")),
        ("400 X", r#"{"error":{"code":"ConsentRequired"}}"#, None),
        ("404 X", "", None),
    ] {
        let mut sink = Sink::start(Act::answer(status, &[], body)).await;
        let service = patient(&sink.url());
        let offered = Token::from("c4n4ry");
        let given = service.exchange_user_token("ann é", "hub", Some("msteams"), &offered).await;
        let given = given.unwrap().map(|given| given.token.unwrap().reveal().to_owned());
        assert_eq!(given.as_deref(), token, "{status}");
        let posted = sink.next().await;
        assert_eq!(posted.line(), format!("POST /_connector/api/usertoken/exchange?{WHO}"));
        assert_eq!(posted.json(), json!({"token": "c4n4ry"}));
    }
}

#[tokio::test]
async fn a_service_that_is_out_of_order_is_not_one_without_a_token() {
    for status in ["401 X", "403 X", "429 X", "500 X", "503 X"] {
        let sink = Sink::start(Act::answer(status, &[], "")).await;
        let service = patient(&sink.url());
        let offered = Token::from("c4n4ry");
        let failures = [
            service.user_token("z0e", "hub", None, Some("123456")).await.map(drop),
            service.exchange_user_token("z0e", "hub", None, &offered).await.map(drop),
            service.sign_out("z0e", "hub", None).await,
        ];
        for failure in failures {
            let error = failure.unwrap_err().to_string();
            let secrets = ["c4n4ry", "123456", "http://", "z0e"];
            assert!(secrets.iter().all(|secret| !error.contains(secret)), "{error}");
        }
    }
}

#[tokio::test]
async fn a_sign_in_begins_with_who_and_where_and_its_link_is_not_shown() {
    let answer = r#"{"signInLink":"https://token.example/c4n4ry","tokenExchangeResource":{"id":"1","new":true},"tokenPostResource":{}}"#;
    let mut sink = Sink::start(Act::answer("200 OK", &[], answer)).await;
    let inbound = message("in", "hi", "http://localhost/").to_string();
    let reference = Activity::from_json(inbound.as_bytes()).unwrap().reference();
    let service = patient(&sink.url());
    let resource = service.sign_in_resource("app-1", "hub", &reference).await.unwrap();
    assert_eq!(resource.link, "https://token.example/c4n4ry");
    assert_eq!(resource.exchange, Some(json!({"id": "1", "new": true})));
    assert!(!format!("{resource:?}").contains("c4n4ry"));
    let asked = sink.next().await;
    let url = asked.line().strip_prefix("GET ").unwrap();
    let url = Url::parse("http://x").unwrap().join(url).unwrap();
    assert_eq!(url.path(), "/_connector/api/botsignin/GetSignInResource");
    let pairs: Vec<(String, String)> = url.query_pairs().into_owned().collect();
    let [(name, state)] = pairs.as_slice() else { panic!("{pairs:?}") };
    assert_eq!(name, "state");
    let state: Value = serde_json::from_slice(&STANDARD.decode(state).unwrap()).unwrap();
    let conversation = serde_json::to_value(&reference).unwrap();
    let wanted = json!({"connectionName": "hub", "conversation": conversation, "msAppId": "app-1"});
    assert_eq!(state, wanted);

    let sink = Sink::start(Act::answer("200 OK", &[], "{}")).await;
    let error = patient(&sink.url()).sign_in_resource("app-1", "hub", &reference).await;
    assert!(matches!(error, Err(Error::Unknown { .. })), "{error:?}");
}

#[tokio::test]
async fn who_is_signed_out_already_is_signed_out() {
    for status in ["200 OK", "204 X", "404 X"] {
        let mut sink = Sink::start(Act::answer(status, &[], "")).await;
        patient(&sink.url()).sign_out("ann é", "hub", Some("msteams")).await.unwrap();
        let deleted = sink.next().await;
        assert_eq!(deleted.line(), format!("DELETE /_connector/api/usertoken/SignOut?{WHO}"));
        assert!(deleted.body.is_empty());
    }
}
