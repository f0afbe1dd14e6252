//! Fake of the Bot Framework's token service and of the login service, on loopback.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{Arc, Mutex, MutexGuard},
};

use axum::{
    Json, Router,
    extract::{Request, State},
    http::{Method, StatusCode, header::AUTHORIZATION},
    response::{IntoResponse, Response},
};
use reqwest::Url;
use sayso::{Engine, activity::Activity};
use serde_json::{Value, json};
use tokio::net::TcpListener;

/// Magic code that the page shows after the user has signed in.
pub(super) const CODE: &str = "123456";
/// Access token of the bot, which every call must carry.
pub(super) const BOT_TOKEN: &str = "b0t";

#[derive(Debug, Default)]
struct Shelf {
    /// `true` while a code was issued and is not yet used.
    has_code: bool,
    is_broken: bool,
    signed_in: BTreeSet<String>,
    states: Vec<Value>,
    shown: Vec<String>,
    /// Number of calls with a code.
    codes: usize,
    /// Gets the activity when a code is brought, before that is answered.
    meddler: Option<(Engine, Activity)>,
}

#[derive(Clone, Debug)]
pub(super) struct Played {
    pub(super) url: String,
    shelf: Arc<Mutex<Shelf>>,
}

impl Played {
    pub(super) async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let played = Self { url, shelf: Arc::default() };
        let app = Router::new().fallback(answer).with_state(played.clone());
        drop(tokio::spawn(async move { axum::serve(listener, app).await }));
        played
    }

    /// The user signs in on the service's page, and is shown the code.
    pub(super) fn sign_in_on_page(&self) {
        self.shelf().has_code = true;
    }

    pub(super) fn break_down(&self, is_broken: bool) {
        self.shelf().is_broken = is_broken;
    }

    /// Lets another instance handle an activity while the next code is looked at.
    pub(super) fn meddle(&self, engine: Engine, activity: Activity) {
        self.shelf().meddler = Some((engine, activity));
    }

    /// Number of calls with a code.
    pub(super) fn codes(&self) -> usize {
        self.shelf().codes
    }

    /// The state parameter of the last sign-in.
    pub(super) fn state(&self) -> Value {
        self.shelf().states.last().cloned().unwrap()
    }

    /// The tokens that the bot has shown.
    pub(super) fn shown(&self) -> Vec<String> {
        let shown = self.shelf().shown.clone();
        assert!(!shown.is_empty());
        shown
    }

    fn shelf(&self) -> MutexGuard<'_, Shelf> {
        self.shelf.lock().unwrap()
    }
}

/// The resource for a token exchange (single sign-on).
pub(super) fn exchange_resource() -> Value {
    json!({"id": "exchange-1", "uri": "api://app-1", "providerId": "aad"})
}

async fn answer(State(played): State<Played>, request: Request) -> Response {
    let url = Url::parse(&format!("{}{}", played.url, request.uri())).unwrap();
    let (path, query) = (url.path(), url.query_pairs().into_owned().collect::<BTreeMap<_, _>>());
    if path.ends_with("/oauth2/v2.0/token") {
        let grant = json!({"access_token": BOT_TOKEN, "token_type": "Bearer", "expires_in": 3600});
        return Json(grant).into_response();
    }
    let shown = request.headers().get(AUTHORIZATION).map(|it| it.to_str().unwrap().to_owned());
    let method = request.method().clone();
    let body = axum::body::to_bytes(request.into_body(), 1 << 16).await.unwrap();
    if query.contains_key("code") {
        played.shelf().codes += 1;
        let meddler = played.shelf().meddler.take();
        if let Some((engine, activity)) = meddler {
            engine.receive(activity).await.unwrap();
        }
    }
    let mut shelf = played.shelf();
    shelf.shown.push(shown.unwrap_or_default());
    if shelf.is_broken {
        return StatusCode::INTERNAL_SERVER_ERROR.into_response();
    }
    match (method, path) {
        (Method::GET, "/api/botsignin/GetSignInResource") => {
            shelf.states.push(decode(&query["state"]));
            Json(json!({
                "signInLink": "https://token.example/start",
                "tokenExchangeResource": exchange_resource(),
                "tokenPostResource": {"sasUrl": "https://token.example/post"},
            }))
            .into_response()
        }
        (Method::GET, "/api/usertoken/GetToken") => {
            let who = who(&query);
            if query.get("code").is_some_and(|code| code == CODE) && shelf.has_code {
                shelf.has_code = false;
                shelf.signed_in.insert(who);
                return token(&query);
            }
            // A code that is wrong, or used up, finds nothing.
            match !query.contains_key("code") && shelf.signed_in.contains(&who) {
                true => token(&query),
                false => StatusCode::NOT_FOUND.into_response(),
            }
        }
        (Method::POST, "/api/usertoken/exchange") => {
            let offer: Value = serde_json::from_slice(&body).unwrap();
            match offer["token"].as_str().unwrap() {
                "good" => {
                    shelf.signed_in.insert(who(&query));
                    token(&query)
                }
                "no consent" => {
                    let error = json!({"error": {"code": "ConsentRequired", "message": "m"}});
                    (StatusCode::BAD_REQUEST, Json(error)).into_response()
                }
                _ => StatusCode::NOT_FOUND.into_response(),
            }
        }
        (Method::DELETE, "/api/usertoken/SignOut") => match shelf.signed_in.remove(&who(&query)) {
            true => StatusCode::OK.into_response(),
            false => StatusCode::NOT_FOUND.into_response(),
        },
        (method, path) => panic!("the token service has no {method} {path}"),
    }
}

fn who(query: &BTreeMap<String, String>) -> String {
    ["userId", "connectionName", "channelId"].map(|name| query[name].as_str()).join(" ")
}

fn token(query: &BTreeMap<String, String>) -> Response {
    Json(json!({
        "channelId": query["channelId"],
        "connectionName": query["connectionName"],
        "token": format!("t0ken of {} at {}", query["userId"], query["channelId"]),
        "expiration": "2026-11-15T18:00:00Z",
    }))
    .into_response()
}

/// Reads the state of a sign-in: JSON in base64.
fn decode(text: &str) -> Value {
    const DIGITS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let digits = text.trim_end_matches('=').bytes();
    let (mut bytes, mut bits, mut count) = (Vec::new(), 0u32, 0);
    for digit in digits {
        let value = DIGITS.iter().position(|known| *known == digit).expect("base64");
        bits = (bits << 6) | u32::try_from(value).unwrap();
        count += 6;
        if count >= 8 {
            count -= 8;
            bytes.push(u8::try_from((bits >> count) & 255).unwrap());
        }
    }
    serde_json::from_slice(&bytes).unwrap()
}
