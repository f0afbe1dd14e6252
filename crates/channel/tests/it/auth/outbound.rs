//! Access tokens of the bot: requested once, renewed early, and sent only to allowed channels.

use std::{sync::Arc, time::Duration};

use futures_util::future::join_all;
use jsonwebtoken::{DecodingKey, Validation};
use sayso_channel::{
    Connector, ConnectorOptions, ServiceUrls,
    auth::{AppType, AuthError, AuthOptions, Certificate, ManagedIdentity, Secret, Tokens},
};
use sayso_turn::{
    Key,
    activity::Activity,
    channel::{Channel, Delivery, Parcel},
    clock::Clock,
};
use serde_json::{Value, json};

use super::{
    forge::{KEY, part},
    issuer::{Asked, Page, Pages},
    world::{APP, HandClock, NOW, options},
};
use crate::support::{PATIENCE, message};

const TOKEN: &str = "/botframework.com/oauth2/v2.0/token";
const POST: &str = "/v3/conversations/c1/activities";
const PASSWORD: &str = "p4ss word&=";

/// A login service, a channel, and a connector between them.
struct Post {
    login: Pages,
    channel: Pages,
    clock: Arc<HandClock>,
    connector: Connector,
}

impl Post {
    async fn start() -> Self {
        Self::with(|_, _| {}).await
    }

    async fn with(change: impl FnOnce(&mut AuthOptions, &Pages)) -> Self {
        let (login, channel) = (Pages::start().await, Pages::start().await);
        channel.set(POST, Page::Json(json!({"id": "given"})));
        login.set(TOKEN, granted("t1", 3600));
        let mut options = options(&login);
        options.password = Some(Secret::new(PASSWORD));
        change(&mut options, &login);
        let clock = Arc::new(HandClock::default());
        let tokens = Tokens::new(&options, Arc::clone(&clock) as Arc<dyn Clock>).unwrap();
        let service_urls = ServiceUrls::Only(vec![channel.url("/")]);
        let connector = connector(service_urls, tokens);
        Self { login, channel, clock, connector }
    }

    async fn deliver(&self) -> Delivery {
        self.connector.deliver(&parcel(&self.channel.url("/"))).await
    }

    /// The tokens that the channel received.
    fn shown(&self) -> Vec<String> {
        let token = |asked: Asked| asked.authorization.unwrap_or_else(|| "none".to_owned());
        self.channel.asked().into_iter().map(token).collect()
    }
}

fn connector(service_urls: ServiceUrls, tokens: Tokens) -> Connector {
    let tokens = Some(tokens);
    Connector::new(ConnectorOptions { service_urls, tokens, ..Default::default() }).unwrap()
}

fn granted(token: &str, seconds: u64) -> Page {
    Page::Json(json!({"token_type": "Bearer", "access_token": token, "expires_in": seconds}))
}

fn parcel(service_url: &str) -> Parcel {
    let activity = message("1", "hi", service_url).to_string();
    Parcel {
        id: serde_json::from_value(json!("turn.0")).unwrap(),
        key: Key::new("k").unwrap(),
        activity: Activity::from_json(activity.as_bytes()).unwrap().into(),
        is_repeat: false,
    }
}

fn delivered() -> Delivery {
    Delivery::Delivered { id: Some("given".to_owned()) }
}

/// The members of a form.
fn form(asked: &Asked) -> Vec<(String, String)> {
    let url = reqwest::Url::parse(&format!("http://a/?{}", asked.body)).unwrap();
    url.query_pairs().into_owned().collect()
}

fn pairs(members: &[(&str, &str)]) -> Vec<(String, String)> {
    members.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
}

#[tokio::test]
async fn a_secret_becomes_a_token_and_the_token_is_kept() {
    let post = Post::start().await;
    let deliveries = join_all((0..20).map(|_| post.deliver())).await;
    assert!(deliveries.iter().all(|delivery| *delivery == delivered()), "{deliveries:?}");
    assert_eq!(post.shown(), ["Bearer t1"; 20]);
    let asked = post.login.asked();
    assert_eq!(asked.len(), 1);
    assert_eq!((&*asked[0].path, &*asked[0].query), (TOKEN, ""));
    let expected = pairs(&[
        ("grant_type", "client_credentials"),
        ("client_id", APP),
        ("scope", "https://api.botframework.com/.default"),
        ("client_secret", PASSWORD),
    ]);
    assert_eq!(form(&asked[0]), expected);
}

