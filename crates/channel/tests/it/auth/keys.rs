//! Issuer's keys: single-flight fetch, rotation, and outages of the issuer.

use std::time::Duration;

use serde_json::{Value, json};
use tokio::{io::AsyncWriteExt, net::TcpStream};

use super::{
    forge::{KEY, NEXT},
    issuer::{Page, Pages},
    world::{World, activity, endorsed},
};
use crate::support::PATIENCE;

const MINUTE: Duration = Duration::from_secs(60);
const HOUR: Duration = Duration::from_secs(60 * 60);
const DAY: Duration = Duration::from_secs(24 * 60 * 60);
/// Longer than the pause between two fetches.
const PAUSE: Duration = Duration::from_secs(11);

/// Number of fetches; each requests metadata and keys.
fn fetches(issuer: &Pages) -> usize {
    issuer.asked().iter().filter(|asked| asked.path == "/metadata").count()
}

/// Waits for something that happens in the background.
async fn until(mut is_so: impl AsyncFnMut() -> bool) {
    let wait = async {
        while !is_so().await {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    tokio::time::timeout(PATIENCE, wait).await.expect("it happens");
}

#[tokio::test]
async fn callers_that_come_together_share_one_fetch() {
    let world = World::start().await;
    let keys = json!({"keys": [KEY.jwk("k1", endorsed())]});
    world.issuer.set("/keys", Page::Later(Duration::from_millis(200), keys));
    let token = world.token();
    let replies = futures_util::future::join_all((0..30).map(|_| world.show(&token))).await;
    assert!(replies.iter().all(|reply| reply.status == 200));
    assert_eq!(world.issuer.count(), 2);
}

#[tokio::test]
async fn an_unknown_key_makes_us_ask_every_five_minutes_at_most() {
    let world = World::start().await;
    assert_eq!(world.show(&world.token()).await.status, 200);
    world.clock.advance(MINUTE);
    let unknown: Vec<String> =
        (0..20).map(|n| KEY.token(&format!("made-up-{n}"), &world.claims())).collect();
    let replies = futures_util::future::join_all(unknown.iter().map(|t| world.show(t))).await;
    assert!(replies.iter().all(|reply| reply.status == 401));
    assert_eq!(fetches(&world.issuer), 2);
    world.clock.advance(4 * MINUTE);
    // A key that the issuer added since then stays unknown for five minutes.
    world.issuer.publish(&[NEXT.jwk("k2", endorsed())]);
    assert_eq!(world.show(&NEXT.token("k2", &world.claims())).await.status, 401);
    assert_eq!(fetches(&world.issuer), 2);
    world.clock.advance(MINUTE);
    assert_eq!(world.show(&NEXT.token("k2", &world.claims())).await.status, 200);
    assert_eq!(fetches(&world.issuer), 3);
}

#[tokio::test]
async fn an_unknown_key_in_a_token_that_is_bad_anyway_makes_nobody_ask() {
    let world = World::start().await;
    assert_eq!(world.show(&world.token()).await.status, 200);
    world.clock.advance(HOUR);
    for (member, value) in [("aud", json!("other")), ("iss", json!("x")), ("exp", json!(1))] {
        let mut claims = world.claims();
        claims[member] = value;
        assert_eq!(world.show(&NEXT.token("k2", &claims)).await.status, 401);
    }
    for kid in ["", "a b", "a\u{0}", "ｋ1", &"k".repeat(257)] {
        assert_eq!(world.show(&NEXT.token(kid, &world.claims())).await.status, 401);
    }
    assert_eq!(fetches(&world.issuer), 1);
}

#[tokio::test]
async fn a_rotation_is_noticed_and_the_old_key_forgotten() {
    let world = World::start().await;
    let old = world.token();
    assert_eq!(world.show(&old).await.status, 200);
    world.clock.advance(PAUSE);
    world.issuer.publish(&[NEXT.jwk("k2", endorsed())]);
    assert_eq!(world.show(&old).await.status, 200, "nobody has asked yet");
    assert_eq!(world.show(&NEXT.token("k2", &world.claims())).await.status, 200);
    assert_eq!(world.show(&old).await.status, 401);
    // A new key under the same id is noticed after a day, in the background.
    world.issuer.publish(&[KEY.jwk("k2", endorsed())]);
    assert_eq!(world.show(&KEY.token("k2", &world.claims())).await.status, 401);
    world.clock.advance(DAY);
    until(async || world.show(&KEY.token("k2", &world.claims())).await.status == 200).await;
    assert_eq!(world.show(&NEXT.token("k2", &world.claims())).await.status, 401);
    assert_eq!(fetches(&world.issuer), 3);
}

#[tokio::test]
async fn keys_are_asked_for_again_after_a_day() {
    let world = World::start().await;
    assert_eq!(world.show(&world.token()).await.status, 200);
    world.clock.advance(DAY - MINUTE);
    assert_eq!(world.show(&world.token()).await.status, 200);
    assert_eq!(fetches(&world.issuer), 1);
    world.clock.advance(MINUTE);
    assert_eq!(world.show(&world.token()).await.status, 200);
    until(async || fetches(&world.issuer) == 2).await;
}

#[tokio::test]
async fn a_slow_issuer_stalls_nobody_whose_key_is_known() {
    let world = World::with(|options, _| options.timeout = PATIENCE / 4).await;
    assert_eq!(world.show(&world.token()).await.status, 200);
    world.issuer.set("/keys", Page::Hang);
    world.clock.advance(DAY);
    let began = std::time::Instant::now();
    // The first of these makes us ask again; the search joins it, and both hang.
    assert_eq!(world.show(&world.token()).await.status, 200);
    until(async || fetches(&world.issuer) == 2).await;
    let made_up = KEY.token("made-up", &world.claims());
    let known = async {
        for _ in 0..20 {
            assert_eq!(world.show(&world.token()).await.status, 200);
        }
        assert!(began.elapsed() < PATIENCE / 4, "{:?}", began.elapsed());
    };
    let searches = futures_util::future::join_all((0..200).map(|_| world.show(&made_up)));
    let (replies, ()) = tokio::join!(searches, known);
    // Most of them were not even let wait. That the search failed says nothing about the key.
    assert!(replies.iter().all(|reply| reply.status == 503), "{replies:?}");
    assert_eq!(fetches(&world.issuer), 2);
}

#[tokio::test]
async fn a_rotation_is_noticed_although_somebody_made_up_a_key_before() {
    let world = World::start().await;
    assert_eq!(world.show(&world.token()).await.status, 200);
    for _ in 0..3 {
        world.clock.advance(5 * MINUTE);
        assert_eq!(world.show(&KEY.token("made-up", &world.claims())).await.status, 401);
    }
    world.issuer.publish(&[NEXT.jwk("k2", endorsed())]);
    world.clock.advance(5 * MINUTE);
    assert_eq!(world.show(&NEXT.token("k2", &world.claims())).await.status, 200);
    assert_eq!(fetches(&world.issuer), 5);
}

#[tokio::test]
async fn old_keys_serve_for_five_days_while_the_issuer_is_down_and_then_the_door_is_closed() {
    let world = World::start().await;
    assert_eq!(world.show(&world.token()).await.status, 200);
    world.issuer.set("/metadata", Page::Status(503, Value::Null));
    world.clock.advance(DAY);
    assert_eq!(world.show(&world.token()).await.status, 200);
    until(async || fetches(&world.issuer) == 2).await;
    for _ in 0..5 {
        assert_eq!(world.show(&world.token()).await.status, 200);
    }
    assert_eq!(fetches(&world.issuer), 2, "a failure is remembered for a while");
    world.clock.advance(4 * DAY - MINUTE);
    assert_eq!(world.show(&world.token()).await.status, 200);
    world.clock.advance(MINUTE);
    let reply = world.show(&world.token()).await;
    assert_eq!((reply.status, reply.header("retry-after")), (503, Some("1")), "{reply:?}");
    assert_eq!(reply.error().0, "KeysUnavailable");
    world.issuer.publish(&[KEY.jwk("k1", endorsed())]);
    world.clock.advance(PAUSE);
    assert_eq!(world.show(&world.token()).await.status, 200);
}

#[tokio::test]
async fn an_issuer_that_is_not_well_lets_nobody_in_until_it_is() {
    let world = World::with(|options, _| options.timeout = Duration::from_millis(300)).await;
    let good = json!({"jwks_uri": world.issuer.url("/keys")});
    let keys = json!({"keys": [KEY.jwk("k1", endorsed())]});
    let elsewhere = Pages::start().await;
    elsewhere.set("/keys", Page::Json(keys.clone()));
    elsewhere.set("/metadata", Page::Json(json!({"jwks_uri": elsewhere.url("/keys")})));
    let html = || Page::Text("<html><script>k1</script></html>".to_owned());
    let uri = |uri: &str| Page::Json(json!({"jwks_uri": uri}));
    let faults: Vec<(&str, &str, Page)> = vec![
        ("metadata", "html", html()),
        ("metadata", "endless", Page::Endless),
        ("metadata", "hangs", Page::Hang),
        ("metadata", "redirect", Page::Redirect(elsewhere.url("/metadata"))),
        ("metadata", "500", Page::Status(500, good.clone())),
        ("metadata", "404", Page::Status(404, good.clone())),
        ("metadata", "401", Page::Status(401, good.clone())),
        ("metadata", "empty", Page::Text(String::new())),
        ("metadata", "list", Page::Json(json!([world.issuer.url("/keys")]))),
        ("metadata", "no uri", Page::Json(json!({}))),
        ("metadata", "uri a number", Page::Json(json!({"jwks_uri": 7}))),
        ("metadata", "uri not https", uri("http://issuer.example/keys")),
        // Private addresses are refused, too; that is tested without network access in
        // `auth/issuer.rs`.
        ("metadata", "uri a file", uri("file:///etc/passwd")),
        ("metadata", "uri data", uri("data:application/json,{}")),
        ("metadata", "uri with a user", uri("http://u:p@127.0.0.1/keys")),
        ("metadata", "uri empty", uri("")),
        ("keys", "html", html()),
        ("keys", "endless", Page::Endless),
        ("keys", "hangs", Page::Hang),
        ("keys", "redirect", Page::Redirect(elsewhere.url("/keys"))),
        ("keys", "500", Page::Status(500, keys.clone())),
        ("keys", "list", Page::Json(json!([KEY.jwk("k1", endorsed())]))),
        ("keys", "none", Page::Json(json!({"keys": []}))),
        ("keys", "none of use", Page::Json(json!({"keys": [1, null, {"kty": "EC", "kid": "k1"}]}))),
        ("keys", "not a list", Page::Json(json!({"keys": {"k1": KEY.jwk("k1", endorsed())}}))),
        ("keys", "2 MB", Page::Json(json!({"keys": keys["keys"], "x": "x".repeat(2 << 20)}))),
    ];
    for (page, name, fault) in faults {
        world.issuer.set("/metadata", Page::Json(good.clone()));
        world.issuer.set("/keys", Page::Json(keys.clone()));
        world.issuer.set(&format!("/{page}"), fault);
        world.clock.advance(PAUSE);
        let before = fetches(&world.issuer);
        for _ in 0..3 {
            let reply = world.show(&world.token()).await;
            assert_eq!(reply.status, 503, "{page} {name}: {reply:?}");
            assert_eq!(reply.error().0, "KeysUnavailable");
        }
        assert_eq!(fetches(&world.issuer), before + 1, "{page} {name}");
    }
    assert_eq!(elsewhere.count(), 0, "a redirect was followed");
    assert_eq!(world.server.engine.stats().attempts, 0);
    world.issuer.publish(&[KEY.jwk("k1", endorsed())]);
    world.clock.advance(PAUSE);
    assert_eq!(world.show(&world.token()).await.status, 200);
}

#[tokio::test]
async fn an_issuer_that_cannot_be_reached_lets_nobody_in() {
    let free = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = free.local_addr().unwrap();
    drop(free);
    let world = World::with(|options, _| {
        options.cloud.metadata = format!("http://{address}/metadata");
    })
    .await;
    assert_eq!(world.show(&world.token()).await.status, 503);
    // Tokens that are invalid in themselves are refused without fetching keys.
    assert_eq!(world.show("a.b.c").await.status, 401);
}

#[tokio::test]
async fn a_caller_that_hangs_up_does_not_stop_the_fetch() {
    let world = World::start().await;
    let keys = json!({"keys": [KEY.jwk("k1", endorsed())]});
    world.issuer.set("/keys", Page::Later(Duration::from_millis(500), keys));
    let (token, body) = (world.token(), activity().to_string());
    let mut stream = TcpStream::connect(world.server.address).await.unwrap();
    let head = format!(
        "POST /api/messages HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\n\
         authorization: Bearer {token}\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    );
    stream.write_all(head.as_bytes()).await.unwrap();
    // The caller disconnects during the fetch.
    let asked = async {
        while world.issuer.count() < 2 {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    tokio::time::timeout(PATIENCE, asked).await.unwrap();
    drop(stream);
    assert_eq!(world.show(&token).await.status, 200);
    assert_eq!(world.issuer.count(), 2);
}
