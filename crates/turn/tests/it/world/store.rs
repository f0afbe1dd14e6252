//! The memory store with faults, latency and a record of every call.

use std::{
    collections::{BTreeMap, VecDeque},
    fmt,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    time::Duration,
};

use async_trait::async_trait;
use futures_core::stream::BoxStream;
use sayso_turn::{
    Bag, Key,
    clock::{Clock, Timestamp},
    document::Document,
    store::{
        self, Cursor, DuePage, ETag, MemoryStore, Saved, Store, StoreStats, Stored, Transactions,
        Write,
    },
};

use super::PausedClock;

/// Beyond so many calls about one document within a millisecond the store takes its time: a loop
/// without a pause would otherwise stop a paused clock, and no test could count it.
const CALLS_AT_ONCE: usize = 100;

/// Fault that the store injects once.
#[derive(Clone, Debug)]
pub(crate) enum Fault {
    /// The save happens and its answer is lost.
    LostAnswer,
    /// The save does not happen and its answer is lost.
    LostRequest,
    /// The save happens a while after its answer was lost.
    LandsLate(Duration),
    Throttled(Option<Duration>),
    Unavailable,
    Conflict,
    /// The save or the load takes its time.
    Slow(Duration),
    /// Neither the answer nor the save ever comes.
    Hang,
    /// The store refuses for good: a wrong password, say.
    Invalid,
    /// The store says that what it has is damaged.
    Corrupt,
    /// The document is more than the store takes.
    TooLarge,
}

/// Test for a save.
type Matches = fn(&Write) -> bool;

/// Kind of a store call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Call {
    Load,
    Save,
    Delete,
}

/// The memory store, with faults and counters.
#[derive(Debug, Default)]
pub(crate) struct TestStore {
    pub(crate) inner: Arc<MemoryStore>,
    pub(crate) saves: Mutex<VecDeque<Fault>>,
    /// Fault of every save.
    pub(crate) always: Mutex<Option<Fault>>,
    /// Fault of the saves that match, also of those in transactions.
    pub(crate) refuses: Mutex<Option<(Matches, Fault)>>,
    /// True if the store pretends to have no transactions.
    pub(crate) has_steps: AtomicBool,
    /// Time-out of saves that the store promises.
    pub(crate) save_time_max: Mutex<Option<Duration>>,
    pub(crate) load_faults: Mutex<VecDeque<Fault>>,
    /// Fault of every load.
    pub(crate) always_loads: Mutex<Option<Fault>>,
    /// Fault of the next load of a document, by its key.
    key_faults: Mutex<Vec<(String, Fault)>>,
    /// True for a page of due documents that never comes, in the order of the calls.
    pub(crate) due_hangs: Mutex<VecDeque<bool>>,
    /// Largest page that it makes in time, if not any.
    pub(crate) due_max: Mutex<Option<usize>>,
    /// Latency of every call.
    pub(crate) latency: Mutex<Duration>,
    calls: Mutex<BTreeMap<String, Vec<(Duration, Call)>>>,
    pub(crate) loads: AtomicU64,
    pub(crate) writes: AtomicU64,
    /// Pages of looks for due documents.
    pub(crate) dues: AtomicU64,
}

impl TestStore {
    pub(crate) fn fail_saves(&self, faults: impl IntoIterator<Item = Fault>) {
        self.saves.lock().unwrap().extend(faults);
    }

    /// The next load of this document meets a fault.
    pub(crate) fn fail_load_of(&self, key: &str, fault: Fault) {
        self.key_faults.lock().unwrap().push((key.to_owned(), fault));
    }

    /// Calls about a document, with their times.
    pub(crate) fn calls_of(&self, key: &str) -> Vec<(Duration, Call)> {
        self.calls.lock().unwrap().get(key).cloned().unwrap_or_default()
    }

    /// Maximum number of calls about a document in any interval of this length, from a moment on.
    pub(crate) fn calls_within(&self, key: &str, from: Duration, stretch: Duration) -> usize {
        let mut times: Vec<_> = self.calls_of(key).into_iter().map(|(at, _)| at).collect();
        times.retain(|at| *at >= from);
        let until = |first: &Duration| times.partition_point(|at| *at < *first + stretch);
        let counts = times.iter().enumerate().map(|(before, first)| until(first) - before);
        counts.max().unwrap_or_default()
    }

    /// Takes note of a call and lets it take its time.
    async fn called(&self, call: Call, key: &Key) {
        let now = PausedClock.uptime();
        let is_loop = {
            let mut calls = self.calls.lock().unwrap();
            let of_key = calls.entry(key.as_str().to_owned()).or_default();
            of_key.push((now, call));
            let before = of_key.len().checked_sub(CALLS_AT_ONCE);
            before.is_some_and(|before| of_key[before].0 + Duration::from_millis(1) > now)
        };
        let latency = *self.latency.lock().unwrap();
        if is_loop {
            tokio::time::sleep(Duration::from_secs(1)).await;
        } else if latency > Duration::ZERO {
            tokio::time::sleep(latency).await;
        } else {
            tokio::task::yield_now().await;
        }
    }

    fn load_fault(&self, key: &Key) -> Option<Fault> {
        let mut of_keys = self.key_faults.lock().unwrap();
        if let Some(at) = of_keys.iter().position(|(of, _)| of == key.as_str()) {
            return Some(of_keys.remove(at).1);
        }
        let next = self.load_faults.lock().unwrap().pop_front();
        next.or_else(|| self.always_loads.lock().unwrap().clone())
    }

