//! A small world for tests: several instances on one store, a channel that remembers, a paused clock.

mod channel;

use std::{
    collections::VecDeque,
    fmt,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    task::{Poll, Waker},
    time::Duration,
};

use async_trait::async_trait;
use futures_core::{future::BoxFuture, stream::BoxStream};
use sayso_turn::{
    Bag, Bot, BotError, Engine, Key, Limits, Logic, Turn,
    activity::Activity,
    channel::Channel,
    clock::{Clock, Tasks, Timestamp},
    document::{Document, Ledger},
    store::{self, Due, ETag, MemoryStore, Saved, Store, Stored, Transactions, Write},
};
use tokio::task::AbortHandle;

pub(crate) use self::channel::{Step, TestChannel};

pub(crate) const CONVERSATION: &str = "test/conversations/c";

/// One store, one channel, any number of instances.
pub(crate) struct World {
    pub(crate) store: Arc<TestStore>,
    pub(crate) channel: Arc<TestChannel>,
    pub(crate) limits: Limits,
    seed: AtomicU64,
}

/// One instance, which can be killed.
pub(crate) struct Instance {
    pub(crate) engine: Engine,
    tasks: Arc<KillableTasks>,
}

impl World {
    pub(crate) fn new() -> Self {
        let store = Arc::new(TestStore::default());
        let channel = Arc::new(TestChannel::new(Arc::clone(&store)));
        Self { store, channel, limits: Limits::default(), seed: AtomicU64::new(1) }
    }

    pub(crate) fn start(&self, logic: impl Logic) -> Instance {
        let tasks = Arc::new(KillableTasks::default());
        let engine = Engine::builder(
            logic,
            Arc::clone(&self.store) as Arc<dyn Store>,
            Arc::clone(&self.channel) as Arc<dyn Channel>,
        )
        .clock(Arc::new(PausedClock))
        .tasks(Arc::clone(&tasks) as Arc<dyn Tasks>)
        .seed(self.seed.fetch_add(1, Ordering::Relaxed))
        .limits(self.limits.clone())
        .start();
        Instance { engine, tasks }
    }

    /// The conversation's document as it is stored.
    pub(crate) async fn document(&self) -> Option<Document> {
        self.store.document(CONVERSATION).await
    }

    pub(crate) async fn ledger(&self) -> Ledger {
        self.document().await.map(|document| document.ledger).unwrap_or_default()
    }

    pub(crate) async fn log(&self) -> Vec<String> {
        let bag = self.document().await.map(|document| document.bag).unwrap_or_default();
        bag.get("log").unwrap().unwrap_or_default()
    }

    /// Waits until the stored outbox of the conversation is empty.
    pub(crate) async fn until_delivered(&self) {
        for _ in 0..5000 {
            if self.document().await.is_some() && self.ledger().await.outbox.is_empty() {
                return;
            }
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
        panic!("not delivered: {:?}", self.ledger().await.outbox);
    }
}

impl Instance {
    /// Ends every task of the instance at the await where it is, as a crash does.
    pub(crate) fn kill(&self) {
        for handle in self.tasks.handles.lock().unwrap().drain(..) {
            handle.abort();
        }
        self.tasks.is_dead.store(true, Ordering::SeqCst);
    }

    /// Stops running any task of the instance, as SIGSTOP does. Its time goes on.
    pub(crate) fn freeze(&self) {
        self.tasks.gate.is_shut.store(true, Ordering::SeqCst);
    }

    pub(crate) fn thaw(&self) {
        self.tasks.gate.is_shut.store(false, Ordering::SeqCst);
        self.tasks.gate.waiting.lock().unwrap().drain(..).for_each(Waker::wake);
    }

    pub(crate) async fn say(
        &self,
        id: &str,
        text: &str,
    ) -> Result<sayso_turn::Answer, sayso_turn::Error> {
        self.engine.receive(message(id, text)).await
    }
}

/// Appends every message to `log` and says what the log is now.
pub(crate) fn log_bot() -> Bot {
    Bot::new().on_message(append)
}

pub(crate) async fn append(mut turn: Turn) -> Result<(), BotError> {
    let text = turn.text().to_owned();
    let log = turn.state().named::<Vec<String>>("log")?;
    log.push(text);
    let line = log.join(" ");
    turn.say(line);
    Ok(())
}

pub(crate) fn message(id: &str, text: &str) -> Activity {
    let json = format!(
        r#"{{"type":"message","id":"{id}","channelId":"test","serviceUrl":"http://127.0.0.1/",
            "conversation":{{"id":"c"}},"from":{{"id":"u"}},"recipient":{{"id":"bot"}},"text":"{text}"}}"#
    );
    Activity::from_json(json.as_bytes()).unwrap()
}

pub(crate) fn asking(id: &str, text: &str) -> Activity {
    let mut activity = message(id, text);
    activity.delivery_mode = Some("expectReplies".to_owned());
    activity
}

/// What the store does instead of what it is asked, once.
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
}

