//! Fake login service and OpenID issuer, on a port of their own; they answer as they are told.

use std::{
    net::SocketAddr,
    sync::Arc,
    time::{Duration, SystemTime},
};

use axum::{
    Router,
    extract::Request,
    http::StatusCode,
    response::{IntoResponse as _, Response},
};
use serde_json::{Value, json};
use tokio::net::TcpListener;

/// The app's secret that the login service takes.
pub(crate) const SECRET: &str = "the-right-secret";
/// The token that it gives.
pub(crate) const TOKEN: &str = "c4n4ry-token";

/// Configured behaviour.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Manners {
    /// The status of the metadata page.
    pub(crate) metadata: u16,
    /// Number of published keys.
    pub(crate) keys: usize,
    /// Seconds by which their clock is ahead.
    pub(crate) ahead: i64,
    /// True if they accept connections and never answer.
    pub(crate) is_mute: bool,
}

impl Default for Manners {
    fn default() -> Self {
        Self { metadata: 200, keys: 1, ahead: 0, is_mute: false }
    }
}

/// They run until the test ends.
#[derive(Debug)]
pub(crate) struct Login {
    address: SocketAddr,
}

impl Login {
    pub(crate) async fn start(manners: Manners) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let manners = Arc::new(manners);
        let app = Router::new().fallback(move |request: Request| {
            let manners = Arc::clone(&manners);
            async move { manners.answer(address, request).await }
        });
        drop(tokio::spawn(async move { axum::serve(listener, app).await }));
        Self { address }
    }

    /// Returns services that are down: their port was free a moment ago, and nobody listens.
    pub(crate) async fn nobody() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        Self { address: listener.local_addr().unwrap() }
    }

    /// The variables that lead a bot here.
    pub(crate) fn variables(&self, secret: &str) -> Vec<(&'static str, String)> {
        vec![
            ("MicrosoftAppId", "an-app".to_owned()),
            ("MicrosoftAppPassword", secret.to_owned()),
            ("ToBotFromChannelOpenIdMetadataUrl", format!("http://{}/metadata", self.address)),
            ("ToChannelFromBotLoginUrl", format!("http://{}", self.address)),
        ]
    }
}

impl Manners {
    async fn answer(&self, address: SocketAddr, request: Request) -> Response {
        if self.is_mute {
            std::future::pending::<()>().await;
        }
        let path = request.uri().path().to_owned();
        let body = axum::body::to_bytes(request.into_body(), 1 << 20).await.unwrap();
        let body = String::from_utf8(body.to_vec()).unwrap();
        let (status, page) = match path.as_str() {
            "/metadata" => (self.metadata, json!({"jwks_uri": format!("http://{address}/keys")})),
            "/keys" => (200, json!({"keys": vec![key(); self.keys]})),
            "/botframework.com/oauth2/v2.0/token" => granted(&body),
            _ => (404, json!({})),
        };
        let now = SystemTime::now();
        let apart = Duration::from_secs(self.ahead.unsigned_abs());
        let date = if self.ahead < 0 { now - apart } else { now + apart };
        let headers = [
            ("content-type", "application/json".to_owned()),
            ("date", httpdate::fmt_http_date(date)),
        ];
        (StatusCode::from_u16(status).unwrap(), headers, page.to_string()).into_response()
    }
}

fn granted(form: &str) -> (u16, Value) {
    let is_right = form.split('&').any(|pair| pair == format!("client_secret={SECRET}"));
    let is_app = form.split('&').any(|pair| pair == "client_id=an-app");
    match is_right && is_app {
        true => (200, json!({"access_token": TOKEN, "token_type": "Bearer", "expires_in": 3599})),
        // The real one repeats what it was given, in its description.
        false => (401, json!({"error": "invalid_client", "error_description": form})),
    }
}

/// A public key. Nobody signs with it: it only has to look like one.
fn key() -> Value {
    json!({"kty": "RSA", "use": "sig", "kid": "k", "n": "w".repeat(342), "e": "AQAB",
        "endorsements": ["msteams"]})
}
