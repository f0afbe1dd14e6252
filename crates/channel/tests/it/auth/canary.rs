//! Secrets do not leak: none appears in logs (at level trace), responses, errors or `Debug`.

use std::{net::SocketAddr, sync::Arc, time::Duration};

use sayso_channel::{
    Connector, ConnectorOptions, EndpointOptions, ServiceUrls,
    auth::{Authenticator, ManagedIdentity, Secret, Tokens},
    router,
};
use sayso_turn::{Engine, clock::Clock, store::MemoryStore};
use serde_json::json;
use tokio::net::TcpListener;

use super::{
    forge::{EVIL, KEY},
    issuer::{Page, Pages},
    world::{HandClock, NOW, claims, endorsed, options},
};
use crate::support::{PATIENCE, client, echo, log_capture::LogCapture, message, with};

/// The app's secret, the token that it becomes, and what the user says.
const PASSWORD: &str = "c4n4ry-password";
const BEARER: &str = "c4n4ry-bearer";
const TEXT: &str = "c4n4ry-text";
const TOKEN: &str = "/botframework.com/oauth2/v2.0/token";

// One thread, so that the subscriber of this thread receives everything.
#[tokio::test(flavor = "current_thread")]
async fn no_token_secret_or_word_of_a_user_shows() {
    let (log, _guard) = LogCapture::start();
    log.include_log();

    let (issuer, channel) = (Pages::start().await, Pages::start().await);
    issuer.publish(&[KEY.jwk("k1", endorsed())]);
    issuer.set(TOKEN, Page::Json(json!({"access_token": BEARER, "expires_in": 3600})));
    let mut options = options(&issuer);
    options.password = Some(Secret::new(PASSWORD));
    let endpoint = "http://127.0.0.1:1/".to_owned();
    options.managed_identity = Some(ManagedIdentity { endpoint, header: Secret::new(PASSWORD) });
    let clock: Arc<HandClock> = Arc::default();
    let any_clock = || Arc::clone(&clock) as Arc<dyn Clock>;
    let auth = Authenticator::new(&options, any_clock()).unwrap().into();
    let tokens = Tokens::new(&options, any_clock()).unwrap();
    let service_urls = ServiceUrls::Only(vec![channel.url("")]);
    let connector = ConnectorOptions {
        service_urls: service_urls.clone(),
        tokens: Some(tokens.clone()),
        ..Default::default()
    };
    let connector = Connector::new(connector).unwrap();
    let seen = connector.clone();
    let store = Arc::new(MemoryStore::default());
    let engine = Engine::builder(echo(), store, Arc::new(connector)).start();
    let endpoint = EndpointOptions { service_urls, auth, ..Default::default() };
    let debug = format!("{options:?} {endpoint:?}");
    let app = router(engine.clone(), endpoint);
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    drop(tokio::spawn(async move { axum::serve(listener, app).await }));

    // A valid turn, whose reply the channel refuses, repeating the words it was sent.
    let echoing = json!({"error": {"code": format!("{TEXT} {BEARER}")}});
    channel.set("/v3/conversations/c1/activities", Page::Status(400, echoing));
    let url = channel.url("/");
    let (secrets, statuses, bodies) = attempts(address, &url).await;
    assert_eq!(statuses, [200, 403, 403, 401, 401, 401, 401, 401, 401]);
    assert_eq!(engine.close(PATIENCE).await, 0);
    assert_eq!(channel.asked()[0].authorization.as_deref(), Some("Bearer c4n4ry-bearer"));
    assert!(issuer.asked().iter().any(|asked| asked.body.contains(PASSWORD)));

    // The login service fails, and repeats the secret in its error.
    let echoing = json!({"error": PASSWORD, "error_description": PASSWORD});
    issuer.set(TOKEN, Page::Status(400, echoing));
    clock.advance(Duration::from_secs(4000));
    let error = tokens.probe().await.unwrap_err();

    let debug = format!("{debug} {tokens:?} {seen:?} {error:?} {error}");
    let text = log.text();
    assert!(text.contains("a reply was parked"), "{text}");
    assert_eq!(text.matches("request refused").count(), 8, "{text}");
    assert!(text.contains("no token for the channel"), "{text}");
    for secret in secrets.iter().map(String::as_str).chain(["c4n4ry"]) {
        for part in secret.split('.').filter(|part| part.len() > 5) {
            // The header of a token is not a secret, and the same in many.
            let is_plain = part == KEY.token("k1", &json!({})).split('.').next().unwrap();
            for place in [&text, &bodies, &debug] {
                assert!(is_plain || !place.contains(part), "{part} in {place}");
            }
        }
    }
}

/// Sends a valid token and invalid ones; returns the tokens, the statuses and the responses.
async fn attempts(address: SocketAddr, url: &str) -> (Vec<String>, Vec<u16>, String) {
    let good = with(claims(NOW), json!({"serviceurl": url}));
    let token = KEY.token("k1", &good);
    let activity = with(message("1", TEXT, url), json!({"channelId": "msteams"}));
    let mut bodies = String::new();
    let mut secrets = vec![token.clone()];
    let mut statuses = Vec::new();
    for (token, activity) in [
        (token.clone(), activity.clone()),
        (token.clone(), with(activity.clone(), json!({"channelId": TEXT}))),
        (token.clone(), with(activity.clone(), json!({"serviceUrl": format!("https://{TEXT}")}))),
        (EVIL.token("k1", &good), activity.clone()),
        (KEY.token(TEXT, &good), activity.clone()),
        (KEY.token("k1", &with(good.clone(), json!({"aud": TEXT}))), activity.clone()),
        (KEY.token("k1", &with(good, json!({"iss": TEXT, "appid": TEXT}))), activity.clone()),
        (format!("{TEXT}.{TEXT}.{TEXT}"), activity.clone()),
        (TEXT.to_owned(), activity),
    ] {
        let authorization = format!("Bearer {token}");
        let headers = [("content-type", "application/json"), ("authorization", &*authorization)];
        let line = "POST /api/messages HTTP/1.1";
        let body = activity.to_string();
        let reply = client::request(address, line, &headers, body.as_bytes()).await;
        statuses.push(reply.status);
        bodies.push_str(&reply.body);
        bodies.push_str(&reply.head);
        secrets.push(token);
    }
    (secrets, statuses, bodies)
}
