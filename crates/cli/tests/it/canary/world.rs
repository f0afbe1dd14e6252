//! Surroundings of the server: an issuer, a login service, a channel, and a sender.

use std::{
    net::SocketAddr,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use serde_json::{Value, json};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpStream,
    time::timeout,
};

use super::{
    BEARER, Secrets, TEXT,
    forge::{EVIL, KEY},
    issuer::{Page, Pages},
};

pub(super) const APP: &str = "11111111-aaaa-2222-bbbb-333333333333";
pub(super) const ISSUER: &str = "https://issuer.example";
/// Path of the login service's token endpoint.
pub(super) const TOKEN: &str = "/botframework.com/oauth2/v2.0/token";
/// Timeout of a step, longer than anything here takes.
pub(super) const PATIENCE: Duration = Duration::from_secs(30);

/// The issuer and login service: it has one key, and gives tokens to the bot.
pub(super) async fn issuer() -> Pages {
    let issuer = Pages::start().await;
    issuer.publish(&[KEY.jwk("k1", json!({"endorsements": ["msteams"]}))]);
    let granted = Page::Json(json!({"access_token": BEARER, "expires_in": 3600}));
    issuer.set(TOKEN, granted.clone());
    issuer.set("/msi/token", granted);
    issuer
}

/// Claims of a valid token.
pub(super) fn claims(service_url: &str) -> Value {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs();
    json!({
        "iss": ISSUER, "aud": APP, "nbf": now - 60, "exp": now + 3600,
        "serviceurl": service_url, "jti": TEXT,
    })
}

pub(super) fn activity(id: &str, text: &str, conversation: &str, service_url: &str) -> Value {
    json!({
        "type": "message", "id": id, "text": text, "channelId": "msteams",
        "serviceUrl": service_url, "conversation": {"id": conversation},
        "from": {"id": "ann", "name": TEXT}, "recipient": {"id": "bot"},
        "channelData": {"said": TEXT}, "value": TEXT,
    })
}

/// An answer to a request: its status, and all of it.
#[derive(Debug)]
pub(super) struct Answer {
    pub(super) status: u16,
    pub(super) text: String,
}

/// Sends a request over a connection of its own.
pub(super) async fn send(to: SocketAddr, line: &str, headers: &[String], body: &str) -> Answer {
    let mut request = format!("{line} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n");
    request.push_str(&format!("content-length: {}\r\n", body.len()));
    for header in headers {
        request.push_str(&format!("{header}\r\n"));
    }
    request.push_str(&format!("\r\n{body}"));
    let work = async {
        let mut stream = TcpStream::connect(to).await.unwrap();
        // Whoever is refused early may be hung up on.
        drop(stream.write_all(request.as_bytes()).await);
        let mut answer = Vec::new();
        drop(stream.read_to_end(&mut answer).await);
        String::from_utf8(answer).unwrap()
    };
    let text = timeout(PATIENCE, work).await.expect("the server answers");
    let status = text.split(' ').nth(1).unwrap_or_default().parse().unwrap_or_default();
    Answer { status, text }
}

/// Posts an activity with a token.
pub(super) async fn post(to: SocketAddr, token: &str, activity: &Value) -> Answer {
    let headers = [bearer(token), json_type()];
    send(to, "POST /api/messages", &headers, &activity.to_string()).await
}

fn bearer(token: &str) -> String {
    format!("authorization: Bearer {token}")
}

fn json_type() -> String {
    "content-type: application/json".to_owned()
}

/// Sends every kind of invalid request, each with a secret in it. Returns the bodies of the
/// refusals.
pub(super) async fn attack(to: SocketAddr, service_url: &str, secrets: &mut Secrets) -> String {
    let good = claims(service_url);
    let token = KEY.token("k1", &good);
    let body = activity("1", TEXT, "attacked", service_url);
    let changed = |name: &str, value: Value| {
        let mut claims = good.clone();
        claims[name] = value;
        KEY.token("k1", &claims)
    };
    let with = |name: &str, value: Value| {
        let mut activity = body.clone();
        activity[name] = value;
        activity.to_string()
    };
    let bad_tokens = [
        EVIL.token("k1", &good),
        KEY.token(TEXT, &good),
        changed("aud", json!(TEXT)),
        changed("iss", json!(TEXT)),
        changed("exp", json!(1)),
        changed("exp", json!(TEXT)),
        format!("{TEXT}.{TEXT}.{TEXT}"),
        TEXT.to_owned(),
    ];
    let (post, plain) = ("POST /api/messages", body.to_string());
    let mut requests: Vec<(u16, String, Vec<String>, String)> = Vec::new();
    for token in &bad_tokens {
        requests.push((401, post.to_owned(), vec![bearer(token), json_type()], plain.clone()));
    }
    let known = || vec![bearer(&token), json_type()];
    let line = |line: &str| line.to_owned();
    requests.extend([
        (401, format!("{post}?access_token={token}&code={TEXT}"), vec![json_type()], plain.clone()),
        (401, line(post), vec![format!("cookie: token={token}"), json_type()], plain.clone()),
        (401, line(post), vec![format!("authorization: Basic {TEXT}"), json_type()], plain.clone()),
        (401, line(post), vec![bearer(&token), bearer(&token), json_type()], plain.clone()),
        (404, format!("GET /{TEXT}/{token}?token={token}"), vec![], String::new()),
        (405, format!("PUT /api/messages?token={token}"), known(), plain.clone()),
        (
            415,
            line(post),
            vec![bearer(&token), format!("content-type: text/{TEXT}")],
            plain.clone(),
        ),
        (400, line(post), known(), format!("{{\"text\":\"{TEXT}")),
        (400, line(post), known(), format!("{TEXT}={TEXT}")),
        (400, line(post), known(), with("text", json!([TEXT]))),
        (400, line(post), known(), with("type", json!({TEXT: TEXT}))),
        (400, line(post), known(), with("conversation", json!({"id": TEXT.repeat(200)}))),
        (403, line(post), known(), with("channelId", json!(TEXT))),
        (403, line(post), known(), with("serviceUrl", json!(format!("https://{TEXT}.example/")))),
        (413, line(post), known(), TEXT.repeat(20_000)),
        (400, format!("{TEXT} {post}"), known(), plain),
        (431, line(post), vec![format!("x-{TEXT}: {}", TEXT.repeat(4_000))], String::new()),
    ]);
    secrets.add_token(&token);
    bad_tokens.iter().for_each(|token| secrets.add_token(token));
    let mut bodies = String::new();
    for (status, line, headers, body) in &requests {
        let answer = send(to, line, headers, body).await;
        assert_eq!(answer.status, *status, "{line} {headers:?}: {answer:?}");
        bodies.push_str(&answer.text);
        bodies.push('\n');
    }
    bodies
}
