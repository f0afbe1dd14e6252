//! A channel that remembers.

use std::{
    collections::{BTreeSet, VecDeque},
    sync::{Arc, Mutex},
    time::Duration,
};

use async_trait::async_trait;
use sayso_turn::{
    Key,
    activity::Activity,
    channel::{Channel, Delivery, Parcel},
    clock::Clock,
};
use tokio::sync::Notify;

use super::{PausedClock, TestStore};

/// Remembers what arrived, and checks at that moment that the state it speaks of is stored (P2).
#[derive(Debug)]
pub(crate) struct TestChannel {
    store: Arc<TestStore>,
    pub(crate) arrived: Mutex<Vec<(String, String)>>,
    replies_to: Mutex<Vec<Option<String>>>,
    /// Kind, id and text of everything that arrived.
    changes: Mutex<Vec<(String, Option<String>, String)>>,
    pub(crate) script: Mutex<VecDeque<Step>>,
    /// Default answer for replies without a step of their own.
    pub(crate) always: Mutex<Option<Step>>,
    /// If set, a delivery takes a second, and each so much longer than the one before it.
    pub(crate) spread: Mutex<Duration>,
    pub(crate) false_words: Mutex<BTreeSet<String>>,
    /// Notified when a delivery starts and is held up.
    pub(crate) holding: Notify,
    pub(crate) took: Mutex<Vec<Duration>>,
    /// Kinds of the signs that were shown, with the time.
    pub(crate) shown: Mutex<Vec<(Duration, String)>>,
}

/// Answer of the channel to the next reply.
#[derive(Clone, Debug)]
pub(crate) enum Step {
    Answer(Delivery),
    /// Takes the reply and answers something else.
    TakeAnd(Delivery),
    /// Takes the reply and never answers.
    TakeAndHang,
    /// Never takes it, never answers.
    Hang,
    Panic,
    /// Takes the reply after a while.
    Slow(Duration),
}

impl TestChannel {
    pub(super) fn new(store: Arc<TestStore>) -> Self {
        Self {
            store,
            arrived: Mutex::default(),
            replies_to: Mutex::default(),
            changes: Mutex::default(),
            script: Mutex::default(),
            always: Mutex::default(),
            spread: Mutex::default(),
            false_words: Mutex::default(),
            holding: Notify::new(),
            took: Mutex::default(),
            shown: Mutex::default(),
        }
    }

    pub(crate) fn script(&self, steps: impl IntoIterator<Item = Step>) {
        self.script.lock().unwrap().extend(steps);
    }

    pub(crate) fn texts(&self) -> Vec<String> {
        assert!(self.false_words.lock().unwrap().is_empty(), "P2 is broken");
        self.arrived.lock().unwrap().iter().map(|(_, text)| text.clone()).collect()
    }

    pub(crate) fn replies_to(&self) -> Vec<Option<String>> {
        self.replies_to.lock().unwrap().clone()
    }

    pub(crate) fn ids(&self) -> Vec<String> {
        self.arrived.lock().unwrap().iter().map(|(id, _)| id.clone()).collect()
    }

    pub(crate) fn changes(&self) -> Vec<(String, Option<String>, String)> {
        self.changes.lock().unwrap().clone()
    }

    async fn take(&self, parcel: &Parcel) {
        let ledger = self.store.document(parcel.key.as_str()).await.map(|d| d.ledger);
        let is_stored = ledger.is_some_and(|ledger| {
            ledger.outbox.iter().any(|entry| entry.id == parcel.id) || !ledger.seen.is_empty()
        });
        let text = parcel.activity.text().to_owned();
        let log: Vec<String> =
            self.store.bag(parcel.key.as_str()).await.get("log").unwrap().unwrap_or_default();
        let is_so = log.join(" ").starts_with(&text) || !text.starts_with('m');
        if !is_stored || !is_so {
            self.false_words.lock().unwrap().insert(text.clone());
        }
        self.replies_to.lock().unwrap().push(parcel.activity.reply_to_id.clone());
        let Activity { kind, id, .. } = &*parcel.activity;
        let change = (kind.as_str().to_owned(), id.clone(), text.clone());
        self.changes.lock().unwrap().push(change);
        self.arrived.lock().unwrap().push((parcel.id.to_string(), text));
    }
}

#[async_trait]
impl Channel for TestChannel {
    async fn deliver(&self, parcel: &Parcel) -> Delivery {
        let scripted = self.script.lock().unwrap().pop_front();
        let step = scripted.or_else(|| self.always.lock().unwrap().clone());
        let before = {
            let mut took = self.took.lock().unwrap();
            took.push(PausedClock.uptime());
            u32::try_from(took.len()).unwrap()
        };
        let spread = *self.spread.lock().unwrap();
        if spread > Duration::ZERO {
            tokio::time::sleep(Duration::from_secs(1) + spread * before).await;
        }
        tokio::task::yield_now().await;
        match step {
            None => {
                self.take(parcel).await;
                Delivery::Delivered { id: None }
            }
            Some(Step::Answer(delivery)) => delivery,
            Some(Step::TakeAnd(delivery)) => {
                self.take(parcel).await;
                delivery
            }
            Some(Step::TakeAndHang) => {
                self.take(parcel).await;
                self.holding.notify_one();
                std::future::pending().await
            }
            Some(Step::Hang) => {
                self.holding.notify_one();
                std::future::pending().await
            }
            Some(Step::Slow(time)) => {
                tokio::time::sleep(time).await;
                self.take(parcel).await;
                Delivery::Delivered { id: None }
            }
            Some(Step::Panic) => panic!("the channel panics"),
        }
    }

    async fn show(&self, _: &Key, sign: &Activity) -> Option<String> {
        let shown = (PausedClock.uptime(), sign.kind.as_str().to_owned());
        self.shown.lock().unwrap().push(shown);
        None
    }
}
