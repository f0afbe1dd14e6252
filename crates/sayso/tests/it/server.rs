//! A server in the process of its caller: started, asked, stopped.

use sayso::{
    pizza,
    prelude::*,
    turn::store::{Expect, Write},
};

use crate::client::post;

#[tokio::test]
async fn a_server_in_this_process_can_be_started_asked_and_stopped() {
    let bot = Bot::new().on_message(async |mut turn: Turn| {
        turn.say("hello");
        Ok(())
    });
    let server = Server::new(bot)
        .unauthenticated()
        .address(([127, 0, 0, 1], 0))
        .store(sayso::open_store("memory://").await.unwrap())
        .limits(Limits { rounds_max: 3, ..Limits::default() });
    let running = server.start().await.unwrap();
    assert_eq!(running.url(), format!("http://{}", running.local_addr()));
    let body = r#"{"type":"message","id":"1","channelId":"t","conversation":{"id":"c"},
        "deliveryMode":"expectReplies","text":"hi"}"#;
    let answer = post(&running.url(), body).await;
    assert!(answer.text().await.unwrap().contains("hello"));
    let (engine, url) = (running.engine().clone(), running.url());
    assert_eq!(engine.stats().turns, 1);
    assert_eq!(running.stop().await, 0);
    assert!(reqwest::get(format!("{url}/healthz")).await.is_err(), "nobody listens any more");
}

#[tokio::test]
async fn a_turn_that_fails_is_told_so_and_changes_nothing() {
    let store = sayso::open_store("memory://").await.unwrap();
    let key = Key::conversation("t", "c").unwrap();
    let body = r#"{"Order":"not an order"}"#.to_owned();
    let write = Write::new(key.clone(), Expect::Absent, body);
    store.save(write).await.unwrap();
    let server = Server::new(pizza::bot()).address(([127, 0, 0, 1], 0)).store(store);
    let running = server.unauthenticated().start().await.unwrap();
    let body = r#"{"type":"message","id":"1","channelId":"t","conversation":{"id":"c"},
        "deliveryMode":"expectReplies","text":"ham"}"#;
    let answer = post(&running.url(), body).await;
    let text = answer.text().await.unwrap();
    assert!(text.contains("Sorry, that did not work. Nothing was changed."), "{text}");
    let stored = running.store().load(&key).await.unwrap().unwrap().body;
    assert!(stored.contains(r#""Order":"not an order""#), "{stored}");
    assert_eq!(running.stop().await, 0);
}

#[tokio::test]
async fn a_retention_that_is_configured_counts_whatever_limits_the_program_has() {
    let day = Some(std::time::Duration::from_secs(24 * 60 * 60));
    for (flags, of_program, hours) in [
        (&[("ttl.conversation", "2h")][..], None, Some(2)),
        (&[("ttl.conversation", "2h")], day, Some(2)),
        (&[("ttl.conversation", "never")], day, None),
        (&[("ttl.user", "2h")], day, Some(24)),
    ] {
        let mut config = Config::default().flag("address", "127.0.0.1:0").unwrap();
        for (key, text) in flags {
            config = config.flag(key, text).unwrap();
        }
        let ttl = Ttl { conversation: of_program, ..Ttl::default() };
        let server = Server::new(pizza::bot())
            .config(&config)
            .unwrap()
            .store(sayso::open_store("memory://").await.unwrap())
            .limits(Limits { ttl, ..Limits::default() })
            .unauthenticated()
            .without_admin();
        let running = server.start().await.unwrap();
        let body = r#"{"type":"message","id":"1","channelId":"t","conversation":{"id":"c"},
            "deliveryMode":"expectReplies","text":"ham"}"#;
        assert_eq!(post(&running.url(), body).await.status(), 200);
        let key = Key::conversation("t", "c").unwrap();
        let stored = running.store().load(&key).await.unwrap().unwrap();
        let ledger = sayso::turn::document::Document::parse(&key, &stored.body).unwrap().ledger;
        let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap();
        let left = ledger.expires.map(|at| at.as_millis() - now.as_millis() as u64);
        assert_eq!(left.map(|left| left.div_ceil(60 * 60 * 1000)), hours, "{flags:?}");
        assert_eq!(running.stop().await, 0);
    }
}

#[tokio::test]
async fn with_an_app_whoever_has_no_token_is_refused() {
    use sayso::channel::auth::{AuthOptions, Secret};

    let mut app = AuthOptions::new("an-app");
    app.password = Some(Secret::new("canary"));
    // Nobody is asked before a token is shown; if that were wrong, it would be ourselves.
    app.cloud.metadata = "http://127.0.0.1:9/metadata".to_owned();
    app.cloud.login = "http://127.0.0.1:9".to_owned();
    let store = sayso::open_store("memory://").await.unwrap();
    let server = Server::new(pizza::bot()).store(store).address(([127, 0, 0, 1], 0)).auth(app);
    let running = server.start().await.unwrap();
    let words = running.welcome();
    assert!(words.contains("as the app an-app") && !words.contains("canary"), "{words}");
    let body =
        r#"{"type":"message","id":"1","channelId":"x","conversation":{"id":"c"},"text":"ham"}"#;
    let message = reqwest::Client::new().post(format!("{}/api/messages", running.url()));
    let message = message.header("content-type", "application/json").body(body);
    for (token, status) in [(None, 401), (Some("Bearer a.b.c"), 401), (Some("Basic eA=="), 401)] {
        let mut request = message.try_clone().unwrap();
        if let Some(token) = token {
            request = request.header("authorization", token);
        }
        let answer = request.send().await.unwrap();
        assert_eq!(answer.status().as_u16(), status, "{token:?}");
    }
    assert_eq!(running.engine().stats().turns, 0);
    running.stop().await;
}
