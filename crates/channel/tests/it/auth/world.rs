//! Test fixture: a bot that requires tokens, the issuer it trusts, and a manual clock.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use futures_util::future::BoxFuture;
use sayso_channel::{
    EndpointOptions, ServiceUrls,
    auth::{AuthOptions, Authenticator, Cloud},
};
use sayso_turn::{
    Bot, Limits,
    clock::{Clock, Timestamp},
    store::MemoryStore,
};
use serde_json::{Value, json};

use super::{forge::KEY, issuer::Pages};
use crate::support::{
    Server,
    client::{self, Reply},
    echo, message, with,
};

/// The app that tokens are for.
pub(crate) const APP: &str = "11111111-aaaa-2222-bbbb-333333333333";
pub(crate) const ISSUER: &str = "https://issuer.example";
/// The channel's service URL; nothing is ever sent there.
pub(crate) const SERVICE: &str = "https://smba.channel.example/emea/";
/// The wall clock when a test starts, in seconds.
pub(crate) const NOW: u64 = 1_800_000_000;

/// Clock that stands still until it is advanced.
#[derive(Debug, Default)]
pub(crate) struct HandClock(AtomicU64);

impl HandClock {
    pub(crate) fn advance(&self, wait: Duration) {
        self.0.fetch_add(u64::try_from(wait.as_millis()).unwrap(), Ordering::SeqCst);
    }

    fn moved(&self) -> Duration {
        Duration::from_millis(self.0.load(Ordering::SeqCst))
    }
}

impl Clock for HandClock {
    fn now(&self) -> Timestamp {
        Timestamp::from_millis(NOW * 1000).after(self.moved())
    }

    fn uptime(&self) -> Duration {
        self.moved()
    }

    fn sleep(&self, wait: Duration) -> BoxFuture<'static, ()> {
        Box::pin(tokio::time::sleep(wait))
    }
}

pub(crate) struct World {
    pub(crate) server: Server,
    pub(crate) issuer: Pages,
    pub(crate) clock: Arc<HandClock>,
}

impl World {
    /// Starts with an issuer whose key `k1` is endorsed for `msteams` and `webchat`.
    pub(crate) async fn start() -> Self {
        Self::with(|_, _| {}).await
    }

    pub(crate) async fn with(change: impl FnOnce(&mut AuthOptions, &Pages)) -> Self {
        Self::serving(echo(), change).await
    }

    pub(crate) async fn serving(bot: Bot, change: impl FnOnce(&mut AuthOptions, &Pages)) -> Self {
        let issuer = Pages::start().await;
        issuer.publish(&[KEY.jwk("k1", endorsed())]);
        let mut options = options(&issuer);
        change(&mut options, &issuer);
        let clock = Arc::new(HandClock::default());
        let auth = Authenticator::new(&options, Arc::clone(&clock) as Arc<dyn Clock>).unwrap();
        let endpoint = EndpointOptions {
            service_urls: ServiceUrls::Only(vec!["https://*.channel.example".to_owned()]),
            auth: auth.into(),
            ..Default::default()
        };
        let store = Arc::new(MemoryStore::default());
        let server = Server::with(bot, store, Limits::default(), endpoint).await;
        Self { server, issuer, clock }
    }

    /// Posts an activity with further headers.
    pub(crate) async fn post(&self, headers: &[(&str, &str)], activity: &Value) -> Reply {
        let line = "POST /api/messages HTTP/1.1";
        let headers = [&[("content-type", "application/json")], headers].concat();
        let body = activity.to_string();
        client::request(self.server.address, line, &headers, body.as_bytes()).await
    }

    /// Posts the valid activity with a token.
    pub(crate) async fn show(&self, token: &str) -> Reply {
        let authorization = format!("Bearer {token}");
        self.post(&[("authorization", &authorization)], &activity()).await
    }

    /// A token that is valid now.
    pub(crate) fn token(&self) -> String {
        KEY.token("k1", &self.claims())
    }

    /// Claims that are valid now.
    pub(crate) fn claims(&self) -> Value {
        claims(self.clock.now().as_millis() / 1000)
    }
}

pub(crate) fn options(issuer: &Pages) -> AuthOptions {
    AuthOptions {
        cloud: Cloud {
            metadata: issuer.url("/metadata"),
            issuer: ISSUER.to_owned(),
            login_metadata: issuer.url("/login-metadata"),
            login: issuer.url(""),
            ..Cloud::public()
        },
        timeout: Duration::from_secs(2),
        ..AuthOptions::new(APP)
    }
}

pub(crate) fn claims(now: u64) -> Value {
    json!({
        "iss": ISSUER,
        "aud": APP,
        "nbf": now - 60,
        "exp": now + 3600,
        "serviceurl": SERVICE,
    })
}

pub(crate) fn endorsed() -> Value {
    json!({"endorsements": ["msteams", "webchat"]})
}

/// An activity of the channel; its replies come in the response.
pub(crate) fn activity() -> Value {
    let channel = json!({"channelId": "msteams", "deliveryMode": "expectReplies"});
    with(message("1", "hi", SERVICE), channel)
}
