//! Fake OpenID issuer and login service with configurable responses and request counts.

use std::{
    net::SocketAddr,
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use axum::{
    Router,
    body::{Body, Bytes},
    extract::Request,
    http::StatusCode,
    response::{IntoResponse, Response},
};
use serde_json::{Value, json};
use tokio::net::TcpListener;

/// Response of a page.
#[derive(Clone, Debug)]
pub(crate) enum Page {
    /// JSON.
    Json(Value),
    /// JSON after a delay.
    Later(Duration, Value),
    /// Plain text.
    Text(String),
    /// JSON with this status.
    Status(u16, Value),
    /// JSON to requests with this `Authorization`, and 401 to others.
    Needs(String, Value),
    /// A redirect to this address.
    Redirect(String),
    /// No response.
    Hang,
    /// An endless body.
    Endless,
}

impl Page {
    async fn give(self, authorization: Option<&str>) -> Response {
        match self {
            Self::Needs(token, value) => {
                let is_shown = authorization == Some(&*token);
                axum_json(if is_shown { 200 } else { 401 }, &value)
            }
            Self::Json(value) => axum_json(200, &value),
            Self::Later(wait, value) => {
                tokio::time::sleep(wait).await;
                axum_json(200, &value)
            }
            Self::Text(text) => text.into_response(),
            Self::Status(status, value) => axum_json(status, &value),
            Self::Redirect(to) => {
                (StatusCode::TEMPORARY_REDIRECT, [("location", to)]).into_response()
            }
            Self::Hang => std::future::pending().await,
            Self::Endless => {
                let spaces = futures_util::stream::repeat_with(|| {
                    Ok::<_, std::io::Error>(Bytes::from_static(&[b' '; 65536]))
                });
                Body::from_stream(spaces).into_response()
            }
        }
    }
}

fn axum_json(status: u16, value: &Value) -> Response {
    let status = StatusCode::from_u16(status).unwrap();
    (status, [("content-type", "application/json")], value.to_string()).into_response()
}

/// A request that was received.
#[derive(Clone, Debug)]
pub(crate) struct Asked {
    pub(crate) path: String,
    pub(crate) query: String,
    pub(crate) authorization: Option<String>,
    pub(crate) identity: Option<String>,
    pub(crate) body: String,
}

/// HTTP server with a few pages. Any other path is 404.
#[derive(Clone, Debug)]
pub(crate) struct Pages {
    pub(crate) address: SocketAddr,
    inner: Arc<Inner>,
}

#[derive(Debug, Default)]
struct Inner {
    pages: Mutex<Vec<(String, Page)>>,
    asked: Mutex<Vec<Asked>>,
    count: AtomicUsize,
}

impl Pages {
    pub(crate) async fn start() -> Self {
        let inner = Arc::new(Inner::default());
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let shared = Arc::clone(&inner);
        let app =
            Router::new().fallback(move |request: Request| answer(Arc::clone(&shared), request));
        drop(tokio::spawn(async move { axum::serve(listener, app).await }));
        Self { address, inner }
    }

    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// Sets the page at a path.
    pub(crate) fn set(&self, path: &str, page: Page) {
        let mut pages = self.inner.pages.lock().unwrap();
        pages.retain(|(known, _)| known != path);
        pages.push((path.to_owned(), page));
    }

    /// Sets an issuer's two pages: metadata and keys.
    pub(crate) fn publish(&self, keys: &[Value]) {
        self.set("/metadata", Page::Json(json!({"jwks_uri": self.url("/keys")})));
        self.set("/keys", Page::Json(json!({"keys": keys})));
    }

    /// Number of requests.
    pub(crate) fn count(&self) -> usize {
        self.inner.count.load(Ordering::SeqCst)
    }

    /// Requests so far.
    pub(crate) fn asked(&self) -> Vec<Asked> {
        self.inner.asked.lock().unwrap().clone()
    }
}

async fn answer(inner: Arc<Inner>, request: Request) -> Response {
    inner.count.fetch_add(1, Ordering::SeqCst);
    let (head, body) = request.into_parts();
    let header = |name: &str| {
        head.headers.get(name).and_then(|value| value.to_str().ok()).map(str::to_owned)
    };
    let body = axum::body::to_bytes(body, 1 << 20).await.unwrap();
    let asked = Asked {
        path: head.uri.path().to_owned(),
        query: head.uri.query().unwrap_or_default().to_owned(),
        authorization: header("authorization"),
        identity: header("x-identity-header"),
        body: String::from_utf8(body.to_vec()).unwrap(),
    };
    let page = {
        let pages = inner.pages.lock().unwrap();
        let page = pages.iter().find(|(path, _)| *path == asked.path);
        page.map(|(_, page)| page.clone())
    };
    let authorization = asked.authorization.clone();
    inner.asked.lock().unwrap().push(asked);
    match page {
        Some(page) => page.give(authorization.as_deref()).await,
        None => StatusCode::NOT_FOUND.into_response(),
    }
}
