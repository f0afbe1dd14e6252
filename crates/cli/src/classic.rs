//! Last-writer-wins semantics, kept only to be raced against: load, run, send, overwrite.
//!
//! This is what the common SDKs do: replies leave while the turn runs, and at its end the state is
//! written whatever happened to it meanwhile. Our store has no unconditional save, so overwriting
//! is done as load-the-latest-version-and-replace-it until it succeeds, which is exactly last
//! writer wins. Nothing else in Sayso works like this, and nobody should.

use std::{
    future::Future,
    net::SocketAddr,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use anyhow::{Context as _, bail};
use axum::{Json, Router, body::Bytes, extract::State, http::StatusCode, routing};
use sayso::{
    Documents,
    activity::Activity,
    channel::{Connector, ConnectorOptions, Refusals, guard_local},
    pizza, server,
    turn::{
        Bag, Bot, Key,
        channel::{Channel as _, Parcel},
        document::Document,
        id::TurnId,
        store::{ETag, Expect, Saved, Store, Write},
    },
};
use serde_json::{Value, json};

use crate::terminal;

/// Maximum attempts at an overwrite, each after a conflict or a transient error.
const OVERWRITES_MAX: u32 = 1000;

/// Serves the pizza bot the usual way until `stop` ends. A signal kills it at once.
pub(crate) async fn serve(
    address: SocketAddr,
    store: Arc<dyn Store>,
    stop: impl Future<Output = ()> + Send + 'static,
) -> anyhow::Result<()> {
    let listener = server::bind(address).await?;
    let connector = Connector::new(ConnectorOptions::default())?;
    let classic =
        Arc::new(Classic { bot: pizza::bot(), store, connector, counts: Counts::default() });
    let router = Router::new()
        .route("/api/messages", routing::post(messages))
        .route("/stats", routing::get(stats))
        .with_state(classic);
    let router = guard_local(router, Refusals::default());
    let service = router.into_make_service_with_connect_info::<SocketAddr>();
    let url = format!("http://{}", listener.local_addr()?);
    terminal::ready(&url, Some(&url));
    axum::serve(listener, service).with_graceful_shutdown(stop).await?;
    Ok(())
}

#[derive(Debug)]
struct Classic {
    bot: Bot,
    store: Arc<dyn Store>,
    connector: Connector,
    counts: Counts,
}

/// The counters that a race compares, named as the engine names its own.
#[derive(Debug, Default)]
struct Counts {
    attempts: AtomicU64,
    commits: AtomicU64,
    /// Saves that replaced a version which the turn had never seen.
    conflicts: AtomicU64,
}

async fn messages(State(classic): State<Arc<Classic>>, body: Bytes) -> (StatusCode, String) {
    let Ok(activity) = Activity::from_json(&body) else {
        return (StatusCode::BAD_REQUEST, "the body is not an activity".to_owned());
    };
    match classic.turn(activity).await {
        Ok(()) => (StatusCode::OK, String::new()),
        Err(error) => (StatusCode::INTERNAL_SERVER_ERROR, error.to_string()),
    }
}

async fn stats(State(classic): State<Arc<Classic>>) -> Json<Value> {
    let read = |count: &AtomicU64| count.load(Ordering::Relaxed);
    let Counts { attempts, commits, conflicts } = &classic.counts;
    Json(json!({
        "attempts": read(attempts), "commits": read(commits), "conflicts": read(conflicts),
    }))
}

impl Classic {
    async fn turn(&self, activity: Activity) -> anyhow::Result<()> {
        let conversation = activity.conversation.as_ref().and_then(|c| c.id.as_deref());
        let channel = activity.channel_id.as_deref().unwrap_or_default();
        let key = Key::conversation(channel, conversation.unwrap_or_default())?;
        let turn = TurnId::new(&key, activity.id.as_deref().unwrap_or_default());

        let (bag, seen) = self.load(&key).await?;
        let documents = Documents::from([(key.clone(), bag)]);
        self.counts.attempts.fetch_add(1, Ordering::Relaxed);
        let outcome = sayso::run(&self.bot, activity, documents).await?;
        for (index, reply) in outcome.replies.into_iter().enumerate() {
            let id = serde_json::from_value(json!(format!("{turn}.{index}")))?;
            let parcel =
                Parcel { id, key: key.clone(), activity: Arc::new(reply), is_repeat: false };
            drop(self.connector.deliver(&parcel).await);
        }
        let bag = outcome.documents.get(&key).context("a run gives back what it was given")?;
        self.overwrite(&key, bag, seen.as_ref()).await
    }

    async fn load(&self, key: &Key) -> anyhow::Result<(Bag, Option<ETag>)> {
        match self.store.load(key).await? {
            None => Ok((Bag::default(), None)),
            Some(stored) => Ok((Document::parse(key, &stored.body)?.bag, Some(stored.etag))),
        }
    }

    /// Writes the bag over whatever is there now.
    async fn overwrite(&self, key: &Key, bag: &Bag, seen: Option<&ETag>) -> anyhow::Result<()> {
        for _ in 0..OVERWRITES_MAX {
            let now = self.store.load(key).await?.map(|stored| stored.etag);
            let is_unseen = now.as_ref() != seen;
            let expect = now.map_or(Expect::Absent, Expect::At);
            let write = Write::new(key.clone(), expect, bag.to_json());
            match self.store.save(write).await {
                Ok(Saved::Committed(_)) => {
                    self.counts.commits.fetch_add(1, Ordering::Relaxed);
                    self.counts.conflicts.fetch_add(u64::from(is_unseen), Ordering::Relaxed);
                    return Ok(());
                }
                Ok(Saved::Conflict) => {}
                Err(error) if error.is_transient() => {
                    tokio::time::sleep(Duration::from_millis(5)).await;
                }
                Err(error) => return Err(error.into()),
            }
        }
        bail!("the state could not be overwritten within {OVERWRITES_MAX} tries")
    }
}
