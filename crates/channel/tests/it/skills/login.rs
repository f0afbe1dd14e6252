//! Login service on loopback: every app gets a signed token for whatever it asks.

use std::{
    net::SocketAddr,
    sync::{Arc, Mutex},
    time::{SystemTime, UNIX_EPOCH},
};

use axum::{
    Router,
    extract::Request,
    http::header::CONTENT_TYPE,
    response::{IntoResponse, Response},
};
use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use serde_json::{Value, json};

use crate::{
    auth::{
        forge::{KEY, NEXT},
        world::{ISSUER, endorsed},
    },
    support::{serve, with},
};

/// The issuer of tokens of apps, as the SDKs know it.
const APPS: &str = "https://sts.windows.net/d6d49420-f39b-4df7-a1dc-d59a935871db/";

/// The login service, which is the channels' issuer, too.
#[derive(Clone, Debug)]
pub(crate) struct Login {
    address: SocketAddr,
    asked: Asked,
}

/// The apps that asked, each with the scope.
type Asked = Arc<Mutex<Vec<(String, String)>>>;

impl Login {
    pub(crate) async fn start() -> Self {
        let asked = Asked::default();
        let record = Arc::clone(&asked);
        let router =
            Router::new().fallback(move |request: Request| answer(request, record.clone()));
        Self { address: serve(router).await, asked }
    }

    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// The scopes that an app asked tokens for.
    pub(crate) fn scopes(&self, client: &str) -> Vec<String> {
        let asked = self.asked.lock().unwrap();
        asked.iter().filter(|(known, _)| known == client).map(|(_, scope)| scope.clone()).collect()
    }
}

async fn answer(request: Request, asked: Asked) -> Response {
    let (head, body) = request.into_parts();
    let body = axum::body::to_bytes(body, 1 << 20).await.unwrap();
    let host = head.headers["host"].to_str().unwrap();
    let keys = |path: &str| json!({"jwks_uri": format!("http://{host}{path}")});
    let page = match head.uri.path() {
        "/metadata" => keys("/keys"),
        "/login-metadata" => keys("/login-keys"),
        "/keys" => json!({"keys": [KEY.jwk("k1", endorsed())]}),
        "/login-keys" => json!({"keys": [NEXT.jwk("l1", json!({}))]}),
        _ => {
            let member = |name: &str| {
                let found = form_urlencoded::parse(&body).find(|(known, _)| known == name);
                found.map(|(_, value)| value.into_owned()).unwrap_or_default()
            };
            let (client, scope) = (member("client_id"), member("scope"));
            asked.lock().unwrap().push((client.clone(), scope.clone()));
            let token = of_app(&client, scope.strip_suffix("/.default").unwrap());
            json!({"token_type": "Bearer", "access_token": token, "expires_in": 3600})
        }
    };
    ([(CONTENT_TYPE, "application/json")], page.to_string()).into_response()
}

fn times() -> Value {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs();
    json!({"nbf": now - 60, "iat": now - 60, "exp": now + 3600})
}

/// A token of an app for another one.
pub(crate) fn of_app(client: &str, audience: &str) -> String {
    let claims = json!({"iss": APPS, "aud": audience, "appid": client, "ver": "1.0"});
    NEXT.token("l1", &with(claims, times()))
}

/// A token of a channel for an app.
pub(crate) fn of_channel(audience: &str, service_url: &str) -> String {
    let claims = json!({"iss": ISSUER, "aud": audience, "serviceurl": service_url});
    KEY.token("k1", &with(claims, times()))
}

/// The audience of the token in a header.
pub(crate) fn audience(authorization: Option<&str>) -> String {
    let token = authorization.and_then(|text| text.strip_prefix("Bearer "));
    let Some(claims) = token.and_then(|token| token.split('.').nth(1)) else {
        return "none".to_owned();
    };
    let claims: Value = serde_json::from_slice(&URL_SAFE_NO_PAD.decode(claims).unwrap()).unwrap();
    claims["aud"].as_str().unwrap().to_owned()
}