    pub(crate) async fn document(&self, key: &str) -> Option<Document> {
        let key = Key::new(key).unwrap();
        let stored = self.inner.load(&key).await.unwrap()?;
        Some(Document::parse(&key, &stored.body).unwrap())
    }

    pub(crate) async fn bag(&self, key: &str) -> Bag {
        self.document(key).await.map(|document| document.bag).unwrap_or_default()
    }

    /// Fault of a save that matches.
    fn refusal(&self, write: &Write) -> Option<Fault> {
        let refuses = self.refuses.lock().unwrap();
        refuses.as_ref().filter(|(is_it, _)| is_it(write)).map(|(_, fault)| fault.clone())
    }

    async fn with_fault(&self, write: &Write) -> Option<Result<Saved, store::Error>> {
        let next = self.saves.lock().unwrap().pop_front().or_else(|| self.refusal(write));
        let fault = next.or_else(|| self.always.lock().unwrap().clone())?;
        let unknown = Err(store::Error::Unknown {
            store: "test".into(),
            reason: "lost".into(),
            source: None,
        });
        Some(match fault {
            Fault::LostAnswer => {
                self.inner.save(write.clone()).await.unwrap();
                unknown
            }
            Fault::LostRequest => unknown,
            Fault::Slow(time) => {
                tokio::time::sleep(time).await;
                self.inner.save(write.clone()).await
            }
            Fault::LandsLate(after) => {
                let (inner, write) = (Arc::clone(&self.inner), write.clone());
                drop(tokio::spawn(async move {
                    tokio::time::sleep(after).await;
                    inner.save(write).await.unwrap();
                }));
                unknown
            }
            other => failed(other, &write.key).await,
        })
    }
}

async fn failed<T>(fault: Fault, key: &Key) -> Result<Saved<T>, store::Error> {
    let store = "test".into();
    Err(match fault {
        Fault::Conflict => return Ok(Saved::Conflict),
        Fault::Hang => std::future::pending().await,
        Fault::Throttled(after) => store::Error::Throttled { store, after },
        Fault::Invalid => {
            store::Error::Invalid { store, reason: "the password is wrong".into(), source: None }
        }
        Fault::Corrupt => {
            store::Error::Corrupt { key: key.clone(), reason: "a block cannot be read".into() }
        }
        Fault::TooLarge => {
            store::Error::TooLarge { store, key: key.clone(), bytes: 2, bytes_max: 1 }
        }
        _ => store::Error::Unavailable { store, reason: "down".into(), source: None },
    })
}

#[async_trait]
impl Store for TestStore {
    async fn load(&self, key: &Key) -> Result<Option<Stored>, store::Error> {
        self.loads.fetch_add(1, Ordering::Relaxed);
        self.called(Call::Load, key).await;
        match self.load_fault(key) {
            Some(Fault::Slow(time)) => tokio::time::sleep(time).await,
            Some(fault) => return failed::<ETag>(fault, key).await.map(|_| None),
            None => {}
        }
        self.inner.load(key).await
    }

    async fn save(&self, write: Write) -> Result<Saved, store::Error> {
        self.writes.fetch_add(1, Ordering::Relaxed);
        self.called(Call::Save, &write.key).await;
        match self.with_fault(&write).await {
            Some(faulty) => faulty,
            None => self.inner.save(write).await,
        }
    }

    async fn delete(&self, key: &Key, etag: &ETag) -> Result<Saved, store::Error> {
        self.called(Call::Delete, key).await;
        self.inner.delete(key, etag).await
    }

    async fn due(
        &self,
        now: Timestamp,
        from: Option<&Cursor>,
        limit: usize,
    ) -> Result<DuePage, store::Error> {
        self.dues.fetch_add(1, Ordering::Relaxed);
        let hangs = self.due_hangs.lock().unwrap().pop_front().unwrap_or_default();
        if hangs || self.due_max.lock().unwrap().is_some_and(|most| limit > most) {
            std::future::pending::<()>().await;
        }
        self.inner.due(now, from, limit).await
    }

    fn list(&self, prefix: &str) -> BoxStream<'_, Result<Key, store::Error>> {
        self.inner.list(prefix)
    }

    fn transactions(&self) -> Option<&dyn Transactions> {
        (!self.has_steps.load(Ordering::Relaxed)).then_some(self)
    }

    fn save_time_max(&self) -> Option<Duration> {
        *self.save_time_max.lock().unwrap()
    }

    fn stats(&self) -> StoreStats {
        let mut stats = StoreStats::default();
        stats.loads.calls = self.loads.load(Ordering::Relaxed);
        stats.saves.calls = self.writes.load(Ordering::Relaxed);
        stats
    }
}

#[async_trait]
impl Transactions for TestStore {
    /// Meets no fault but latency and refusals.
    async fn save_all(&self, writes: Vec<Write>) -> Result<Saved<Vec<ETag>>, store::Error> {
        for write in &writes[..writes.len() - 1] {
            let mut calls = self.calls.lock().unwrap();
            let of_key = calls.entry(write.key.as_str().to_owned()).or_default();
            of_key.push((PausedClock.uptime(), Call::Save));
        }
        self.called(Call::Save, &writes[writes.len() - 1].key).await;
        if let Some((write, fault)) =
            writes.iter().find_map(|write| Some((write, self.refusal(write)?)))
        {
            return failed(fault, &write.key).await;
        }
        let transactions = self.inner.transactions().expect("the memory store has them");
        transactions.save_all(writes).await
    }
}

impl fmt::Display for TestStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the test store")
    }
}