#[tokio::test]
async fn a_token_is_renewed_five_minutes_before_its_end() {
    let post = Post::start().await;
    post.deliver().await;
    post.login.set(TOKEN, granted("t2", 3600));
    post.clock.advance(Duration::from_secs(3299));
    post.deliver().await;
    post.clock.advance(Duration::from_secs(1));
    let renewed = join_all((0..10).map(|_| post.deliver())).await;
    assert!(renewed.iter().all(|delivery| *delivery == delivered()));
    let shown = post.shown();
    assert_eq!(&shown[..2], ["Bearer t1", "Bearer t1"]);
    assert_eq!(&shown[2..], ["Bearer t2"; 10]);
    assert_eq!(post.login.count(), 2);
}

#[tokio::test]
async fn an_old_token_serves_to_its_end_while_the_login_service_is_down() {
    let post = Post::start().await;
    post.deliver().await;
    post.login.set(TOKEN, Page::Status(503, json!({"error": "temporarily_unavailable"})));
    post.clock.advance(Duration::from_secs(3400));
    for _ in 0..5 {
        assert_eq!(post.deliver().await, delivered());
    }
    assert_eq!(post.login.count(), 2, "a failure is remembered for a while");
    post.clock.advance(Duration::from_secs(195));
    let delivery = post.deliver().await;
    let Delivery::Later { reason, .. } = &delivery else { panic!("{delivery:?}") };
    assert!(reason.contains("503 (temporarily_unavailable)"), "{reason}");
    assert_eq!(post.shown(), ["Bearer t1"; 6]);
    post.login.set(TOKEN, granted("t2", 3600));
    post.clock.advance(Duration::from_secs(11));
    assert_eq!(post.deliver().await, delivered());
}

#[tokio::test]
async fn a_channel_that_does_not_accept_the_token_is_shown_one_new_one() {
    let post = Post::start().await;
    post.deliver().await;
    // The channel accepts only the second token.
    post.channel.set(POST, Page::Needs("Bearer t2".to_owned(), json!({"id": "given"})));
    post.login.set(TOKEN, granted("t2", 3600));
    assert_eq!(post.deliver().await, delivered());
    assert_eq!(post.shown(), ["Bearer t1", "Bearer t1", "Bearer t2"]);
    assert_eq!(post.login.count(), 2);
    // If the new token does not help either, the reply is refused.
    post.channel.set(POST, Page::Status(401, json!({"error": {"code": "Unauthorized"}})));
    post.clock.advance(Duration::from_secs(61));
    post.login.set(TOKEN, granted("t3", 3600));
    let delivery = post.deliver().await;
    let Delivery::Refused { reason } = &delivery else { panic!("{delivery:?}") };
    assert!(reason.contains("401 Unauthorized to the bot's token"), "{reason}");
    assert_eq!(post.shown()[3..], ["Bearer t2", "Bearer t3"]);
    // Many refusals do not cause many token requests.
    for _ in 0..5 {
        assert!(matches!(post.deliver().await, Delivery::Refused { .. }));
    }
    assert_eq!(post.login.count(), 3);
    assert_eq!(post.shown().len(), 10);
}

#[tokio::test]
async fn without_a_token_nothing_is_posted() {
    let refused = json!({"error": "invalid_client", "error_description": PASSWORD});
    let post = Post::with(|options, _| options.timeout = Duration::from_millis(300)).await;
    let elsewhere = Pages::start().await;
    elsewhere.set(TOKEN, granted("evil", 3600));
    for (page, contains) in [
        (Page::Status(401, refused.clone()), "answered 401 (invalid_client); check the app's id"),
        (Page::Status(400, json!({"error": PASSWORD})), "answered 400; check"),
        (Page::Status(500, Value::Null), "answered 500; check"),
        (Page::Redirect(elsewhere.url(TOKEN)), "redirects are not followed"),
        (Page::Hang, "no answer in time"),
        (Page::Endless, "no usable answer"),
        (Page::Text("<html>".to_owned()), "not the expected JSON"),
        (Page::Json(json!({})), "not the expected JSON"),
        (Page::Json(json!({"access_token": ""})), "not the expected JSON"),
        (Page::Json(json!({"access_token": "a\r\nb: c"})), "not the expected JSON"),
    ] {
        post.login.set(TOKEN, page.clone());
        post.clock.advance(Duration::from_secs(11));
        let before = post.login.count();
        for _ in 0..3 {
            let delivery = post.deliver().await;
            let Delivery::Later { reason, .. } = &delivery else {
                panic!("{page:?}: {delivery:?}")
            };
            assert!(reason.contains(contains), "{page:?}: {reason}");
            assert!(!reason.contains(PASSWORD) && !reason.contains("http:"), "{reason}");
        }
        assert_eq!(post.login.count(), before + 1, "{page:?}");
    }
    assert_eq!((post.channel.count(), elsewhere.count()), (0, 0));
}

