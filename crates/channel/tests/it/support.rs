//! Test fixtures: a bot behind the endpoint, a fake channel for its replies, and a client that
//! writes requests byte by byte.

pub(crate) mod client;
pub(crate) mod log_capture;
pub(crate) mod sink;
pub(crate) mod store;

use std::{net::SocketAddr, sync::Arc, time::Duration};

use axum::Router;
use futures_util::TryStreamExt;
use sayso_channel::{
    Connector, ConnectorOptions, EndpointOptions, StatusOptions, router, status_routes,
};
use sayso_turn::{
    Bot, Engine, Key, Limits, Turn,
    store::{MemoryStore, Store},
};
use serde_json::{Value, json};
use tokio::net::TcpListener;

use client::Reply;

/// Timeout of a test, longer than anything here takes.
pub(crate) const PATIENCE: Duration = Duration::from_secs(20);

/// A served bot.
pub(crate) struct Server {
    pub(crate) address: SocketAddr,
    /// The address of health, readiness and statistics.
    pub(crate) admin: SocketAddr,
    pub(crate) engine: Engine,
    pub(crate) store: Arc<dyn Store>,
}

impl Server {
    /// Serves a bot over a memory store.
    pub(crate) async fn start(bot: Bot) -> Self {
        let store = Arc::new(MemoryStore::default());
        Self::with(bot, store, Limits::default(), EndpointOptions::unauthenticated()).await
    }

    pub(crate) async fn with(
        bot: Bot,
        store: Arc<dyn Store>,
        limits: Limits,
        options: EndpointOptions,
    ) -> Self {
        let service_urls = options.service_urls.clone();
        let connector = ConnectorOptions { service_urls, ..Default::default() };
        let connector = Arc::new(Connector::new(connector).unwrap());
        let engine = Engine::builder(bot, Arc::clone(&store), connector).limits(limits).start();
        let status = StatusOptions { refusals: options.refusals.clone(), ..Default::default() };
        let admin = serve(status_routes(engine.clone(), status)).await;
        let address = serve(router(engine.clone(), options)).await;
        Self { address, admin, engine, store }
    }

    /// Asks for health, readiness or statistics.
    pub(crate) async fn status(&self, path: &str) -> Reply {
        client::request(self.admin, &format!("GET {path} HTTP/1.1"), &[], b"").await
    }

    /// Posts an activity as a well-behaved channel does.
    pub(crate) async fn post(&self, activity: &Value) -> Reply {
        client::post(self.address, &activity.to_string()).await
    }

    pub(crate) async fn get(&self, path: &str) -> Reply {
        client::request(self.address, &format!("GET {path} HTTP/1.1"), &[], b"").await
    }

    /// The keys of all stored documents.
    pub(crate) async fn stored(&self) -> Vec<Key> {
        self.store.list("").try_collect().await.unwrap()
    }
}

/// Serves routes, which are told the address of the peer.
pub(crate) async fn serve(app: Router) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let app = app.into_make_service_with_connect_info::<SocketAddr>();
    drop(tokio::spawn(async move { axum::serve(listener, app).await }));
    address
}

/// A bot that echoes messages.
pub(crate) fn echo() -> Bot {
    Bot::new().on_message(async |mut turn: Turn| {
        let line = format!("Echo: {}", turn.text());
        turn.say(line);
        Ok(())
    })
}

/// A message whose replies go to a service URL.
pub(crate) fn message(id: &str, text: &str, service_url: &str) -> Value {
    json!({
        "type": "message",
        "id": id,
        "text": text,
        "channelId": "emulator",
        "serviceUrl": service_url,
        "from": {"id": "ann"},
        "recipient": {"id": "bot"},
        "conversation": {"id": "c1"},
    })
}

/// The same activity with changed members; `null` removes one.
pub(crate) fn with(mut activity: Value, changes: Value) -> Value {
    let (Value::Object(members), Value::Object(changes)) = (&mut activity, changes) else {
        panic!("both are objects");
    };
    members.extend(changes);
    members.retain(|_, value| !value.is_null());
    activity
}
