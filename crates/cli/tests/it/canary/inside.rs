//! The server in this process: replies go out, the channel and the login service fail, the bot
//! fails.

use std::{net::SocketAddr, time::Duration};

use sayso::{
    Server,
    channel::{
        ServiceUrls,
        auth::{AppType, AuthOptions, Certificate, Cloud, ManagedIdentity, Secret},
    },
    prelude::*,
    turn::Limits,
};
use serde_json::json;

use super::{
    BEARER, PASSWORD, Secrets, TEXT,
    forge::{EVIL, KEY, part},
    issuer::{Page, Pages},
    lines::Lines,
    world::{APP, ISSUER, PATIENCE, TOKEN, activity, attack, claims, issuer, post},
};

/// Bot that keeps what it hears, repeats it, and fails when told to.
fn bot() -> Bot {
    Bot::new().on_message(async |mut turn: Turn| {
        let text = turn.text().to_owned();
        match text.split(' ').next().unwrap_or_default() {
            "fail" => return Err("the bot could not".into()),
            "panic" => panic!("the bot gave up"),
            // What is kept is a text, and this asks for a number.
            "misread" => *turn.state().named::<u64>("heard")? += 1,
            _ => *turn.state().named::<String>("heard")? = text.clone(),
        }
        turn.say(format!("Echo: {text}"));
        Ok(())
    })
}

/// Credential with which the app authenticates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Proof {
    Password,
    Certificate,
    Identity,
}

fn options(proof: Proof, issuer: &Pages, channel: &Pages) -> AuthOptions {
    let mut options = AuthOptions {
        cloud: Cloud {
            metadata: issuer.url("/metadata"),
            issuer: ISSUER.to_owned(),
            login_metadata: issuer.url("/login-metadata"),
            login: issuer.url(""),
            service_urls: ServiceUrls::Only(vec![channel.url(""), "http://127.0.0.1:9".to_owned()]),
            ..Cloud::public()
        },
        timeout: Duration::from_secs(5),
        ..AuthOptions::new(APP)
    };
    match proof {
        Proof::Password => options.password = Some(Secret::new(PASSWORD)),
        Proof::Certificate => {
            let text = part(b"the bytes of a certificate!");
            let pem = format!("-----BEGIN CERTIFICATE-----\n{text}\n-----END CERTIFICATE-----\n");
            let key = Secret::new(EVIL.private_pem());
            options.certificate = Some(Certificate::from_pem(&pem, &key).unwrap());
        }
        Proof::Identity => {
            options.app_type = AppType::UserAssignedMsi;
            options.tenant_id = Some("tenant".to_owned());
            let (endpoint, header) = (issuer.url("/msi/token"), Secret::new(PASSWORD));
            options.managed_identity = Some(ManagedIdentity { endpoint, header });
        }
    }
    options
}

