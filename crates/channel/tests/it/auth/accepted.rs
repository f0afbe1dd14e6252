//! Requests that are authenticated.

use std::time::Duration;

use sayso_channel::auth::{Algorithm, AuthOptions, Authenticator, Cloud, Secret};
use sayso_turn::{Bot, Turn, clock::SystemClock};
use serde_json::{Value, json};

use super::{
    forge::KEY,
    world::{NOW, World, activity, endorsed},
};
use crate::support::with;

#[tokio::test]
async fn a_good_token_is_let_in_and_answered() {
    let world = World::start().await;
    let reply = world.show(&world.token()).await;
    assert_eq!(reply.status, 200, "{reply:?}");
    assert_eq!(reply.json()["activities"][0]["text"], "Echo: hi");
    // One request for metadata, one for keys.
    assert_eq!(world.issuer.count(), 2);
    world.show(&world.token()).await;
    assert_eq!(world.issuer.count(), 2);
}

#[tokio::test]
async fn what_may_differ_may_differ() {
    let world = World::start().await;
    let claims = |change: Value| with(world.claims(), change);
    let header = |change: Value| with(json!({"alg": "RS256", "kid": "k1"}), change).to_string();
    let good = world.claims().to_string();
    let accepted: Vec<(&str, String)> = vec![
        ("no typ", KEY.sign("RS256", &header(json!({})), &good)),
        ("typ jwt", KEY.sign("RS256", &header(json!({"typ": "jwt"})), &good)),
        ("RS384", KEY.sign("RS384", &header(json!({"alg": "RS384"})), &good)),
        ("RS512", KEY.sign("RS512", &header(json!({"alg": "RS512"})), &good)),
        ("x5t", KEY.sign("RS256", &header(json!({"x5t": "abc"})), &good)),
        ("more claims", KEY.token("k1", &claims(json!({"tid": "t", "roles": ["a"]})))),
        ("just expired", KEY.token("k1", &claims(json!({"exp": NOW - 300})))),
        ("nearly valid", KEY.token("k1", &claims(json!({"nbf": NOW + 300})))),
    ];
    for (name, token) in accepted {
        let reply = world.show(&token).await;
        assert_eq!(reply.status, 200, "{name}: {reply:?}");
    }
    let bearer = format!("Bearer {}", world.token());
    let webchat = with(activity(), json!({"channelId": "webchat"}));
    let reply = world.post(&[("authorization", &bearer)], &webchat).await;
    assert_eq!(reply.status, 200, "{reply:?}");
    // With authentication, any host, any origin and any proxy may send.
    let foreign = [
        ("authorization", &*bearer),
        ("host", "bot.example"),
        ("origin", "https://web.example"),
        ("x-forwarded-for", "203.0.113.7"),
        ("x-forwarded-proto", "https"),
        ("x-real-ip", "203.0.113.7"),
        ("via", "1.1 nginx"),
        ("sec-fetch-site", "cross-site"),
    ];
    assert_eq!(world.post(&foreign, &activity()).await.status, 200);
}

#[tokio::test]
async fn only_the_configured_algorithms_count() {
    let world = World::with(|options, _| options.algorithms = vec![Algorithm::Rs512]).await;
    assert_eq!(world.show(&world.token()).await.status, 401);
    let header = json!({"alg": "RS512", "kid": "k1"}).to_string();
    let token = KEY.sign("RS512", &header, &world.claims().to_string());
    assert_eq!(world.show(&token).await.status, 200);
}

#[tokio::test]
async fn time_passes_for_a_token() {
    let world = World::start().await;
    let token = world.token();
    world.clock.advance(Duration::from_secs(3600 + 300));
    assert_eq!(world.show(&token).await.status, 200);
    world.clock.advance(Duration::from_secs(1));
    assert_eq!(world.show(&token).await.status, 401);
}

#[tokio::test]
async fn the_bot_learns_who_called_from_the_token_and_not_from_the_wire() {
    let tells = Bot::new().on_message(async |mut turn: Turn| {
        let caller = turn.activity().extra.get("callerId").map(|raw| raw.as_str().to_owned());
        turn.say(caller.unwrap_or_default());
        Ok(())
    });
    let world = World::serving(tells, |_, _| {}).await;
    let bearer = format!("Bearer {}", world.token());
    let claimed = with(activity(), json!({"callerId": "urn:botframework:aadappid:evil"}));
    let reply = world.post(&[("authorization", &bearer)], &claimed).await;
    assert_eq!(reply.json()["activities"][0]["text"], "\"urn:botframework:azure\"");
}

#[tokio::test]
async fn an_address_that_is_not_secure_is_refused_before_anything_is_asked() {
    let clock = || std::sync::Arc::new(SystemClock::new());
    for (address, is_good) in [
        ("https://issuer.example/m", true),
        ("http://127.0.0.1:1/m", true),
        ("http://localhost:1/m", true),
        ("http://issuer.example/m", false),
        ("http://10.0.0.1/m", false),
        ("https://user@issuer.example/m", false),
        ("ftp://127.0.0.1/m", false),
        ("file:///etc/passwd", false),
        ("", false),
    ] {
        let cloud = Cloud { metadata: address.to_owned(), ..Cloud::public() };
        let options = AuthOptions { cloud, ..AuthOptions::new("app") };
        let result = Authenticator::new(&options, clock());
        assert_eq!(result.is_ok(), is_good, "{address}: {result:?}");
        if let Err(error) = result {
            let error = error.to_string();
            assert!(error.starts_with("ToBotFromChannelOpenIdMetadataUrl: "), "{error}");
        }
    }
    assert!(Authenticator::new(&AuthOptions::new(""), clock()).is_err());
    let mut none = AuthOptions::new("app");
    none.algorithms.clear();
    assert!(Authenticator::new(&none, clock()).is_err());
    assert_eq!(format!("{:?}", Secret::new("x")), "[redacted]");
}

#[tokio::test]
async fn the_issuer_can_be_probed() {
    let world = World::start().await;
    let options = super::world::options(&world.issuer);
    let auth = Authenticator::new(&options, std::sync::Arc::new(SystemClock::new())).unwrap();
    auth.probe().await.unwrap();
    world.issuer.publish(&[]);
    let error = auth.probe().await.unwrap_err().to_string();
    assert!(error.contains("not the expected JSON"), "{error}");
    world.issuer.publish(&[KEY.jwk("k1", endorsed())]);
    auth.probe().await.unwrap();
}