#[tokio::test]
async fn a_token_that_takes_long_puts_the_reply_off_and_is_found_by_the_next_try() {
    let post = Post::start().await;
    let answer = json!({"access_token": "t1", "expires_in": 3600});
    post.login.set(TOKEN, Page::Later(Duration::from_millis(900), answer));
    let mut options = options(&post.login);
    options.password = Some(Secret::new(PASSWORD));
    let clock: Arc<dyn Clock> = Arc::clone(&post.clock) as Arc<dyn Clock>;
    let connector = Connector::new(ConnectorOptions {
        service_urls: ServiceUrls::Only(vec![post.channel.url("/")]),
        tokens: Some(Tokens::new(&options, clock).unwrap()),
        timeout: Duration::from_millis(1000),
        ..Default::default()
    })
    .unwrap();
    let parcel = parcel(&post.channel.url("/"));
    let delivery = connector.deliver(&parcel).await;
    let Delivery::Later { reason, .. } = &delivery else { panic!("{delivery:?}") };
    assert!(reason.contains("it has not arrived yet"), "{reason}");
    let next = async {
        while connector.deliver(&parcel).await != delivered() {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    tokio::time::timeout(PATIENCE, next).await.unwrap();
    assert_eq!((post.login.count(), post.channel.count()), (1, 1));
}

#[tokio::test]
async fn a_token_goes_only_where_the_list_says() {
    let post = Post::start().await;
    let elsewhere = Pages::start().await;
    for url in [
        elsewhere.url("/"),
        post.channel.url("/").replace("127.0.0.1", "localhost"),
        "https://channel.example/".to_owned(),
        "http://channel.example/".to_owned(),
        String::new(),
    ] {
        let delivery = post.connector.deliver(&parcel(&url)).await;
        assert!(matches!(delivery, Delivery::Refused { .. }), "{url}: {delivery:?}");
    }
    assert_eq!((post.login.count(), post.channel.count(), elsewhere.count()), (0, 0, 0));
    // A redirect does not forward the token.
    post.channel.set(POST, Page::Redirect(elsewhere.url(POST)));
    assert!(matches!(post.deliver().await, Delivery::Refused { .. }));
    assert_eq!((post.channel.count(), elsewhere.count()), (1, 0));
}

#[tokio::test]
async fn whoever_listens_on_this_machine_is_shown_no_token() {
    let post = Post::start().await;
    let clock: Arc<dyn Clock> = Arc::clone(&post.clock) as Arc<dyn Clock>;
    let mut options = options(&post.login);
    options.password = Some(Secret::new(PASSWORD));
    let local = connector(ServiceUrls::Loopback, Tokens::new(&options, clock).unwrap());
    assert_eq!(local.deliver(&parcel(&post.channel.url("/"))).await, delivered());
    assert_eq!((post.shown(), post.login.count()), (vec!["none".to_owned()], 0));
}

#[tokio::test]
async fn a_certificate_signs_a_statement_that_only_its_key_can_sign() {
    let certificate = b"the bytes of a certificate";
    let pem = format!(
        "-----BEGIN CERTIFICATE-----\n{}\n-----END CERTIFICATE-----\n",
        base64::Engine::encode(&base64::engine::general_purpose::STANDARD, certificate)
    );
    let own = Certificate::from_pem(&pem, &Secret::new(KEY.private_pem())).unwrap();
    assert!(format!("{own:?}").contains("[redacted]"));
    let post = Post::with(|options, _| options.certificate = Some(own)).await;
    assert_eq!(post.deliver().await, delivered());
    let asked = post.login.asked();
    let form = form(&asked[0]);
    let member = |name: &str| form.iter().find(|(known, _)| known == name).unwrap().1.clone();
    let kind = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";
    assert_eq!(member("client_assertion_type"), kind);
    assert!(form.iter().all(|(name, _)| name != "client_secret"));

    let jwk = KEY.jwk("x", json!({}));
    let text = |name: &str| jwk[name].as_str().unwrap();
    let key = DecodingKey::from_rsa_components(text("n"), text("e")).unwrap();
    let mut validation = Validation::new(jsonwebtoken::Algorithm::PS256);
    let address = post.login.url(TOKEN);
    validation.set_audience(&[&address]);
    validation.set_issuer(&[APP]);
    validation.validate_exp = false;
    let statement = member("client_assertion");
    let decoded = jsonwebtoken::decode::<Value>(&statement, &key, &validation).unwrap();
    assert_eq!(decoded.claims["sub"], APP);
    assert_eq!((&decoded.claims["nbf"], &decoded.claims["exp"]), (&json!(NOW), &json!(NOW + 300)));
    let digest = aws_lc_rs::digest::digest(&aws_lc_rs::digest::SHA256, certificate);
    assert_eq!(decoded.header.x5t_s256, Some(part(digest)));

    for (certificate, key) in
        [("x", KEY.private_pem()), (&*pem, "x".to_owned()), (&*pem, pem.clone())]
    {
        let error = Certificate::from_pem(certificate, &Secret::new(key)).unwrap_err();
        assert!(error.to_string().starts_with("certificate: "), "{error}");
    }
}

#[tokio::test]
async fn a_managed_identity_asks_the_machine_where_the_environment_says() {
    let post = Post::with(|options, login| {
        options.app_type = AppType::UserAssignedMsi;
        options.tenant_id = Some("t".to_owned());
        let end = (NOW + 86_400).to_string();
        let answer = json!({"access_token": "m1", "token_type": "Bearer", "expires_on": end});
        login.set("/msi/token", Page::Json(answer));
        let header = Secret::new("the header");
        options.managed_identity =
            Some(ManagedIdentity { endpoint: login.url("/msi/token"), header });
    })
    .await;
    assert_eq!(post.deliver().await, delivered());
    let asked = post.login.asked();
    assert_eq!(asked.len(), 1);
    assert_eq!((&*asked[0].path, asked[0].identity.as_deref()), ("/msi/token", Some("the header")));
    let url = reqwest::Url::parse(&format!("http://a/?{}", asked[0].query)).unwrap();
    let query: Vec<_> = url.query_pairs().into_owned().collect();
    let expected = pairs(&[
        ("api-version", "2019-08-01"),
        ("resource", "https://api.botframework.com"),
        ("client_id", APP),
    ]);
    assert_eq!(query, expected);
    post.clock.advance(Duration::from_secs(86_400 - 301));
    post.deliver().await;
    assert_eq!(post.login.count(), 1);
    assert_eq!(post.shown(), ["Bearer m1"; 2]);
}

#[tokio::test]
async fn credentials_that_are_missing_are_named() {
    let clock = || Arc::new(HandClock::default());
    let setting = |options: &AuthOptions| match Tokens::new(options, clock()) {
        Err(AuthError::Setting { setting, .. }) => setting,
        other => panic!("{other:?}"),
    };
    let mut options = AuthOptions::new(APP);
    assert_eq!(setting(&options), "MicrosoftAppPassword");
    options.password = Some(Secret::new(""));
    assert_eq!(setting(&options), "MicrosoftAppPassword");
    options.password = Some(Secret::new("x"));
    options.app_type = AppType::SingleTenant;
    assert_eq!(setting(&options), "MicrosoftAppTenantId");
    options.app_type = AppType::UserAssignedMsi;
    assert_eq!(setting(&options), "IDENTITY_ENDPOINT");
    let endpoint = "http://169.254.169.254/metadata/identity/oauth2/token".to_owned();
    options.managed_identity = Some(ManagedIdentity { endpoint, header: Secret::new("x") });
    assert_eq!(setting(&options), "IDENTITY_ENDPOINT");
    options.app_type = AppType::MultiTenant;
    options.cloud.login = "http://login.example".to_owned();
    assert_eq!(setting(&options), "ToChannelFromBotLoginUrl");
}

#[tokio::test]
async fn the_login_service_can_be_probed() {
    let post = Post::start().await;
    let mut options = options(&post.login);
    options.password = Some(Secret::new(PASSWORD));
    let tokens = Tokens::new(&options, Arc::new(HandClock::default())).unwrap();
    tokens.probe().await.unwrap();
    assert!(!format!("{tokens:?}").contains("t1"), "{tokens:?}");
}
