//! The sink: a connector service of our own, where the racing processes send their replies.

use std::sync::Arc;

use axum::{Json, Router, body::Bytes, extract::State, http::StatusCode};
use sayso::{activity::Activity, server};
use serde_json::{Value, json};
use tokio::{net::TcpListener, sync::mpsc, task::JoinHandle};

/// Capacity of the queue of replies that the race has not read yet.
const QUEUE_MAX: usize = 1024;

/// A reply that arrived.
#[derive(Debug)]
pub(super) struct Reply {
    /// The id of the activity that it answers.
    pub(super) to: String,
    pub(super) text: String,
}

/// Takes every reply that is posted to it.
#[derive(Debug)]
pub(super) struct Sink {
    pub(super) url: String,
    replies: mpsc::Receiver<Reply>,
    server: JoinHandle<()>,
}

impl Sink {
    pub(super) async fn start() -> anyhow::Result<Self> {
        let listener = server::bind(([127, 0, 0, 1], 0).into()).await?;
        let url = format!("http://{}/", listener.local_addr()?);
        let (sender, replies) = mpsc::channel(QUEUE_MAX);
        let server = tokio::spawn(serve(listener, sender));
        Ok(Self { url, replies, server })
    }

    /// The next reply.
    ///
    /// # Cancellation
    /// Dropping the future loses no reply.
    pub(super) async fn next(&mut self) -> Option<Reply> {
        self.replies.recv().await
    }
}

impl Drop for Sink {
    fn drop(&mut self) {
        self.server.abort();
    }
}

async fn serve(listener: TcpListener, sender: mpsc::Sender<Reply>) {
    let router = Router::new().fallback(take).with_state(Arc::new(sender));
    if let Err(error) = axum::serve(listener, router).await {
        tracing::error!(%error, "the sink ended");
    }
}

async fn take(
    State(sender): State<Arc<mpsc::Sender<Reply>>>,
    body: Bytes,
) -> (StatusCode, Json<Value>) {
    let Ok(activity) = Activity::from_json(&body) else {
        return (StatusCode::BAD_REQUEST, Json(json!({"error": {"code": "BadSyntax"}})));
    };
    let text = activity.text().to_owned();
    let reply = Reply { to: activity.reply_to_id.unwrap_or_default(), text };
    let id = format!("{:016x}", fastrand::u64(..));
    match sender.send(reply).await {
        Ok(()) => (StatusCode::OK, Json(json!({ "id": id }))),
        Err(_) => (StatusCode::SERVICE_UNAVAILABLE, Json(json!({}))),
    }
}