/// The memory store, with faults and counters.
#[derive(Debug, Default)]
pub(crate) struct TestStore {
    pub(crate) inner: Arc<MemoryStore>,
    pub(crate) saves: Mutex<VecDeque<Fault>>,
    /// What every save meets, for ever.
    pub(crate) always: Mutex<Option<Fault>>,
    /// Whether it pretends that it cannot write several documents at once.
    pub(crate) has_steps: AtomicBool,
    /// What it promises of the time that a save takes.
    pub(crate) save_time_max: Mutex<Option<Duration>>,
    pub(crate) load_faults: Mutex<VecDeque<Fault>>,
    pub(crate) loads: AtomicU64,
    pub(crate) writes: AtomicU64,
}

impl TestStore {
    pub(crate) fn fail_saves(&self, faults: impl IntoIterator<Item = Fault>) {
        self.saves.lock().unwrap().extend(faults);
    }

    pub(crate) async fn document(&self, key: &str) -> Option<Document> {
        let key = Key::new(key).unwrap();
        let stored = self.inner.load(&key).await.unwrap()?;
        Some(Document::parse(&key, &stored.body).unwrap())
    }

    pub(crate) async fn bag(&self, key: &str) -> Bag {
        self.document(key).await.map(|document| document.bag).unwrap_or_default()
    }

    async fn with_fault(&self, write: &Write) -> Option<Result<Saved, store::Error>> {
        let next = self.saves.lock().unwrap().pop_front();
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
            other => failed(other).await,
        })
    }
}

async fn failed<T>(fault: Fault) -> Result<Saved<T>, store::Error> {
    match fault {
        Fault::Throttled(after) => Err(store::Error::Throttled { store: "test".into(), after }),
        Fault::Conflict => Ok(Saved::Conflict),
        Fault::Hang => std::future::pending().await,
        _ => Err(store::Error::Unavailable {
            store: "test".into(),
            reason: "down".into(),
            source: None,
        }),
    }
}

#[async_trait]
impl Store for TestStore {
    async fn load(&self, key: &Key) -> Result<Option<Stored>, store::Error> {
        self.loads.fetch_add(1, Ordering::Relaxed);
        tokio::task::yield_now().await;
        let fault = self.load_faults.lock().unwrap().pop_front();
        match fault {
            Some(Fault::Slow(time)) => tokio::time::sleep(time).await,
            Some(fault) => return failed::<ETag>(fault).await.map(|_| None),
            None => {}
        }
        self.inner.load(key).await
    }

    async fn save(&self, write: Write) -> Result<Saved, store::Error> {
        self.writes.fetch_add(1, Ordering::Relaxed);
        tokio::task::yield_now().await;
        match self.with_fault(&write).await {
            Some(faulty) => faulty,
            None => self.inner.save(write).await,
        }
    }

    async fn delete(&self, key: &Key, etag: &ETag) -> Result<Saved, store::Error> {
        self.inner.delete(key, etag).await
    }

    async fn due(
        &self,
        now: Timestamp,
        after: Option<&Key>,
        limit: usize,
    ) -> Result<Vec<Due>, store::Error> {
        self.inner.due(now, after, limit).await
    }

    fn list(&self, prefix: &str) -> BoxStream<'_, Result<Key, store::Error>> {
        self.inner.list(prefix)
    }

    fn transactions(&self) -> Option<&dyn Transactions> {
        if self.has_steps.load(Ordering::Relaxed) { None } else { self.inner.transactions() }
    }

    fn save_time_max(&self) -> Option<Duration> {
        *self.save_time_max.lock().unwrap()
    }
}

impl fmt::Display for TestStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the test store")
    }
}

/// Tokio's clock, which tests pause.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct PausedClock;

impl Clock for PausedClock {
    fn now(&self) -> Timestamp {
        Timestamp::from_millis(1_000_000).after(self.uptime())
    }

    fn uptime(&self) -> Duration {
        use std::sync::OnceLock;
        thread_local! { static START: OnceLock<tokio::time::Instant> = const { OnceLock::new() }; }
        let start = START.with(|start| *start.get_or_init(tokio::time::Instant::now));
        tokio::time::Instant::now().duration_since(start)
    }

    fn sleep(&self, wait: Duration) -> BoxFuture<'static, ()> {
        Box::pin(tokio::time::sleep(wait))
    }
}

#[derive(Debug, Default)]
struct KillableTasks {
    handles: Mutex<Vec<AbortHandle>>,
    is_dead: AtomicBool,
    gate: Arc<Gate>,
}

/// While it is shut no task of the instance is polled.
#[derive(Debug, Default)]
struct Gate {
    is_shut: AtomicBool,
    waiting: Mutex<Vec<Waker>>,
}

impl Tasks for KillableTasks {
    fn spawn(&self, mut task: BoxFuture<'static, ()>) {
        if self.is_dead.load(Ordering::SeqCst) {
            return;
        }
        let gate = Arc::clone(&self.gate);
        let gated = std::future::poll_fn(move |cx| {
            if gate.is_shut.load(Ordering::SeqCst) {
                gate.waiting.lock().unwrap().push(cx.waker().clone());
                return Poll::Pending;
            }
            task.as_mut().poll(cx)
        });
        self.handles.lock().unwrap().push(tokio::spawn(gated).abort_handle());
    }
}
