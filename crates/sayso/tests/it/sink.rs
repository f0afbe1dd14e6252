//! Fake connector service that answers replies as slowly as a test wants.

use std::time::Duration;

use axum::{Router, body::Bytes, extract::State};
use serde_json::Value;
use tokio::{net::TcpListener, sync::mpsc};

/// A connector service on loopback that receives the bot's replies.
#[derive(Debug)]
pub(crate) struct Sink {
    pub(crate) url: String,
    pub(crate) texts: mpsc::UnboundedReceiver<String>,
}

impl Sink {
    /// A sink that takes note of a reply at once and answers after a while.
    pub(crate) async fn start(wait: Duration) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/", listener.local_addr().unwrap());
        let (sender, texts) = mpsc::unbounded_channel();
        let router = Router::new().fallback(take).with_state((sender, wait));
        tokio::spawn(async move { axum::serve(listener, router).await });
        Self { url, texts }
    }

    /// A message whose reply comes here.
    pub(crate) fn message(&self, id: &str, text: &str) -> String {
        serde_json::json!({
            "type": "message", "id": id, "text": text, "serviceUrl": self.url,
            "channelId": "test", "conversation": {"id": "c"},
            "from": {"id": "ann"}, "recipient": {"id": "bot"},
        })
        .to_string()
    }
}

async fn take(
    State((sender, wait)): State<(mpsc::UnboundedSender<String>, Duration)>,
    body: Bytes,
) -> &'static str {
    let activity: Value = serde_json::from_slice(&body).unwrap();
    // That the bot is typing is no reply.
    if activity["type"] != "typing" {
        sender.send(activity["text"].as_str().unwrap().to_owned()).unwrap();
    }
    tokio::time::sleep(wait).await;
    "{\"id\":\"1\"}"
}
