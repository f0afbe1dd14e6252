//! The bot's access token is sent to allowed channels only.

use std::sync::Arc;

use sayso_channel::{
    ConnectorOptions, ServiceUrls,
    auth::{AuthOptions, Secret, Tokens},
    client::{Client, Error},
};
use sayso_turn::{activity::Activity, clock::SystemClock};

use crate::support::{
    PATIENCE,
    sink::{Act, Sink},
};

const GRANT: &str = r#"{"access_token":"c4n4ry","token_type":"Bearer","expires_in":3600}"#;

fn client(login: &str, service_urls: ServiceUrls) -> Client {
    let mut options = AuthOptions::new("app");
    options.password = Some(Secret::new("hush"));
    options.cloud.login = login.to_owned();
    let tokens = Tokens::new(&options, Arc::new(SystemClock::new())).unwrap();
    Client::new(ConnectorOptions {
        service_urls,
        tokens: Some(tokens),
        timeout: PATIENCE,
        ..Default::default()
    })
    .unwrap()
}

async fn login() -> Sink {
    Sink::start(Act::answer("200 OK", &["content-type: application/json"], GRANT)).await
}

fn address(sink: &Sink) -> String {
    format!("http://{}", sink.address)
}

#[tokio::test]
async fn a_listed_channel_is_shown_the_token_and_loopback_is_not() {
    let (mut login, mut channel) = (login().await, Sink::accepting().await);
    let listed = ServiceUrls::Only(vec![channel.url()]);
    for (service_urls, shown) in [(listed, Some("Bearer c4n4ry")), (ServiceUrls::Loopback, None)] {
        let service = client(&address(&login), service_urls).at(&channel.url()).unwrap();
        for _ in 0..2 {
            service.send("c", &Activity::message("hi")).await.unwrap();
            assert_eq!(channel.next().await.header("authorization"), shown);
        }
        assert!(!format!("{service:?}").contains("c4n4ry"));
    }
    login.next().await;
    assert!(login.came().is_none(), "a token is asked for once");
}

#[tokio::test]
async fn a_url_that_is_not_listed_gets_neither_call_nor_token() {
    let (mut login, mut channel) = (login().await, Sink::accepting().await);
    let client = client(&address(&login), ServiceUrls::Only(vec![channel.url()]));
    let port = channel.address.port();
    for url in [
        "".to_owned(),
        "https://evil.example/".to_owned(),
        format!("http://127.0.0.1:{port}/"),
        format!("http://127.0.0.1:{port}/_connectors"),
        format!("http://127.0.0.1:{port}/_connector/../"),
        format!("http://u@127.0.0.1:{port}/_connector"),
        format!("http://127.0.0.1:{port}/_connector?x"),
        format!("http://localhost:{port}/_connector"),
    ] {
        let error = client.at(&url).unwrap_err();
        assert!(matches!(error, Error::Refused { status: None, .. }), "{url}: {error:?}");
        assert!(error.to_string().starts_with("the service URL is not allowed"), "{error}");
    }
    assert!(channel.came().is_none() && login.came().is_none());
}

#[tokio::test]
async fn a_refused_token_is_renewed_once_and_then_the_call_is_refused() {
    let mut login = login().await;
    let mut channel = Sink::start(Act::answer("401 Unauthorized", &[], "")).await;
    let listed = ServiceUrls::Only(vec![channel.url()]);
    let service = client(&address(&login), listed).at(&channel.url()).unwrap();
    let error = service.members("c").await.unwrap_err();
    assert!(matches!(error, Error::Refused { status: Some(401), .. }), "{error:?}");
    assert!(error.to_string().contains("is the app registered"), "{error}");
    for _ in 0..2 {
        assert_eq!(channel.next().await.header("authorization"), Some("Bearer c4n4ry"));
        login.next().await;
    }
    assert!(channel.came().is_none() && login.came().is_none());
}

#[tokio::test]
async fn a_call_without_a_token_to_show_is_not_made() {
    let login = Sink::start(Act::answer("400 Bad", &[], r#"{"error":"invalid_client"}"#)).await;
    let mut channel = Sink::accepting().await;
    let listed = ServiceUrls::Only(vec![channel.url()]);
    let service = client(&address(&login), listed).at(&channel.url()).unwrap();
    let error = service.delete("c", "7").await.unwrap_err();
    let Error::NotSent { reason } = &error else { panic!("{error:?}") };
    assert!(reason.starts_with("deleting the activity failed: no token"), "{reason}");
    assert!(reason.contains("invalid_client") && !reason.contains("hush"), "{reason}");
    assert!(channel.came().is_none());
}
