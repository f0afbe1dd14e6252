//! Rejected tokens, by table: each is the valid one with one thing wrong.

mod claims;
mod headers;
mod signatures;

use serde_json::{Value, json};

use super::{
    forge::{EVIL, KEY, NEXT},
    issuer::Pages,
    world::{World, activity, endorsed},
};
use crate::support::{client, with};

/// One attack: its name, the request, and the expected status.
struct Row {
    name: String,
    headers: Vec<(&'static str, String)>,
    activity: Value,
    status: u16,
}

impl Row {
    /// An invalid token.
    fn token(name: impl Into<String>, token: &str) -> Self {
        Self::headers(name, vec![("authorization", format!("Bearer {token}"))])
    }

    /// Headers without a token.
    fn headers(name: impl Into<String>, headers: Vec<(&'static str, String)>) -> Self {
        Self { name: name.into(), headers, activity: activity(), status: 401 }
    }

    /// A valid token that is not for this activity.
    fn forbidden(mut self) -> Self {
        self.status = 403;
        self
    }

    fn with(mut self, change: Value, status: u16) -> Self {
        self.activity = with(self.activity, change);
        self.status = status;
        self
    }
}

/// The valid key `k1`, and keys that an issuer could publish beside it.
fn publish(issuer: &Pages) {
    issuer.publish(&[
        KEY.jwk("k1", endorsed()),
        KEY.jwk("only256", json!({"alg": "RS256", "endorsements": ["msteams"]})),
        KEY.jwk("twin", endorsed()),
        NEXT.jwk("twin", endorsed()),
        KEY.jwk("silent", json!({})),
        KEY.jwk("none", json!({"endorsements": []})),
        KEY.jwk("text", json!({"endorsements": "msteams"})),
        KEY.jwk("enc", json!({"use": "enc", "endorsements": ["msteams"]})),
        KEY.jwk("odd", json!({"alg": "none", "endorsements": ["msteams"]})),
        json!({"kty": "oct", "kid": "oct", "k": "c2VjcmV0", "endorsements": ["msteams"]}),
        json!({"kty": "RSA", "kid": "tiny", "n": "AQAB", "e": "AQAB", "endorsements": ["msteams"]}),
        json!({"kty": "RSA", "kid": "bare", "endorsements": ["msteams"]}),
        json!("no key at all"),
    ]);
}

/// Sends them all; none is accepted, and none causes another fetch of the issuer's keys.
async fn check(rows: impl FnOnce(&World) -> Vec<Row>) -> usize {
    let world = World::start().await;
    publish(&world.issuer);
    let rows = rows(&world);
    assert_eq!(world.show(&world.token()).await.status, 200, "the one they are made from is good");
    let (stored, attempts) = (world.server.stored().await, world.server.engine.stats().attempts);
    for Row { name, headers, activity, status } in &rows {
        let headers: Vec<_> = headers.iter().map(|(name, value)| (*name, &**value)).collect();
        let reply = world.post(&headers, activity).await;
        assert_eq!(reply.status, *status, "{name}: {reply:?}");
        let (code, sentence) = reply.error();
        let expected = match status {
            400 => "BadArgument",
            401 => "Unauthorized",
            _ => "Forbidden",
        };
        assert_eq!(code, expected, "{name}");
        assert!(!sentence.is_empty() && !sentence.contains("eyJ"), "{name}: {sentence}");
        let challenge = (*status == 401).then_some("Bearer");
        assert_eq!(reply.header("www-authenticate"), challenge, "{name}");
    }
    assert_eq!(world.issuer.count(), 2, "metadata and keys were asked for once");
    assert_eq!(world.server.stored().await, stored);
    assert_eq!(world.server.engine.stats().attempts, attempts);
    let names: std::collections::BTreeSet<_> = rows.iter().map(|row| &row.name).collect();
    assert_eq!(names.len(), rows.len(), "every row is another attack");
    rows.len()
}

#[tokio::test]
async fn a_token_signed_in_another_way_is_refused() {
    assert!(check(signatures::algorithms).await >= 35);
}

#[tokio::test]
async fn a_token_of_another_form_is_refused() {
    assert!(check(signatures::forms).await >= 35);
}

#[tokio::test]
async fn a_token_signed_with_another_key_is_refused() {
    assert!(check(signatures::keys).await >= 25);
}

#[tokio::test]
async fn a_token_for_or_from_somebody_else_is_refused() {
    assert!(check(claims::parties).await >= 30);
}

#[tokio::test]
async fn a_token_of_another_time_is_refused() {
    assert!(check(claims::times).await >= 20);
}

#[tokio::test]
async fn claims_that_readers_could_read_in_two_ways_are_refused() {
    assert!(check(claims::texts).await >= 15);
}

#[tokio::test]
async fn a_token_for_another_service_url_or_channel_is_refused() {
    assert!(check(claims::bound).await >= 25);
}

#[tokio::test]
async fn a_token_in_the_wrong_place_is_refused() {
    assert!(check(headers::headers).await >= 25);
}

#[tokio::test]
async fn a_token_in_the_query_or_the_body_is_not_read() {
    let world = World::start().await;
    let token = world.token();
    let json = [("content-type", "application/json")];
    let body = with(activity(), json!({"access_token": token, "token": token})).to_string();
    for query in ["access_token", "token", "authorization", "jwt"] {
        let line = format!("POST /api/messages?{query}={token} HTTP/1.1");
        let reply = client::request(world.server.address, &line, &json, body.as_bytes()).await;
        assert_eq!((reply.status, &*reply.error().0), (401, "Unauthorized"), "{query}");
    }
    assert_eq!(world.issuer.count(), 0);
    assert_eq!(world.server.engine.stats().attempts, 0);
}

#[tokio::test]
async fn a_key_that_the_token_brings_itself_is_not_looked_at() {
    let world = World::start().await;
    let evil = Pages::start().await;
    evil.publish(&[EVIL.jwk("k1", endorsed()), EVIL.jwk("mine", endorsed())]);
    for member in ["jku", "x5u", "url"] {
        for kid in ["k1", "mine"] {
            let header = json!({"alg": "RS256", "kid": kid, member: evil.url("/keys")});
            let token = EVIL.sign("RS256", &header.to_string(), &world.claims().to_string());
            assert_eq!(world.show(&token).await.status, 401, "{member} {kid}");
        }
    }
    assert_eq!(evil.count(), 0);
}