/// Output beside the log in which no secret may show.
#[derive(Default)]
struct Shown {
    debug: String,
    bodies: String,
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_secret_shows_in_the_log_of_the_server_its_errors_or_debug() {
    let lines = Lines::listen();
    let mut secrets = Secrets::new();
    secrets.add_key(&EVIL.private_pem());
    let mut shown = Shown::default();
    for proof in [Proof::Password, Proof::Certificate, Proof::Identity] {
        run(proof, &mut secrets, &mut shown).await;
    }
    let text = lines.text();
    // It was really all heard, and it really all happened.
    for word in ["TRACE", "DEBUG", "a reply was parked", "PANIC", "no token for the channel"] {
        assert!(text.contains(word), "{word}");
    }
    assert!(text.matches("request refused").count() >= 60, "{text}");
    assert!(text.matches("the bot's logic failed").count() >= 3, "{text}");
    assert!(shown.debug.contains("[redacted]"), "{}", shown.debug);
    secrets.are_not_in("the log", &text);
    secrets.are_not_in("a refusal", &shown.bodies);
    secrets.are_not_in("Debug", &shown.debug);
}

async fn run(proof: Proof, secrets: &mut Secrets, shown: &mut Shown) {
    let (issuer, channel) = (issuer().await, Pages::start().await);
    let options = options(proof, &issuer, &channel);
    shown.debug.push_str(&format!("{options:?}"));
    let folder = tempfile::tempdir().unwrap();
    let store = format!("sqlite:{}", folder.path().join("state.sqlite").display());
    let limits = Limits {
        send_attempts_max: 2,
        send_backoff_max: Duration::from_millis(50),
        ..Limits::default()
    };
    let server = Server::new(bot())
        .address(([127, 0, 0, 1], 0))
        .store(sayso::open_store(&store).await.unwrap())
        .limits(limits)
        .auth(options);
    shown.debug.push_str(&format!("{server:?}"));
    let running = server.start().await.unwrap();
    shown.debug.push_str(&format!("{running:?} {}", running.welcome()));
    let url = channel.url("/");

    deliveries(running.local_addr(), &channel, &url, secrets).await;
    shown.bodies.push_str(&attack(running.local_addr(), &url, secrets).await);
    shown.bodies.push_str(&failures(running.local_addr(), &url).await);

    // A token that the channel no longer takes, and a login service that repeats what it was told.
    let echo = json!({"error": PASSWORD, "error_description": format!("{PASSWORD} {BEARER}")});
    issuer.set(TOKEN, Page::Status(400, echo.clone()));
    issuer.set("/msi/token", Page::Status(400, echo));
    let stale = activity("1", TEXT, "stale", &url);
    channel
        .set("/v3/conversations/stale/activities/1", Page::Status(401, json!({"error": BEARER})));
    let answer = post(running.local_addr(), &KEY.token("k1", &claims(&url)), &stale).await;
    assert_eq!(answer.status, 200, "{answer:?}");
    let asked = || issuer.asked().into_iter().filter(|it| it.path.ends_with("/token")).count();
    until("another token is asked for", || asked() >= 2).await;
    if proof == Proof::Password {
        assert!(issuer.asked().iter().any(|asked| asked.body.contains(PASSWORD)));
    }
    let engine = running.engine().clone();
    running.stop().await;
    shown.debug.push_str(&format!("{engine:?}"));
}

/// Causes replies that the channel takes, and those that it refuses while it repeats everything.
async fn deliveries(to: SocketAddr, channel: &Pages, url: &str, secrets: &mut Secrets) {
    let token = KEY.token("k1", &claims(url));
    secrets.add_token(&token);
    let echo = json!({"error": {"code": format!("{TEXT} {BEARER}"), "message": TEXT}});
    for (conversation, page) in [
        ("well", Page::Json(json!({"id": TEXT}))),
        ("refused", Page::Status(400, echo.clone())),
        ("broken", Page::Status(500, echo.clone())),
        ("busy", Page::Status(429, echo)),
        ("elsewhere", Page::Redirect(format!("http://127.0.0.1:9/{TEXT}?{BEARER}"))),
        ("noise", Page::Text(format!("<html>{TEXT}{BEARER}"))),
    ] {
        let path = format!("/v3/conversations/{conversation}/activities/1");
        channel.set(&path, page);
        let answer = post(to, &token, &activity("1", TEXT, conversation, url)).await;
        assert_eq!(answer.status, 200, "{conversation}: {answer:?}");
        until(&path, || channel.asked().iter().any(|asked| asked.path == path)).await;
    }
    let expected = format!("Bearer {BEARER}");
    assert!(channel.asked().iter().all(|it| it.authorization.as_ref() == Some(&expected)));
    assert!(channel.asked().iter().all(|asked| asked.body.contains(TEXT)));
    // Nobody is there at all.
    let nowhere = "http://127.0.0.1:9/";
    let token = KEY.token("k1", &claims(nowhere));
    secrets.add_token(&token);
    let answer = post(to, &token, &activity("1", TEXT, "nowhere", nowhere)).await;
    assert_eq!(answer.status, 200, "{answer:?}");
}

/// Causes turns that fail. Returns the bodies of the answers.
async fn failures(to: SocketAddr, url: &str) -> String {
    let token = KEY.token("k1", &claims(url));
    let mut bodies = String::new();
    for word in ["fail", "panic", "misread"] {
        let failing = activity(word, &format!("{word} {TEXT}"), "well", url);
        let answer = post(to, &token, &failing).await;
        assert_eq!(answer.status, 500, "{word}: {answer:?}");
        bodies.push_str(&answer.text);
    }
    bodies
}

/// Waits until a condition holds.
async fn until(what: &str, is_so: impl Fn() -> bool + Send + Sync) {
    let wait = async {
        while !is_so() {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    assert!(tokio::time::timeout(PATIENCE, wait).await.is_ok(), "{what}");
}
